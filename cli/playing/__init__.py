"""Playing in a terminal: words in, a screen out, everything else asked of the service. No rule of the game lives here."""
