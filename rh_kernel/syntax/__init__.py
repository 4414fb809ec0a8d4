"""RH §3: what is written (surface), what it stands for (core), and how it is printed."""
