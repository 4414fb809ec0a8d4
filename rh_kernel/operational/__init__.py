"""The operational semantics of the core (RH §5): small-step reduction of closed terms and commands."""
