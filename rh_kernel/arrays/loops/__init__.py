"""From equations to loops: each symbol becomes the loops that compute it, over layouts that say where entries lie."""
