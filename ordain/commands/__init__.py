"""One file per command: read, call, print. The command line has their names, options and help."""
