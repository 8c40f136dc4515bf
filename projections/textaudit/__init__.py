"""The audit of a text record: what its lines prove, the figures they state, and claims about them."""
