"""A recorded pass with its values and cotangents: as text, as a drawing, as a page."""
