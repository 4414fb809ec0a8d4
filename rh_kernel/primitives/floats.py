"""Functions on Python floats with IEEE 754 semantics: nan outside their domain, inf on overflow."""

import math


def exp(x: float) -> float:
    """``eˣ``"""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x: float) -> float:
    """``ln x``"""
    return math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)


def sqrt(x: float) -> float:
    """``√x``"""
    return math.sqrt(x) if x >= 0 else math.nan


def sin(x: float) -> float:
    """``sin x``"""
    return math.sin(x) if math.isfinite(x) else math.nan


def cos(x: float) -> float:
    """``cos x``"""
    return math.cos(x) if math.isfinite(x) else math.nan


def sigmoid(x: float) -> float:
    """``1 / (1 + e⁻ˣ)``"""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    power = math.exp(x)
    return power / (1 + power)


def softplus(x: float) -> float:
    """``ln (1 + eˣ)``"""
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(exp(x))
