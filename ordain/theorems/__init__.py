"""Every result of the papers as a check that runs: what `ordain theorems` prints."""
