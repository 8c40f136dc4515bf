"""The clock (milliseconds, UTC): a change of summer time or of the zone moves nothing."""

from datetime import UTC, datetime

import pytest
from freezegun import freeze_time

from service.base.clock import SystemClock


@pytest.mark.parametrize(
    "moment", ["2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-11-30T12:00:00Z"]
)
def test_the_clock_is_milliseconds_since_1970_utc(moment: str) -> None:
    with freeze_time(moment):
        assert SystemClock().now() == round(datetime.fromisoformat(moment).astimezone(UTC).timestamp() * 1000)


def test_an_hour_over_a_change_of_summer_time_is_an_hour() -> None:
    with freeze_time("2026-10-25T00:30:00Z", tz_offset=2) as frozen:
        before = SystemClock().now()
        frozen.tick(3600)
        assert SystemClock().now() - before == 3_600_000
