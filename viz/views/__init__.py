"""The public functions of viz, one file each, and the views that they return."""
