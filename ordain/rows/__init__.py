"""Rows of a table: some that stand for all, folds of them, and a part held out."""
