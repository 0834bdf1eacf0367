"""A backward pass as data: each node, each message and each number of it, to be drawn, told and tested."""
