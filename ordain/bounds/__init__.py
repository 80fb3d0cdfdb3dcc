"""Theorems as functions, numbers in, certificates out: intervals, regret bounds and uniform convergence."""
