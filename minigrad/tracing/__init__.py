"""A backward pass as plain data: its nodes, messages and numbers, for pictures, reports and tests.

Read these files in this order: trace_schema : the classes of the data. recorder : records a pass as this data.
trace_fields : the numbers, events and slopes in this data. numbers, labels : how numbers and nodes are written.
message_table : `messages`. user_lines, names, calls_and_scopes : the lines, names, calls and scopes in the user's code.
replay : computes a graph again, with other values. overlay : the values that the user's code reads during a replay.
recorded_function : a graph and its backward pass as a function. nodes : the graph for a hand-written walk.
"""
