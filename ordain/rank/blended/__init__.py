"""Scores from features and answers in one model: features lead while answers are few, items once they are many."""
