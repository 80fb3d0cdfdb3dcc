"""Scores of items from answers: the Bradley–Terry model with lapses, its posterior mode and how sure it is."""
