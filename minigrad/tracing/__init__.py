"""A backward pass as plain data: its nodes, messages and numbers, for pictures, reports and tests."""
