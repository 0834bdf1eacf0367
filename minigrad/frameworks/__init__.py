"""The names of TensorFlow, Keras and NumPy, and sentences for the names of others."""
