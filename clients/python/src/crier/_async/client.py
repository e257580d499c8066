from __future__ import annotations

from types import TracebackType

import httpx

from .._retry import AsyncClock, Retry
from .accounts import AsyncAccounts, AsyncBrands, AsyncQueues
from .analytics import AsyncAnalytics, AsyncKeys
from .engagement import AsyncEngagement, AsyncFeeds, AsyncMonitors
from .media import AsyncMediaFiles
from .posts import AsyncPosts, AsyncThreads
from .sender import AsyncSender
from .webhooks import AsyncEvents, AsyncWebhooks


class AsyncCrier:
    """Calls crier's API with one key.

    server is a base address such as https://crier.example, without /api/v1. timeout is how many seconds the server may
    stay silent; uploads have as long as they take. http sends requests in place of a client of its own, such as by a
    proxy. clock is of tests.
    """

    def __init__(
        self,
        key: str,
        *,
        server: str = "http://127.0.0.1:8080",
        timeout: float = 60,
        retry: Retry = Retry(),
        clock: AsyncClock | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._sender = AsyncSender(key, server, timeout, retry, clock, http)
        self.posts = AsyncPosts(self._sender)
        self.threads = AsyncThreads(self._sender)
        self.accounts = AsyncAccounts(self._sender)
        self.brands = AsyncBrands(self._sender)
        self.queues = AsyncQueues(self._sender)
        self.media = AsyncMediaFiles(self._sender)
        self.webhooks = AsyncWebhooks(self._sender)
        self.events = AsyncEvents(self._sender)
        self.engagement = AsyncEngagement(self._sender)
        self.monitors = AsyncMonitors(self._sender)
        self.feeds = AsyncFeeds(self._sender)
        self.analytics = AsyncAnalytics(self._sender)
        self.keys = AsyncKeys(self._sender)

    async def aclose(self) -> None:
        """Closes connections."""
        await self._sender.aclose()

    async def __aenter__(self) -> AsyncCrier:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()
