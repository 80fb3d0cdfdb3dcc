"""A shell completes commands and options by what the command line itself says."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("words", "found"), [("ordain ev", "evaluate"), ("ordain fit --red", "--reduction")])
def test_bash_is_told_what_may_follow(words, found):
    asked = {"_ORDAIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    ended = subprocess.run([sys.executable, "-m", "ordain"], env=os.environ | asked, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"plain,{found}\n", "")


def test_bash_takes_the_line_of_the_documentation(tmp_path):
    """A real bash, in which `ordain` is this one."""
    (tmp_path / "ordain").write_text(f'#!/bin/sh\nexec {sys.executable} -m ordain "$@"\n')
    (tmp_path / "ordain").chmod(0o755)
    typed = 'eval "$(_ORDAIN_COMPLETE=bash_source ordain)"\nCOMP_WORDS=(ordain com) COMP_CWORD=1\n'
    typed += '_ordain_completion ordain com\necho "${COMPREPLY[@]}"\n'
    known = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(["bash", "-c", typed], env=known, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("compare\n", "")
