"""How long it takes from a move of a slider to the new numbers in the player, in a browser.

``python -m tests.benchmarks.knobs`` prints it, and fails if the median is above the goal.
"""

import re
import shutil
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from lessons.press.texts import FOLDER

MOVES = 50
GOAL = 100
"""Milliseconds, the median over all moves."""

PASS = "%gradient rev handle ([1.0, -2.0]) <x>. loss(x) with descent(alpha)"

MEASURE = """async moves => {
    const input = document.querySelector('.rh-knob input');
    const shown = () => document.querySelector('.rh-player').textContent;
    const taken = [];
    for (let n = 0; n < moves; n += 1) {
        const before = shown();
        const changed = new Promise(resolve => {
            const observer = new MutationObserver(() => {
                if (shown() === before) return;
                observer.disconnect();
                resolve();
            });
            const around = document.querySelector('.rh-player').parentNode;
            observer.observe(around, {subtree: true, childList: true, characterData: true});
        });
        const began = performance.now();
        input.value = String((Number(input.value) + 3) % 200);
        input.dispatchEvent(new Event('input', {bubbles: true}));
        await changed;
        taken.push(performance.now() - began);
        await new Promise(resolve => setTimeout(resolve, 20));
    }
    return taken;
}"""


def lesson() -> list[str]:
    """Return the cells of lesson 6 that declare its net, its loss and ``descent``."""
    text = next(FOLDER.glob("06-*.md")).read_text(encoding="utf-8")
    cells = re.findall(r"```\{code-cell\} rh\n(.*?)```", text, re.DOTALL)
    return [cell.strip() for cell in cells if re.search(r"^net (mlp|loss)\(", cell, re.MULTILINE)][:2]


def measure() -> list[float]:
    """Return the milliseconds of each move."""
    from tests.browser.conftest import TOKEN, opened, running_lab

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("there is no Chromium here")
    with TemporaryDirectory() as home, TemporaryDirectory() as folder, running_lab(Path(home), Path(folder)) as lab:
        lab.write("knobs.ipynb", *lesson(), "const alpha = 0.1", "%slider alpha 0.01 1 log", PASS)
        with opened(chromium, f"{lab.url}/lab/tree/knobs.ipynb?token={TOKEN}") as window:
            window.run_all()
            window.page.wait_for_selector(".rh-player-box")
            window.page.wait_for_selector(".rh-knob input")
            # At the end of the pass all of its numbers are shown.
            window.page.focus(".rh-player")
            window.page.keyboard.press("End")
            window.page.wait_for_timeout(1000)
            return window.page.evaluate(MEASURE, MOVES)


def main() -> None:
    """Print the median, the 95th percentile and the longest of the moves."""
    taken = measure()
    median = statistics.median(taken)
    print(
        f"knobs      {len(taken)} moves of a slider on the net of lesson 6: median {median:.0f} ms, 95th percentile "
        f"{statistics.quantiles(taken, n=20)[-1]:.0f} ms, longest {max(taken):.0f} ms; the goal is {GOAL} ms"
    )
    raise SystemExit(median > GOAL)


if __name__ == "__main__":
    main()
