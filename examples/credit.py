"""Credit risk: compare models on 700 applicants, rank 300 others, and say how well that went, all in Python."""

from importlib.resources import files

import numpy as np
import polars as pl

import ordain


def main() -> None:
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv")
    rows = np.random.default_rng(0).permutation(len(applicants))
    model = ordain.fit(applicants[rows[:700]], "bad_risk", model="linear")
    print(model.choice)
    ranked = model.score(applicants[rows[700:]])
    print(ranked.select("rank", "probability", "checking", "duration", "bad_risk").head(3))
    print(ordain.auc_interval(ranked["bad_risk"], ranked["score"]))
    print(ordain.top(ranked["bad_risk"], ranked["score"], 30))


if __name__ == "__main__":
    main()
