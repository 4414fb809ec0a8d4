"""The rules offered for prediction: all of them, in the order of the paper."""

from __future__ import annotations

import json

from rh_kernel.display.live.assets import folder
from rh_kernel.paper import Rule
from tests.display.live.test_assets import node


def test_the_page_can_ask_for_every_rule() -> None:
    module = (folder() / "stepper_predictions.js").as_uri()
    text = f'import {{ PREDICTED }} from "{module}"; console.log(JSON.stringify(PREDICTED));'
    done = node("--input-type=module", "-", text=text)
    assert json.loads(done.stdout) == [rule.value for rule in Rule], done.stderr


def test_each_rule_is_taken_for_rules_that_there_are() -> None:
    text = (folder() / "stepper_predictions.js").read_text(encoding="utf-8")
    table = text[text.index("const PREDICT_RULES") : text.index("export const PREDICTED")]
    names = {rule.value for rule in Rule}
    for line in [line for line in table.splitlines() if ": [" in line]:
        rule, others = line.split(": [", 1)
        alike = json.loads("[" + others.rsplit("[", 1)[1].split("]", 1)[0] + "]")
        assert len(set(alike)) >= 3
        assert set(alike) <= names - {rule.strip().strip('"')}
