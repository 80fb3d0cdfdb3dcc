"""Which model ranks best on a table: candidates, goals, the honest comparison, and the fit of what it picks."""
