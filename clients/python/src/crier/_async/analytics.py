from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from .. import models
from ..filters import Range
from .sender import AsyncResource, path_of


class AsyncAnalytics(AsyncResource):
    """How posts and accounts do, as crier last read it from their platforms. What no platform tells is None, which is not zero."""

    async def posts(self, within: Range = Range(), *, post_id: str | None = None, sort_by: str | None = None, top: int | None = None) -> models.PostCountsResponse:
        """What was posted and what failed, by day and platform, and how those do that were published in the range."""
        query = {**within.query(), "postId": post_id, "sortBy": sort_by, "top": top}
        return models.PostCountsResponse.model_validate(await self._sender.get("/analytics/posts", query))

    async def followers(self, within: Range = Range()) -> models.FollowersResponse:
        """How accounts gain followers."""
        return models.FollowersResponse.model_validate(await self._sender.get("/analytics/followers", within.query()))

    async def retention(self, within: Range = Range(), *, post_id: str | None = None, limit: int | None = None) -> models.RetentionResponse:
        """How long videos on youtube are watched, the most viewed first."""
        query = {**within.query(), "postId": post_id, "limit": limit}
        return models.RetentionResponse.model_validate(await self._sender.get("/analytics/retention", query))

    async def best_times(
        self, within: Range = Range(), *, timezone: str | None = None, metric: str | None = None, limit: int | None = None
    ) -> models.BestTimesResponse:
        """In which hours of the week posts do best by their own history, and how far that can be trusted."""
        query = {**within.query(), "timezone": timezone, "metric": metric, "limit": limit}
        return models.BestTimesResponse.model_validate(await self._sender.get("/analytics/best-times", query))


class AsyncKeys(AsyncResource):
    """Makes API keys; it needs a key with the permission admin."""

    async def create(self, key: models.KeyCreate | Mapping[str, Any]) -> models.Key:
        """Makes a key. Its key is shown this once."""
        return models.Key.model_validate((await self._sender.post("/keys", models.KeyCreate.body_of(key)))["key"])

    async def list(self) -> AsyncIterator[models.Key]:
        async for one in self._pages("/keys", "keys"):
            yield models.Key.model_validate(one)

    async def get(self, id: str) -> models.Key:
        return models.Key.model_validate((await self._sender.get(path_of("keys", id)))["key"])

    async def rotate(self, id: str, overlap_seconds: int | None = None) -> models.Key:
        """Makes a key in place of another, which works on for overlap_seconds, a week at most."""
        body = {} if overlap_seconds is None else {"overlapSeconds": overlap_seconds}
        return models.Key.model_validate((await self._sender.post(path_of("keys", id, "rotate"), body))["key"])

    async def revoke(self, id: str) -> None:
        """Ends a key."""
        await self._sender.delete(path_of("keys", id))

    async def usage(self) -> models.Usage:
        """What is used of the workspace's plan."""
        return models.Usage.model_validate((await self._sender.get("/usage"))["usage"])
