"""What went wrong, and why: where a NaN began, why a gradient is None, whether a rule is right."""
