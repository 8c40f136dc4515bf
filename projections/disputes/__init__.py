"""The report on a dispute: who is right, where the two sides part, which reading would make the claim true."""

from projections.disputes.report import Report, moment, report, state

__all__ = ["Report", "moment", "report", "state"]
