"""What tasks of the contract do by a client. sync_tasks.py is made of async_tasks.py by scripts/generate.py."""

from __future__ import annotations

import base64
from typing import Any

from crier import AsyncCrier, models

Outcome = dict[str, Any]


def draft(given: Outcome, content: str = "Good morning") -> models.PostCreate:
    return models.PostCreate(content=content, platforms=given.get("platforms", ["mastodon"]), status="draft", external_id=given["name"])


def changed(post: models.Post) -> str:
    return post.content + (", in 2 places" if not post.external_id and (post.metadata or {}).get("kept") == "yes" else "")


async def perform(crier: AsyncCrier, action: str, given: Outcome, told: Outcome) -> None:
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
