"""The registry of finding codes: every code that a judge can yield, with its stage, its subject and its sentence.

To add a code: add one line to `Code`, and one damaged game to tests/audit/damaged_games.py. A code of the judges ``log``
and ``verify`` also needs its word in ``SAID`` of verify.mjs, which must find it too. Then run
``python -m tests.audit.code_table docs/audit.md``. tests/audit/test_codes.py fails for whatever is left out. A code never
changes once it is published: it is stored in verdicts and read by programs.
"""

from enum import StrEnum
from typing import Final, Literal

Stage = Literal["bytes", "chain", "receipts", "contributions", "deals", "seals", "moves", "end"]
"""The step of a verification that yields a finding."""

STAGES: Final[tuple[Stage, ...]] = ("bytes", "chain", "receipts", "contributions", "deals", "seals", "moves", "end")
"""All stages, in the order in which findings are listed."""

Judge = Literal["log", "store", "text", "verify", "client"]
"""The input a code needs: any log; a log in a store; a text record; a record with a pinned key and receipts; a game in play."""

About = Literal["signer", "nobody", "store", "sheet"]
"""The subject of a finding: ``signer`` is the service where it signed these events and the file elsewhere; ``nobody`` rests
on your own word, or something is only missing; ``store`` is whoever can write to it; ``sheet`` is whoever wrote it down."""

Grade = Literal["wrong", "missing", "note"]
"""Whether something is wrong, whether only something is missing for a verification, or neither."""


class Code(StrEnum):
    """A finding code. Its value is the text that is printed and stored."""

    stage: Stage
    judge: Judge
    about: About
    sentence: str
    grade: Grade

    def __new__(cls, code: str, stage: Stage, judge: Judge, about: About, sentence: str, grade: Grade = "wrong") -> "Code":
        member = str.__new__(cls, code)
        member._value_ = code
        member.stage, member.judge, member.about, member.sentence, member.grade = stage, judge, about, sentence, grade
        return member

    OTHER_GAME = "other_game", "bytes", "verify", "nobody", "The service answered with another game than you requested"
    NOT_AN_ENTRY = "not_an_entry", "bytes", "store", "store", "An entry of the store is not one that Trickbook wrote"
    NOT_CANONICAL = "not_canonical", "bytes", "log", "signer", "The bytes are not canonical JSON"
    NOT_AN_EVENT = "not_an_event", "bytes", "log", "signer", "The type, version or data of an event is unknown"
    EVENT_MISSING = "event_missing", "bytes", "log", "signer", "An event is missing between two others"
    EVENT_DOUBLED = "event_doubled", "bytes", "log", "signer", "An event occurs twice"
    EVENT_RENUMBERED = "event_renumbered", "bytes", "log", "signer", "Two different events have the same number"
    EVENTS_SWAPPED = "events_swapped", "bytes", "log", "signer", "Events are not in the order of their numbers"
    EVENTS_CUT = "events_cut", "bytes", "log", "signer", "The log has fewer events than its header or its store claims"
    EVENTS_ADDED = "events_added", "bytes", "log", "signer", "The log has more events than its header claims"
    TIME_WENT_BACK = "time_went_back", "bytes", "log", "signer", "An event has an earlier time than the event before it"
    EVENTS_MISSING = "events_missing", "bytes", "client", "nobody", "The service holds back events that your client knows of"
    UNEXPECTED_ANSWER = "unexpected_answer", "bytes", "client", "nobody", "An answer is not one that a Trickbook service gives"
    BAD_ANSWER = "bad_answer", "bytes", "client", "nobody", "An answer of the service cannot be read"

    HEAD_MISMATCH = "head_mismatch", "chain", "log", "signer", "The events do not give the recorded head: bytes were changed"

    KEY_NOT_PINNED = "key_not_pinned", "receipts", "verify", "nobody", "You pinned no signing key", "missing"
    PINS_DIFFER = "pins_differ", "receipts", "verify", "nobody", "You pinned more than one signing key"
    OTHER_SERVER_KEY = "other_server_key", "receipts", "verify", "signer", "Event 1 names another signing key than you pinned"
    BAD_SERVER_KEY = "bad_server_key", "receipts", "log", "signer", "The signing key in event 1 is not a valid key"
    SERVER_KEY_MISMATCH = "server_key_mismatch", "receipts", "log", "signer", "Header and event 1 name different signing keys"
    BAD_RECEIPT = "bad_receipt", "receipts", "log", "signer", "A receipt cannot be read"
    BAD_SIGNATURE = "bad_signature", "receipts", "log", "signer", "The key in event 1 did not sign a receipt"
    RECEIPT_MISMATCH = "receipt_mismatch", "receipts", "log", "signer", "A receipt names another game, event, head or time"
    RECEIPT_MISSING = "receipt_missing", "receipts", "client", "nobody", "The service gives no receipt for a commit"
    FILE_NOT_SIGNED = "file_not_signed", "receipts", "verify", "signer", "No valid receipt covers the last event", "missing"
    KEPT_RECEIPT_INVALID = "kept_receipt_invalid", "receipts", "verify", "nobody", "The pinned key did not sign your receipt"
    CONTRADICTS_RECEIPT = "contradicts_receipt", "receipts", "verify", "signer", "An event is not the one in your receipt"
    SERVICE_SIGNED_TWO_HISTORIES = (
        *("service_signed_two_histories", "receipts", "verify", "signer"),
        "The service signed receipts that contradict each other",
    )
    NO_KEPT_RECEIPT = (
        *("no_kept_receipt", "receipts", "verify", "nobody"),
        *("None of the receipts you gave is for this game", "missing"),
    )
    FILE_OLDER_THAN_RECEIPT = (
        *("file_older_than_receipt", "receipts", "verify", "nobody"),
        *("The file ends before an event of which you hold a receipt", "missing"),
    )
    INVITE_MISMATCH = "invite_mismatch", "receipts", "client", "nobody", "The invite is not for the game that was created"
    INVITE_NOT_WHOLE = (
        "invite_not_whole",
        "receipts",
        "client",
        "nobody",
        "The invite leaves out the head or the key",
    )
    OTHER_RULES = "other_rules", "receipts", "client", "nobody", "Event 1 has other rules than you requested"
    OTHER_NAME = "other_name", "receipts", "client", "nobody", "The log has another name for you than you gave"
    OTHER_OPPONENT = "other_opponent", "receipts", "client", "nobody", "Another player sat down than you requested"
    WENT_BACK = "went_back", "receipts", "client", "nobody", "The service shows an earlier version than before"
    VIEW_MISMATCH = "view_mismatch", "receipts", "client", "nobody", "A view does not follow from the events"
    NOT_OUR_MOVE = "not_our_move", "receipts", "client", "nobody", "The log has a move of yours that you did not make"
    MOVE_MISSING = "move_missing", "receipts", "client", "nobody", "The answer to your move does not contain the move"
    MOVE_REFUSED = "move_refused", "receipts", "client", "nobody", "The service refused a move that is legal"

    WRONG_SEAT = "wrong_seat", "contributions", "log", "signer", "A player joined at a seat that was not the next one"
    CONTRIBUTION_STRIPPED = "contribution_stripped", "contributions", "verify", "nobody", "The log leaves out your contribution"
    CONTRIBUTION_REPLACED = "contribution_replaced", "contributions", "verify", "nobody", "The log has another contribution"
    CONTRIBUTION_MISMATCH = "contribution_mismatch", "contributions", "log", "signer", "Revealed bytes do not match the join"
    REVEALED_EARLY = "revealed_early", "contributions", "client", "nobody", "Bytes were revealed out of order"
    NOT_READY_TO_REVEAL = (
        *("not_ready_to_reveal", "contributions", "client", "nobody"),
        "The service requests your bytes before a receipt covers the start",
    )

    ROOT_MISMATCH = "root_mismatch", "deals", "log", "signer", "The root is not the one that event 1 committed to"
    BAD_DECK = "bad_deck", "deals", "log", "signer", "The stock or the hands are not cards of one deck"
    DECK_NOT_DERIVED = "deck_not_derived", "deals", "log", "signer", "The root and the contributions give another deck"
    EXCHANGE_NOT_DERIVED = "exchange_not_derived", "deals", "log", "signer", "The root gives other cards in the exchange"

    SEAL_MISMATCH = "seal_mismatch", "seals", "log", "signer", "A sealed part does not match its seal"
    SALT_REPEATED = "salt_repeated", "seals", "log", "signer", "Two sealed parts have the same salt"
    SEALED_MISSING = "sealed_missing", "seals", "log", "signer", "A sealed part that must be there is missing"
    WRONG_OWNER = "wrong_owner", "seals", "log", "signer", "A sealed part belongs to somebody else"
    DRAWN_CARD_CHANGED = "drawn_card_changed", "seals", "verify", "nobody", "You were shown another card than was sealed"

    IMPOSSIBLE = "impossible", "moves", "log", "signer", "An event cannot happen at this table"
    WRONG_EVENT = "wrong_event", "moves", "log", "signer", "An event does not follow from the event before it"
    COMMIT_CUT = "commit_cut", "moves", "log", "signer", "A commit ends before its last event"
    COMMIT_SPLIT = "commit_split", "moves", "log", "signer", "The events of one move are in two commits or have two times"
    COMMITS_JOINED = "commits_joined", "moves", "store", "store", "The events of two moves are in one commit"
    WRONG_NAME = "wrong_name", "moves", "log", "signer", "A player joined at a seat that event 1 keeps for somebody else"
    WRONG_HAND = "wrong_hand", "moves", "log", "signer", "An event names another hand than the one in play"
    WRONG_FIRST_PLAYER = "wrong_first_player", "moves", "log", "signer", "The other seat is first player of this hand"
    GAME_NOT_ENDED = "game_not_ended", "moves", "log", "signer", "A hand begins although the score has ended the game"
    NOT_THEIR_TURN = "not_their_turn", "moves", "log", "signer", "A seat moves when it is the other seat's turn"
    WRONG_PHASE = "wrong_phase", "moves", "log", "signer", "A seat makes a move that this phase does not have"
    CARD_TWICE = "card_twice", "moves", "log", "signer", "A card is drawn, thrown or played twice"
    CARD_NOT_FROM_STOCK = "card_not_from_stock", "moves", "log", "signer", "A drafted card is not the next card of the stock"
    CARD_NOT_HELD = "card_not_held", "moves", "log", "signer", "A player throws or plays a card that is not in the hand"
    CARD_NOT_IN_PILE = "card_not_in_pile", "moves", "log", "signer", "A card drawn in the exchange is not in the pile"
    TOO_MANY_CARDS = "too_many_cards", "moves", "log", "signer", "More cards are exchanged than the rules allow"
    WRONG_COUNT = "wrong_count", "moves", "log", "signer", "The number of cards is not the number that is written down"
    WRONG_TRICK = "wrong_trick", "moves", "log", "signer", "An event names another trick than the one in play"
    WRONG_BID = "wrong_bid", "moves", "text", "sheet", "A seat that bid double nil has another bid as well"
    REVOKE = "revoke", "moves", "log", "signer", "A player does not follow suit but could"
    SPADES_NOT_BROKEN = "spades_not_broken", "moves", "log", "signer", "A player leads spades before they are broken"
    WRONG_HELD = "wrong_held", "moves", "text", "sheet", "A hand that is written down is not the one that was drafted"
    WRONG_TRICKS = "wrong_tricks", "moves", "text", "sheet", "The tricks that are written down are not those of the plays"
    WRONG_SCORE = "wrong_score", "moves", "log", "signer", "The plays give another score for this hand"
    LOSS_ACCEPTED = (
        "loss_accepted",
        "moves",
        "log",
        "nobody",
        "The operator accepted that history of this game was lost",
        "note",
    )
    SCORE_MENDED = "score_mended", "moves", "log", "nobody", "A wrong score that a later event corrects", "note"
    WRONG_TOTALS = "wrong_totals", "moves", "log", "signer", "The final totals are not those of the hands"
    WRONG_END = "wrong_end", "moves", "log", "signer", "The game did not end for this reason"
    WRONG_WINNER = "wrong_winner", "moves", "log", "signer", "The rules name another winner, or none"
    WRONG_DISPUTE = "wrong_dispute", "moves", "log", "signer", "A dispute or its settlement is not possible here"
    UNFOUNDED_CORRECTION = "unfounded_correction", "moves", "log", "signer", "A correction is not what the plays give"

    EVENT_AFTER_END = "event_after_end", "end", "log", "signer", "An event of play follows the end of play"
    GAME_NOT_OVER = "game_not_over", "end", "verify", "nobody", "Play has not ended: root and decks are not out", "missing"


def rank(code: Code) -> int:
    """The place of a code's stage in `STAGES`, from 0."""
    return STAGES.index(code.stage)
