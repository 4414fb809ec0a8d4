"""RH Fig. 2, 3: elaboration of the surface syntax to the typed core, and typing derivations of core trees."""
