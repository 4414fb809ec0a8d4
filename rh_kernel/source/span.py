"""Sources and spans: where in a text something was written."""

from dataclasses import field

from rh_kernel.source.records import frozen


@frozen
class Source:
    """A program text with the name that messages give it (a file, or ``cell 3``), and whether it is an included file."""

    name: str
    text: str = field(repr=False)
    is_included: bool = field(default=False, kw_only=True, compare=False, repr=False)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of ``offset``, both counted from 1."""
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    def line(self, number: int) -> str:
        """Return the text of line ``number``, without its newline."""
        return self.text.split("\n")[number - 1]


@frozen
class Span:
    """The characters ``start <= i < end`` of a source."""

    source: Source
    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """Return the smallest span that contains this one and ``other``."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    @property
    def text(self) -> str:
        """The text of the span."""
        return self.source.text[self.start : self.end]

    @property
    def position(self) -> tuple[int, int, int, int]:
        """Line and column of the start, then line and column just past the end, all counted from 1."""
        return (*self.source.position(self.start), *self.source.position(self.end))
