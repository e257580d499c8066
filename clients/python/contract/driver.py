"""The driver of the contract that all clients keep: reads tasks, a line of JSON each, does them by this package's public
names, and writes what became of each. Called with "async" it does them by AsyncCrier.
"""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from crier import AsyncCrier, Crier, CrierError, models, webhook
from crier.events import AccountEvent, Event, ItemEvent, PostEvent

Outcome = dict[str, Any]


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


def draft(given: Outcome, content: str = "Good morning") -> models.PostCreate:
    return models.PostCreate(content=content, platforms=given.get("platforms", ["mastodon"]), status="draft", external_id=given["name"])


def changed(post: models.Post) -> str:
    return post.content + (", in 2 places" if not post.external_id and (post.metadata or {}).get("kept") == "yes" else "")


def perform(crier: Crier, action: str, given: Outcome, told: Outcome) -> None:
    match action:
        case "create":
            told["value"] = crier.posts.create(draft(given)).id
        case "create twice":
            told["items"] = []
            for content in ("Good morning", "Good evening" if given.get("different") else "Good morning"):
                told["items"].append(crier.posts.create(draft(given, content), idempotency_key=given.get("idempotencyKey")).id)
        case "create bulk":
            crier.posts.create_bulk(models.BulkCreate(posts=[draft(given, "One"), draft(given, "Two")]))
        case "create brand":
            crier.brands.create(given["name"])
        case "cancel":
            crier.posts.cancel(given["id"])
            told["value"] = crier.posts.get(given["id"]).status
        case "change":
            told["value"] = changed(crier.posts.update(given["id"], models.PostUpdate(content="Changed", external_id="")))
        case "read":
            post = crier.posts.get(given["id"])
            told["value"] = f"{post.status} {post.platforms[0].post_id}"
        case "list" | "first of a list":
            told["items"] = []
            for post in crier.posts.list(external_id=given["name"], limit=2):
                told["items"].append(post.id)
                if action != "list":
                    break
        case "upload":
            told["progress"] = []
            media = crier.media.upload(
                base64.b64decode(given["content"]), file_name="film.mp4", progress=lambda sent, _: told["progress"].append(sent)
            )
            told["value"] = f"{media.type} {media.size}"
        case "tour":
            brand = crier.brands.create(given["name"])
            week = [models.WeekSlot(day="monday", time="09:00")]
            queue = crier.queues.create(models.QueueCreate(name=given["name"], slots=week, brand_id=brand.id))
            slots = crier.queues.slots(queue.id, 3)
            entries = [models.ThreadEntryInput(content="One"), models.ThreadEntryInput(content="Two")]
            thread = crier.threads.create(models.ThreadCreate(posts=entries, platforms=["mastodon"], status="draft"))
            hook = crier.webhooks.create("http://127.0.0.1:1/hook", ["post.failed"])
            accounts = crier.accounts.list(platform="mastodon")
            monitor = crier.monitors.create(models.MonitorCreate(name=given["name"], include=["harbour"]))
            found = crier.posts.lookup([crier.posts.create(draft(given)).id])
            valid = crier.posts.validate(draft(given, "x" * 501))
            attempts = [one for one in crier.posts.attempts(found[0].id)]
            keys = [one.id for one in crier.keys.list()]
            monitors = [one.id for one in crier.monitors.list()]
            usage, limits, ways = crier.keys.usage(), crier.accounts.limits(), crier.accounts.ways()
            crier.threads.cancel(thread.id)
            crier.webhooks.delete(crier.webhooks.get(hook.id).id)
            crier.monitors.delete(monitor.id)
            assert len(slots) == 3 and accounts[0].id and hook.secret and not valid.is_valid and keys and monitor.id in monitors
            assert attempts and usage.plan.name and limits[0].platform and ways[0].platform
            told["value"] = "round"
        case _:
            raise NotImplementedError(action)


async def aperform(crier: AsyncCrier, action: str, given: Outcome, told: Outcome) -> None:
    match action:
        case "create":
            told["value"] = (await crier.posts.create(draft(given))).id
        case "create twice":
            told["items"] = []
            for content in ("Good morning", "Good evening" if given.get("different") else "Good morning"):
                post = await crier.posts.create(draft(given, content), idempotency_key=given.get("idempotencyKey"))
                told["items"].append(post.id)
        case "create bulk":
            await crier.posts.create_bulk(models.BulkCreate(posts=[draft(given, "One"), draft(given, "Two")]))
        case "create brand":
            await crier.brands.create(given["name"])
        case "cancel":
            await crier.posts.cancel(given["id"])
            told["value"] = (await crier.posts.get(given["id"])).status
        case "change":
            told["value"] = changed(await crier.posts.update(given["id"], models.PostUpdate(content="Changed", external_id="")))
        case "read":
            post = await crier.posts.get(given["id"])
            told["value"] = f"{post.status} {post.platforms[0].post_id}"
        case "list" | "first of a list":
            told["items"] = []
            async for post in crier.posts.list(external_id=given["name"], limit=2):
                told["items"].append(post.id)
                if action != "list":
                    break
        case "upload":
            told["progress"] = []
            media = await crier.media.upload(
                base64.b64decode(given["content"]), file_name="film.mp4", progress=lambda sent, _: told["progress"].append(sent)
            )
            told["value"] = f"{media.type} {media.size}"
        case "tour":
            brand = await crier.brands.create(given["name"])
            week = [models.WeekSlot(day="monday", time="09:00")]
            queue = await crier.queues.create(models.QueueCreate(name=given["name"], slots=week, brand_id=brand.id))
            slots = await crier.queues.slots(queue.id, 3)
            entries = [models.ThreadEntryInput(content="One"), models.ThreadEntryInput(content="Two")]
            thread = await crier.threads.create(models.ThreadCreate(posts=entries, platforms=["mastodon"], status="draft"))
            hook = await crier.webhooks.create("http://127.0.0.1:1/hook", ["post.failed"])
            accounts = await crier.accounts.list(platform="mastodon")
            monitor = await crier.monitors.create(models.MonitorCreate(name=given["name"], include=["harbour"]))
            found = await crier.posts.lookup([(await crier.posts.create(draft(given))).id])
            valid = await crier.posts.validate(draft(given, "x" * 501))
            attempts = [one async for one in crier.posts.attempts(found[0].id)]
            keys = [one.id async for one in crier.keys.list()]
            monitors = [one.id async for one in crier.monitors.list()]
            usage, limits, ways = await crier.keys.usage(), await crier.accounts.limits(), await crier.accounts.ways()
            await crier.threads.cancel(thread.id)
            await crier.webhooks.delete((await crier.webhooks.get(hook.id)).id)
            await crier.monitors.delete(monitor.id)
            assert len(slots) == 3 and accounts[0].id and hook.secret and not valid.is_valid and keys and monitor.id in monitors
            assert attempts and usage.plan.name and limits[0].platform and ways[0].platform
            told["value"] = "round"
        case _:
            raise NotImplementedError(action)


def run(task: Outcome) -> Outcome:
    """Does a task by Crier. Its caller gives up as synchronous programs do, by a signal."""
    clock, told = TestClock(), Outcome()
    options = {"timeout": task["patience"]} if "patience" in task else {}
    try:
        with Crier(task["key"], server=task["url"], clock=None if "abort" in task else clock, **options) as crier:
            signal.setitimer(signal.ITIMER_REAL, task.get("abort", 0))
            perform(crier, task["action"], task["input"], told)
    except Exception as error:
        told["error"] = failure(error)
    return {**told, "waits": clock.waits}


async def arun(task: Outcome) -> Outcome:
    """Does a task by AsyncCrier."""
    clock, told = AsyncTestClock(), Outcome()
    options = {"timeout": task["patience"]} if "patience" in task else {}
    try:
        async with AsyncCrier(task["key"], server=task["url"], clock=None if "abort" in task else clock, **options) as crier:
            await asyncio.wait_for(aperform(crier, task["action"], task["input"], told), task.get("abort"))
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
