"""RH §3: surface syntax, the core, and the printer."""
