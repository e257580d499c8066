# Made by scripts/generate.py of _async.
from __future__ import annotations

from datetime import datetime
from typing import List

from .. import models
from .sender import Resource, path_of


class Accounts(Resource):
    """Connects accounts and says whether they work. Connecting needs a key with the permission admin."""

    def list(self, *, platform: str | None = None, brand_id: str | None = None) -> List[models.Account]:
        answer = self._sender.get("/accounts", {"platform": platform, "brandId": brand_id})
        return [models.Account.model_validate(one) for one in answer["accounts"]]

    def get(self, id: str) -> models.Account:
        return models.Account.model_validate((self._sender.get(path_of("accounts", id)))["account"])

    def update(self, id: str, change: models.AccountUpdate) -> models.Account:
        """Names an account, or puts it into a brand; a brand_id that is set to None takes it out."""
        return models.Account.model_validate((self._sender.patch(path_of("accounts", id), change.body()))["account"])

    def disconnect(self, id: str) -> None:
        """Ends an account: its credentials are erased, and its posts fail."""
        self._sender.delete(path_of("accounts", id))

    def health(self, id: str) -> models.AccountHealth:
        """Asks the platform whether an account works."""
        return models.AccountHealth.model_validate((self._sender.get(path_of("accounts", id, "health")))["health"])

    def health_of_all(self, *, platform: str | None = None, brand_id: str | None = None) -> List[models.AccountHealth]:
        """Asks the platforms whether accounts work."""
        answer = self._sender.get("/accounts/health", {"platform": platform, "brandId": brand_id})
        return [models.AccountHealth.model_validate(one) for one in answer["results"]]

    def ways(self) -> List[models.ConnectWay]:
        """How accounts of each platform are connected on this server."""
        return [models.ConnectWay.model_validate(one) for one in (self._sender.get("/connect"))["platforms"]]

    def ask_consent(
        self, platform: str, *, server: str | None = None, redirect: str | None = None, brand_id: str | None = None
    ) -> models.ConnectBegunAnswer:
        """Begins to connect an account on its platform's page: open auth_url in the browser of the person whose account it is."""
        query = {"server": server, "redirect": redirect, "brandId": brand_id}
        return models.ConnectBegunAnswer.model_validate(self._sender.get(path_of("connect", platform), query))

    def entities(self, platform: str, selection_token: str) -> List[models.Entity]:
        """What a person who has consented may choose to connect."""
        answer = self._sender.get(path_of("connect", platform, "entities"), {"selectionToken": selection_token})
        return [models.Entity.model_validate(one) for one in answer["entities"]]

    def select(self, platform: str, selection: models.EntitiesSelection) -> List[models.Account]:
        """Connects what a person has chosen: all of it, or nothing."""
        answer = self._sender.post(path_of("connect", platform, "select"), selection.body())
        return [models.Account.model_validate(one) for one in answer["accounts"]]

    def limits(self) -> List[models.PlatformLimits]:
        """What each platform accepts."""
        return [models.PlatformLimits.model_validate(one) for one in (self._sender.get("/platforms"))["platforms"]]

    def limits_of(self, platform: str, account_id: str | None = None) -> models.PlatformLimits:
        """What one platform accepts: of the account with an id, or of one of which nothing else is known."""
        answer = self._sender.get(path_of("platforms", platform), {"accountId": account_id})
        return models.PlatformLimits.model_validate(answer["platform"])


class Brands(Resource):
    """Makes groups of accounts."""

    def create(self, name: str) -> models.Brand:
        return models.Brand.model_validate((self._sender.post("/brands", {"name": name}))["brand"])

    def list(self) -> List[models.Brand]:
        return [models.Brand.model_validate(one) for one in (self._sender.get("/brands"))["brands"]]

    def get(self, id: str) -> models.Brand:
        return models.Brand.model_validate((self._sender.get(path_of("brands", id)))["brand"])

    def rename(self, id: str, name: str) -> models.Brand:
        return models.Brand.model_validate((self._sender.patch(path_of("brands", id), {"name": name}))["brand"])

    def delete(self, id: str) -> None:
        self._sender.delete(path_of("brands", id))


class Queues(Resource):
    """Makes weekly slots that posts are placed in."""

    def create(self, queue: models.QueueCreate) -> models.Queue:
        return models.Queue.model_validate((self._sender.post("/queues", queue.body()))["queue"])

    def list(self) -> List[models.Queue]:
        return [models.Queue.model_validate(one) for one in (self._sender.get("/queues"))["queues"]]

    def get(self, id: str) -> models.Queue:
        return models.Queue.model_validate((self._sender.get(path_of("queues", id)))["queue"])

    def update(self, id: str, change: models.QueueUpdate) -> models.Queue:
        """Changes a queue; posts that it has placed stay where they are."""
        return models.Queue.model_validate((self._sender.patch(path_of("queues", id), change.body()))["queue"])

    def delete(self, id: str) -> None:
        self._sender.delete(path_of("queues", id))

    def slots(self, id: str, limit: int | None = None) -> List[datetime]:
        """The next free slots, at most limit of them."""
        answer = self._sender.get(path_of("queues", id, "slots"), {"limit": limit})
        return models.SlotsAnswer.model_validate(answer).slots
