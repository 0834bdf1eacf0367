"""Functions that TensorFlow has under an order of arguments, or with options, of its own."""
