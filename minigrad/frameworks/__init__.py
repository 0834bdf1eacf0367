"""The names of TensorFlow, Keras and NumPy, and errors for the names of other libraries."""
