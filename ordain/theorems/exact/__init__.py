"""The papers on finite distributions: exact enumeration where fractions go in, numeric optima of the risks."""
