"""TensorFlow functions whose arguments differ from the ops' arguments."""
