"""Rotation of the signing key (fairness.md, The receipt): a game is signed to its last event by the key of its event 1."""

import io
from pathlib import Path
from typing import Any

import pytest

from events import record
from events.receipts import Signer
from events.redis_store import RedisStore
from events.store import Unreachable
from projections.audit import audit, from_record
from projections.verify import verify
from service.base import secrets_file
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.base.settings import Settings
from service.games.handler import Games
from service.http.app import create_app
from service.runtime.compose import OtherIdentity, open_identity
from tests.api.conftest import IDENTITY, Clock
from tests.api.players import Table
from tests.kit.servers import Servers


def app_of(store: RedisStore, clock: Clock, identity: Identity) -> Any:
    return create_app(Games(store, identity, clock, Csprng()), Settings(create_limit=0)).test_client()


NEW = Signer(b"\x07" * 32)
ROTATED = Identity(IDENTITY.secret, NEW, (IDENTITY.signer,))


def test_games_begun_under_the_old_key_are_signed_by_it_to_their_end(store: RedisStore, clock: Clock) -> None:
    table = Table(app_of(store, clock, IDENTITY), {"max_hands": 1})
    table.client = app_of(store, clock, ROTATED)
    table.play_out()
    assert table.view()["receipt"]["key"] == IDENTITY.signer.key.id
    read = record.read(io.BytesIO(table.get("/record").data))
    assert audit(from_record(read)).verdict == "ok"
    assert verify(from_record(read), None, IDENTITY.signer.key.id).verdict == "verified"
    fresh = Table(table.client)
    assert fresh.created["server_key"]["id"] == fresh.view()["receipt"]["key"] == NEW.key.id
    assert fresh.invite.endswith(NEW.key.id)
    keys = table.client.get("/v1/keys").json["keys"]
    assert [(key["id"], key["current"]) for key in keys] == [(NEW.key.id, True), (IDENTITY.signer.key.id, False)]


def test_without_the_old_key_its_games_take_no_move(store: RedisStore, clock: Clock) -> None:
    table = Table(app_of(store, clock, IDENTITY))
    table.client = app_of(store, clock, Identity(IDENTITY.secret, NEW))
    answer = table.post("north", {"type": "look"})
    assert (answer.status_code, answer.json["code"]) == (503, "key_missing")
    assert table.view()["version"] == 4


def test_the_old_key_is_kept_and_a_process_that_knows_only_the_old_one_is_refused(servers: Servers, tmp_path: Path) -> None:
    data, old_data = tmp_path / "data", tmp_path / "old"
    store = RedisStore(servers.start().url)
    first = open_identity({}, data, store)
    old_data.mkdir(mode=0o700)
    for name in ("service-secret", "signing-key"):
        (old_data / name).write_text((data / name).read_text())
        (old_data / name).chmod(0o600)
    (old_data / "trickbook.json").write_text((data / "trickbook.json").read_text())
    old, new = secrets_file.rotate(data)
    assert (old.key, new.key != old.key) == (first.signer.key, True)
    assert (data / "retired-keys").stat().st_mode & 0o777 == 0o600
    second = open_identity({}, data, store)
    assert (second.signer.key, [one.key for one in second.retired]) == (new.key, [old.key])
    with pytest.raises(OtherIdentity, match="another key"):
        open_identity({}, old_data, store)
    assert open_identity({}, data, store).signer.key == new.key
    store.close()


@pytest.mark.parametrize(
    "environment", [{"TRICKBOOK_SIGNING_KEY": "short"}, {"TRICKBOOK_SECRET": "short"}, {"TRICKBOOK_RETIRED_KEYS": "short"}]
)
def test_a_start_that_is_refused_leaves_no_fresh_secret(servers: Servers, tmp_path: Path, environment: dict[str, str]) -> None:
    server = servers.start()
    store = RedisStore(server.url, patience=0.5)
    with pytest.raises(secrets_file.BadSecret):
        open_identity(environment, tmp_path / "malformed", store)
    open_identity({}, tmp_path / "first", store)
    for known in ({}, {"TRICKBOOK_SECRET": "0" * 64}):
        with pytest.raises(OtherIdentity):
            open_identity(known, tmp_path / "second", store)
    server.stop()
    with pytest.raises(Unreachable):
        open_identity({}, tmp_path / "third", store)
    store.close()
    for name in ("malformed", "second", "third"):
        assert not {"service-secret", "signing-key", "retired-keys"} & {path.name for path in (tmp_path / name).iterdir()}


def test_rotating_twice_keeps_every_key(tmp_path: Path) -> None:
    first = secrets_file.load({}, tmp_path)
    for _ in range(2):
        secrets_file.rotate(tmp_path)
    found = secrets_file.load({}, tmp_path)
    assert len(found.signers) == 3
    assert first.signer.key in [signer.key for signer in found.retired]
