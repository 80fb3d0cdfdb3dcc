"""How far the order of a run agreed with the audit while answers came in."""

from __future__ import annotations

import numpy as np

from ordain.audit import Agreement, agreement
from ordain.judge.outcome import order_of
from ordain.judge.plan import APART, SORTS
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
    run = summary.run
    said = [
        one
        for number, plan in enumerate(run.plans, 1)
        if plan.ranker not in APART
        for one in run.store.answered(number)
    ]
    if not len(pairs) or not said:
        return []
    counts = np.unique(np.linspace(0, len(said), POINTS + 1).round().astype(int)[1:])
    return [(int(count), agreement(order_of(run.n, said[:count]), pairs, answers)) for count in counts]
