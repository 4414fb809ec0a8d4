"""Elaboration of the surface syntax to the typed core (RH Fig. 2, 3), one module for each judgment."""
