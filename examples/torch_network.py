"""A network fitted to all pairs of its rows in one batch, beside the same network fitted row by row. Needs torch."""

import torch
from sklearn.datasets import make_classification

import ordain
from ordain.torch import PairLoss


def fitted(loss, X, y):
    """A small network after 60 steps of Adam on all rows."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(X.shape[1], 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    steps = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(60):
        steps.zero_grad()
        loss(network(X).squeeze(1), y).backward()
        steps.step()
    return network


def main() -> None:
    X, y = make_classification(4000, 12, n_informative=6, weights=[0.95], class_sep=0.6, random_state=0)
    X, truth = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    rows = torch.nn.BCEWithLogitsLoss()
    losses = {"all pairs": PairLoss("logistic"), "rows": lambda scores, labels: rows(scores, labels.float())}
    for name, loss in losses.items():
        network = fitted(loss, X[:2000], truth[:2000])
        with torch.no_grad():
            print(f"{name}: {ordain.auc_interval(y[2000:], network(X[2000:]).squeeze(1).numpy())}")


if __name__ == "__main__":
    main()
