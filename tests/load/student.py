"""A student as the server sees one: a front end that asks for a kernel, and sends the cells of a notebook one by one."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

from tests.load.server import TOKEN

PATIENCE = 300.0
"""Seconds that a kernel may need to start, or a cell to run."""

PROTOCOL = "v1.kernel.websocket.jupyter.org"
"""How JupyterLab packs messages."""

HEADERS = {"Authorization": f"token {TOKEN}"}


@dataclass(slots=True)
class Student:
    """A student with a kernel of their own: seconds for its start and for each cell, and which cells failed."""

    name: str
    socket: WebSocketClientConnection
    start: float = 0.0
    cells: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    async def work(self, cells: Sequence[str], think: float, random: Random) -> None:
        """Send each cell after some thought, exponentially distributed with the mean ``think``, and wait for its end."""
        for cell in cells:
            await asyncio.sleep(random.expovariate(1 / think) if think else 0)
            began = time.monotonic()
            content = {"code": cell, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
            if await self.ask("execute_request", {**content, "stop_on_error": False}) != "ok":
                self.failed.append(cell)
            self.cells.append(time.monotonic() - began)

    async def ask(self, request: str, content: dict[str, Any]) -> str:
        """Send a request on the shell channel, and wait for its reply and for ``idle``; return the status of the reply."""
        key = uuid4().hex
        header = {"msg_id": key, "msg_type": request, "session": self.name, "username": self.name, "version": "5.3"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        packed = serialize_msg_to_ws_v1(message, "shell", _packed)
        await self.socket.write_message(packed, binary=True)
        status, idle = "", False
        while not (status and idle):
            told = await asyncio.wait_for(self.socket.read_message(), PATIENCE)
            if told is None:
                raise ConnectionResetError(f"the connection of {self.name} was closed")
            channel, (_, about, _, answer, *_) = deserialize_msg_from_ws_v1(told)
            if json.loads(about).get("msg_id") != key:
                continue
            content = json.loads(answer)
            if channel == "shell":
                status = content["status"]
            elif "execution_state" in content:
                idle = content["execution_state"] == "idle"
        return status


def _packed(part: object) -> bytes:
    return json.dumps(part).encode()


@asynccontextmanager
async def attending(url: str, name: str) -> AsyncGenerator[Student]:
    """A student whose kernel has given its first answer. The connection ends with the context, the kernel with the server."""
    began = time.monotonic()
    kernel = {"path": f"{name}.ipynb", "name": name, "type": "notebook", "kernel": {"name": "rh"}}
    options: dict[str, Any] = {"headers": HEADERS, "request_timeout": PATIENCE, "connect_timeout": PATIENCE}
    made = await AsyncHTTPClient().fetch(HTTPRequest(f"{url}/api/sessions", "POST", body=json.dumps(kernel), **options))
    address = f"{url.replace('http', 'ws', 1)}/api/kernels/{json.loads(made.body)['kernel']['id']}/channels?session_id={name}"
    student = Student(name, await _connected(HTTPRequest(address, **options)))
    try:
        while True:
            try:
                await student.ask("kernel_info_request", {})
                break
            except (ConnectionResetError, WebSocketClosedError):
                # The server closes it if many kernels start at once; front ends then connect again.
                if time.monotonic() - began > PATIENCE:
                    raise
                student.socket = await _connected(HTTPRequest(address, **options))
        student.start = time.monotonic() - began
        yield student
    finally:
        student.socket.close()


async def _connected(request: HTTPRequest) -> WebSocketClientConnection:
    return await websocket_connect(request, max_message_size=1 << 30, subprotocols=[PROTOCOL])
