from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

import anyio
import httpx

from .errors import CrierError


@dataclass(frozen=True)
class Retry:
    """When a request is sent again. Times are in seconds."""

    tries: int = 8
    """The first one included; 1: nothing is sent again."""
    limit: float = 90
    """A wait that ends later than this is not begun."""
    wait: float = 0.5
    """Before the second try, doubled for each further one, up to 30 s, and spread by a quarter."""
    notify: Callable[[CrierError, float], None] | None = None
    """Told of each try that failed and is followed by another, and of the seconds until then."""


class Clock(Protocol):
    """What a client measures and waits by."""

    def now(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class AsyncClock(Protocol):
    """What an asynchronous client measures and waits by."""

    def now(self) -> float: ...

    async def wait(self, seconds: float) -> None: ...


class MachineClock:
    def now(self) -> float:
        return time.time()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncMachineClock:
    def now(self) -> float:
        return time.time()

    async def wait(self, seconds: float) -> None:
        await anyio.sleep(seconds)


_LONGEST_WAIT = 30.0


def wait_before(following: int, first: float) -> float:
    """Seconds before a try, the second or a later one."""
    wait = min(first * 2.0 ** (following - 2), _LONGEST_WAIT)
    return wait * random.uniform(0.75, 1.25)


def again(safe: bool, failed: CrierError) -> bool:
    """Whether a request that failed is worth sending again, and safe."""
    if isinstance(failed.__cause__, httpx.LocalProtocolError):  # it cannot be sent, such as a key with a line break
        return False
    if failed.status is None:  # safe, or nobody was reached
        return safe or isinstance(failed.__cause__, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if failed.status == 429:  # the daily limit of an account lasts for longer than anybody waits
        return failed.code in ("rate_limit_exceeded", None)
    if failed.status == 503:
        return safe or failed.retry_after is not None
    return safe and failed.status >= 500


class Window:
    """The rate limit of the key: while it is used up, nothing is sent. A key that goes on in spite of 429 is suspended."""

    def __init__(self) -> None:
        self._resumes = 0.0

    def heed(self, headers: Mapping[str, str], refused: CrierError | None, now: float) -> None:
        """Notes when the key may be used again if an answer has used up its limit."""
        wait = 0.0
        if refused is not None and refused.code == "rate_limit_exceeded":
            wait = max(refused.retry_after or 0, 1)
        elif headers.get("X-RateLimit-Remaining") == "0":
            wait = _until_reset(headers)
        self._resumes = max(self._resumes, now + wait)

    def wait(self, now: float) -> float:
        """Seconds for which the key is not to be used."""
        return max(self._resumes - now, 0)


def _until_reset(headers: Mapping[str, str]) -> float:
    """The rest of the minute by the server's own clock."""
    try:
        said: datetime = parsedate_to_datetime(headers["Date"])
        rest = int(headers["X-RateLimit-Reset"]) / 1000 - said.timestamp()
    except (KeyError, ValueError):
        return 0
    return min(max(rest, 0), 60)
