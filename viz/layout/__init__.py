"""Coordinates for the boxes and lines of a drawing."""
