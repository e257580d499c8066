from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, List

from .. import models
from ..events import Event, event_of
from .sender import AsyncResource, path_of


class AsyncWebhooks(AsyncResource):
    """Makes receivers of events."""

    async def create(self, url: str, events: Sequence[models.EventName]) -> models.Webhook:
        """Makes a webhook. Its secret, which webhook.verify needs, is shown this once."""
        return models.Webhook.model_validate((await self._sender.post("/webhooks", {"url": url, "events": [*events]}))["webhook"])

    async def list(self) -> List[models.Webhook]:
        return [models.Webhook.model_validate(one) for one in (await self._sender.get("/webhooks"))["webhooks"]]

    async def get(self, id: str) -> models.Webhook:
        return models.Webhook.model_validate((await self._sender.get(path_of("webhooks", id)))["webhook"])

    async def update(self, id: str, change: models.WebhookUpdate | Mapping[str, Any]) -> models.Webhook:
        return models.Webhook.model_validate((await self._sender.patch(path_of("webhooks", id), models.WebhookUpdate.body_of(change)))["webhook"])

    async def delete(self, id: str) -> None:
        await self._sender.delete(path_of("webhooks", id))

    async def test(self, id: str, event: models.EventName) -> models.TestResponseTest:
        """Sends sample data, and tells what the receiver answered."""
        response = await self._sender.post(path_of("webhooks", id, "test"), {"event": event}, slow=True)
        return models.TestResponseTest.model_validate(response["test"])

    async def rotate_secret(self, id: str, overlap_seconds: int | None = None) -> models.Webhook:
        """Makes another secret; the old one signs too for overlap_seconds, a day unless they are named."""
        body = {} if overlap_seconds is None else {"overlapSeconds": overlap_seconds}
        return models.Webhook.model_validate((await self._sender.post(path_of("webhooks", id, "rotate-secret"), body))["webhook"])

    async def deliveries(
        self,
        id: str,
        *,
        status: str | None = None,
        event: str | None = None,
        event_id: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
    ) -> AsyncIterator[models.DeliveryRecord]:
        """What was sent, the newest first."""
        query = {"status": status, "event": event, "eventId": event_id, "after": after, "before": before}
        async for one in self._pages(path_of("webhooks", id, "deliveries"), "deliveries", query):
            yield models.DeliveryRecord.model_validate(one)

    async def delivery(self, id: str, delivery: str) -> tuple[models.DeliveryRecord, Event]:
        """A delivery, and the event that was sent."""
        found = (await self._sender.get(path_of("webhooks", id, "deliveries", delivery)))["delivery"]
        return models.DeliveryRecord.model_validate(found), event_of(found["body"])

    async def redeliver(self, id: str, delivery: str) -> models.DeliveryRecord:
        """Sends a delivery again."""
        response = await self._sender.post(path_of("webhooks", id, "deliveries", delivery, "redeliver"))
        return models.DeliveryRecord.model_validate(response["delivery"])

    async def redeliver_failed(self, id: str, since: datetime | str) -> models.RedeliveredResponse:
        """Sends again what failed since a time, and tells how many deliveries that were and whether there are more."""
        response = await self._sender.post(path_of("webhooks", id, "redeliver"), models.Redeliver(since=since).body())
        return models.RedeliveredResponse.model_validate(response)


class AsyncEvents(AsyncResource):
    """Reads what happened, whether or not a webhook was there to get it."""

    async def list(self, *, after: str | None = None, names: Sequence[models.EventName] = ()) -> AsyncIterator[Event]:
        """Events in the order in which crier recorded them, up to now: go on later after the id of the last one."""
        more = True
        while more:
            response = await self._sender.get("/events", {"after": after, "type": [*names] or None, "limit": 100})
            for one in response["events"]:
                yield event_of(one)
            after, more = response["nextCursor"], response["hasMore"]
