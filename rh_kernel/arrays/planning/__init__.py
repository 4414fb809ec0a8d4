"""From loops to a plan: joined, in place, along few axes, with room found; what each step costs, and how it is written."""
