"""Which worker runs which tests: those of a file run on one worker, and so do those of a folder with shared fixtures."""

from xdist.scheduler import LoadScopeScheduling

SHARING = ("browser", "distribution", "exporters")
"""Folders whose files share slow fixtures, such as a server or an installed wheel."""


class FileScheduling(LoadScopeScheduling):
    """Gives each worker whole files, in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


def group(nodeid: str) -> str:
    """The file of a test, or its folder if that has shared fixtures."""
    file = nodeid.split("::", 1)[0]
    folders = file.split("/")
    return "/".join(folders[:2]) if len(folders) > 2 and folders[1] in SHARING else file
