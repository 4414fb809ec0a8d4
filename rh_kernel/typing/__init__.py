"""RH Fig. 2, 3: elaboration of what was written to the typed core, and the derivations of what is in the core."""
