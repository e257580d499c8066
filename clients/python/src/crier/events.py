"""What happened, as webhooks deliver it and events.list reads it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias, Union, get_args

from . import models
from ._model import Model

PostEventName = Literal["post.scheduled", "post.published", "post.failed", "post.cancelled", "post.updated"]
ThreadEventName = Literal["thread.scheduled", "thread.published", "thread.partially_published", "thread.failed"]
AccountEventName = Literal["account.connected", "account.disconnected", "account.error", "account.token_expiring"]
ItemEventName = Literal["comment.received", "mention.received"]


class PostData(Model):
    post: models.EventPost


class ThreadData(Model):
    thread: models.EventThread


class AccountData(Model):
    account: models.EventAccount
    error: models.AccountProblem | None = None
    """Of account.error."""
    expires_at: datetime | None = None
    """Of account.token_expiring."""


class WebhookData(Model):
    webhook: models.EventWebhook


class ItemData(Model):
    item: models.EventItem


class _Event(Model):
    id: str
    """The same over retries and redelivery: drop what you have seen."""
    test: bool
    """Sample data of a test."""
    created_at: datetime


class PostEvent(_Event):
    event: PostEventName
    data: PostData


class ThreadEvent(_Event):
    event: ThreadEventName
    data: ThreadData


class AccountEvent(_Event):
    event: AccountEventName
    data: AccountData


class WebhookEvent(_Event):
    event: Literal["webhook.disabled"]
    data: WebhookData


class ItemEvent(_Event):
    event: ItemEventName
    data: ItemData


class FeedEvent(_Event):
    event: Literal["feed.matched"]
    data: models.FeedMatchedData


class UnknownEvent(_Event):
    """An event that is newer than this package."""

    event: str
    data: Any


Event: TypeAlias = Union[PostEvent, ThreadEvent, AccountEvent, WebhookEvent, ItemEvent, FeedEvent, UnknownEvent]

_KNOWN: dict[str, type[Event]] = {
    name: kind for kind in get_args(Event) if kind is not UnknownEvent for name in get_args(kind.model_fields["event"].annotation)
}


def event_of(said: Any) -> Event:
    """Reads an event; what is none is a ValueError."""
    if not isinstance(said, dict):
        raise ValueError("this is no event of crier")
    return _KNOWN.get(said.get("event", ""), UnknownEvent).model_validate(said)
