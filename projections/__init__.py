"""Pure folds of facts: the table, what is legal, scores, views, the audit. No I/O, no decisions."""
