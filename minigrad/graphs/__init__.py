"""Recorded graphs as plain data: write a graph, read and check it, and run it as a function of Tensors.

as_json : converts op arguments to and from JSON. writer : writes Tensors as a fragment of nodes. reader : checks a
fragment before anything runs. as_function : turns the fragment into a function of Tensors, for any inputs and any float
dtype.

A fragment is `{"params": numbers, "nodes": [[number, kind, ...], ...], "out": numbers}`. There are five kinds of nodes:

    constant  data                                   a leaf
    variable  name, trainable, data                  a read of a Variable
    op        name, arguments, options               {"node": number} refers to an earlier result
    output    node, index                            one output of an op or a function with several outputs
    custom    name, arguments, several?, body, rule  body and rule are fragments; a rule's params are its upstreams

No node contains a computed value. An index that is a Tensor is also written as a reference, if the call was made within
`recorded_indices()`. A rule may refer to the nodes in its body and to all nodes before the call.
"""

from ..core.support.scattered import recorded_indices
from .as_function import function_of
from .reader import Graph, Unreadable
from .writer import Unwritable, write

__all__ = ["Graph", "Unreadable", "Unwritable", "function_of", "recorded_indices", "write"]
