"""How an order agrees with a judge on random pairs kept back for it, and how the judge behaved.

The pairs are drawn by lot, independently of the order, so what is right on them is a sample of what is right on all
pairs, whatever the order, the items and the judge are.

A ranker that has the answers to the audit's pairs is judged on what it has seen. If the judge answers afresh it is
enough not to share a memory; if it would answer the same again, :func:`withheld` keeps the pairs from the ranker.
"""

from ordain.audit.agreement import Agreement, Verdict, agreement, better
from ordain.audit.any_time import SoFar, VerdictSoFar, agreement_so_far, better_so_far
from ordain.audit.behaviour import JudgeReport, contradictions, first_shown, judge_report
from ordain.audit.circles import Cyclicity, cyclicity
from ordain.audit.drawn import held_back, random_triples, withheld
from ordain.audit.share import Share
from ordain.audit.this_run import RunBound, certificate

__all__ = [
    "Agreement",
    "Cyclicity",
    "JudgeReport",
    "RunBound",
    "Share",
    "SoFar",
    "Verdict",
    "VerdictSoFar",
    "agreement",
    "agreement_so_far",
    "better",
    "better_so_far",
    "certificate",
    "contradictions",
    "cyclicity",
    "first_shown",
    "held_back",
    "judge_report",
    "random_triples",
    "withheld",
]
