"""What each move was worth: exact play with both hands open. `docs/analysis.md` describes the method and its limits.

Everything here is a pure function of its arguments.
"""
