from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from .._retry import AsyncClock, AsyncMachineClock, Retry, Window, again, wait_before
from ..errors import CrierError, error_of

Query = Mapping[str, Any]


class AsyncSender:
    """Sends requests, and again where that is safe."""

    def __init__(self, key: str, server: str, timeout: float, retry: Retry, clock: AsyncClock | None, http: httpx.AsyncClient | None) -> None:
        address = server.rstrip("/")
        if not address.startswith(("http://", "https://")) or address.endswith("/api/v1"):
            raise ValueError(f"{server!r} is no address of a server: write it like http://127.0.0.1:8080")
        key = key.strip()  # one read from a file often ends with a line break
        if not re.fullmatch("[!-~]+", key):  # said here, for httpx would show the key
            raise ValueError("the key is empty, or has a space, a line break or another sign that no key has")
        self._base = address + "/api/v1"
        self._authorization = {"Authorization": f"Bearer {key}"}
        self._timeout = timeout
        self._retry = retry
        self._clock: AsyncClock = clock or AsyncMachineClock()
        self._http = http or httpx.AsyncClient()
        self._window = Window()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, query: Query | None = None) -> dict[str, Any]:
        return await self._call("GET", path + _search(query), None, {}, safe=True, slow=False)

    async def patch(self, path: str, body: Any) -> dict[str, Any]:
        return await self._call("PATCH", path, body, {}, safe=True, slow=False)

    async def delete(self, path: str) -> dict[str, Any]:
        return await self._call("DELETE", path, None, {}, safe=True, slow=False)

    async def create(self, path: str, body: Any, key: str | None) -> dict[str, Any]:
        """Sends a creation under an Idempotency-Key, the caller's or one that nobody else has, which makes it safe to send again."""
        # One that is empty is sent, and refused: whoever gave it relies on a name.
        named = secrets.token_hex(16) if key is None else key
        return await self._call("POST", path, body, {"Idempotency-Key": named}, safe=True, slow=False)

    async def post(self, path: str, body: Any = None, *, safe: bool = False, slow: bool = False) -> dict[str, Any]:
        """Sends what has no key: safe says that it may be sent again, slow that the server may take minutes."""
        return await self._call("POST", path, body, {}, safe=safe, slow=slow)

    async def put(self, address: str, headers: Mapping[str, str], content: Callable[[], AsyncIterator[bytes]]) -> None:
        """Sends a file, or a part of one, to its address, which takes no key."""
        timeout = httpx.Timeout(self._timeout, read=None)
        await self._send(lambda: self._http.build_request("PUT", address, headers=headers, content=content(), timeout=timeout), safe=True, limited=False)

    async def _call(self, method: str, path: str, body: Any, headers: Mapping[str, str], *, safe: bool, slow: bool) -> dict[str, Any]:
        content = None if body is None else json.dumps(body).encode()
        timeout = httpx.Timeout(self._timeout, read=None if slow else self._timeout)
        sent = {**self._authorization, **headers, **({"Content-Type": "application/json"} if content else {})}
        response = await self._send(
            lambda: self._http.build_request(method, self._base + path, headers=sent, content=content, timeout=timeout), safe=safe, limited=True
        )
        try:
            result: dict[str, Any] = response.json()
        except ValueError as cause:
            raise CrierError("calling crier: the answer is not crier's") from cause
        return result

    async def _send(self, request: Callable[[], httpx.Request], *, safe: bool, limited: bool) -> httpx.Response:
        ends = self._clock.now() + self._retry.limit
        following = 2
        while True:
            full = self._window.wait(self._clock.now())
            if limited and full > 0 and self._fits(full, ends):
                await self._clock.wait(full)
            try:
                return await self._once(request())
            except CrierError as failed:
                wait = float(failed.retry_after or 0) or wait_before(following, self._retry.wait)
                if following > self._retry.tries or not again(safe, failed) or not self._fits(wait, ends):
                    raise
                if self._retry.notify:
                    self._retry.notify(failed, wait)
            await self._clock.wait(wait)
            following += 1

    def _fits(self, wait: float, ends: float) -> bool:
        return self._retry.tries > 1 and self._clock.now() + wait <= ends

    async def _once(self, request: httpx.Request) -> httpx.Response:
        """Sends a request once and reads its answer whole."""
        try:
            # A redirect is not followed: a creation would become a read on the way, whose answer says nothing of it.
            response = await self._http.send(request, follow_redirects=False)
        except httpx.RequestError as lost:
            raise CrierError(f"calling crier: {lost or type(lost).__name__}") from lost
        refused = None if response.is_success else error_of(response)
        self._window.heed(response.headers, refused, self._clock.now())
        if refused is not None:
            raise refused
        return response


class AsyncResource:
    """What calls a part of the API."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def _pages(self, path: str, name: str, query: Query | None = None) -> AsyncIterator[Any]:
        """Reads a list a page at a time, as its loop goes on. After an error it ends."""
        following: dict[str, Any] | None = {}
        while following is not None:
            response = await self._sender.get(path, {"limit": 100, **(query or {}), **following})
            for one in response[name]:
                yield one
            following = _following(response)


def _following(response: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the next part of a list begins, as each kind of list tells it."""
    pagination = response.get("pagination") or {}
    if cursor := pagination.get("nextCursor") or response.get("nextCursor"):
        return {"cursor": cursor}
    return {"page": pagination["page"] + 1} if pagination.get("hasMore") and "page" in pagination else None


def _search(query: Query | None) -> str:
    params: dict[str, str] = {}
    for name, value in (query or {}).items():
        if isinstance(value, Mapping):
            params.update({f"{name}[{key}]": str(one) for key, one in value.items()})
        elif isinstance(value, bool):
            params[name] = str(value).lower()
        elif isinstance(value, (list, tuple)):
            params[name] = ",".join(value)
        elif value is not None:
            params[name] = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"?{httpx.QueryParams(params)}" if params else ""


def path_of(*parts: str) -> str:
    return "".join("/" + quote(part, safe="") for part in parts)
