from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from .. import models
from .sender import AsyncResource, path_of

Progress = Callable[[int, int], None]

_CHUNK = 64 << 10


class AsyncMediaFiles(AsyncResource):
    """Uploads files for posts."""

    async def upload(
        self,
        file: str | PathLike[str] | bytes | BinaryIO,
        *,
        file_name: str | None = None,
        alt_text: str | None = None,
        sha256: str | None = None,
        progress: Progress | None = None,
    ) -> models.Media:
        """Sends a file of any kind and size, in parts if it is large, and returns what it is.

        file is its path, its bytes, or a file that is open for reading and can seek. alt_text is used where a media item
        has none of its own; what arrives is compared with sha256, in hex. progress is told how many bytes were sent of how
        many, also when a part begins again. The upload is removed after a week unless a post uses it.
        """
        if isinstance(file, (str, PathLike)):
            with Path(file).open("rb") as opened:
                return await self._upload(opened, file_name or Path(file).name, alt_text, sha256, progress)
        content = io.BytesIO(file) if isinstance(file, bytes) else file
        return await self._upload(content, file_name, alt_text, sha256, progress)

    async def _upload(self, file: BinaryIO, file_name: str | None, alt_text: str | None, sha256: str | None, progress: Progress | None) -> models.Media:
        size = file.seek(0, io.SEEK_END)
        said = {"fileName": file_name, "altText": alt_text, "sha256": sha256}
        announced = {"size": size, **{name: value for name, value in said.items() if value is not None}}
        address = models.MediaAddressResponse.model_validate(await self._sender.post("/media/upload-url", announced))
        whole = models.UploadPart(number=1, offset=0, size=size, upload_url=address.upload_url, received=False)
        for part in address.parts or [whole]:
            headers = {**address.headers, "Content-Length": str(part.size)}
            await self._sender.put(part.upload_url, headers, lambda part=part: _read(file, part, size, progress))  # type: ignore[misc]
        response = await self._sender.post(path_of("media", address.media_id, "complete"), safe=True, slow=True)
        return models.Media.model_validate(response["media"])

    async def from_url(self, file: models.MediaFromUrl | Mapping[str, Any]) -> models.Media:
        """Has the server fetch a file from a public address, which may take minutes."""
        return models.Media.model_validate((await self._sender.post("/media/from-url", models.MediaFromUrl.body_of(file), slow=True))["media"])

    async def get(self, id: str) -> models.Media:
        return models.Media.model_validate((await self._sender.get(path_of("media", id)))["media"])

    async def describe(self, id: str, alt_text: str) -> models.Media:
        """Changes the description of an upload. Posts that were made before keep theirs."""
        return models.Media.model_validate((await self._sender.patch(path_of("media", id), {"altText": alt_text}))["media"])

    async def delete(self, id: str) -> None:
        """Removes an upload; one that an open post uses stays, and is an error."""
        await self._sender.delete(path_of("media", id))

    async def list(self) -> AsyncIterator[models.Media]:
        """Uploads, newest first."""
        async for one in self._pages("/media", "media"):
            yield models.Media.model_validate(one)


async def _read(file: BinaryIO, part: models.UploadPart, total: int, progress: Progress | None) -> AsyncIterator[bytes]:
    """A part of a file, from its beginning."""
    file.seek(part.offset)
    sent, end = part.offset, part.offset + part.size
    while sent < end:
        chunk = file.read(min(_CHUNK, end - sent))
        if not chunk:
            raise EOFError("the file has become shorter")
        sent += len(chunk)
        yield chunk
        if progress:
            progress(sent, total)
