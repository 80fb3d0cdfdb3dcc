"""A disk of its own for a test, which may be full or read-only."""

import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, kilobytes):
    """A file system of its own, for those who may."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
