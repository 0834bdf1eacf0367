"""Functions of TensorFlow whose arguments differ from those of the ops."""
