from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, List

from .. import models
from .sender import AsyncResource, path_of


class AsyncPosts(AsyncResource):
    """Makes posts and reads what became of them."""

    async def create(self, post: models.PostCreate | Mapping[str, Any], *, idempotency_key: str | None = None) -> models.Post:
        """Stores a post for good. Exactly one of publish_now, queue, queue_id, scheduled_for and the status draft is needed."""
        return _post(await self._sender.create("/posts", models.PostCreate.body_of(post), idempotency_key))

    async def create_bulk(self, bulk: models.BulkCreate | Mapping[str, Any], *, idempotency_key: str | None = None) -> models.BulkResponse:
        """Makes up to 25 posts by one request, which succeed and fail independently: an error is one of the whole request."""
        response = await self._sender.create("/posts/bulk", models.BulkCreate.body_of(bulk), idempotency_key)
        return models.BulkResponse.model_validate(response)

    async def validate(self, post: models.PostCreate | Mapping[str, Any]) -> models.ValidationResponseValidation:
        """Finds the errors and warnings that a creation would; nothing is made."""
        response = await self._sender.post("/posts/validate", models.PostCreate.body_of(post), safe=True)
        return models.ValidationResponseValidation.model_validate(response["validation"])

    async def get(self, id: str) -> models.Post:
        return _post(await self._sender.get(path_of("posts", id)))

    async def lookup(self, ids: Sequence[str] = (), external_ids: Sequence[str] = ()) -> List[models.Post]:
        """Reads up to 1,000 posts by their ids, and by ids of your own; what names no post is left out."""
        found: dict[str, models.Post] = {}  # posts that share an id of your own may be in two answers
        rest: dict[str, Any] = {"ids": [*ids], "externalIds": [*external_ids]}
        while rest.get("ids") or rest.get("externalIds"):
            response = await self._sender.post("/posts/lookup", rest, safe=True)
            found.update({one["id"]: models.Post.model_validate(one) for one in response["posts"]})
            rest = response.get("rest") or {}
        return [*found.values()]

    async def update(self, id: str, change: models.PostUpdate | Mapping[str, Any]) -> models.Post:
        """Changes a draft or a scheduled post: what was not set stays. After the answer the old version is never published."""
        return _post(await self._sender.patch(path_of("posts", id), models.PostUpdate.body_of(change)))

    async def cancel(self, id: str) -> None:
        """Removes a draft, and cancels a scheduled post: it is never published."""
        await self._sender.delete(path_of("posts", id))

    async def retry(self, id: str, retry: models.PostRetry | Mapping[str, Any] | None = None) -> models.Post:
        """Sets the failed platforms of a post going again. Nothing that is published is repeated."""
        return _post(await self._sender.post(path_of("posts", id, "retry"), models.PostRetry.body_of(retry) if retry else {}))

    async def list(
        self,
        *,
        status: str | None = None,
        platform: str | None = None,
        brand_id: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        updated_after: datetime | str | None = None,
        q: str | None = None,
        sort: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int = 100,
    ) -> AsyncIterator[models.Post]:
        """Posts by what they are; limit is how many one request reads. What is moved meanwhile shifts nothing: each is read once."""
        query = {
            "status": status, "platform": platform, "brandId": brand_id, "after": after, "before": before, "updatedAfter": updated_after,
            "q": q, "sort": sort, "externalId": external_id, "metadata": metadata, "limit": limit,
        }  # fmt: skip
        async for one in self._pages("/posts", "posts", query):
            yield models.Post.model_validate(one)

    async def attempts(self, id: str) -> AsyncIterator[models.Attempt]:
        """A post's timeline, oldest first."""
        async for one in self._pages(path_of("posts", id, "attempts"), "attempts"):
            yield models.Attempt.model_validate(one)


class AsyncThreads(AsyncResource):
    """Makes posts of several entries and reads what became of them."""

    async def create(self, thread: models.ThreadCreate | Mapping[str, Any], *, idempotency_key: str | None = None) -> models.Thread:
        """Stores a thread for good, as posts.create does a post."""
        return _thread(await self._sender.create("/threads", models.ThreadCreate.body_of(thread), idempotency_key))

    async def get(self, id: str) -> models.Thread:
        return _thread(await self._sender.get(path_of("threads", id)))

    async def update(self, id: str, change: models.ThreadUpdate | Mapping[str, Any]) -> models.Thread:
        """Changes a draft or a scheduled thread."""
        return _thread(await self._sender.patch(path_of("threads", id), models.ThreadUpdate.body_of(change)))

    async def cancel(self, id: str) -> None:
        """Removes a draft, and cancels a scheduled thread: it is never published."""
        await self._sender.delete(path_of("threads", id))


def _post(response: Mapping[str, Any]) -> models.Post:
    return models.Post.model_validate({**response["post"], "warnings": response.get("warnings", [])})


def _thread(response: Mapping[str, Any]) -> models.Thread:
    return models.Thread.model_validate({**response["thread"], "warnings": response.get("warnings", [])})
