"""Programs as arrows of a Cartesian closed category, and their derivatives (CHAD §5)."""
