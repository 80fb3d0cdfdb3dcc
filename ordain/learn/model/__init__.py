"""A fitted model and its file, which is data and never code: :class:`Model`, :func:`save`, :func:`load`."""

from ordain.learn.model.file import Model, load, save

__all__ = ["Model", "load", "save"]
