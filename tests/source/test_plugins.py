"""Entry points of plugins: valid ones are added, others skipped with a warning."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rh_kernel.source.plugins import PluginWarning, plugins
from rh_kernel.training.reading.format import Format

GROUP = "rh_kernel.test_plugins"
NPZ = "npz = rh_kernel.training.reading.npy:NPZ\n"
CSV = "csv = rh_kernel.training.reading.table:CSV\n"
Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a distribution with these entry points and a module on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(name: str, entries: str) -> None:
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{entries}", encoding="utf-8")

    return installed


def test_records_are_found_by_their_names_in_order(install: Install) -> None:
    install("one", NPZ)
    install("other", CSV)
    assert list(plugins(GROUP, Format)) == ["csv", "npz"]


def test_a_name_that_is_taken_is_skipped(install: Install) -> None:
    install("one", NPZ)
    with pytest.warns(PluginWarning, match=r"`npz` of one is skipped: the name is taken"):
        assert not plugins(GROUP, Format, {"npz"})


def test_a_name_that_is_used_twice_is_found_once(install: Install) -> None:
    install("one", NPZ)
    install("other", NPZ)
    with pytest.warns(PluginWarning, match="the name is taken"):
        assert len(plugins(GROUP, Format)) == 1


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("no_such_module_anywhere:x", "ModuleNotFoundError"),
        ("math:no_such_name", "AttributeError"),
        ("math:sin", "its value is no Format"),
        ("rh_kernel.training.reading.npy:NPY", "its record has the name `npy`"),
    ],
)
def test_what_is_broken_is_skipped_with_a_warning(install: Install, entry: str, why: str) -> None:
    install("one", f"bad = {entry}\n{CSV}")
    with pytest.warns(PluginWarning, match=why):
        assert list(plugins(GROUP, Format)) == ["csv"]


def test_what_exits_when_it_is_loaded_is_skipped(install: Install, tmp_path: Path) -> None:
    (tmp_path / "exits_when_loaded.py").write_text("raise SystemExit('no licence')\n", encoding="utf-8")
    install("one", "bad = exits_when_loaded:x\n")
    with pytest.warns(PluginWarning, match="no licence"):
        assert not plugins(GROUP, Format)
