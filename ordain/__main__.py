"""`python -m ordain` is the command line."""

from ordain.cli import main

main()
