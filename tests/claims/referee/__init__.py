"""An independent referee of sheets: its own reader, legality and scorer from rules.md and record.md, nothing of the product."""
