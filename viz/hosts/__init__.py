"""The hosts that run a picture: an HTML page without a kernel, and a Jupyter widget."""
