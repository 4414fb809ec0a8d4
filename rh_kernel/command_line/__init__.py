"""``rh run``, ``check``, ``trace``, ``compile``, ``fmt``, ``install`` and ``lab`` (LANGUAGE §8)."""
