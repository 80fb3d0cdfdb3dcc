"""The mean loss that rankers minimise on the rows of a table: over its pairs, or row by row."""

from __future__ import annotations

from typing import Any

from ordain.losses import get_loss
from ordain.losses.row_risk import PointRisk, class_shares, on_the_line
from ordain.pairs import PairRisk
from ordain.rows.record import Rows


def risk_of_pairs(table: Rows, loss: Any, *, push: float, graded: bool) -> PairRisk:
    """The risk of all pairs within the groups of a table."""
    units: dict[str, Any] = {"weights": table.weights, "groups": table.groups, "graded": graded}
    return PairRisk(table.labels, loss, **units, push=push, engine=table.engine)


def risk_of_rows(table: Rows, loss: Any, *, balanced: bool) -> PointRisk:
    """The risk of a table's rows; balanced, each class weighs one half."""
    shares = class_shares(table.labels, table.weights, balanced=balanced, engine=table.engine)
    return PointRisk(table.labels, on_the_line(get_loss(loss)), shares, table.engine)
