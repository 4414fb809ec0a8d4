"""What the release is called and where it is published, and what is written from that: badge, citation, links for reports.

The version and the address stand in ``pyproject.toml`` alone, what has changed and since when in ``CHANGELOG.md``. This module
needs nothing but Python's own library, since a release is also checked where nothing else is installed.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CITATION = ROOT / "CITATION.cff"
ISSUE_LINKS = ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"

_SECTION = r"^## \[{}\] - (?P<date>\S+)\n(?P<notes>.*?)(?=^## \[|\Z)"
_ON_GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+)")


@dataclass(frozen=True, slots=True)
class Publication:
    """A release: its version, its date (``Unreleased`` if it has none), its notes, and the address of the repository.

    The address is empty until the repository is published. Raises ``ValueError`` if it is not one on GitHub.
    """

    version: str
    date: str
    notes: str
    repository: str = ""

    def __post_init__(self) -> None:
        if self.repository and not _ON_GITHUB.fullmatch(self.repository):
            raise ValueError(f"{self.repository} is not the address of a repository on GitHub")

    @property
    def name_on_github(self) -> str:
        """Owner and name, such as ``owner/rh_kernel``; empty without an address."""
        return self.repository.removeprefix("https://github.com/")

    def badge(self) -> str:
        """Markdown of the badge that opens the lessons on mybinder.org; empty without an address, so that no badge is dead."""
        if not self.repository:
            return ""
        lab = f"https://mybinder.org/v2/gh/{self.name_on_github}/HEAD?urlpath=lab/tree/lessons/00-tour.ipynb"
        return f"[![Open the lessons on Binder](https://mybinder.org/badge_logo.svg)]({lab})"

    def reporting(self) -> str:
        """Markdown that says where a hole in security is reported."""
        form = "*Report a vulnerability* on the *Security* tab of the repository"
        if self.repository:
            form = f"[*Report a vulnerability*]({self.repository}/security/advisories/new)"
        return f"Please report it privately, by {form} on GitHub, and not as a public issue."

    def issue_links(self) -> str:
        """YAML of the links beside the templates for issues; empty without an address."""
        if not self.repository:
            return ""
        return "\n".join(
            [
                "# Written by `python -m lessons.reference`.",
                "blank_issues_enabled: true",
                "contact_links:",
                "  - name: A hole in security",
                f"    url: {self.repository}/security/advisories/new",
                "    about: Report it privately, please.",
                "  - name: The reference",
                f"    url: {self.repository}/blob/HEAD/lessons/appendix/language.md",
                "    about: The language, its directives, its rules and its errors.",
                "",
            ]
        )

    def citation(self, text: str) -> str:
        """The text of ``CITATION.cff`` with version, date and address as they are now, below the license."""
        lines = [line for line in text.splitlines() if not line.startswith(("version:", "date-released:", "repository-code:"))]
        place = next(i for i, line in enumerate(lines) if line.startswith("license:")) + 1
        lines[place:place] = [
            f"version: {self.version}",
            *([] if self.date == "Unreleased" else [f"date-released: {self.date}"]),
            *([f"repository-code: {self.repository}"] if self.repository else []),
        ]
        return "\n".join(lines) + "\n"


def project(root: Path = ROOT) -> dict[str, Any]:
    """The table ``[project]`` of ``pyproject.toml``."""
    table: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@cache
def publication(root: Path = ROOT) -> Publication:
    """The release that this checkout is. Raises ``ValueError`` if the changelog has no section with its version."""
    described = project(root)
    version = str(described["version"])
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(_SECTION.format(re.escape(version)), changes, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section [{version}]")
    address = str(described.get("urls", {}).get("Repository", ""))
    return Publication(version, section["date"], section["notes"].strip() + "\n", address)


def files() -> dict[Path, str]:
    """``CITATION.cff``, and the links beside the templates for issues."""
    now = publication()
    return {CITATION: now.citation(CITATION.read_text(encoding="utf-8")), ISSUE_LINKS: now.issue_links()}
