"""The signs of lets and of infix operators (LANGUAGE §1, §2)."""

from enum import Enum


class Arrow(Enum):
    """The layer of a ``let``: terms or commands."""

    TERM = "←"
    COMMAND = "⇐"


class BinaryOperator(Enum):
    """An infix operator; the value is its printed form. ``DOT`` is ``·``, scaling only; ``FLOOR`` is for dimensions."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DOT = "·"
    MATMUL = "@"
    DIVIDE = "/"
    FLOOR = "//"
