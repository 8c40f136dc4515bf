"""The forgiving reader (docs/spec/sheets.md): every spelling of one meaning reads to that meaning, and nothing reads to two."""

import random
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import DECK, SEATS, Card
from events.ruleset import with_options
from projections.sheet_keeping import kept, problem, with_hand, without_last
from projections.textrecord import BadLine, TextGame, read, write
from projections.textrecord.letters import ENGLISH, LOOKALIKES, SIGNS, TABLES
from projections.textrecord.spelling import spelled
from projections.textrecord.tokens import INVISIBLE
from projections.textrecord.words import number_of
from tests.kit.random_games import random_game

HEAD = "trickbook-text 1\nnorth  Ann\nsouth  Bo\nhand 1\n"
DASHES = "-−–—‐‑‒―﹘－"


def meaning(game: TextGame) -> Any:
    """What a text says: everything but where it says it and how it was read."""
    bare = msgspec.structs.replace(game, rules_at="", notes=())
    hands = tuple(msgspec.structs.replace(hand, lines={}) for hand in game.hands)
    result = None if game.result is None else msgspec.structs.replace(game.result, line=0)
    end = None if game.end is None else msgspec.structs.replace(game.end, line=0)
    return msgspec.structs.replace(bare, hands=hands, result=result, end=end)


@pytest.fixture(scope="module")
def sheets() -> list[TextGame]:
    """Sound sheets of all depths: played, resigned and timed out, with double nils and exchanges, large scores."""
    found = []
    for seed in range(12):
        end: dict[str, Any] = ({}, {"most": 90, "end": "resign"}, {"most": 140, "end": "timeout"})[seed % 3]
        rules = {"max_hands": 2, "failed_nil": ("ignore", "bags")[seed % 2]} | ({"turn_seconds": 5} if seed % 3 == 2 else {})
        text = write(random_game(seed, rules, first=SEATS[seed % 2], **end).events)
        lines = [line for line in text.split("\n") if line.split(" ")[0] not in ("stock", "draft", "exchange", "double_nil")]
        counted = ["tricks north 9" if line.startswith("plays") else line for line in lines]
        found += [read(text), read("\n".join(lines)), read("\n".join(counted))]
    found.append(
        read(
            HEAD + "bids north 5\ntricks south 5\nscore north +1063 -21063 3 south -5 999 0\nresult north 1000 south -1234567\n"
        )
    )
    return found


class Scribe:
    """Writes a sheet as people do: each word in some spelling that has the same meaning."""

    def __init__(self, dice: random.Random, game: TextGame) -> None:
        self.dice, self.names = dice, dict(game.names)

    def text(self, game: TextGame) -> str:
        lines = []
        for line in spelled(game).split("\n"):
            if self.dice.random() < 0.1:
                lines.append(self.dice.choice(("", "# a note", "   ", "\u200b")))
            lines.append(self.line(line) if line else line)
        return self.dice.choice(("\n", "\r\n")).join(lines)

    def line(self, line: str) -> str:
        word, *values = line.split()
        if word in SEATS:
            return self.head(word) + " " * self.dice.randint(1, 3) + self.names[word] + self.comment()
        if word == "trickbook-text":
            return line + self.comment()
        values = [self.value(word, value) for value in values]
        commas = word not in ("plays", "exchange", "hand") and self.dice.random() < 0.3 and not any("," in v for v in values)
        text = (", " if commas and not any(":" in value for value in values) else " ").join(values)
        if word in ("plays", "exchange") and self.dice.random() < 0.5:
            text = re.sub(" ([/>]) ", r"\1", text)
        return self.unseen(f"{self.head(word)} {text}") + self.comment()

    def head(self, word: str) -> str:
        if word == "double_nil":
            word = self.dice.choice(("double_nil", "double nil", "blind nil", "Double-Nil"))
        colon = self.dice.choice(("", "", ":", " :" if word not in SEATS else ":"))
        return self.case(word) + colon

    def value(self, word: str, value: str) -> str:
        if value in SEATS:
            return self.dice.choice((value, self.case(value), self.case(self.names[value])))
        if value in DECK:
            return self.card(Card(value))
        if word == "draft":
            return self.case(self.dice.choice("TP") if value == "T" else value)
        if word == "bids" and value == "0":
            return self.dice.choice(("0", "nil", "Nil"))
        if value == "double_nil":
            return self.case(self.dice.choice(("double_nil", "double nil", "blind nil", "dn", "double-nil")))
        if re.fullmatch("[+-]?[0-9]+", value) and word in ("score", "result"):
            return self.number(value)
        return value if word == "hand" else self.case(value)

    def number(self, value: str) -> str:
        sign, digits = (value[0], value[1:]) if value[0] in "+-" else ("", value)
        if len(digits) > 3:
            digits = f"{int(digits):,}".replace(",", self.dice.choice(("", ",", ".", "'", "’")))
        return (self.dice.choice(DASHES) if sign == "-" else sign) + digits

    def card(self, card: Card) -> str:
        rank = self.dice.choice(("T", "10", "t")) if card[0] == "T" else self.case(card[0])
        sign = self.dice.choice([sign for sign, suit in SIGNS.items() if suit == card[1]])
        selector = self.dice.choice(("", "", "\ufe0f", "\ufe0e"))
        return self.dice.choice((rank + self.case(card[1]), rank + sign + selector, sign + selector + rank))

    def case(self, word: str) -> str:
        return self.dice.choice((word, word, word.upper(), word.capitalize()))

    def unseen(self, text: str) -> str:
        if self.dice.random() < 0.9:
            return text
        at = self.dice.randrange(len(text) + 1)
        return text[:at] + self.dice.choice("\u200b\u2060\u200e\ufeff\u00ad") + text[at:]

    def comment(self) -> str:
        return self.dice.choice(("", "", "", "  # sic, 5/6"))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), at=st.integers(0, 36))
def test_a_sound_sheet_in_any_mixture_of_spellings_reads_to_the_same_game(sheets: list[TextGame], seed: int, at: int) -> None:
    dice = random.Random(seed)
    game = sheets[at]
    names = dice.choice(
        (
            {"north": "Ann", "south": "Bo the Great"},
            {"north": "Ann", "south": "Ann Lee"},
            {"north": "J. O'Hara-Ng", "south": "7"},
        )
    )
    game = msgspec.structs.replace(game, names={seat: names[seat] for seat in game.names})
    text = Scribe(dice, game).text(game)
    raw = text.encode(dice.choice(("utf-8", "utf-8-sig", "utf-16", "utf-16-le")))
    found = read(raw)
    assert meaning(found) == meaning(game), text
    assert meaning(msgspec.json.decode(msgspec.json.encode(found), type=TextGame)) == meaning(game), "plain values"


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), at=st.integers(0, 36))
def test_what_reads_reads_to_the_same_game_once_it_is_written_out(sheets: list[TextGame], seed: int, at: int) -> None:
    """Also a sheet with a line dropped, doubled, swapped or misspelt, as long as it reads at all."""
    dice = random.Random(seed)
    lines = Scribe(dice, sheets[at]).text(sheets[at]).replace("\r\n", "\n").split("\n")
    for _ in range(dice.randint(0, 3)):
        i, j = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                lines[i] = ""
            case 1:
                lines.insert(j, lines[i])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case _:
                k = dice.randrange(len(lines[i]) + 1)
                lines[i] = (
                    lines[i][:k] + dice.choice(["", " ", ",", ":", "1", "K", "К", "♠", "ſ", "\u200b", "#"]) + lines[i][k + 1 :]
                )
    try:
        game = read("\n".join(lines))
    except BadLine:
        return
    again = read(spelled(game))
    assert meaning(again) == meaning(game)
    assert spelled(again) == spelled(game)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), at=st.integers(0, 36))
def test_a_hand_added_and_taken_back_leaves_the_text_as_it_was(sheets: list[TextGame], seed: int, at: int) -> None:
    dice = random.Random(seed)
    game = msgspec.structs.replace(sheets[at], result=None, end=None, rules=with_options({"target": 10000}))
    sheet = kept(Scribe(dice, game).text(game).rstrip() + dice.choice(("", "\n", "\n\n", "\n# on\n")))
    if problem(sheet.game) or sheet.is_over():
        return
    taken = dice.randrange(14)
    added = with_hand(sheet, {"north": 3, "south": "double_nil"}, {"north": taken, "south": 13 - taken})
    assert added.lost == ()
    assert added.sheet.text.startswith(sheet.text.rstrip("\r\n"))
    assert meaning(added.sheet.game).hands[:-1] == meaning(sheet.game).hands
    back = without_last(added.sheet)
    assert back.lost == ()
    assert back.sheet.text.rstrip() == sheet.text.rstrip()


# Cards ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.code)
def test_a_table_reads_each_of_its_cards_to_one_card_and_all_52(table: Any) -> None:
    for letters in (table, table.with_english_suits()):
        found: dict[str, set[str]] = {}
        for rank, is_rank in [*letters.ranks.items(), ("10", "T")]:
            for mark, is_suit in [*letters.suits.items(), *SIGNS.items()]:
                spellings = {rank + mark, (rank + mark).lower()} | ({mark + rank} if mark in SIGNS else set())
                for spelling in spellings:
                    assert letters.card(spelling) == is_rank + is_suit, spelling
                    found.setdefault(is_rank + is_suit, set()).add(spelling)
        assert found.keys() == set(DECK)
    assert all(ENGLISH.card(card) == card for card in DECK)


def _sheet_in(code: str, dice: random.Random, *, suits: str) -> tuple[str, TextGame]:
    """A whole hand with its cards in the letters of a language."""
    table = TABLES[code]
    plain = write(random_game(dice.randrange(10**6), {"max_hands": 1}).events)
    letters = table if suits == "own" else table.with_english_suits()

    def in_letters(match: re.Match[str]) -> str:
        rank, suit = match[0]
        ranks = ["10"] if rank == "T" else [letter for letter, is_rank in letters.ranks.items() if is_rank == rank]
        marks = SIGNS if suits == "signs" else letters.suits
        return dice.choice(ranks) + dice.choice([mark for mark, is_suit in marks.items() if is_suit == suit])

    lines = [
        line if line.startswith(("draft", "north", "south")) else re.sub(r"\b[2-9TJQKA][CDHS]\b", in_letters, line)
        for line in plain.split("\n")
    ]
    return "\n".join(lines), read(plain)


@pytest.mark.parametrize("suits", ["own", "english", "signs"])
@pytest.mark.parametrize("code", [code for code in TABLES if code != "en"])
def test_a_sheet_in_the_letters_of_a_language_is_read_by_its_header_and_by_the_only_table_that_fits(
    code: str, suits: str
) -> None:
    dice = random.Random(f"{code} {suits}")
    for _ in range(3):
        text, game = _sheet_in(code, dice, suits=suits)
        declared = text.replace("first  north", f"first  north\ncards  {code}")
        assert meaning(read(declared)) == meaning(game)
        assert read(declared).notes == ()
        guessed = read(text)
        assert meaning(guessed) == meaning(game)
        language = TABLES[code].language
        assert [language in note for note in guessed.notes] == [True], "who guesses says so"


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        ("D♠ 2♣", "did you mean `cards de` or `cards fr`"),
        ("Д♠ К♣", "did you mean `cards ru` or `cards bg`"),
        ("К♠ 2♣", "'К' is CYRILLIC CAPITAL LETTER KA, which only looks like the Latin K; did you mean `cards ru`"),
        ("Т♠ 2♣", "'Т' is CYRILLIC CAPITAL LETTER TE, which only looks like the Latin T; did you mean `cards ru`"),
        ("KS КS", "'К' is CYRILLIC CAPITAL LETTER KA, which only looks like the Latin K"),
        ("2С KS", "'С' is CYRILLIC CAPITAL LETTER ES, which only looks like the Latin C; did you mean '2C'?"),
        ("R♠ 2♣", "did you mean `cards fr` or `cards fi`"),
        ("D♠ Q♣", "did you mean `cards de` or `cards fr`"),
        ("1♠ 2♣", "not '1♠' (column 13)"),
    ],
)  # fmt: skip
def test_cards_that_two_tables_read_or_none_are_refused_with_what_may_be_meant(cards: str, says: str) -> None:
    with pytest.raises(BadLine) as caught:
        read(HEAD + f"plays south {cards}\n")
    assert caught.value.line == 5
    assert says in str(caught.value)


def test_lookalikes_are_never_read_as_what_they_look_like() -> None:
    for letter, latin in LOOKALIKES.items():
        for card in DECK:
            if latin.upper() in card:
                assert ENGLISH.card(card.replace(latin.upper(), letter)) is None


def test_in_french_letters_a_lone_c_may_be_hearts_or_clubs_and_is_refused() -> None:
    text = HEAD.replace("hand 1", "cards fr\nhand 1")
    with pytest.raises(BadLine, match="the suit C is another one in French than in English"):
        read(text + "plays south DC 2C\n")
    assert read(text + "plays south DC 2P\n").hands[0].plays[0].led == "QH"
    assert read(text + "plays south DC 2S\n").hands[0].plays[0].led == "QC"


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("north", "south", "line", "refused"),
    [
        ("Ann", "ann", "bids Ann 5", "'Ann' may be either player"),
        ("South", "Bo", "bids South 5", "'South' may be either player"),
        ("Bo", "Bo 5", "bids Bo 5 4", "'Bo 5' may be one player, or the other with a value"),
        ("Ann", "Bo", "bids Bob 5", "did you mean 'Bo'?"),
        ("Draw", "Bo", "result Draw 5 Bo 4 winner Draw", "a player has this name"),
    ],
)
def test_a_name_that_may_be_either_seat_is_refused(north: str, south: str, line: str, refused: str) -> None:
    with pytest.raises(BadLine, match=re.escape(refused)):
        read(f"trickbook-text 1\nnorth {north}\nsouth {south}\nhand 1\n{line}\n")


def test_the_seats_in_small_letters_are_the_seats_whatever_the_players_are_called() -> None:
    game = read(
        "trickbook-text 1\nnorth south\nsouth North\nhand 1\nbids north 5 south 4\nresult north 5 south 4 winner draw\n"
    )
    assert game.hands[0].bids == {"north": 5, "south": 4}
    assert game.notes == (
        "south in small letters is the seat: the player of this name sits north",
        "north in small letters is the seat: the player of this name sits south",
    )
    named = read("trickbook-text 1\nfirst: Bo\nnorth: Ann: the first\nsouth Bo\nhand 1\nbids ann : the first 5\n")
    assert (named.first, named.names["north"], named.hands[0].bids) == ("south", "Ann: the first", {"north": 5})


# Numbers and commas ---------------------------------------------------------------------------------------------------


def test_numbers_are_read_with_any_dash_and_with_groups_of_three() -> None:
    for dash in DASHES:
        assert number_of(f"{dash}63") == -63
    for text in ("1063", "1,063", "1.063", "1'063", "1’063"):
        assert number_of(f"+{text}") == 1063
    assert number_of("1.234.567") == 1234567
    for text in ("1,63", "1.0634", "0.063", "1,063.500", "1 063", "--5", "5-", "", "-", "٣", "1e3", "1.063'000"):
        assert number_of(text) is None


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("score north 63,63,3", (63, 63, 3)),
        ("score north +63, 63, 3", (63, 63, 3)),
        ("score north 1,063 1.063 3", (1063, 1063, 3)),
        ("score north 63,163,3", "not '63,163,3' (column 13)"),
        ("score north 1,063, 1063, 3", "not '1,063' (column 13)"),
        ("score north 1,063, 5", "not '1,063' (column 13)"),
        ("score north 5,,5 5", "a value on both sides of the comma"),
        ("score north 5 5 5,", "a value on both sides of the comma"),
    ],
)
def test_a_comma_parts_values_or_groups_digits_and_never_both(line: str, right: Any) -> None:
    if isinstance(right, tuple):
        claimed = read(HEAD + line + "\n").hands[0].score["north"]
        assert (claimed.change, claimed.total, claimed.bags) == right
    else:
        with pytest.raises(BadLine, match=re.escape(right)):
            read(HEAD + line + "\n")


# The text of a file ---------------------------------------------------------------------------------------------------


def test_an_encoding_that_was_guessed_is_named() -> None:
    text = HEAD.replace("Ann", "Änn") + "bids Änn 5\n"
    for codec, note in (
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", "UTF-16, by its byte order mark"),
        ("utf-16-be", "UTF-16: a guess"),
        ("latin-1", "line 2: the file is not UTF-8; it is read as Latin-1: a guess"),
    ):
        game = read(text.encode(codec))
        assert game.names["north"] == "Änn"
        assert [note in said for said in game.notes] == ([True] if note else [])
    windows = read((HEAD + "score north –5 – 5\n".replace(" – 5", " 5 5")).encode("cp1252"))
    assert windows.hands[0].score["north"].change == -5
    assert "Windows-1252" in windows.notes[0]
    for raw, says in (
        (text.encode("utf-32"), "UTF-32"),
        (text.encode() + b"\xff\n", "line 6: expected UTF-8: the byte at column 1"),
        (b"\xfftrickbook\x00\x01", "this is no text"),
        (b"\xff\xfea", "UTF-16"),
    ):
        with pytest.raises(BadLine, match=re.escape(says)):
            read(raw)


def test_characters_without_width_are_dropped_with_a_note_but_for_joiners_in_a_name() -> None:
    game = read(
        "\u200btrickbook-text 1\nnorth \u2066Ann\u2069\u200b\nsouth می\u200cخواهم\n# \u200b\nhand 1\nbi\u200bds Ann\ufeff 5\n"
    )
    assert game.names == {"north": "Ann", "south": "می\u200cخواهم"}
    assert game.hands[0].bids == {"north": 5}
    assert game.notes == ("line 1: characters without width are dropped (column 1) and on 2 more lines",)
    assert not any(character.isspace() for character in INVISIBLE)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("bidz Bo 5", "not 'bidz' (column 1); did you mean 'bids'?"),
        ("  plays Bo SQ", "not 'SQ' (column 12); did you mean 'QS'?"),
        ("plays Bo 1OS", "did you mean '10S'?"),
        ("bids Bo nll", "not 'nll' (column 9); did you mean 'nil'?"),
        ("end resined Bo", "did you mean 'resigned'?"),
        ("bids Bo -5", "not '-5' (column 9)"),
        ("bids Bo – 5", "not '–' (column 9)"),
        ("draft K К", "'К' is CYRILLIC CAPITAL LETTER KA, which only looks like the Latin K"),
        ("bids \x1b[2JBo 5", r"not '\x1b[2JBo' (column 6)"),
        ("tricks 7 6", "expected a seat (north or south), not '7' (column 8)"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_column_and_what_may_be_meant(line: str, says: str) -> None:
    with pytest.raises(BadLine) as caught:
        read(HEAD + line + "\n")
    assert (caught.value.line, says in str(caught.value)) == (5, True), str(caught.value)


def test_a_misspelt_option_is_named_with_the_right_one() -> None:
    with pytest.raises(BadLine, match="did you mean 'failed_nil=bags'"):
        read(HEAD.replace("hand 1", "rules failednil=bags\nhand 1"))
    assert read(HEAD.replace("hand 1", "Rules: Target=1,000\nhand 1")).rules.target == 1000
