"""What every room stands on: settings, clock, entropy, identity, secrets, logs. It knows no game."""
