"""The planner: from loops to a plan by fusion, in-place updates, axis collapsing and buffer allocation; cost and listing."""
