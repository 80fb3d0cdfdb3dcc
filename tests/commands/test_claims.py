"""Every sentence of `ordain bound` and of certificates, with the result it rests on and what that assumes.

A sentence is known by its pattern. Its assumptions must stand in the answer it is part of, or on a page of the docs.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ordain import audit
from ordain.bounds import regret
from ordain.bounds.comparison import compare_auc
from ordain.bounds.interval import METHODS, auc_interval
from ordain.bounds.uniform import UniformBound
from ordain.commands.bound import Certainty, Excess, Need, Sorting
from ordain.losses import LOSSES
from ordain.theorems import table

ROOT = Path(__file__).parents[2]
PAGES = " ".join(
    " ".join((ROOT / page).read_text() for page in ("docs/theory.md", "docs/cli.md", "docs/ranking.md")).split()
)
NUMBER = r"[\d.,e+-]*\d"


class Claim(NamedTuple):
    """A sentence, the rows of `ordain theorems` it rests on, and words that say what is assumed."""

    pattern: str
    rows: str
    assumes: str


ROWS_AND_SCORER = (
    "independent rows, which several of one person are not, and a scorer not fitted to them or chosen by them"
)
UNKNOWN = "the Bayes risk"
ALONE = "answers each pair as if it were asked alone"
FIXED = "They speak of a fixed scorer on independent test rows"
BY_LOT = "random pairs"
CLAIMS = [
    Claim(
        r"With .* an AUC is within N of its value on new rows, at .*%, whatever it is .*",
        "X-guaranteed",
        ROWS_AND_SCORER,
    ),
    Claim(
        r"With .* an AUC of .* has the confidence interval N to N, at .*% over all samples, .*",
        "X-guaranteed",
        "over all samples, not over those of this AUC",
    ),
    Claim(r"That is for independent rows, .*", "X-clusters X-guaranteed", ROWS_AND_SCORER),
    Claim(r"If these rows chose among .* models?, each is within N\.", "X-matching X-guaranteed", ROWS_AND_SCORER),
    Claim(
        r"If they choose among .* models?, .* rows are enough for each: .*", "X-matching X-guaranteed", ROWS_AND_SCORER
    ),
    Claim(r"N rows, .*, are enough for an AUC within .* Fewer may do\.", "X-guaranteed", ROWS_AND_SCORER),
    Claim(
        r"If the AUC of N rows, .*, comes out at .*, its confidence interval reaches .*",
        "X-guaranteed",
        "over all samples, not over those of this AUC",
    ),
    Claim(r"For every linear scorer of .* fitted to them N are enough: .*", "X-matching U-shatter", ROWS_AND_SCORER),
    Claim(
        r"AUC on new rows within N of that on the training rows, .*",
        "X-matching U-shatter",
        "if the rows are independent",
    ),
    Claim(r"Vacuous: N, where 0.5 tells nothing from chance, .*", "X-matching U-shatter", "Test on rows of their own"),
    Claim(r"Corollary 1 of Agarwal, Har-Peled and Roth has the width N here\.", "U-thm2", ROWS_AND_SCORER),
    Claim(
        r"If the excess \w+ loss were .* and the share of positives .* \(Theorem 13 with its sharp constant, .*",
        "X-sharp",
        UNKNOWN,
    ),
    Claim(r"If the excess \w+ loss were .* \(Theorem 13 as printed, .*", "S-thm13", UNKNOWN),
    Claim(r"If the excess \w+ loss were .* \(the weight of the loss at this share is .*", "X-prevalence", UNKNOWN),
    Claim(r"If the excess \w+ loss were .* \(low noise, .*", "X-lownoise", "for all x and t"),
    Claim(r"If the excess \w+ loss were .* \(the exponent of Theorem 15, .*", "S-lownoise", "for all x and t"),
    Claim(
        r"If the excess balanced \w+ loss were .* \(Theorem 13 with its sharp constant for equally .*",
        "X-sharp",
        UNKNOWN,
    ),
    Claim(r"If the excess balanced \w+ loss were .* \(Kotłowski et al\.\).*", "S-kotlowski", UNKNOWN),
    Claim(r"If the excess \w+ loss over pairs were .* \(F_ℓ of Menon and Williamson\).*", "M-regret", UNKNOWN),
    Claim(r"If E\|η̂ - η\| were .* \(Corollary 12\).*", "S-cor12", "η is unknown"),
    Claim(r"If \(E\|η̂ - η\|\^.*\) were .* \(Corollary 12 for another norm\).*", "X-sharp", "η is unknown"),
    Claim(
        r"An AUC at most .* below the best possible would follow from an excess .*",
        "X-sharp X-prevalence X-lownoise M-regret",
        UNKNOWN,
    ),
    Claim(r"Excess is what exceeds the least possible mean loss, .*", "S-risks S-cpe", "it cannot be measured"),
    Claim(r"If the judge puts .* so does QuickSort on average: .*", "Q-thm2 Q-thm1", ALONE),
    Claim(r"This is a mean over the choices of pivots, not a promise about one run: .*", "X-tail X-run", ALONE),
    Claim(r"Sorting N items? takes at most N comparisons? on average, whatever the judge; .*", "X-calls", ALONE),
    Claim(r"For the first N alone it is at most N\.", "X-topcalls X-calls", ALONE),
    Claim(
        r"That is for a judge who answers each pair as if it were asked alone\. .*",
        "X-calls Q-thm2",
        "can make a sort ask all pairs",
    ),
    Claim(r"AUC N, .*% confidence interval N to N \(.*effective.*\)\.( It does not cover .*)?", "X-effective", FIXED),
    Claim(r"AUC N, .*% confidence interval N to N \(Clopper–Pearson.*\)\.", "X-exact", FIXED),
    Claim(r"AUC N, .*% confidence interval N to N \(.*(guaranteed|distribution-free).*\)\.", "X-guaranteed", FIXED),
    Claim(r"AUC N, .*% confidence interval N to N \(.*DeLong.*\)\.( It does not cover .*)?", "X-effective", FIXED),
    Claim(r"(The (first|second) ranks better|Neither is shown to rank better): AUC difference .*", "X-compared", FIXED),
    Claim(r"The order agrees with the judge on N of N, .* \(Clopper–Pearson\)\.", "X-run", BY_LOT),
    Claim(r"The order agrees with the judge on N of N, .* \(Bentkus\)\.", "X-guaranteed X-run", BY_LOT),
    Claim(r"The order agrees with the judge on N of N so far, .*", "X-anytime", "at whatever time one stops"),
    Claim(
        r"(The .* order agrees better|The audit cannot tell the orders apart).*\((sign test|Bentkus)\)\.",
        "X-anytime",
        BY_LOT,
    ),
    Claim(
        r"(The .* order agrees better with the judge: stop|The audit cannot .* yet: go on)\. .*",
        "X-anytime",
        "at whatever time it is reached",
    ),
    Claim(r"This order puts at most N of all pairs otherwise than the judge, .*", "X-run", "over the draw of"),
]


def answers():
    """Answers of every kind, whole as they are printed."""
    for level, auc in ((0.9, None), (0.95, 0.8)):
        yield from (Certainty(m, 9 * m, level, auc, 20, 3) for m in (1, 30, 10**5))
        yield Need(0.1, 0.2, level, auc, 3, 5)
    for loss in LOSSES:
        yield from (Excess(loss, 0.2, regret=r, wanted=0.05, noise=n) for r in (0.001, 0.9) for n in (None, (1.0, 2.0)))
        yield Excess(loss, regret=0.001, wanted=0.05, reduction="balanced")
    yield from (
        Excess(loss, regret=r, wanted=0.05, reduction="pairwise") for loss in ("logistic", "squared") for r in (0.01, 2)
    )
    yield from (Sorting(0.1, items, top) for items, top in ((None, None), (1, 1), (1000, 10)))


def bounds():
    """Certificates of Python, a sentence each."""
    for sharp in (True, False):
        yield regret.regret_bound("logistic", loss_regret=0.01, prevalence=0.2, sharp=sharp)
        yield regret.balanced_bound("logistic", balanced_regret=0.01, sharp=sharp)
        yield regret.low_noise_bound("squared", loss_regret=1e-6, prevalence=0.5, alpha=0.5, scale=3, sharp=sharp)
    yield regret.prevalence_bound("logistic", loss_regret=0.9, prevalence=0.01)
    yield regret.pair_bound("exponential", pair_regret=0.02)
    yield from (regret.plug_in_bound(error=0.01, prevalence=0.5, power=q) for q in (1.0, 2.0))
    yield from (UniformBound(m, m, 20) for m in (100, 10**5))
    labels, scores = np.repeat([1, 0], 8), np.arange(16) % 5
    yield from (auc_interval(labels, scores, method=method) for method in METHODS)
    yield from (compare_auc(labels, *pair) for pair in ((labels, 1 - labels), (1 - labels, labels), (scores, scores)))


def audits():
    pairs = audit.held_back(20, 60, np.random.default_rng(0))
    right, order = pairs[:, 0] < pairs[:, 1], np.arange(20)
    for given in (right, np.where(right, 0.9, 0.2)):
        yield audit.agreement(order, pairs, given)
        yield audit.agreement_so_far(order, pairs, given)
        for other in (order[::-1], order):
            yield from (of(order, other, pairs, given) for of in (audit.better, audit.better_so_far))
            yield from (of(other, order, pairs, given) for of in (audit.better, audit.better_so_far))
        yield from (audit.certificate(order, pairs[:k], given[:k], prevalence=p) for k, p in ((60, 0.5), (3, 0.05)))


def said():
    """Every sentence, with the answer it is part of."""
    for answer in answers():
        yield from ((sentence, str(answer)) for sentence in answer.sentences())
    yield from ((str(one), str(one)) for one in (*bounds(), *audits()))


def matching(sentence):
    found = []
    for claim in CLAIMS:
        pattern = re.sub(r"(?<![A-Za-z])N(?![a-z])", lambda _: NUMBER, claim.pattern)
        if re.fullmatch(pattern, " ".join(sentence.split())):
            found.append(claim)
    return found


def test_every_sentence_is_one_claim_of_the_list_and_its_assumptions_are_said():
    seen = set()
    for sentence, answer in said():
        found = matching(sentence)
        assert len(found) == 1, (sentence, found)
        assert found[0].assumes in " ".join(answer.split()) or found[0].assumes in PAGES, sentence
        seen.add(found[0].pattern)
    assert seen == {claim.pattern for claim in CLAIMS}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.pattern[:40])
def test_every_claim_rests_on_rows_that_are_checked(claim):
    assert claim.rows
    assert all(row in table.ROWS for row in claim.rows.split())
