"""A fitted model and its file, which is data and never code: :class:`Model`, :func:`save`, :func:`load`."""

from ordain.model.file import Model, load, save
from ordain.model.seen import Overlap, Seen, summed

__all__ = ["Model", "Overlap", "Seen", "load", "save", "summed"]
