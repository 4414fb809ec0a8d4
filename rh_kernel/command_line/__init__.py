"""``rh run``, ``check``, ``trace``, ``compile``, ``export``, ``fmt``, ``install`` and ``lab`` (LANGUAGE §8)."""
