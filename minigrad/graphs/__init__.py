"""Recorded graphs as plain data: write a graph, read and check it, and run it as a function of Tensors.

as_json : op arguments to and from JSON. writer : Tensors as a fragment of nodes. reader : checks before anything
runs. as_function : the fragment as a function of Tensors, for any inputs and any float dtype.

A fragment is `{"params": numbers, "nodes": [[number, kind, ...], ...], "out": numbers}`. Its node kinds:

    constant  data                                   a leaf
    variable  name, trainable, data                  a read of a Variable
    op        name, arguments, options               {"node": number} refers to an earlier result
    output    node, index                            one output of an op or a function with several
    custom    name, arguments, several?, body, rule  body and rule are fragments; a rule's params are its upstreams

No node holds a computed value. An index that is a Tensor is a reference too, if the call was made within
`recorded_indices()`. A rule may refer to the nodes in its body and to all nodes outside the body.
"""

from ..core.support.scattered import recorded_indices
from .as_function import function_of
from .reader import Graph, Unreadable
from .writer import Unwritable, write

__all__ = ["Graph", "Unreadable", "Unwritable", "function_of", "recorded_indices", "write"]
