"""Files that are sent: written to a private folder as they come, up to a limit, whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import UploadFile
from starlette.requests import Request

from shoal.errors import DataError, ShoalError
from shoal.web.errors import TooLargeError
from shoal.web.file_access import refuse_kind, safe_name


def room(most: int) -> str:
    """Write how much can be sent.

    >>> room(4 << 30), room(5 << 20)
    ('4 GB', '5 MB')
    """
    return f"{most / (1 << 30):,.3g} GB" if most >= 1 << 29 else f"{most / (1 << 20):,.3g} MB"


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(
        f"The file is larger than {room(most)}, which is the most that can be sent.",
        "Start the workbench with the file's name, which sends nothing: shoal web FILE.",
    )


class _Part:
    """The one file in a form, written as it comes."""

    def __init__(self, folder: Path, most: int, *, any_kind: bool = False) -> None:
        self._folder, self._most, self._any_kind = folder, most, any_kind
        self._field = self._value = b""
        self._headers: dict[bytes, bytes] = {}
        self.size = 0
        self._open: int | None = None
        self.path: Path | None = None

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._headers = {}
        name = options.get(b"filename", b"").decode("utf-8", "replace")
        if name and self.path is None:
            self.begin(name)

    def begin(self, name: str) -> None:
        """Open the file under a safe name."""
        plain = safe_name(name)
        if not self._any_kind:
            refuse_kind(plain)
        self.path = self._folder / plain
        self._open = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._open is not None:
            self.write(data[start:end])

    def write(self, data: bytes) -> None:
        """Add to the file."""
        self.size += len(data)
        if self.size > self._most:
            raise _too_large(self._most)
        assert self._open is not None
        os.write(self._open, data)

    def on_part_end(self) -> None:
        """Close the file."""
        if self._open is not None:
            os.close(self._open)
            self._open = None


async def received(request: Request, within: Path, most: int, name: str = "", *, any_kind: bool = False) -> Path:
    """Write the file of a request to a new folder and give its path; if anything goes wrong, nothing stays.

    Parameters
    ----------
    request
        A form with a file in it; or, if a name is given, the bytes of the file.
    within
        The folder in which the new folder is made.
    most
        The most bytes that are taken.
    name
        What the file is called, if it is not sent by a form.
    any_kind
        Whether it may be no table.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most + (1 << 16):
        raise _too_large(most)
    folder = Path(tempfile.mkdtemp(dir=within))
    part = _Part(folder, most, any_kind=any_kind)
    try:
        await _receive(request.stream(), request.headers.get("content-type", ""), part, name)
        part.on_part_end()
        if part.path is None or not part.size:
            raise DataError("No file was sent, or an empty one.", "Choose a file, then send it.")
        return part.path
    except BaseException:
        part.on_part_end()
        shutil.rmtree(folder, ignore_errors=True)
        raise


@asynccontextmanager
async def held(
    request: Request, within: Path, most: int, name: str = "", *, any_kind: bool = False
) -> AsyncIterator[Path]:
    """Hold a file that is received; where nothing comes of it, it is removed."""
    path = await received(request, within, most, name, any_kind=any_kind)
    try:
        yield path
    except BaseException:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise


async def limited(request: Request, most: int) -> bytes:
    """Give the bytes of a request, unless they are too many."""
    content = bytearray()
    async for block in request.stream():
        content += block
        if len(content) > most:
            raise _too_large(most)
    return bytes(content)


async def small_file(request: Request) -> bytes:
    """Give what programs send, or the one file in a form, none if there is none; the guard has limited their length."""
    if request.url.path.startswith("/api/"):
        return await request.body()
    async with request.form(max_files=1, max_fields=10) as form:
        file = form.get("file")
        return await file.read() if isinstance(file, UploadFile) else b""


async def _receive(stream: AsyncIterator[bytes], content_type: str, part: _Part, name: str) -> None:
    if name:
        part.begin(name)
        async for block in stream:
            part.write(block)
        return
    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise DataError("What was sent is not a form with a file.", "Send multipart/form-data, or name the file.")
    called: Any = {name: getattr(part, name) for name in dir(part) if name.startswith("on_")}  # as the parser calls it
    parser = MultipartParser(options[b"boundary"], called)
    try:
        async for block in stream:
            parser.write(block)
        parser.finalize()
    except (ShoalError, OSError):
        raise
    except Exception:  # noqa: BLE001 - the parser's own errors speak of bytes, which helps nobody
        raise DataError("What was sent is not a form with a file.", "Send it again.") from None
