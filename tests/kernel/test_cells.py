"""Cells with ids from the front end: run again, undone, checked, stopped by limits."""

from pathlib import Path
from typing import Any

import pytest

from tests.kernel.conftest import Client, Ran, Start


class Page:
    """A notebook whose cells have ids."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def run(self, cell: str, code: str) -> Ran:
        session = self.client.client.session
        content: dict[str, Any] = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        message = session.msg("execute_request", content, metadata={"cellId": cell})
        self.client.client.shell_channel.send(message)
        return self.client.collect(message["header"]["msg_id"])


@pytest.fixture(scope="module")
def client(start: Start) -> Client:
    return start()


@pytest.fixture
def page(client: Client) -> Page:
    """One kernel for all tests of this module; declarations of a test are reset for the next one."""
    return Page(client)


def test_a_cell_that_is_run_again_tells_what_is_older_now(page: Page) -> None:
    page.run("a", "const k1 = 1")
    second = page.run("b", "fun k2(x : Real) : Real = k1 + x")
    number = second.reply["execution_count"]
    again = page.run("a", "const k1 = 2\nk1 + k1")
    assert again.texts[0] == f"`k2` still uses the earlier `k1`: run cell {number} again to renew"
    assert again.contents("execute_result")[0]["data"]["text/plain"] == "4.0 : Real(1)"
    (listed,) = page.run("c", "%whos").texts
    assert "older than k1" in listed


def test_a_name_that_is_taken_out_of_a_cell_is_gone(page: Page) -> None:
    page.run("d", "const k3 = 1")
    page.run("d", "const k4 = 1")
    assert page.run("e", "k3").reply["ename"].startswith("RH101")


def test_without_a_name_a_cell_is_another_one_each_time(page: Page) -> None:
    page.client.run("const k5 = 1")
    page.client.run("const k6 = 1")
    assert page.client.run("k5 + k6").reply["status"] == "ok"


def test_a_cell_that_is_python_now_declares_nothing_any_more(page: Page) -> None:
    page.run("x", "const k10 = 1")
    assert page.run("x", "%%python\n1 + 1").contents("execute_result")[0]["data"]["text/plain"] == "2"
    assert page.run("y", "k10").reply["ename"].startswith("RH101")


def test_a_cell_is_undone(page: Page) -> None:
    page.run("f", "const k7 = 1")
    assert page.run("g", "%undo").texts == ["undone: k7 no longer declared"]
    assert page.run("h", "k7").reply["status"] == "error"


def test_checks_that_hold_are_one_output(page: Page) -> None:
    ran = page.run("i", "check 1 + 1 == 2\ncheck [1, 2] |- Real(2)")
    assert ran.reply["status"] == "ok"
    assert ran.texts == ["✓ 1 + 1 == 2\n✓ [1, 2] |- Real(2)"]


def test_a_check_that_fails_makes_its_cell_fail(page: Page) -> None:
    ran = page.run("j", "const k8 = 1\ncheck 1 + 1 == 3")
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "RH207 Check failed"
    assert page.run("k", "k8").reply["status"] == "error"


def test_a_cell_that_shows_too_much_is_stopped_and_undone(page: Page) -> None:
    page.run("l", "%limit output 2000")
    ran = page.run("m", "const k9 = 1\n" + "%type [1, 2]\n" * 100)
    assert ran.reply["ename"].startswith("RH209")
    assert sum(len(str(c["data"])) for c in ran.contents("display_data")) < 4000
    assert page.run("n", "k9").reply["status"] == "error"
    page.run("o", "%limit output default")
    assert page.run("p", "const k9 = 1\n" + "%type [1, 2]\n" * 100).reply["status"] == "ok"


def test_a_cell_that_takes_too_long_is_stopped(page: Page) -> None:
    page.run("q", "%limit seconds 1")
    ran = page.run("r", 'train return x for x in data("xor") epochs 100000000')
    assert ran.reply["ename"].startswith("RH208")
    page.run("s", "%limit seconds off")


def test_the_heap_is_saved_beside_the_notebook(page: Page) -> None:
    page.run("t", "loc kw : Real(2) = [1, 2]\n%save kernel-heap.npz")
    page.run("u", "let _ <= Put[kw]([3, 4]) in return 1")
    page.run("v", "%load kernel-heap.npz")
    assert page.run("w", "Get[kw]()").texts[-1].startswith("[1.0, 2.0]")


def test_a_cell_includes_a_file_and_tells_where_its_errors_are(page: Page) -> None:
    folder = page.run("i", "%%python\nfrom pathlib import Path\nprint(Path.cwd())").contents("stream")[0]["text"].strip()
    (Path(folder) / "layers_of_mine.rh").write_text("fun f9(x : Real) : Real = 2 * x", encoding="utf-8")
    ran = page.run("j", 'include "layers_of_mine.rh"\nf9(4)')
    assert ran.texts == ["included layers_of_mine.rh: 1 declaration (f9)", "8.0 : Real(1)"]
    assert page.run("k", 'include "layers_of_mine.rh"').texts == ["layers_of_mine.rh is included already"]
    assert page.run("j", "1").texts[-1] == "1.0 : Real(1)"
    assert page.run("l", "f9(4)").reply["ename"].startswith("RH101")
    (Path(folder) / "layers_of_mine.rh").write_text("fun f9(x : Real) : Real =\n  2 * nowhere9", encoding="utf-8")
    reply = page.run("j", 'include "layers_of_mine.rh"\nf9(4)').reply
    assert reply["ename"].startswith("RH101")
    told = "\n".join(reply["traceback"])
    assert "layers_of_mine.rh, line 2" in told
    assert "included from here" in told
