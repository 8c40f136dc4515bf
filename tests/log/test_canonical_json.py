"""The narrow profile of JSON (fairness.md, Canonical JSON): what is refused, and with which word."""

from typing import Any

import pytest

from events.canonical import MAX_INTEGER, NotCanonical, decode, encode, parse


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":1,"a":2}', "'a' is given twice"),
        ('{"a":{"b":1,"c":2,"b":3}}', "'b' is given twice"),
        ('{"a":1.5}', "1.5 is not an integer"),
        ('{"a":1e3}', "1e3 is not an integer"),
        ('{"a":NaN}', "NaN is not an integer"),
        ('{"a":-Infinity}', "-Infinity is not an integer"),
        ('{"a":null}', "null is not used"),
        ('{"a":9007199254740992}', "outside"),
        ('{"a":-9007199254740992}', "outside"),
        ('{"a":12345678901234567}', "outside"),
        ('{"a":"\\u0000"}', "control character"),
        ('{"a":"\u0085"}', "control character"),
        ('{"a":"\u007f"}', "control character"),
        ('{"a":"\\udc00"}', "lone surrogate"),
        ('{"A":1}', "is not of the form"),
        ('{"":1}', "is not of the form"),
        ('{"a-b":1}', "is not of the form"),
        ('{"a\\n":1}', "is not of the form"),
        ("[[[[[[[[[]]]]]]]]]", "deeper than 8"),
        ('[{"a":[{"a":[{"a":[{"a":[]}]}]}]}]', "deeper than 8"),
        ("\ufeff{}", "not JSON"),
        ("{} {}", "not JSON"),
        ("", "not JSON"),
        ("{", "not JSON"),
    ],
)
def test_neither_reader_takes_what_is_outside_the_profile(text: str, said: str) -> None:
    for read in (parse, decode):
        with pytest.raises(NotCanonical, match=said.replace("(", r"\(")):
            read(text.encode())


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    with pytest.raises(NotCanonical, match="byte 6"):
        parse(b'{"a":"\xff"}')


def test_text_nested_thousands_deep_is_refused_and_overflows_nothing() -> None:
    for text in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000):
        with pytest.raises(NotCanonical):
            parse(text)


@pytest.mark.parametrize(
    "text", ['{ "a":1}', '{"b":1,"a":2}', '{"a":"\\u0041"}', '{"a":"\\/"}', '{"a":-0}', "{}\n", '{"a":1}\r']
)
def test_a_request_may_be_spelled_in_any_way_and_the_log_in_one_only(text: str) -> None:
    value = parse(text.encode())
    with pytest.raises(NotCanonical, match="not in canonical form"):
        decode(text.encode())
    assert decode(encode(value)) == value


def test_the_bounds_are_inside() -> None:
    for value in ({"a": MAX_INTEGER}, {"a": -MAX_INTEGER}, [[[[[[[[]]]]]]]], {"a_9": True}):
        assert decode(encode(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1.0},
        {"a": None},
        {"a": MAX_INTEGER + 1},
        {"A": 1},
        {1: 1},
        {"a": "\x07"},
        {"a": "\ud800"},
        [[[[[[[[[]]]]]]]]],
        {"a": b""},
    ],
)
def test_nothing_unreadable_is_ever_written(value: Any) -> None:
    with pytest.raises(NotCanonical):
        encode(value)


def test_control_characters_are_refused_and_other_scripts_are_written_as_they_are() -> None:
    assert encode({"a": "Ana é \u2028 😀 \ue000"}) == '{"a":"Ana é \u2028 😀 \ue000"}'.encode()
    assert encode({"a": '"\\'}) == b'{"a":"\\"\\\\"}'
