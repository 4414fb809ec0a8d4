"""Results of ``%%eff`` cells."""
