"""The driver of the contract that all clients keep: reads tasks, a line of JSON each, does them by this package's public
names, and writes what became of each. Called with "async" it does them by AsyncCrier.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

import async_tasks
import sync_tasks
from crier import AsyncCrier, Crier, CrierError, webhook
from crier.events import AccountEvent, Event, ItemEvent, PostEvent
from sync_tasks import Outcome


class Aborted(Exception):
    """The caller gives up."""


class TestClock:
    """A clock on which waits are over at once."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.began = time.time()

    def now(self) -> float:
        return self.began + sum(self.waits)

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


class AsyncTestClock(TestClock):
    async def wait(self, seconds: float) -> None:  # type: ignore[override]
        self.waits.append(seconds)


def failure(error: Exception) -> Outcome:
    if isinstance(error, (Aborted, TimeoutError, asyncio.TimeoutError)):
        return {"kind": "aborted"}
    if not isinstance(error, CrierError):
        raise error
    if error.status is None:
        return {"kind": "lost", "message": str(error)}
    return {
        "kind": "refused", "status": error.status, "code": error.code or "", "details": len(error.details), "message": str(error),
        "requestId": error.request_id is not None, "retryAfter": error.retry_after or 0,
    }  # fmt: skip


def run(task: Outcome) -> Outcome:
    """Does a task by Crier. Its caller gives up as synchronous programs do, by a signal."""
    clock, told = TestClock(), Outcome()
    options = {"timeout": task["patience"]} if "patience" in task else {}
    try:
        with Crier(task["key"], server=task["url"], clock=None if "abort" in task else clock, **options) as crier:
            signal.setitimer(signal.ITIMER_REAL, task.get("abort", 0))
            sync_tasks.perform(crier, task["action"], task["input"], told)
    except Exception as error:
        told["error"] = failure(error)
    return {**told, "waits": clock.waits}


async def arun(task: Outcome) -> Outcome:
    """Does a task by AsyncCrier."""
    clock, told = AsyncTestClock(), Outcome()
    options = {"timeout": task["patience"]} if "patience" in task else {}
    try:
        async with AsyncCrier(task["key"], server=task["url"], clock=None if "abort" in task else clock, **options) as crier:
            await asyncio.wait_for(async_tasks.perform(crier, task["action"], task["input"], told), task.get("abort"))
    except Exception as error:
        told["error"] = failure(error)
    return {**told, "waits": clock.waits}


def verify(given: Outcome) -> Outcome:
    try:
        event = webhook.verify(given["secret"], given["headers"], given["body"].encode(), now=given["now"])
    except webhook.WebhookError as error:
        return {"error": {"kind": error.reason}}
    return {"value": f"{event.event} {about(event)}"}


def about(event: Event) -> str:
    match event:
        case PostEvent():
            return event.data.post.id
        case AccountEvent():
            return event.data.account.id
        case ItemEvent():
            return event.data.item.id
    return "unknown"


def abort(_number: int, _frame: FrameType | None) -> None:
    raise Aborted


def main() -> None:
    signal.signal(signal.SIGALRM, abort)
    do: Callable[[Outcome], Outcome] = run
    if sys.argv[1:] == ["async"]:
        do = lambda task: asyncio.run(arun(task))  # noqa: E731
    for line in sys.stdin:
        task = json.loads(line)
        print(json.dumps(verify(task["input"]) if task["action"] == "verify" else do(task)), flush=True)


if __name__ == "__main__":
    main()
