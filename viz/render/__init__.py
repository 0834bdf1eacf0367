"""The look of a picture: text in boxes, SVG, coloured code, and output for Graphviz and matplotlib."""
