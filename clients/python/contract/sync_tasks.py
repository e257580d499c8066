# Made by scripts/generate.py of async_tasks.py.
"""What tasks of the contract do by a client. sync_tasks.py is made of async_tasks.py by scripts/generate.py."""

from __future__ import annotations

import base64
from typing import Any

from crier import Crier, models

Outcome = dict[str, Any]


def draft(given: Outcome, content: str = "Good morning") -> models.PostCreate:
    return models.PostCreate(content=content, platforms=given.get("platforms", ["mastodon"]), status="draft", external_id=given["name"])


def changed(post: models.Post) -> str:
    return post.content + (", in 2 places" if not post.external_id and (post.metadata or {}).get("kept") == "yes" else "")


def perform(crier: Crier, action: str, given: Outcome, told: Outcome) -> None:
    match action:
        case "create":
            told["value"] = (crier.posts.create(draft(given))).id
        case "create twice":
            told["items"] = []
            for content in ("Good morning", "Good evening" if given.get("different") else "Good morning"):
                post = crier.posts.create(draft(given, content), idempotency_key=given.get("idempotencyKey"))
                told["items"].append(post.id)
        case "create bulk":
            crier.posts.create_bulk(models.BulkCreate(posts=[draft(given, "One"), draft(given, "Two")]))
        case "create brand":
            crier.brands.create(given["name"])
        case "cancel":
            crier.posts.cancel(given["id"])
            told["value"] = (crier.posts.get(given["id"])).status
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
            found = crier.posts.lookup([(crier.posts.create(draft(given))).id])
            valid = crier.posts.validate(draft(given, "x" * 501))
            attempts = [one for one in crier.posts.attempts(found[0].id)]
            keys = [one.id for one in crier.keys.list()]
            monitors = [one.id for one in crier.monitors.list()]
            usage, limits, ways = crier.keys.usage(), crier.accounts.limits(), crier.accounts.ways()
            crier.threads.cancel(thread.id)
            crier.webhooks.delete((crier.webhooks.get(hook.id)).id)
            crier.monitors.delete(monitor.id)
            assert len(slots) == 3 and accounts[0].id and hook.secret and not valid.is_valid and keys and monitor.id in monitors
            assert attempts and usage.plan.name and limits[0].platform and ways[0].platform
            told["value"] = "round"
        case _:
            raise NotImplementedError(action)
