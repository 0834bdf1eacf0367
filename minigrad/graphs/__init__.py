"""Recorded graphs as plain data: write one, read it back with every part checked, run it as a function of Tensors.

as_json : the arguments of ops as JSON, and back. writer : Tensors as a fragment of nodes. reader : the checks, before
anything is run. as_function : the fragment as a function of Tensors, at any inputs, in any float dtype.

A fragment is `{"params": numbers, "nodes": [[number, kind, ...], ...], "out": numbers}`. Its kinds of node:

    constant  data                                   a leaf
    variable  name, trainable, data                  a read of a Variable
    op        name, arguments, options               {"node": number} refers to an earlier result
    output    node, index                            one output of an op or a function with several
    custom    name, arguments, several?, body, rule  body and rule are fragments; a rule's params are its upstreams

No node holds a computed value. An index that is a Tensor is a reference too, if the call was made within
`recorded_indices()`. A rule may refer to the nodes of its body and to all nodes outside of it.
"""

from ..core.support.scattered import recorded_indices
from .as_function import function_of
from .reader import Graph, Unreadable
from .writer import Unwritable, write

__all__ = ["Graph", "Unreadable", "Unwritable", "function_of", "recorded_indices", "write"]
