"""The engine: Tensors that record how they were made, the backward pass, and custom gradients.

Read these files first, in this order:
tensor : a value and the record of how it was made. op : functions with rules, and how a call becomes a node.
graph : searches of the recorded graph. backward : the chain rule, node by node. structure : nested lists, dicts and
dataclasses. variable : values that can be assigned. custom : `custom_gradient`. custom_call : one call of it, where
your grad_fn is called. grad_fn_checks : checks of what it returns.

The other files:
values : what a Tensor may hold. scopes, variable_store : the names of Variables, and `get_variable`.
adjoints : the sum of the contributions to each node. broadcasting : the sum over axes that undoes broadcasting.
pullback : a pass from targets to sources (a VJP), and `gradients`.
calling : what happens when an op is called. fast : faster versions of calls.
call_convention : the signature of a grad_fn. ignoring : switch custom gradients off. mixed : Python numbers and lists.
scattered : the gradient of an index. kept : copies of plain arrays, which may be changed before the backward pass.
types : names for annotations. growth : the sizes of Variables at each assignment.
following : errors where a gradient would be lost. none_warnings : warnings about gradients that are None.
location, callers, lines, call_stack : lines and calls in the user's code. messages : names and values in messages.
"""
