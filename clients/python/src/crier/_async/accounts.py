from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, List

from .. import models
from .sender import AsyncResource, path_of


class AsyncAccounts(AsyncResource):
    """Connects accounts and says whether they work. Connecting needs a key with the permission admin."""

    async def list(self, *, platform: str | None = None, brand_id: str | None = None) -> List[models.Account]:
        response = await self._sender.get("/accounts", {"platform": platform, "brandId": brand_id})
        return [models.Account.model_validate(one) for one in response["accounts"]]

    async def get(self, id: str) -> models.Account:
        return models.Account.model_validate((await self._sender.get(path_of("accounts", id)))["account"])

    async def update(self, id: str, change: models.AccountUpdate | Mapping[str, Any]) -> models.Account:
        """Names an account, or puts it into a brand; a brand_id that is set to None takes it out."""
        return models.Account.model_validate((await self._sender.patch(path_of("accounts", id), models.AccountUpdate.body_of(change)))["account"])

    async def disconnect(self, id: str) -> None:
        """Ends an account: its credentials are erased, and its posts fail."""
        await self._sender.delete(path_of("accounts", id))

    async def pause(self, id: str, reason: str | None = None) -> models.Account:
        """Holds what goes out on an account until it is resumed. What is more than a day late then ends as missed_deadline."""
        body = {} if reason is None else {"reason": reason}
        return models.Account.model_validate((await self._sender.post(path_of("accounts", id, "pause"), body, safe=True))["account"])

    async def resume(self, id: str) -> models.Account:
        """Lets go out what a pause has held. It is refused as paused_by_operator while the operator's pause stands."""
        return models.Account.model_validate((await self._sender.post(path_of("accounts", id, "resume"), safe=True))["account"])

    async def health(self, id: str) -> models.AccountHealth:
        """Asks the platform whether an account works."""
        return models.AccountHealth.model_validate((await self._sender.get(path_of("accounts", id, "health")))["health"])

    async def health_of_all(self, *, platform: str | None = None, brand_id: str | None = None) -> List[models.AccountHealth]:
        """Asks the platforms whether accounts work."""
        response = await self._sender.get("/accounts/health", {"platform": platform, "brandId": brand_id})
        return [models.AccountHealth.model_validate(one) for one in response["results"]]

    async def ways(self) -> List[models.ConnectWay]:
        """How accounts of each platform are connected on this server."""
        return [models.ConnectWay.model_validate(one) for one in (await self._sender.get("/connect"))["platforms"]]

    async def ask_consent(
        self, platform: str, *, server: str | None = None, redirect: str | None = None, brand_id: str | None = None
    ) -> models.ConnectBegunResponse:
        """Begins to connect an account on its platform's page: open auth_url in the browser of the person whose account it is."""
        query = {"server": server, "redirect": redirect, "brandId": brand_id}
        return models.ConnectBegunResponse.model_validate(await self._sender.get(path_of("connect", platform), query))

    async def entities(self, platform: str, selection_token: str) -> List[models.Entity]:
        """What a person who has consented may choose to connect."""
        response = await self._sender.get(path_of("connect", platform, "entities"), {"selectionToken": selection_token})
        return [models.Entity.model_validate(one) for one in response["entities"]]

    async def select(self, platform: str, selection: models.EntitiesSelection | Mapping[str, Any]) -> List[models.Account]:
        """Connects what a person has chosen: all of it, or nothing."""
        response = await self._sender.post(path_of("connect", platform, "select"), models.EntitiesSelection.body_of(selection))
        return [models.Account.model_validate(one) for one in response["accounts"]]

    async def limits(self) -> List[models.PlatformLimits]:
        """What each platform accepts."""
        return [models.PlatformLimits.model_validate(one) for one in (await self._sender.get("/platforms"))["platforms"]]

    async def limits_of(self, platform: str, account_id: str | None = None) -> models.PlatformLimits:
        """What one platform accepts: of the account with an id, or of one of which nothing else is known."""
        response = await self._sender.get(path_of("platforms", platform), {"accountId": account_id})
        return models.PlatformLimits.model_validate(response["platform"])


class AsyncBrands(AsyncResource):
    """Makes groups of accounts."""

    async def create(self, name: str) -> models.Brand:
        return models.Brand.model_validate((await self._sender.post("/brands", {"name": name}))["brand"])

    async def list(self) -> List[models.Brand]:
        return [models.Brand.model_validate(one) for one in (await self._sender.get("/brands"))["brands"]]

    async def get(self, id: str) -> models.Brand:
        return models.Brand.model_validate((await self._sender.get(path_of("brands", id)))["brand"])

    async def rename(self, id: str, name: str) -> models.Brand:
        return models.Brand.model_validate((await self._sender.patch(path_of("brands", id), {"name": name}))["brand"])

    async def delete(self, id: str) -> None:
        await self._sender.delete(path_of("brands", id))


class AsyncQueues(AsyncResource):
    """Makes weekly slots that posts are placed in."""

    async def create(self, queue: models.QueueCreate | Mapping[str, Any]) -> models.Queue:
        return models.Queue.model_validate((await self._sender.post("/queues", models.QueueCreate.body_of(queue)))["queue"])

    async def list(self) -> List[models.Queue]:
        return [models.Queue.model_validate(one) for one in (await self._sender.get("/queues"))["queues"]]

    async def get(self, id: str) -> models.Queue:
        return models.Queue.model_validate((await self._sender.get(path_of("queues", id)))["queue"])

    async def update(self, id: str, change: models.QueueUpdate | Mapping[str, Any]) -> models.Queue:
        """Changes a queue; posts that it has placed stay where they are."""
        return models.Queue.model_validate((await self._sender.patch(path_of("queues", id), models.QueueUpdate.body_of(change)))["queue"])

    async def delete(self, id: str) -> None:
        await self._sender.delete(path_of("queues", id))

    async def slots(self, id: str, limit: int | None = None) -> List[datetime]:
        """The next free slots, at most limit of them."""
        response = await self._sender.get(path_of("queues", id, "slots"), {"limit": limit})
        return models.SlotsResponse.model_validate(response).slots
