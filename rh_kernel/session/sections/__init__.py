"""Analysis and execution of ``%%lambda`` and ``%%eff`` sections."""
