"""Words that people type, each list in one place: the command line, the estimators and the messages read them here."""

INTERVALS = {
    "effective": "effective sample size",
    "exact": "Clopper–Pearson at the smaller class",
    "guaranteed": "distribution-free, finite sample",
    "delong": "DeLong, large sample",
}
"""Methods for the interval of an AUC, and what a certificate calls them."""

MODELS = ("linear", "boosted")
"""What may be fitted to a table."""

REDUCTIONS = ("pointwise", "balanced", "pairwise")
"""Row by row, each class weighing one half, or all pairs."""

METHODS = ("bradley_terry", "degree", "feedback_arc_set", "quicksort")
"""How a board may be made from votes."""
