"""The house as a player at the table; `service.bots` chooses its moves."""
