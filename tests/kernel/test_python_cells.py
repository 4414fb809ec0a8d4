"""``%%python`` cells in a kernel: ordinary IPython, with the same session on both sides at every moment."""

from __future__ import annotations

import re
import time
from queue import Empty
from typing import Any

import pytest

from rh_kernel.kernel.python_cells.streams import MAX_CHARACTERS
from rh_kernel.syntax.parsing.lexer import python_starts
from tests.kernel.conftest import PATIENCE, STOPPED, Client, Ran, Start

NET = """\
loc weight : Real(2) = [1, 2]
fun double(x : Real(2)) : Real(2) = 2 * x
loc line : Real(1, 2) = normal(0.5, seed=1)
op Layer[l : Loc(m, k)] : Real(k) -> Real(m)
net fit(x : Real(2)) : Real(1) = Layer[line](x)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
"""
FIT = "train rev handle (x) <u>. fit(u) with sgd(0.1, t)"
COLOURS = re.compile("\x1b\\[[0-9;]*m")
VIEW = "application/vnd.jupyter.widget-view+json"


def python(code: str) -> str:
    return f"%%python\n{code}"


@pytest.fixture(scope="module")
def both(start: Start) -> Client:
    """A kernel for interrupts and Python cells."""
    client = start(measured=False)
    assert client.run(NET).reply["status"] == "ok"
    assert client.run(python("import numpy as np")).reply["status"] == "ok"
    return client


def printed(ran: Ran, name: str = "stdout") -> str:
    return "".join([content["text"] for content in ran.contents("stream") if content["name"] == name])


def fine(ran: Ran) -> Ran:
    assert ran.reply["status"] == "ok", ran.reply
    return ran


# -- the session on both sides -------------------------------------------------------------------------------------------------


def test_python_sees_the_heap_as_it_is_and_without_a_copy(both: Client) -> None:
    fine(both.run("Put[weight]([3, 4])"))
    code = """
    import numpy as np
    w = rh.heap["weight"]
    inside = next(array for name, array in rh.session.heap.items() if np.shares_memory(array, w))
    print(w, np.shares_memory(w, inside), w.flags.writeable)
    """
    assert printed(fine(both.run(python(code)))) == "[3. 4.] True False\n"


def test_what_python_does_is_seen_by_the_next_cell_and_the_other_way_round(both: Client) -> None:
    fine(both.run(python('rh.const("t", np.array([1.0, 2.0, 3.0]))\nrun = rh.run("Put[weight]([5, 6])")')))
    assert fine(both.run("sum(t)")).texts == ["6.0 : Real(1)"]
    assert "5.0" in fine(both.run("Get[weight]()")).texts[0]
    fine(both.run("Put[weight]([7, 8])"))
    assert (
        printed(fine(both.run(python('print(rh.heap["weight"], rh.run("double(Get[weight]())") if 0 else "")'))))
        == "[7. 8.] \n"
    )


def test_data_given_from_python_trains_a_net_of_the_notebook(both: Client) -> None:
    ran = fine(both.run(python('before = rh.heap["line"]\nrh.data("mine", x=[[0.0, 1.0]] * 4, t=[1.0] * 4)')))
    assert ran.texts == ['data("mine"): 4 samples of x : Real(2), t : Real(1)']
    fine(both.run(f'{FIT} for (x, t) in data("mine") epochs 3'))
    assert printed(fine(both.run(python('print(np.array_equal(before, rh.heap["line"]))')))) == "False\n"


def test_the_functions_of_the_package_work_in_the_session_of_the_notebook(both: Client) -> None:
    code = """
    import rh_kernel
    print(rh_kernel.current() is rh, rh_kernel.run("double([1, 2])").value)
    """
    assert printed(fine(both.run(python(code)))) == "True [2. 4.]\n"


def test_each_call_takes_effect_by_itself_also_if_the_cell_fails(both: Client) -> None:
    ran = both.run(python('rh.const("kept", 3)\nrh.run("const lost = 4\\nreturn missing")'))
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "Wrong"
    assert "missing" in ran.reply["evalue"]
    assert fine(both.run("kept")).texts == ["3.0 : Real(1)"]
    assert both.run("lost").reply["status"] == "error"


def test_the_name_of_the_session_comes_back_after_a_reset(both: Client) -> None:
    fine(both.run(python("%reset -f")))
    assert printed(fine(both.run(python('import numpy as np\nprint(len(rh.heap["weight"]))')))) == "2\n"


# -- what a cell shows ---------------------------------------------------------------------------------------------------------


def test_a_cell_ends_in_a_result_that_has_its_number(both: Client) -> None:
    code = "print('before', flush=True)\nprint('the end')\n6 * 7"
    ran = fine(both.run(python(code)))
    assert ran.types() == ["status", "execute_input", "stream", "execute_result", "status"]
    (result,) = ran.contents("execute_result")
    assert result["data"] == {"text/plain": "42"}
    assert result["execution_count"] == ran.reply["execution_count"] == ran.contents("execute_input")[0]["execution_count"]
    number = result["execution_count"]
    assert fine(both.run(python(f"Out[{number}], _{number}, In[{number}]"))).texts == [repr((42, 42, code))]


def test_what_is_displayed_comes_in_its_order_and_before_idle(both: Client) -> None:
    ran = fine(both.run(python("for i in range(5):\n    print(i)\n    display(i)\nclear_output = 1")))
    shown = [
        content.get("text") or content["data"]["text/plain"]
        for kind, content in ran.messages
        if kind in {"stream", "display_data"}
    ]
    assert "".join(shown) == "0\n01\n12\n23\n34\n4"
    assert ran.types()[-1] == "status"


def test_outputs_are_cleared_and_replaced(both: Client) -> None:
    code = "shown = display(1, display_id=True)\nshown.update(2)\nclear_output(wait=True)"
    ran = fine(both.run(python(f"from IPython.display import clear_output\n{code}")))
    assert ran.types()[2:-1] == ["display_data", "update_display_data", "clear_output"]


def test_a_result_of_the_language_is_shown_as_the_kernel_shows_it(both: Client) -> None:
    trace = "%trace return double([1, 2])"
    wanted = fine(both.run(trace)).contents("display_data")
    shown = fine(both.run(python('rh.trace("return double([1, 2])")'))).contents("display_data")
    assert [sorted(output["data"]) for output in shown] == [sorted(output["data"]) for output in wanted]
    assert shown[-1]["data"]["text/plain"] == wanted[-1]["data"]["text/plain"]


def test_print_and_warnings_are_streams(both: Client) -> None:
    ran = fine(both.run(python('import sys, warnings\nprint("err", file=sys.stderr)\nwarnings.warn("mind this")')))
    assert "err\n" in printed(ran, "stderr")
    assert "mind this" in printed(ran, "stderr")
    fine(both.run(python('warnings.filterwarnings("ignore", message="mind")')))
    assert printed(fine(both.run(python('warnings.warn("mind this too")'))), "stderr") == ""


def test_cycles_are_collected_as_often_as_in_python(both: Client) -> None:
    assert fine(both.run(python("import gc\ngc.get_threshold()"))).texts == ["(700, 10, 10)"]
    fine(both.run(python("gc.set_threshold(900, 10, 10)")))
    assert fine(both.run(python("gc.get_threshold()"))).texts == ["(900, 10, 10)"]


def test_a_figure_is_drawn_in_the_notebook(both: Client) -> None:
    ran = fine(both.run(python("import matplotlib.pyplot as plt\nplt.plot(rh.heap['weight'])\nNone")))
    (figure,) = ran.contents("display_data")
    assert figure["data"]["image/png"].startswith("iVBOR")


def test_a_flood_is_cut_with_a_line_that_says_so(both: Client) -> None:
    ran = fine(both.run(python("for i in range(300_000):\n    print('0123456789')\ndisplay('still shown')")))
    text = printed(ran)
    assert text[:MAX_CHARACTERS] == ("0123456789\n" * MAX_CHARACTERS)[:MAX_CHARACTERS]
    assert text[MAX_CHARACTERS:] == f"\n[more than {MAX_CHARACTERS:,} characters: the rest is not shown]\n"
    assert ran.texts == ["'still shown'"]
    assert printed(fine(both.run(python("print('again')")))) == "again\n"


def test_a_silent_cell_shows_nothing_and_has_no_number(both: Client) -> None:
    before = fine(both.run(python("1"))).reply["execution_count"]
    ran = both.run(python("print(1)\ndisplay(2)\nsilent = 3\n1 / 0"), silent=True)
    assert ran.types() == ["status", "status"]
    assert ran.reply["ename"] == "ZeroDivisionError"
    after = fine(both.run(python("silent")))
    assert (after.texts, after.reply["execution_count"]) == (["3"], before + 1)


def test_a_cell_that_is_not_kept_has_the_number_of_the_next_one(both: Client) -> None:
    ran = fine(both.run(python("1 + 1"), store_history=False))
    after = fine(both.run(python("2 + 2")))
    assert ran.contents("execute_result")[0]["execution_count"] == after.reply["execution_count"]
    assert fine(both.run(python(f"In[{after.reply['execution_count']}]"))).texts == ["'2 + 2'"]


def test_what_is_displayed_under_a_name_is_replaced_by_later_cells(both: Client) -> None:
    fine(both.run(python("from IPython.display import display, update_display\ndisplay(1, display_id='here')")))
    (update,) = fine(both.run(python("update_display(2, display_id='here')"))).contents("update_display_data")
    assert (update["data"]["text/plain"], update["transient"]["display_id"]) == ("2", "here")


def test_threads_print_into_the_notebook(both: Client) -> None:
    code = "import threading\nthread = threading.Thread(target=print, args=('from afar',))\nthread.start()\nthread.join()"
    assert printed(fine(both.run(python(code)))) == "from afar\n"


def test_the_magic_for_programs_works_in_the_same_session(both: Client) -> None:
    fine(both.run(python("%load_ext rh_kernel")))
    assert fine(both.run(python("%%rh\nconst magical = 3\nmagical"))).texts == ["magical : Real(1)", "3.0 : Real(1)"]
    assert fine(both.run("magical")).texts == ["3.0 : Real(1)"]


def test_expressions_beside_a_cell_are_in_the_language(both: Client) -> None:
    ran = fine(both.run(python("x = 1"), user_expressions={"w": "return 1 + 2"}))
    assert ran.reply["user_expressions"]["w"]["data"]["text/plain"] == "3.0 : Real(1)"


def test_help_is_asked_of_the_front_end(both: Client) -> None:
    (asked,) = fine(both.run(python("len?"))).reply["payload"]
    assert asked["source"] == "page"
    assert "Return the number of items" in asked["data"]["text/plain"]
    assert fine(both.run(python("1"))).reply["payload"] == []


# -- Python --------------------------------------------------------------------------------------------------------------------


def test_await_and_magics_work(both: Client) -> None:
    fine(both.run(python("import asyncio\nawait asyncio.sleep(0)\nasync def three():\n    return 3\nfound = await three()")))
    assert fine(both.run(python("found"))).texts == ["3"]
    assert printed(fine(both.run(python("!echo a")))).split() == ["a"]
    assert "CPU times" in printed(fine(both.run(python("%%time\nfound"))))


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("x = 1\n1 / 0", "ZeroDivisionError", 3),
        ("x = 1\n\nx +", "SyntaxError", 4),
        ("def f():\n    return nowhere\nf()", "NameError", 3),
        ("raise KeyError('gone')", "KeyError", 2),
        ("import asyncio\nawait asyncio.wait_for(asyncio.sleep(9), 0.01)", "TimeoutError", 3),
        ("rh.run('return nowhere')", "Wrong", 2),
        ("rh.const('let', 1)", "Wrong", 2),
    ],
)
def test_an_error_of_python_is_shown_as_ipython_shows_it(both: Client, code: str, name: str, line: int) -> None:
    ran = both.run(python(code))
    (error,) = ran.contents("error")
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == error["ename"] == name
    assert ran.reply["traceback"] == error["traceback"]
    shown = COLOURS.sub("", "\n".join(error["traceback"]))
    assert f"Cell In[{ran.reply['execution_count']}], line {line}" in shown
    assert "rh_kernel" not in shown


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("class Mute(Exception):\n    def __str__(self):\n        return 1\nraise Mute", "Mute"),
        ("raise ExceptionGroup('two', [ValueError(1), TypeError(2)])", "ExceptionGroup"),
        ("class Blind:\n    def __repr__(self):\n        return 1 / 0\nBlind()", "ZeroDivisionError"),
        ("import sys\nsys.exit(3)", "SystemExit"),
        ("raise asyncio.CancelledError", "CancelledError"),
        ("get_ipython().events.register('pre_run_cell', 3)", "TypeError"),
    ],
)
def test_an_unusual_error_ends_its_cell_alone(both: Client, code: str, name: str) -> None:
    ran = both.run(python(f"import asyncio\n{code}"))
    assert ran.reply["status"] == "error"
    assert [error["ename"] for error in ran.contents("error")] == [ran.reply["ename"]] == [name]
    assert fine(both.run(python("1"))).texts == ["1"]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "  \n", "\n\n   \n"])
def test_an_empty_cell_is_fine(both: Client, end: str) -> None:
    assert fine(both.run(f"%%python{end}")).contents("execute_result") == []


@pytest.mark.parametrize(
    "code", ["1 + 2\n%%python\nprint(1)", "\n%%python\nprint(1)", "%%python now\nprint(1)", "# a\n%%python"]
)
def test_python_elsewhere_is_refused_in_one_sentence(both: Client, code: str) -> None:
    ran = both.run(code)
    assert ran.reply["ename"].startswith("RH019")
    assert len(ran.reply["traceback"]) == 1
    assert printed(ran) == ""


def test_where_the_python_of_a_cell_begins() -> None:
    assert [python_starts(text) for text in ("%%python", "%%python \nx", "%%python\r\nx")] == [8, 10, 10]
    assert not any(map(python_starts, ("", "%%pythonic\n", " %%python\n", "%python\n", "# %%python\n", "1\n%%python\n")))


def test_input_asks_the_front_end(both: Client) -> None:
    request = both.client.execute(
        python("name = input('Who? ')\nimport getpass\nword = getpass.getpass('Word? ')"), allow_stdin=True
    )
    for prompt, secret, answer in (("Who? ", False, "me"), ("Word? ", True, "xyzzy")):
        asked = both.client.get_stdin_msg(timeout=PATIENCE)["content"]
        assert (asked["prompt"], asked["password"]) == (prompt, secret)
        both.client.input(answer)
    fine(both.collect(request))
    assert fine(both.run(python("name + word"))).texts == ["'mexyzzy'"]
    assert both.run(python("input()"), allow_stdin=False).reply["ename"] == "StdinNotImplementedError"


# -- interrupts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.sleep(60)",
        "await asyncio.sleep(60)",
        "while True:\n    pass",
        "while True:\n    await asyncio.sleep(0)",
        "await asyncio.gather(asyncio.sleep(60), asyncio.sleep(70))",
        "async with asyncio.TaskGroup() as tasks:\n    tasks.create_task(asyncio.sleep(60))",
        "input('wait ')",
        "while True:\n    rh.const('again', 1)",
    ],
)
def test_an_interrupt_ends_a_cell_and_keeps_everything(both: Client, code: str) -> None:
    fine(both.run(python("import asyncio, numpy as np\nmarker = 7")))
    ran = both.run(python(f"marker = 8\nprint('begun')\n{code}"), interrupt_after=0.3, once=printed, allow_stdin=True)
    assert ran.work_after_interrupt < 1
    assert 0 < ran.idle_after_interrupt < STOPPED
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] in {"KeyboardInterrupt", "Stopped"}
    assert len(ran.contents("error")) == 1
    assert fine(both.run(python("marker"))).texts == ["8"]
    assert fine(both.run("double([1, 2])")).reply["status"] == "ok"


def test_a_command_of_the_shell_is_interrupted(both: Client) -> None:
    ran = both.run(python("!sleep 60"), interrupt_after=0.5)
    assert ran.work_after_interrupt < 1
    assert 0 < ran.idle_after_interrupt < STOPPED


def test_an_interrupt_arrives_where_the_code_awaits_and_can_be_caught(both: Client) -> None:
    waiting = "try:\n    print('begun')\n    await asyncio.sleep(60)\nexcept KeyboardInterrupt:\n    print('caught')"
    code = f"{waiting}\nawait asyncio.sleep(0.1)\n5"
    ran = fine(both.run(python(f"import asyncio\n{code}"), interrupt_after=0.3, once=printed))
    assert printed(ran) == "begun\ncaught\n"
    assert ran.texts == ["5"]


def test_a_program_run_from_python_is_interrupted_and_takes_no_effect(both: Client) -> None:
    code = """
    long = "Put[weight]([0, 0])\\n" + "\\n".join([f"const many{i} = {i}" for i in range(200_000)])
    before = rh.session
    """
    fine(both.run(python(code)))
    ran = both.run(python("rh.run(long)"), interrupt_after=0.5)
    assert ran.work_after_interrupt < 1
    assert 0 < ran.idle_after_interrupt < STOPPED
    assert ran.reply["ename"] == "Stopped"
    assert fine(both.run(python("before is rh.session"))).texts == ["True"]


# -- questions beside cells ----------------------------------------------------------------------------------------------------


NASTY = """
class Nasty:
    def __getattr__(self, name):
        raise RuntimeError(name)
    def __dir__(self):
        raise RuntimeError
    def __repr__(self):
        raise RuntimeError
nasty = Nasty()
"""


@pytest.mark.parametrize("rest", ["nasty.", "nasty.a", "nasty", "(((", "'", "%%", "\n\n", "nasty.𝔸.b", "%%time\nnasty."])
def test_any_place_in_python_can_be_asked_about(both: Client, rest: str) -> None:
    fine(both.run(python(NASTY)))
    code = python(rest)
    for place in range(len(code) + 1):
        found = both.ask("complete_request", code=code, cursor_pos=place)
        assert found["status"] == "ok"
        assert 0 <= found["cursor_start"] <= found["cursor_end"] <= len(code)
        assert both.ask("inspect_request", code=code, cursor_pos=place, detail_level=1)["status"] == "ok"


def test_tab_completes_python(both: Client) -> None:
    fine(both.run(python("import numpy as np\nsomething_long = 1")))
    code = python("x = 1\nsomething_lo")
    reply = both.ask("complete_request", code=code, cursor_pos=len(code))
    assert reply["matches"] == ["something_long"]
    assert code[reply["cursor_start"] : reply["cursor_end"]] == "something_lo"
    assert "const" in both.ask("complete_request", code=python("rh.con"), cursor_pos=15)["matches"][0]
    assert "double" in both.ask("complete_request", code="doub", cursor_pos=4)["matches"]


LONG = {
    "many lines": "x = [1, 2, 3]\n" * 7_000,
    "one line": "x = [" + "1, " * 33_000,
    "a string": 'text = """\n' + "word word\n" * 10_000,
    "brackets": "(" * 100_000,
    "short lines of brackets": "[\n" * 50_000,
    "quotes": "'" * 100_000,
    "backslashes": "\\" * 100_000 + "\n",
}
"""A line of brackets takes IPython cubic time, a line of numbers takes Jedi minutes."""


@pytest.mark.parametrize("before", LONG.values(), ids=LONG)
def test_tab_is_answered_in_a_cell_of_any_length(both: Client, before: str) -> None:
    fine(both.run(python("import numpy as np")))
    for after in ("", "\nx = 1\n" * 20_000):
        code = python(f"{before}np.linal")
        reply = both.ask("complete_request", code=code + after, cursor_pos=len(code))
        assert reply["matches"][0].removeprefix(".") == "linalg"
        assert code[reply["cursor_start"] :].removeprefix(".") == "linal"
        found = both.ask("inspect_request", code=code + "g" + after, cursor_pos=len(code), detail_level=0)
        assert found["status"] == "ok"
        assert both.ask("is_complete_request", code=code)["status"] in {"complete", "incomplete", "invalid", "unknown"}


def test_what_is_completed_may_never_end(both: Client) -> None:
    endless = "class Endless:\n    def __dir__(self):\n        while True: pass\nendless = Endless()"
    fine(both.run(python(endless)))
    code = python("x = 1\n" * 1_000 + "endless.x")
    reply = both.ask("complete_request", code=code, cursor_pos=len(code))
    assert reply["status"] == "ok"
    assert fine(both.run("1 + 2")).texts == ["3.0 : Real(1)"]


def test_shift_tab_inspects_python(both: Client) -> None:
    fine(both.run(python('def documented():\n    """What it is for."""')))
    code = python("documented")
    reply = both.ask("inspect_request", code=code, cursor_pos=len(code), detail_level=0)
    assert reply["found"]
    assert "What it is for." in reply["data"]["text/plain"]
    missing = both.ask("inspect_request", code=python("nowhere"), cursor_pos=12, detail_level=0)
    assert (missing["status"], missing["found"], missing["data"]) == ("ok", False, {})


@pytest.mark.parametrize(
    ("code", "status", "indent"),
    [
        ("x = 1", "complete", None),
        ("for i in x:", "incomplete", "    "),
        ("f(", "incomplete", ""),
        ("x = = 1", "invalid", None),
    ],
)
def test_enter_knows_whether_python_is_complete(both: Client, code: str, status: str, indent: str | None) -> None:
    reply = both.ask("is_complete_request", code=python(code))
    assert (reply["status"], reply.get("indent")) == (status, indent)


# -- widgets -------------------------------------------------------------------------------------------------------------------


def moved(client: Client, comm: str, value: Any, *, interrupt_after: float | None = None) -> list[dict[str, Any]]:
    """The messages to the page up to idle after a slider is moved."""
    session = client.client.session
    update = {"method": "update", "state": {"value": value}, "buffer_paths": []}
    message = session.msg("comm_msg", {"comm_id": comm, "data": update})
    client.client.shell_channel.send(message)
    if interrupt_after is not None:
        time.sleep(interrupt_after)
        client.manager.interrupt_kernel()
    heard: list[dict[str, Any]] = []
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            heard.append(client.client.get_iopub_msg(timeout=0.05))
        except Empty:
            continue
        parent = heard[-1]["parent_header"].get("msg_id")
        if parent == message["header"]["msg_id"] and heard[-1]["content"].get("execution_state") == "idle":
            return heard
    raise AssertionError("no idle")


def slider(ran: Ran) -> str:
    return next(
        content["comm_id"]
        for content in ran.contents("comm_open")
        if content["data"]["state"].get("_model_name") == "IntSliderModel"
    )


def test_interact_shows_its_controls_and_answers_them(both: Client) -> None:
    ran = fine(both.run(python("from ipywidgets import interact\n@interact(n=(0, 10))\ndef shown(n):\n    print('n is', n)")))
    assert any(VIEW in content["data"] for content in ran.contents("display_data"))
    heard = moved(both, slider(ran), 9)
    assert any("n is 9" in str(message["content"]) for message in heard)


def test_a_slider_that_runs_programs_works_in_the_session(both: Client) -> None:
    code = """
    from ipywidgets import IntSlider
    chosen = IntSlider()
    chosen.observe(lambda change: rh.const("chosen", change["new"]), "value")
    chosen
    """
    ran = fine(both.run(python(code)))
    moved(both, slider(ran), 4)
    assert fine(both.run("chosen")).texts == ["4.0 : Real(1)"]


def test_traces_shown_by_a_slider_have_their_views(both: Client) -> None:
    code = """
    from ipywidgets import interact
    @interact(n=(1, 3))
    def traced(n):
        display(rh.trace(f"return double([{n}, 2])"))
    """
    ran = fine(both.run(python(code)))
    heard = moved(both, slider(ran), 3)
    assert any(message["msg_type"] == "comm_open" for message in heard)
    assert not any(
        "Traceback" in str(message["content"]) or "Error" in str(message["content"].get("ename")) for message in heard
    )


SPINNING = """
from ipywidgets import IntSlider
spinning = IntSlider()
def spin(change):
    while True:
        pass
spinning.observe(spin, "value")
spinning
"""


def test_a_second_cell_beside_one_of_python_is_refused(both: Client) -> None:
    session, control = both.client.session, both.client.control_channel
    control.send(session.msg("create_subshell_request", {}))
    subshell = both.client.get_control_msg(timeout=PATIENCE)["content"]["subshell_id"]
    request = both.client.execute(python("import asyncio\nawait asyncio.sleep(60)"), stop_on_error=False)
    time.sleep(0.5)
    message = session.msg("execute_request", {"code": python("1"), "silent": False, "store_history": False})
    message["header"]["subshell_id"] = subshell
    both.client.shell_channel.send(message)
    assert both.reply(message["header"]["msg_id"])["ename"] == "Busy"
    both.manager.interrupt_kernel()
    assert both.reply(request)["ename"] == "KeyboardInterrupt"
    control.send(session.msg("delete_subshell_request", {"subshell_id": subshell}))
    both.client.get_control_msg(timeout=PATIENCE)
    assert fine(both.run(python("2"))).texts == ["2"]


def test_a_slider_whose_answer_never_comes_is_interrupted(both: Client) -> None:
    ran = fine(both.run(python(SPINNING)))
    began = time.monotonic()
    moved(both, slider(ran), 1, interrupt_after=0.5)
    assert time.monotonic() - began < STOPPED
    assert fine(both.run("double([1, 2])")).reply["status"] == "ok"


def test_with_the_slider_the_cell_that_runs_meanwhile_is_interrupted(both: Client) -> None:
    comm = slider(fine(both.run(python(SPINNING))))
    request = both.client.execute(python("import asyncio\nawait asyncio.sleep(60)"), stop_on_error=False)
    time.sleep(0.5)
    moved(both, comm, 1, interrupt_after=0.5)
    assert both.reply(request)["ename"] == "KeyboardInterrupt"


def test_while_a_cell_is_at_work_a_slider_cannot_change_the_session(both: Client) -> None:
    code = """
    from ipywidgets import IntSlider
    refused = []
    chosen = IntSlider()
    def choose(change):
        try:
            rh.const("chosen_meanwhile", change["new"])
        except RuntimeError as busy:
            refused.append(str(busy))
    chosen.observe(choose, "value")
    chosen
    """
    comm = slider(fine(both.run(python(code))))
    fine(both.run(python('rh.data("few", x=[[0.0, 1.0]] * 4, t=[1.0] * 4)')))
    request = both.client.execute(f'{FIT} for (x, t) in data("few") epochs 1000000000', stop_on_error=False)
    time.sleep(0.5)
    moved(both, comm, 3)
    both.manager.interrupt_kernel()
    assert both.reply(request)["ename"] == "Interrupted"
    assert "Another program is running" in printed(fine(both.run(python("print(*refused)"))))
    moved(both, comm, 4)
    assert fine(both.run("chosen_meanwhile")).texts == ["4.0 : Real(1)"]
