"""The loss of all pairs of a batch for networks in torch: the sums of :class:`ordain.pairs.PairRisk`, which it derives.

A batch of n rows costs O(n) time and memory where a matrix of its pairs costs O(n²), so whole tables can be a batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from ordain._types import Vector
from ordain.losses import Loss
from ordain.pairs import PairRisk


class PairLoss(torch.nn.Module):
    """Mean loss over the pairs of a better and a worse row of a batch, as a module of torch.

    R(s) = Σ w_i w_j φ(s_i - s_j) / Σ w_i w_j over the pairs of a group in which i is better than j. Value and gradient
    are those of :class:`ordain.pairs.PairRisk` in double precision on the processor, and return in the precision and to
    the device of the scores. It can be derived twice. Without a pair, as where a batch has one class, value and
    gradient are 0.

    Parameters
    ----------
    loss : str or Loss
        One that `PairRisk` takes: logistic, exponential, squared, squared_hinge, hinge, canonical_squared or
        canonical_exponential.
    push : float ≥ 1
        The power of the p-norm push; for two classes.
    graded : bool
        Labels are grades, and every pair of different grades counts.

    Examples
    --------
    >>> scores = torch.tensor([2.0, 0.0, 1.0, 1.0], requires_grad=True)
    >>> risk = PairLoss("squared")(scores, torch.tensor([1, 0, 1, 0]))
    >>> risk.backward()
    >>> risk.item(), scores.grad.tolist()
    (0.5, [0.5, -0.5, -0.5, 0.5])
    """

    def __init__(self, loss: str | Loss = "logistic", *, push: float = 1, graded: bool = False) -> None:
        super().__init__()
        PairRisk([1, 0], loss, push=push, graded=graded)  # refuses here what it would refuse at the first batch
        self.loss, self.push, self.graded = loss, push, graded

    def forward(self, scores: Any, labels: Any, *, weights: Any = None, groups: Any = None) -> Any:
        """The loss of scores of shape (n,) or (n, 1); labels, weights and groups are tensors or arrays of length n."""
        if scores.dim() > 1 and scores.numel() != len(scores):
            raise ValueError(f"scores must have shape (n,) or (n, 1). Got {tuple(scores.shape)}.")
        labels, weights, groups = (None if part is None else _array(part) for part in (labels, weights, groups))
        if not len(scores) == len(labels):
            raise ValueError(f"scores and labels must have the same length. Got {len(scores)} and {len(labels)}.")
        risk = None
        if _has_pairs(labels, weights, groups):
            options: dict[str, Any] = {"push": self.push, "graded": self.graded}
            risk = PairRisk(labels, self.loss, weights=weights, groups=groups, **options)
        return _Value.apply(scores.reshape(-1), risk)

    def extra_repr(self) -> str:
        """What stands in brackets when the module is printed."""
        return f"loss={self.loss!r}, push={self.push}, graded={self.graded}"


class _Value(torch.autograd.Function):
    """The risk at some scores; None is the risk of no pair."""

    @staticmethod
    def forward(context: Any, scores: Any, risk: PairRisk | None) -> Any:
        value, slope = (0.0, np.zeros(len(scores))) if risk is None else risk.value_gradient(_array(scores))
        context.save_for_backward(scores)
        context.risk, context.slope = risk, slope
        return scores.new_tensor(value)

    @staticmethod
    def backward(context: Any, out: Any) -> Any:
        (scores,) = context.saved_tensors
        return _Slope.apply(scores, out, context.risk, context.slope), None


class _Slope(torch.autograd.Function):
    """out · g(s), g the gradient: its derivative along v is out · H v in the scores, and v·g in out."""

    @staticmethod
    def forward(context: Any, scores: Any, out: Any, risk: PairRisk | None, slope: Vector) -> Any:
        context.save_for_backward(scores, out)
        context.risk, context.slope = risk, slope
        return out * scores.new_tensor(slope)

    @staticmethod
    @once_differentiable
    def backward(context: Any, v: Any) -> Any:
        scores, out = context.saved_tensors
        along = _array(v)
        bent = np.zeros(len(along)) if context.risk is None else context.risk.hessp(_array(scores), along)
        return out * scores.new_tensor(bent), out.new_tensor(along @ context.slope), None, None


def _array(part: Any) -> Vector:
    """A tensor or array as an array of one dimension, scores in double precision."""
    if not isinstance(part, torch.Tensor):
        return np.asarray(part).reshape(-1)
    part = part.detach().reshape(-1)
    return (part.double() if part.is_floating_point() else part).cpu().numpy()


def _has_pairs(labels: Vector, weights: Vector | None, groups: Vector | None) -> bool:
    """Whether rows of different labels that weigh something stand in one group."""
    if weights is not None:
        labels, groups = labels[weights > 0], None if groups is None else groups[weights > 0]
    if groups is not None:
        order = np.lexsort((labels, groups))
        labels, groups = labels[order], groups[order]
    changed = labels[1:] != labels[:-1]
    return bool(np.any(changed if groups is None else changed & (groups[1:] == groups[:-1])))
