"""Where rows are combined: here, or over several workers that have some of the rows each.

`combined` has the few things that are made from more than one row; `collective` makes them over processes, which
`spread` starts on the workers of a cluster, and starts again where one is lost; `cluster` finds these workers.
"""

from ordain.engine.combined import LOCAL, Engine

__all__ = ["LOCAL", "Engine"]
