"""Transforms of functions: gradients, Jacobians, tapes, and recomputing instead of storing."""
