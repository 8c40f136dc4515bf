"""Facts and the log: cards, rulesets, event types, canonical bytes, seals, chain, shuffle, receipts, stores, records.

Nothing here knows the web, a clock or what a fact means for the game.
"""
