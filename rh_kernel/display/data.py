"""Plain data: what JSON can hold."""

from typing import TypeAlias

Json: TypeAlias = "float | str | list[Json] | dict[str, Json] | None"
Record: TypeAlias = dict[str, Json]
