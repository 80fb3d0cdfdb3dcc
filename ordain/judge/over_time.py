"""How far the order of a run agreed with the audit while answers came in."""

from __future__ import annotations

import numpy as np

from ordain.audit import Agreement, agreement
from ordain.judge.plan import SORTS
from ordain.judge.summary import Summary

POINTS = 8
"""How often it is looked at."""


def agreement_over_time(summary: Summary) -> list[tuple[int, Agreement]]:
    """After ever more answers to the rankers, the agreement of the order so far with the judge on the audit's pairs.

    Empty where there was no audit, and for a sort, whose order is there only at its end.
    """
    if summary.audit is None or summary.plan.ranker in SORTS:
        return []
    pairs, answers = summary.audited(summary.audit.independent)
    run, said = summary.run, summary.run.said_to_rankers()
    if not len(pairs) or not said:
        return []
    counts = np.unique(np.linspace(0, len(said), POINTS + 1).round().astype(int)[1:])
    return [(count, agreement(run.order_without_audit(count), pairs, answers)) for count in counts.tolist()]
