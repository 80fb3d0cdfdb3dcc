"""Recorded comparisons, from whatever file they are in, to a board: who is better, how sure, who may be level."""
