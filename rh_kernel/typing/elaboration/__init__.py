"""From what was written to the typed core (RH Fig. 2, 3), one module for each judgment."""
