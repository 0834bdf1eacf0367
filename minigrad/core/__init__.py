"""The engine: Tensors that record how they were made, the backward pass, and custom gradients.

Read these files, in this order; each is read as it runs:
tensor : a value and the record of how it was made. op : functions with rules, and how a call becomes a node.
gradients : the request for gradients. graph : searches of the recorded graph.
backward : the chain rule, node by node, and a pass from targets to sources.
adjoint_sums : where gradients are added up, and broadcasting is undone.
variable : values that can be assigned. custom : `custom_gradient`, each call of it, where your grad_fn is called, and
`ignore_custom_gradients`.

`support` has what these files use: it checks and converts arguments, and makes calls faster.
"""
