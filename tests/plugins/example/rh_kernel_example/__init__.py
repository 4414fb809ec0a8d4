"""An example of a distribution that extends rh_kernel."""
