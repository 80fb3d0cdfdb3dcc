"""Scikit-learn estimators that learn a scorer from labelled rows."""
