"""The directives of ``%%lambda`` cells, one module each."""
