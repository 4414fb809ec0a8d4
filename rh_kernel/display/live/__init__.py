"""Results that a page asks questions about: a stepper, a player, drawings that fold and open."""
