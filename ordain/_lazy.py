"""Names of a package that load on first use (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's `__getattr__`, `__dir__` and `__all__`, by which names load from their modules when asked for.

    Parameters
    ----------
    package : str
        Its name.
    homes : dict
        Name → the module it stands in; the package itself, if the name is that of a module in it.

    Examples
    --------
    >>> load, names, public = lazy("ordain", {"auc": "ordain.measure", "pairs": "ordain"})
    >>> names(), public
    (['auc', 'pairs'], ['auc', 'pairs'])
    >>> load("pairs").__name__
    'ordain.pairs'
    """

    def load(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(import_module(package), name, found)
        return found

    return load, lambda: sorted(homes), list(homes)
