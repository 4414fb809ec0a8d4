"""What the sections of a cell do: ``%%lambda`` and ``%%eff``."""
