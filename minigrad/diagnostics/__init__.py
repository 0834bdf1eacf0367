"""Diagnostics: the origin of a nan, the reason for a gradient of None, and the check of gradients."""
