"""Forward and reverse derivatives of terms (CHAD §7), those of array forms among them (CHAD §10)."""
