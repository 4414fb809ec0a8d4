"""The operational reading of the core (RH §5): closed terms and commands reduce, one step at a time."""
