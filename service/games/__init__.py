"""Games as the service holds them: decisions, the handler around the log, results, disputes, records in and out."""
