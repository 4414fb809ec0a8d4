"""The table of times of a test run, and the limit on the time of a test."""

from pathlib import Path

import pytest

from tests.tiers import Tier
from tests.timing import main, read, table, too_long

REPORT = """<testsuites><testsuite>
<testcase classname="tests.typing.test_terms" name="test_a" time="2.5"/>
<testcase classname="tests.typing.test_terms" name="test_b" time="400"/>
<testcase classname="tests.browser.test_lab" name="test_c" time="500">
<properties><property name="slow" value="True"/></properties></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.xml"
    path.write_text(REPORT, encoding="utf-8")
    return path


def test_time_is_summed_by_folder(report: Path) -> None:
    assert list(table(read(report)))[2:] == [
        "| tests/browser | 1 | 500.0 | 500.0 |",
        "| tests/typing | 2 | 402.5 | 400.0 |",
        "| all | 3 | 902.5 | 500.0 |",
    ]


def test_only_a_test_that_is_marked_may_take_long(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.timing.TIER", Tier.TEST)
    assert [test.name for test in too_long(read(report), 10)] == ["test_b"]
    assert main(str(report)) == 1
    assert "tests.typing.test_terms::test_b" in capsys.readouterr().out.partition("Mark these as slow")[2]
    report.write_text(REPORT.replace("400", "4"), encoding="utf-8")
    assert main(str(report)) == 0


def test_in_deeper_tiers_a_law_may_take_the_time_of_its_examples(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.timing.TIER", Tier.ALL)
    assert main(str(report)) == 0
