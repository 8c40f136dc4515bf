"""Two verifiers that share no line give one verdict: on honest and damaged records, on canonical vectors, on fuzzed lines.

The second one (service/http/static/verify.mjs) runs in Node, which is started once for all cases.
"""

import base64
import io
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import canonical, player_evidence, record
from events.canonical import NotCanonical
from events.receipts import Receipt
from projections.audit import from_record
from projections.audit.codes import Code
from projections.verify import verify
from tests.kit.logs import GAME, SIGNER
from tests.kit.random_games import random_game
from tests.verify.damage import Case, cases_of, edge_cases, ended_cases, file_of, kept_of, read_back
from tests.verify.disputed import disputed_cases

CASES = Path(__file__).parents[1] / "cases"
FAIRNESS = json.loads((CASES / "fairness.json").read_text())
RECORDS = ("record-1.ndjson", "record-2.ndjson", "record-3.ndjson")
RUNNER = Path(__file__).parents[2] / "service/http/static/verify-node.mjs"
NODE = shutil.which("node") or shutil.which("nodejs")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="the second verifier runs in Node, 18 or later, and there is none on the PATH"
)

GAMES = int(os.environ.get("TRICKBOOK_AGREEMENT_GAMES", "100"))  # as many more as one likes, by hand
DAMAGES, LINES, DISPUTED = 6, 1000, 12
NAMES = ("bytes", "chain", "receipts", "contributions", "deals", "seals", "moves", "end")


def in_node(cases: Sequence[dict[str, Any]], into: Path) -> list[Any]:
    """What the second verifier says of each case, in one process."""
    return finished(*started(cases, into))


def started(cases: Sequence[dict[str, Any]], into: Path) -> tuple["subprocess.Popen[bytes]", Path]:
    assert NODE is not None
    given, told = into / "given.ndjson", into / "told.ndjson"
    given.write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in cases))
    with given.open("rb") as source, told.open("wb") as target:
        return subprocess.Popen([NODE, str(RUNNER), "--cases"], stdin=source, stdout=target, stderr=subprocess.PIPE), told


def finished(process: "subprocess.Popen[bytes]", told: Path) -> list[Any]:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors.decode()
    return [json.loads(line) for line in told.read_bytes().split(b"\n")[:-1]]


def asked(case: Case) -> dict[str, Any]:
    """A case as the runner reads it."""
    given = {"record": base64.b64encode(case.record).decode(), "server_key": case.server_key, "game": case.game}
    if case.kept is not None:
        given["kept"] = base64.b64encode(case.kept).decode()
    return {name: value for name, value in given.items() if value is not None}


def first(case: Case) -> dict[str, Any]:
    """What the first verifier says, as far as the two must agree: everything but the sentences."""
    try:
        lines = None if case.kept is None else player_evidence.read(io.BytesIO(case.kept))
    except player_evidence.UnreadableKept as error:
        return {"unreadable": error.line}
    read, broken = read_back(case.record)
    if read is None:
        assert broken is not None
        return {"unreadable": broken.line}
    source = msgspec.structs.replace(from_record(read, broken), requested=case.game)
    result = verify(source, lines, case.server_key)
    findings = [[one.code, one.position, one.version, one.about, one.grade] for one in result.findings]
    proof = sorted((msgspec.to_builtins(one) for one in result.proof), key=lambda one: one["signature"])
    notes = [[one.code, one.position, one.version] for one in result.notes]
    events = list(msgspec.to_builtins(result.proof_events))
    return {"verdict": result.verdict, "findings": findings, "proof": proof, "proof_events": events, "notes": notes}


def second(told: dict[str, Any]) -> dict[str, Any]:
    """The same of the second."""
    if "unreadable" in told:
        return {"unreadable": told["unreadable"]["line"]}
    assert all(finding["message"].endswith(".") for finding in told["findings"])
    findings = [[one[name] for name in ("code", "position", "version", "about", "grade")] for one in told["findings"]]
    proof = sorted(told["proof"], key=lambda one: one["signature"])
    notes = [[one[name] for name in ("code", "position", "version")] for one in told["notes"]]
    return {name: told[name] for name in ("verdict", "proof_events")} | {"findings": findings, "proof": proof, "notes": notes}


class Judged(msgspec.Struct, frozen=True):
    """A case and what each of the two says of it."""

    case: Case
    first: dict[str, Any]
    told: dict[str, Any]


def differing(judged: Sequence[Judged], into: Path) -> str:
    """The smallest of the cases on which the two differ, written out, or nothing."""
    apart = [(each.case, each.first, second(each.told)) for each in judged if each.first != second(each.told)]
    if not apart:
        return ""
    case, one, two = min(apart, key=lambda each: len(each[0].record))
    (into / "apart.ndjson").write_bytes(case.record)
    (into / "apart.kept").write_bytes(case.kept or b"")
    mine, theirs = (each.get("findings", [each]) for each in (one, two))
    only = [found for found in mine if found not in theirs], [found for found in theirs if found not in mine]
    names = "\n".join(each[0].name for each in apart[:20])
    return (
        f"{len(apart)} of {len(judged)} cases; the smallest, {case.name}, key {case.server_key}, is in {into}\n"
        f"only the first: {only[0]}\nonly the second: {only[1]}\nfirst {one}\nsecond {two}\n{names}"
    )


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    """All records, and what each of the two says of them, at the same time."""
    into = tmp_path_factory.mktemp("records")
    cases = [
        Case(f"{name}, {key}", (CASES / name).read_bytes(), None, key) for name in RECORDS for key in (None, _key_of(name))
    ]
    cases += [case for seed in range(GAMES) for case in cases_of(seed, DAMAGES)]
    cases += [case for seed in range(GAMES // 2) for case in ended_cases(seed)]
    cases += edge_cases()
    cases += disputed_cases(DISPUTED, 14)
    process, told = started([asked(case) for case in cases], into)
    mine = [first(case) for case in cases]
    return [Judged(*each) for each in zip(cases, mine, finished(process, told), strict=True)]


def _key_of(name: str) -> str:
    return str(json.loads((CASES / name).read_bytes().split(b"\n", 1)[0])["server_key"]["id"])


def test_both_agree_on_every_record(judged: list[Judged], tmp_path: Path) -> None:
    apart = differing(judged, tmp_path)
    assert not apart, apart


def test_the_records_show_every_finding_there_is_and_every_verdict(judged: list[Judged]) -> None:
    """So that an agreement says something: what one never finds, two agree on."""
    told = [each.told for each in judged]
    codes = Counter(finding["code"] for each in told for finding in each.get("findings", ()))
    verdicts = {each.get("verdict", "unreadable") for each in told}
    assert verdicts == {"verified", "not_verified", "bad", "unreadable"}
    known = {code for code in Code if code.judge in ("log", "verify") and code.grade != "note"}
    assert known - codes.keys() == set()
    assert codes.keys() <= known


def test_an_honest_game_is_verified_only_under_its_own_key_and_signed_to_its_end(judged: list[Judged]) -> None:
    honest = [(each.case, each.told) for each in judged if each.case.name.endswith("honest")]
    for case, each in honest:
        codes = {finding["code"] for finding in each["findings"]}
        assert codes <= {"key_not_pinned", "game_not_over"}, case.name
        assert (each["verdict"] == "verified") == (not codes), case.name
    assert sum(each["verdict"] == "verified" for _, each in honest) > GAMES // 3


def test_a_score_that_was_put_right_is_a_note_to_both_and_no_finding(judged: list[Judged]) -> None:
    mended = [each.told for each in judged if each.case.name.endswith("honest, mended")]
    assert len(mended) == DISPUTED
    assert {each["verdict"] for each in mended} == {"verified"}
    noted = [note for each in mended for note in each["notes"]]
    assert {note["code"] for note in noted} == {"score_mended"}
    assert len(noted) > DISPUTED // 2


# Canonical JSON -------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as the runner writes it: an object as its pairs in order."""
    if isinstance(value, dict):
        return {"object": [[key, plain(item)] for key, item in value.items()]}
    return [plain(item) for item in value] if isinstance(value, list) else value


def by_the_first(text: bytes) -> Any:
    try:
        return {"value": plain(canonical.decode(text))}
    except NotCanonical:
        return "refused"


def by_the_second(texts: Sequence[bytes], into: Path) -> list[Any]:
    told = in_node([{"canonical": base64.b64encode(text).decode()} for text in texts], into)
    return ["refused" if "refused" in each else each for each in told]


def test_both_readers_refuse_and_accept_the_vectors(tmp_path: Path) -> None:
    refused, accepted = ([text.encode() for text in FAIRNESS[f"canonical_{name}"]] for name in ("refused", "accepted"))
    told = by_the_second([*refused, *accepted], tmp_path)
    assert told[: len(refused)] == ["refused"] * len(refused)
    assert told[len(refused) :] == [by_the_first(text) for text in accepted]
    assert "refused" not in told[len(refused) :]


def some_string(dice: random.Random) -> bytes:
    pieces = (
        b"a", b"Ann", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xf0\x9f\x82\xa1", b'\\"', b"\\\\", b"/", b"__proto__",
        b"\xef\xbf\xbf", b" ", b"\xc2\xa0", b"q" * 300,
    )  # fmt: skip
    damaged = (
        b"\\/", b"\\u0041", b"\\n", b"\\ud800", b"\x00", b"\x1f", b"\x7f", b"\xc2\x80", b"\xc2\x9f", b"\xed\xa0\x80",
        b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xff", b"\xe2\x80", b"\\", b'"', b"\n", b"\xe0\x80\xaf", b"\xc2",
    )  # fmt: skip
    found = [dice.choice(pieces) for _ in range(dice.randrange(4))]
    if dice.random() < 0.06:
        found.insert(dice.randrange(len(found) + 1), dice.choice(damaged))
    return b'"' + b"".join(found) + b'"'


def some_number(dice: random.Random) -> bytes:
    if dice.random() < 0.8:
        return str(
            dice.choice((0, 1, -1, 10, 9007199254740991, -9007199254740991, dice.randint(-(2**53) + 1, 2**53 - 1)))
        ).encode()
    wrong = (
        b"-0", b"00", b"01", b"1.0", b"1e3", b"1E3", b"0.0", b"-", b"+1", b"9007199254740992", b"-9007199254740992", b"9" * 16,
        b"9" * 17, b"9" * 400, b"10000000000000000", b"0x1", b"NaN", b"Infinity", b"-Infinity", b"1_0", b".5", b"-01",
        b"\xd9\xa1",
    )  # fmt: skip
    return dice.choice(wrong)


def some_literal(dice: random.Random) -> bytes:
    return dice.choice((b"true", b"false", b"true", b"null", b"True", b""))


def some_text(dice: random.Random, depth: int) -> bytes:
    """JSON that is mostly canonical: nested as deep as is allowed, and one deeper."""
    kind = dice.random()
    if depth == 0 or kind < 0.3:
        return dice.choice((some_string, some_number, some_literal))(dice)
    space = b" " if dice.random() < 0.02 else b""
    count = dice.randrange(4)
    if kind < 0.6:
        inner = [some_text(dice, depth - 1) for _ in range(count)] or (
            [some_text(dice, depth - 1)] if dice.random() < 0.7 else []
        )
        return b"[" + space + b",".join(inner) + b"]"
    names = ["a", "aa", "a_", "a0", "b", "constructor", "to_string", "z9", "k" * 300]
    keys = sorted(dice.sample(names, count))
    if dice.random() < 0.08:
        keys.insert(dice.randrange(count + 1), dice.choice(("__proto__", "A", "", "0a", "a-", "é", "a", "b", "_a", "a\\u0061")))
    pairs = [b'"' + key.encode() + b'":' + space + some_text(dice, depth - 1) for key in keys]
    return b"{" + b",".join(pairs) + b"}"


def fuzzed() -> Iterator[bytes]:
    """Lines of records with a byte or a spelling changed, and texts made up to be near the profile's edges."""
    dice = random.Random(20)
    lines = [line for name in RECORDS for line in (CASES / name).read_bytes().splitlines()[:90]]
    for _ in range(LINES // 4):
        line = dice.choice(lines)
        i = dice.randrange(len(line))
        yield line[:i] + dice.choice((b"", bytes([line[i] ^ 1 << dice.randrange(8)]), dice.randbytes(2))) + line[i + 1 :]
    while True:
        end = b"" if dice.random() < 0.97 else dice.choice((b" ", b"\n", b"}", b"0"))
        yield some_text(dice, dice.choice((0, 1, 2, 3, 8, 9, 9))) + end


def test_both_readers_read_a_thousand_fuzzed_lines_alike(tmp_path: Path) -> None:
    texts = [text for text, _ in zip(fuzzed(), range(LINES), strict=False)]
    mine, theirs = [by_the_first(text) for text in texts], by_the_second(texts, tmp_path)
    apart = [(text, one, two) for text, one, two in zip(texts, mine, theirs, strict=True) if one != two]
    assert not apart, min(apart, key=lambda each: len(each[0]))
    assert 200 < mine.count("refused") < LINES - 200


# The steps of fairness.md ---------------------------------------------------------------------------------------------


def test_the_second_gives_every_vector_of_the_shuffle(tmp_path: Path) -> None:
    wanted: list[tuple[dict[str, Any], Any]] = []
    for hand in FAIRNESS["hands"]:
        given = {"name": "hand_key", "root": FAIRNESS["root"], "game": FAIRNESS["game"]}
        wanted.append((given | {name: hand[name] for name in ("hand", "north", "south")}, hand["key"]))
        wanted.append(({"name": "stock", "key": hand["key"]}, hand["stock"]))
        if "exchange" in hand:
            told = {"name": "exchange", "key": hand["key"], "pile": hand["exchange"]["pile"]}
            wanted.append((told | {"seat": "north", "count": 3}, hand["exchange"]["north_3"]))
            wanted.append((told | {"seat": "south", "count": 1}, hand["exchange"]["south_1"]))
    below = FAIRNESS["below"]
    rejecting = {"name": "below", "key": below["key"], "label": below["label"], "n": below["n"], "count": len(below["values"])}
    wanted.append((rejecting, below["values"]))
    assert in_node([{"step": given} for given, _ in wanted], tmp_path) == [value for _, value in wanted]


# The platform, the page, the command line -----------------------------------------------------------------------------


def test_without_ed25519_nothing_is_called_verified_and_it_says_so(tmp_path: Path) -> None:
    game = random_game(5, {"max_hands": 1}, contributions=("north", "south"))
    raw, lines = record.write(game.record()), kept_of(game, "north", random.Random(5))
    case = asked(Case("", raw, file_of(lines), SIGNER.key.id))
    damaged = asked(Case("", raw.replace(b'"tricks":', b'"tricks":1', 1), None, SIGNER.key.id))
    plain_, without, bad = in_node([case, case | {"without_ed25519": True}, damaged | {"without_ed25519": True}], tmp_path)
    assert plain_["verdict"] == "verified"
    assert without["verdict"] == "not_verified"
    assert without["findings"] == []
    assert any("Ed25519" in text for text in without["not_checked"])
    assert not any("Ed25519" in text for text in plain_["not_checked"])
    assert bad["verdict"] == "bad"
    for told in (plain_, without, bad):
        assert [gap["text"] for gap in told["gaps"]] == told["not_checked"]
    assert "receipts" in [gap.get("stage") for gap in without["gaps"]]
    assert [gap.get("stage") for gap in plain_["gaps"]] == [None]


def test_each_check_is_told_in_order_as_it_begins_and_ends(tmp_path: Path) -> None:
    game = random_game(6, {"max_hands": 1})
    raw = record.write(game.record())
    cases = [asked(Case("", text, None, None)) | {"told": True} for text in (raw, raw.replace(b'"salt":"', b'"salt":"0', 1))]
    fine, broken = (each["told"] for each in in_node(cases, tmp_path))
    assert [stage for stage, _ in fine] == [name for name in NAMES for _ in range(2)]
    assert [state for _, state in fine[::2]] == ["running"] * len(NAMES)
    assert dict(fine[1::2]) == dict.fromkeys(NAMES, "ok") | {"receipts": "missing"}
    assert dict(broken[1::2])["bytes"] == "wrong"


def test_the_runner_prints_a_line_a_file_and_the_worst_one_counts(tmp_path: Path) -> None:
    game = random_game(7, {"max_hands": 1})
    raw = record.write(game.record())
    good, bad, none, own = (tmp_path / name for name in ("good.ndjson", "bad.ndjson", "none.ndjson", "kept.ndjson"))
    good.write_bytes(raw)
    bad.write_bytes(raw.replace(b'"choice":"first"', b'"choice":"second"', 1))
    none.write_bytes(b"{}\n")
    own.write_bytes(file_of(kept_of(game, "north", random.Random(1))))

    def run(*arguments: str | Path) -> tuple[int, list[Any]]:
        assert NODE is not None
        done = subprocess.run([NODE, RUNNER, *arguments], capture_output=True, check=False, text=True, timeout=60)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    code, (verified,) = run("--server-key", SIGNER.key.id, "--receipts", own, good)
    assert (code, verified["file"], verified["verdict"]) == (0, str(good), "verified")
    code, lines = run(good, bad, none)
    assert (code, [line.get("verdict") for line in lines]) == (3, ["not_verified", "bad", None])
    assert lines[2]["unreadable"]["line"] == 1
    assert run(good)[0] == 1
    assert run(none)[0] == 2
    assert run("--receipts")[0] == run("--what", good)[0] == run()[0] == run(tmp_path / "not there")[0] == 2


def test_a_receipt_is_the_same_line_in_both(tmp_path: Path) -> None:
    """The proof that is handed on is what the first verifier, and anybody, reads as a receipt."""
    game = random_game(8, {"max_hands": 1})
    log = game.log()
    other = json.loads(SIGNER.sign(log[3].events and game.commits[3][-1].at, GAME, b"\x01" * 32, log[3].seq))
    case = Case("", record.write(game.record()), file_of([Receipt(**other)]), SIGNER.key.id)
    (told,) = in_node([asked(case)], tmp_path)
    assert told["verdict"] == "bad"
    assert [finding["code"] for finding in told["findings"]] == ["service_signed_two_histories"]
    assert other in told["proof"]
    assert second(told) == first(case)
