"""Functions of TensorFlow that take other arguments than the ops."""
