# Made by scripts/generate.py of _async.
from __future__ import annotations

from types import TracebackType

import httpx

from .._retry import Clock, Retry
from .accounts import Accounts, Brands, Queues
from .analytics import Analytics, Keys
from .engagement import Engagement, Feeds, Monitors
from .media import MediaFiles
from .posts import Posts, Threads
from .sender import Sender
from .webhooks import Events, Webhooks


class Crier:
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
        clock: Clock | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._sender = Sender(key, server, timeout, retry, clock, http)
        self.posts = Posts(self._sender)
        self.threads = Threads(self._sender)
        self.accounts = Accounts(self._sender)
        self.brands = Brands(self._sender)
        self.queues = Queues(self._sender)
        self.media = MediaFiles(self._sender)
        self.webhooks = Webhooks(self._sender)
        self.events = Events(self._sender)
        self.engagement = Engagement(self._sender)
        self.monitors = Monitors(self._sender)
        self.feeds = Feeds(self._sender)
        self.analytics = Analytics(self._sender)
        self.keys = Keys(self._sender)

    def close(self) -> None:
        """Closes connections."""
        self._sender.close()

    def __enter__(self) -> Crier:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
