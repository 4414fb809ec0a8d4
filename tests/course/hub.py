"""A JupyterHub with a proxy, and the students who work on its servers as a browser would, by HTTP and websockets."""

from __future__ import annotations

import json
import socket
import subprocess
import uuid
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import requests
import websocket

from tests.course.processes import Desk, eventually

PATIENCE = 240.0
"""Seconds to wait for a server, a reply or the end of a cell on a busy machine."""

CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{public}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "{password}"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{homes}/{{username}}"
c.Spawner.environment = {environment}
c.Spawner.args = ["--allow-root"]
# What a student's server and its kernels may have, in kilobytes each.
c.Spawner.cmd = ["sh", "-c", 'ulimit -d {kilobytes}; exec jupyterhub-singleuser "$@"', "sh"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 240
c.JupyterHub.services = [{{"name": "teacher", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [
    {{"name": "teaching", "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers", "shutdown"],
      "services": ["teacher"]}}
]
"""


class NotAsExpected(Exception):
    """A server has not answered as it should."""


def answered(response: requests.Response) -> requests.Response:
    """The same response. Raises ``NotAsExpected`` if it reports an error."""
    if not response.ok:
        raise NotAsExpected(f"{response.request.method} {response.url}: {response.status_code} {response.text[:2000]}")
    return response


@dataclass
class Hub:
    """A JupyterHub that runs."""

    process: subprocess.Popen[bytes]
    url: str
    token: str
    password: str
    homes: Path
    log: Path

    def api(self, method: str, path: str) -> Any:
        """What the hub answers its teacher."""
        return answered(requests.request(method, f"{self.url}/hub/api{path}", headers=_bearer(self.token), timeout=PATIENCE))

    def servers(self) -> set[str]:
        """Whose servers run."""
        return {user["name"] for user in self.api("GET", "/users?state=active").json()}

    def stop(self) -> None:
        """Stop the hub, its proxy, and the servers that still run."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(PATIENCE)


def start(desk: Desk, folder: Path, password: str, kilobytes: int, environment: dict[str, str]) -> Hub:
    """Start a hub whose files are in ``folder``, and wait until it answers."""
    public, hub, proxy = _free_ports(3)
    token, homes, log = uuid.uuid4().hex, folder / "homes", folder / "hub.log"
    config = CONFIG.format(
        public=public,
        hub=hub,
        proxy=proxy,
        password=password,
        homes=homes,
        environment=environment,
        kilobytes=kilobytes,
        token=token,
    )
    (folder / "jupyterhub_config.py").write_text(config, encoding="utf-8")
    process = desk.start("jupyterhub", "-f", "jupyterhub_config.py", cwd=folder, log=log)
    started = Hub(process, f"http://127.0.0.1:{public}", token, password, homes, log)
    eventually(lambda: process.poll() is not None or _answers(f"{started.url}/hub/health"), PATIENCE)
    if not _answers(f"{started.url}/hub/health"):
        started.stop()
        raise NotAsExpected(log.read_text(encoding="utf-8")[-4000:])
    return started


@dataclass
class Student:
    """Somebody who has logged in and has a server."""

    hub: Hub
    name: str
    token: str

    @property
    def home(self) -> Path:
        return self.hub.homes / self.name

    @property
    def url(self) -> str:
        return f"{self.hub.url}/user/{self.name}"

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """What the student's server answers, through the proxy."""
        return answered(requests.request(method, self.url + path, headers=_bearer(self.token), timeout=PATIENCE, **options))

    def assignments(self, action: str, course: str, assignment: str) -> list[dict[str, Any]]:
        """Press a button of nbgrader's list of assignments: ``fetch`` or ``submit``. Returns the list afterwards."""
        about = {"course_id": course, "assignment_id": assignment}
        answer = self.call("POST", f"/assignments/{action}", json=about).json()
        if not answer["success"]:
            raise NotAsExpected(str(answer["value"]))
        return answer["value"]

    def pull(self, repository: str, folder: str) -> list[dict[str, Any]]:
        """Follow a link of nbgitpuller. Returns what it reports while it works."""
        address = f"/git-pull/api?repo={quote(repository, safe='')}&branch=main&targetpath={folder}"
        lines = self.call("GET", address).text.splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    def read(self, path: str) -> Any:
        """Open a notebook."""
        content = self.call("GET", f"/api/contents/{quote(path)}").json()["content"]
        return nbformat.from_dict(content)

    def save(self, path: str, notebook: Any) -> None:
        """Save a notebook."""
        self.call("PUT", f"/api/contents/{quote(path)}", json={"type": "notebook", "format": "json", "content": notebook})

    @contextmanager
    def kernel(self, path: str, name: str = "rh") -> Generator[Kernel]:
        """Connect to the kernel of a notebook, which goes on when the page is closed."""
        asked = {"path": path, "name": path, "type": "notebook", "kernel": {"name": name}}
        kernel = self.call("POST", "/api/sessions", json=asked).json()["kernel"]["id"]
        session = uuid.uuid4().hex
        address = f"{self.url.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels?session_id={session}"
        header = [f"{name}: {value}" for name, value in _bearer(self.token).items()]
        with closing(websocket.create_connection(address, timeout=PATIENCE, header=header)) as connection:
            yield Kernel(connection, session)


@dataclass
class Kernel:
    """The websocket of a kernel."""

    connection: websocket.WebSocket
    session: str

    def send(self, code: str) -> str:
        """Ask for a cell to be run. Returns the number of the message."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "session": self.session, "username": "", "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.connection.send(json.dumps(message))
        return number

    def run(self, code: str) -> list[Any]:
        """Run a cell. Returns its outputs."""
        number, outputs, pending = self.send(code), list[Any](), {"reply", "idle"}
        while pending:
            message = json.loads(self.connection.recv())
            if message["parent_header"].get("msg_id") != number:
                continue
            match message["msg_type"]:
                case "execute_reply":
                    pending.discard("reply")
                case "status" if message["content"]["execution_state"] == "idle":
                    pending.discard("idle")
                case "stream" | "display_data" | "execute_result" | "error":
                    outputs.append(nbformat.v4.output_from_msg(message))
                case _:
                    continue
        return outputs


def log_in(hub: Hub, name: str) -> Student:
    """Log in as a student, start the student's server, and wait until it answers."""
    page = f"{hub.url}/hub/login"
    with requests.Session() as browser:
        answered(browser.get(page, timeout=PATIENCE))
        form = {"username": name, "password": hub.password, "_xsrf": browser.cookies["_xsrf"]}
        answered(browser.post(page, data=form, timeout=PATIENCE, allow_redirects=False))
        # The page on which a user asks for a token does the same.
        asked = f"{hub.url}/hub/api/users/{name}/tokens?_xsrf={browser.cookies['_xsrf']}"
        token = answered(browser.post(asked, json={"note": "for the websocket"}, timeout=PATIENCE)).json()["token"]
    student = Student(hub, name, token)
    answered(requests.post(f"{hub.url}/hub/api/users/{name}/server", headers=_bearer(token), timeout=PATIENCE))
    if not eventually(lambda: _answers(f"{student.url}/api/status", token), PATIENCE):
        raise NotAsExpected(hub.log.read_text(encoding="utf-8")[-4000:])
    return student


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _answers(url: str, token: str = "") -> bool:
    """Whether something at an address answers without an error, and is not another page that one is sent to."""
    try:
        return requests.get(url, headers=_bearer(token), timeout=10, allow_redirects=False).status_code == requests.codes.ok
    except requests.ConnectionError:
        return False


def _free_ports(count: int) -> list[int]:
    """Ports that nothing listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
