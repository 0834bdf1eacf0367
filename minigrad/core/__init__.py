"""The engine: a value with the record of how it was made, the backward loop, and rules of your own.

To be read in this order, each file once:
tensor : a value and the record of how it was made. op : what an op is, and how a call of it becomes a node.
graph : which nodes lie behind a Tensor. backward : the loop. structure : nested lists, dicts and tuples of Tensors.
variable : values that can be assigned. custom : `custom_gradient`. custom_call : one call of it, as a node.
grad_fn : how your grad_fn is called, and the checks of what it returns.

Behind these:
values : what a Tensor may hold. scopes, variable_store : names of Variables, and Variables found again by name.
adjoints : what has arrived at each node. broadcasting : how it is undone.
pullback : a pass from targets to sources, `gradients`.
calling : the complete path of a call. fast, fast_pass : the short ways of calls and of passes, equal to the plain ones.
call_convention : how a grad_fn is to be called. ignoring : custom gradients switched off.
mixed : Python numbers beside arrays.
scattered : the gradient of an index. kept : copies of plain arrays, which may be changed before the backward pass.
types : names for annotations.
following : an error where a gradient would be lost. none_warnings : a warning where there is none.
location, callers, lines : where in the user's code, and what it does there. messages : how messages name things.
"""
