"""Many processes that come and go at once have one store, and none of them ever finds it gone."""

import threading
from pathlib import Path

from service.embedded import EmbeddedStore
from tests.embedded.processes import User, stores


def test_processes_that_start_at_once_share_one_store(data: Path) -> None:
    users = [User(data, open_now=False) for _ in range(12)]
    for user in users:
        user.opened()
    assert len(stores(data)) == 1
    assert sorted(int(user.ask("increment")) for user in users) == list(range(1, 13))
    for user in users:
        user.close()


def test_users_that_come_and_go_never_meet_an_ending_store(data: Path) -> None:
    failures: list[BaseException] = []

    def come_and_go() -> None:
        try:
            for _ in range(12):
                with EmbeddedStore.open(data) as store:
                    assert store.ensure() is False
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=come_and_go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
