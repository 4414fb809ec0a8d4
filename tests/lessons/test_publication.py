"""Version and address stand in one place. Without an address there is no dead link; with one, badge and links lead there."""

import json
import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import rh_kernel
from lessons.reference import public_names, speed
from lessons.reference.publication import CITATION, ROOT, Publication, publication
from lessons.reference.running import ROOT as ROOT_OF_PAGES

ADDRESS = "https://github.com/owner/rh_kernel"
UNPUBLISHED = Publication("1.2.3", "2030-01-02", "Notes.\n")
PUBLISHED = replace(UNPUBLISHED, repository=ADDRESS)


def test_every_place_has_the_version_of_the_project() -> None:
    now = publication()
    extension = json.loads((ROOT / "rh_kernel" / "kernel" / "labextension" / "package.json").read_text(encoding="utf-8"))
    assert extension["version"] == now.version
    assert yaml.safe_load(CITATION.read_text(encoding="utf-8"))["version"] == now.version
    assert speed.releases()[-1].version == now.version
    assert re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0] == now.version
    assert version("rh_kernel") == now.version
    assert ROOT == ROOT_OF_PAGES


def test_the_notes_are_the_section_of_the_version_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.0.1"\n', encoding="utf-8")
    changes = [
        "## [1.0.10] - 2030-02-01\n\n- no\n",
        "## [1.0.1] - Unreleased\n\n### Added\n\n- yes\n",
        "## [1.0.0] - 2029-01-01\n- no\n",
    ]
    (tmp_path / "CHANGELOG.md").write_text("\n".join(changes), encoding="utf-8")
    assert publication(tmp_path) == Publication("1.0.1", "Unreleased", "### Added\n\n- yes\n")


def test_a_version_without_a_section_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "2.0.0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("## [1.0.0] - 2029-01-01\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"no section \[2\.0\.0\]"):
        publication(tmp_path)


def test_without_an_address_there_is_no_badge_and_no_link() -> None:
    assert UNPUBLISHED.badge() == UNPUBLISHED.issue_links() == ""
    assert "http" not in UNPUBLISHED.reporting()
    assert "repository-code" not in yaml.safe_load(UNPUBLISHED.citation(CITATION.read_text(encoding="utf-8")))


def test_with_an_address_all_of_them_lead_there() -> None:
    assert "(https://mybinder.org/v2/gh/owner/rh_kernel/HEAD?urlpath=lab/tree/lessons/00-tour.ipynb)" in PUBLISHED.badge()
    assert f"({ADDRESS}/security/advisories/new)" in PUBLISHED.reporting()
    links = yaml.safe_load(PUBLISHED.issue_links())
    assert [link["url"].startswith(f"{ADDRESS}/") for link in links["contact_links"]] == [True, True]
    cited = yaml.safe_load(PUBLISHED.citation(CITATION.read_text(encoding="utf-8")))
    assert cited["repository-code"] == ADDRESS
    assert (cited["version"], str(cited["date-released"])) == ("1.2.3", "2030-01-02")
    assert cited["references"] == yaml.safe_load(CITATION.read_text(encoding="utf-8"))["references"]


def test_the_citation_changes_nothing_when_it_is_written_again() -> None:
    for each in (UNPUBLISHED, PUBLISHED, replace(PUBLISHED, date="Unreleased")):
        once = each.citation(CITATION.read_text(encoding="utf-8"))
        assert each.citation(once) == once
        assert ("date-released" in once) == (each.date != "Unreleased")


@pytest.mark.parametrize("address", ["OWNER", "https://example.org/owner/rh_kernel", f"{ADDRESS}/issues", f"{ADDRESS})"])
def test_an_address_is_one_of_a_repository(address: str) -> None:
    with pytest.raises(ValueError, match="not the address of a repository"):
        replace(UNPUBLISHED, repository=address)


def test_the_public_names_are_those_of_the_package() -> None:
    """The page lists what ``__all__`` lists, each name is there, and each function that is there is listed."""
    page = (ROOT / "lessons" / "appendix" / "support.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `rh_kernel\.(\w+)` \| \S", page, re.MULTILINE)
    assert sorted(listed) == sorted(rh_kernel.__all__)
    functions = {name for name, thing in vars(rh_kernel).items() if getattr(thing, "__module__", "") == "rh_kernel"}
    assert {name for name in functions if not name.startswith("_")} - {"load_ipython_extension"} <= set(rh_kernel.__all__)
    assert re.findall(r"^\| `rh\.(\w+)` \| \S", page, re.MULTILINE) == list(public_names.of_a_workspace())
    # A package of that name would take the place of the function when something imports it.
    assert not {path.stem for path in Path(rh_kernel.__file__).parent.iterdir()} & set(rh_kernel.__all__)
    assert public_names.OF_THE_KERNEL.issubset(dir(rh_kernel.Workspace))
