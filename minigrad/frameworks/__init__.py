"""Support for the names of TensorFlow, Keras and NumPy, and helpful errors for names from other libraries."""
