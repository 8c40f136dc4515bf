"""What an event records, in words: findings name it so, since nobody who reads them has to know the names of event types."""

from typing import Final

PHRASES: Final = {
    "game_created": "the creation of the game",
    "player_joined": "a player sitting down",
    "contribution_revealed": "a reveal",
    "hand_started": "the start of a hand",
    "looked": "a look at the first card",
    "double_nil_bid": "a bid of double nil",
    "card_kept": "a card kept",
    "card_discarded": "a card thrown on the pile",
    "cards_exchanged": "an exchange",
    "bid_placed": "a bid",
    "card_played": "a card played",
    "hand_scored": "the score of the hand",
    "game_ended": "the end of play",
    "dispute_opened": "a dispute",
    "dispute_settled": "the settlement of a dispute",
    "score_corrected": "a correction of the score",
    "loss_accepted": "a note of lost history",
}
"""A phrase for each type of event, by its stored name."""


def phrase(name: str) -> str:
    """What an event of this type records."""
    return PHRASES[name]
