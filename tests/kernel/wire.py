"""Raw messages to and from a kernel, including those that no client would send."""

from __future__ import annotations

import time
from collections.abc import Mapping
from queue import Empty
from typing import Any

from tests.kernel.conftest import PATIENCE, Client

NET = """loc pw : Real(10, 64) = zeros
op PFC[l : Loc(m, n)] : Real(n) -> Real(m)
net pdigits(x : Real(64)) : Real(10) = PFC[pw](x)
handler pdescent(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  PFC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
op PStuck : Real -> Real
"""
TRAINING = 'train rev handle (x) <u>. pdigits(u) with pdescent(0.01, t)\n  for (x, t) in data("digits") epochs {} batch 16'
FOREVER = TRAINING.format(10_000_000)


def sent(client: Client, name: str, content: Mapping[str, Any], channel: str = "shell", **header: Any) -> str:
    """Send a request; return its message id."""
    message = client.client.session.msg(name, dict(content))
    message["header"].update(header)
    getattr(client.client, f"{channel}_channel").send(message)
    return message["header"]["msg_id"]


def answer(client: Client, request: str, channel: str = "shell", seconds: float = PATIENCE) -> dict[str, Any] | None:
    """The reply to a request with all its parts, or ``None`` after a timeout."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            message = getattr(client.client, f"get_{channel}_msg")(timeout=left)
        except Empty:
            return None
        if message["parent_header"].get("msg_id") == request:
            return message
    return None


def heard(client: Client, request: str) -> list[dict[str, Any]]:
    """All iopub messages about a request, up to its idle."""
    found: list[dict[str, Any]] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            message = client.client.get_iopub_msg(timeout=0.1)
        except Empty:
            continue
        if message["parent_header"].get("msg_id") == request:
            found.append(message)
            if message["content"].get("execution_state") == "idle":
                return found
    raise AssertionError(f"no idle after {PATIENCE} s: {found}")


def busy(client: Client, code: str) -> str:
    """Start a cell that goes on for long, and wait until something is heard of it."""
    request = client.client.execute(code)
    while True:
        message = client.client.get_iopub_msg(timeout=PATIENCE)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] == "display_data":
            return request


def is_well(client: Client) -> bool:
    """Whether the kernel still answers as it did on the first day. Behind a cell that failed, the next is put off."""
    ran = client.run("1 + 2")
    while ran.reply["status"] == "aborted":
        ran = client.run("1 + 2")
    return ran.reply["status"] == "ok" and ran.texts == ["3.0 : Real(1)"]
