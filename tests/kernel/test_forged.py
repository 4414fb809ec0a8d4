"""Messages that are rejected: without the key, replayed, or incomplete."""

from __future__ import annotations

import json
import os
import stat
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from tests.kernel.conftest import PATIENCE, Client, Start, unmeasured
from tests.kernel.wire import NET, answer, is_well, sent

DELIMITER = b"<IDS|MSG>"

numbers = count()


@pytest.fixture(scope="module")
def kernel(start: Start) -> Client:
    """A kernel in which something can be trained."""
    client = start(measured=False)
    assert client.run(NET).reply["status"] == "ok"
    return client


def frames(client: Client, code: str) -> list[bytes]:
    """A cell on the wire: delimiter, signature, header, parent, metadata, content."""
    session = client.client.session
    return session.serialize(session.msg("execute_request", {"code": code, "silent": False, "store_history": True}))


def test_forged_messages_are_refused(kernel: Client) -> None:
    name = f"forged_{next(numbers)}"
    socket = kernel.client.shell_channel.socket
    good = frames(kernel, f"const {name} = 1")
    assert good[0] == DELIMITER
    other = frames(kernel, f"const {name} = 2")
    for signature in (b"", b"0" * 64, good[1][:-1], good[1].upper(), other[1]):
        socket.send_multipart([good[0], signature, *good[2:]])
    socket.send_multipart([*good[:5], other[5]])
    socket.send_multipart([*good[:2], other[2], *good[3:]])
    assert kernel.run(name).reply["ename"] == "RH101 Unknown name"
    assert is_well(kernel)


def test_a_message_that_was_heard_before_is_refused(kernel: Client) -> None:
    name = f"once_{next(numbers)}"
    kernel.run(f"loc {name} : Real = [0]")
    put = frames(kernel, f"let x <= Get[{name}]() in Put[{name}](x + 1)")
    for _ in range(3):
        kernel.client.shell_channel.socket.send_multipart(put)
    assert kernel.run(f"Get[{name}]()").texts == ["1.0 : Real(1)"]


def test_pieces_of_messages_are_refused(kernel: Client) -> None:
    name = f"piece_{next(numbers)}"
    whole = frames(kernel, f"const {name} = 1")
    pieces = [whole[:n] for n in range(1, len(whole))]
    pieces += [whole[1:], [DELIMITER], [b""], [b"\x00" * 1000], [DELIMITER] * 8, [b"a"] * 50]
    for channel in (kernel.client.shell_channel, kernel.client.control_channel):
        for piece in pieces:
            channel.socket.send_multipart(piece)
    assert kernel.run(name).reply["ename"] == "RH101 Unknown name"
    assert answer(kernel, sent(kernel, "kernel_info_request", {}, "control"), "control") is not None
    assert is_well(kernel)


def stranger(file: Path, info: dict[str, Any]) -> BlockingKernelClient:
    """A client that knows this much of a kernel."""
    file.write_text(json.dumps(info), encoding="utf-8")
    client = BlockingKernelClient(connection_file=str(file))
    client.load_connection_file()
    client.start_channels(hb=False)
    return client


def is_heard(client: BlockingKernelClient) -> bool:
    """Whether a client gets an answer."""
    try:
        client.execute("const stranger = 1")
        client.get_shell_msg(timeout=0.5)
    except Empty:
        return False
    finally:
        client.stop_channels()
    return True


def test_another_key_opens_nothing(kernel: Client, tmp_path: Path) -> None:
    info = json.loads(Path(kernel.manager.connection_file).read_text(encoding="utf-8"))
    assert not is_heard(stranger(tmp_path / "a.json", {**info, "key": "0" * len(info["key"])}))
    assert not is_heard(stranger(tmp_path / "b.json", {**info, "key": ""}))
    assert kernel.run("stranger").reply["status"] == "error"


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
def test_only_its_owner_reads_the_connection_file(kernel: Client) -> None:
    assert stat.S_IMODE(Path(kernel.manager.connection_file).stat().st_mode) == 0o600


def test_what_goes_over_the_wire_can_be_encrypted(jupyter_path: Path, tmp_path: Path) -> None:
    specs = KernelSpecManager(kernel_dirs=[str(jupyter_path / "kernels")])
    manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs, transport_encryption="required")
    manager.start_kernel(cwd=str(tmp_path), env={**unmeasured(), "IPYTHONDIR": str(tmp_path / ".ipython")})
    client = manager.client()
    try:
        client.start_channels(hb=False)
        client.wait_for_ready(timeout=PATIENCE)
        assert is_well(Client(manager, client))
        info = json.loads(Path(manager.connection_file).read_text(encoding="utf-8"))
        assert {"curve_publickey", "curve_secretkey"} <= info.keys()
        plain = {key: value for key, value in info.items() if "curve" not in key}
        assert not is_heard(stranger(tmp_path / "plain.json", plain))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
