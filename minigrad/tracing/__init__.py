"""A backward pass as plain data: its nodes, messages and numbers, for pictures, reports and tests.

Read them in this order: trace_schema : the data. recorder : how it is taken from a pass. trace_fields : the numbers of
an array. numbers, labels : how they are written. message_table : `messages`. lines, names, calls_and_scopes : the
lines, the names, and the calls and scopes of the user's code. replay : compute a graph again, with other values.
overlay : the values that the user's code reads meanwhile. recorded_function : a graph with its backward pass as a
    function.
nodes : the graph for a walk by hand.
"""
