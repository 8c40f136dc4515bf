"""One walk over a game: its steps, their positions and the sentences that explain them."""
