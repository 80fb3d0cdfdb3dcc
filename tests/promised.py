"""Names that other people's scripts call, and that must stay."""

FIXED = [
    "ordain.auc", "ordain.auc_interval", "ordain.compare_auc", "ordain.losses.LOSSES", "ordain.losses.balanced",
    "ordain.losses.p_classification", "ordain.losses.from_bayes_risk", "ordain.pairs.PairRisk", "ordain.LinearRanker",
    "ordain.BoostedRanker", "ordain.PreferenceRanker", "ordain.sort", "ordain.top_k", "ordain.rank.quicksort",
    "ordain.rank.top_k", "ordain.rank.degree", "ordain.rank.window", "ordain.rank.field",
    "ordain.rank.feedback_arc_set", "ordain.rank.greedy", "ordain.rank.play", "ordain.rank.bradley_terry",
    "ordain.rank.Spent", "ordain.fit", "ordain.load", "ordain.regret_bound", "ordain.bounds.shatter.psi",
    "ordain.bounds.shatter.forbidden", "ordain.bounds.uniform.width", "ordain.leaderboard", "ordain.rank.list_window",
    "ordain.rank.list_field", "ordain.judge.Run",
]  # fmt: skip
