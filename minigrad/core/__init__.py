"""The engine: Tensors that record how they were made, the backward pass, and custom gradients.

Read these files first, in this order:
tensor : a value and the record of how it was made. op : functions with rules, and how a call becomes a node.
calling : what happens when an op is called; `fast` has shorter ways, which record the same.
gradients : the request for gradients. graph : searches of the recorded graph.
backward : the chain rule, node by node, and a pass from targets to sources.
adjoint_sums : where gradients are added up, and broadcasting is undone. structure : nested lists, dicts, dataclasses.
variable : values that can be assigned. custom : `custom_gradient`, each call of it, where your grad_fn is called, and
`ignore_custom_gradients`. custom_checks : the signature of a grad_fn, and checks of what it returns.

The other files:
observers : functions that are called when a Tensor is made, a Variable assigned, a pass begun.
fast : faster versions of calls, and memory. operands : arguments that are no Tensors.
scattered : the gradient of an index. values : what a Tensor may hold. scopes : the names of Variables.
conversions : the ways out of the graph, to numbers and arrays. op_facts : formulas, names and samples of ops.
frames : lines of the user's code. error_words : how errors name functions, arguments and values.
"""
