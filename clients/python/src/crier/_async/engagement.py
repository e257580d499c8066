from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, List

from .. import models
from .sender import AsyncResource, path_of


class AsyncEngagement(AsyncResource):
    """Reads what people write to accounts, and replies to it."""

    async def comments(self, *, account_id: str | None = None, post_id: str | None = None, unread: bool | None = None) -> AsyncIterator[models.InboxItem]:
        """What people wrote under posts, the newest first. A comment is here at once; its text and author follow within seconds."""
        async for one in self._pages("/engagement/comments", "items", {"accountId": account_id, "postId": post_id, "unread": unread}):
            yield models.InboxItem.model_validate(one)

    async def mentions(self, *, account_id: str | None = None, unread: bool | None = None) -> AsyncIterator[models.InboxItem]:
        """What people wrote elsewhere that names an account, the newest first."""
        async for one in self._pages("/engagement/mentions", "items", {"accountId": account_id, "unread": unread}):
            yield models.InboxItem.model_validate(one)

    async def unread(self) -> List[models.InboxResponseUnread]:
        """What nobody has read, up to 1,000 of each kind; accounts without any are left out."""
        response = await self._sender.get("/engagement/mentions", {"limit": 1})
        return [models.InboxResponseUnread.model_validate(one) for one in response["unread"]]

    async def mark(self, item_ids: Sequence[str], read: bool = True) -> int:
        """Marks up to 100 items as read, or as unread, and says how many were not before."""
        response = await self._sender.post("/engagement/read", {"itemIds": [*item_ids], "read": read}, safe=True)
        return models.MarkResponse.model_validate(response).changed

    async def reply(self, item_id: str, text: str, *, idempotency_key: str | None = None) -> models.Reply:
        """Stores an answer to a comment or a mention for good; it goes out within a second, by the account that was written to."""
        body = {"itemId": item_id, "text": text}
        response = await self._sender.create("/engagement/replies", body, idempotency_key)
        return models.Reply.model_validate(response["reply"])

    async def get_reply(self, id: str) -> models.Reply:
        """What became of a reply."""
        return models.Reply.model_validate((await self._sender.get(path_of("engagement", "replies", id)))["reply"])

    async def transcript(self, account_id: str, video_id: str, language: str | None = None) -> models.TranscriptResponseTranscript:
        """What is spoken in a video on youtube. Each time costs 250 of the 10,000 units that YouTube gives crier's app a day."""
        response = await self._sender.get("/engagement/transcript", {"accountId": account_id, "videoId": video_id, "language": language})
        return models.TranscriptResponseTranscript.model_validate(response["transcript"])


class AsyncMonitors(AsyncResource):
    """Has crier look for keywords on public streams."""

    async def create(self, monitor: models.MonitorCreate | Mapping[str, Any]) -> models.Monitor:
        return models.Monitor.model_validate((await self._sender.post("/feeds/keywords", models.MonitorCreate.body_of(monitor)))["monitor"])

    async def list(self) -> AsyncIterator[models.Monitor]:
        async for one in self._pages("/feeds/keywords", "monitors"):
            yield models.Monitor.model_validate(one)

    async def get(self, id: str) -> models.Monitor:
        return models.Monitor.model_validate((await self._sender.get(path_of("feeds", "keywords", id)))["monitor"])

    async def update(self, id: str, change: models.MonitorUpdate | Mapping[str, Any]) -> models.Monitor:
        return models.Monitor.model_validate((await self._sender.patch(path_of("feeds", "keywords", id), models.MonitorUpdate.body_of(change)))["monitor"])

    async def delete(self, id: str) -> None:
        await self._sender.delete(path_of("feeds", "keywords", id))

    async def items(self, id: str, *, platform: str | None = None) -> AsyncIterator[models.FeedItem]:
        """What a monitor found, the newest first."""
        async for one in self._pages(path_of("feeds", "keywords", id, "items"), "items", {"platform": platform}):
            yield models.FeedItem.model_validate(one)


class AsyncFeeds(AsyncResource):
    """Searches public posts and reads profiles."""

    async def search(
        self, platform: str, q: str, *, language: str | None = None, since: datetime | str | None = None, account_id: str | None = None
    ) -> AsyncIterator[models.FeedItem]:
        query = {"platform": platform, "q": q, "language": language, "since": since, "accountId": account_id}
        async for one in self._pages("/feeds/search", "items", query):
            yield models.FeedItem.model_validate(one)

    async def profile(self, platform: str, handle: str) -> models.PublicProfileResponseProfile:
        """What a platform shows of somebody to everybody."""
        response = await self._sender.get("/feeds/profile", {"platform": platform, "handle": handle})
        return models.PublicProfileResponseProfile.model_validate(response["profile"])
