"""What the engine uses: arguments are checked and converted, calls made faster, error messages written.

Read these files next, in this order:
calling : what happens when an op is called, whatever its arguments are. tensor_values : what a Tensor may hold, and the
dtype of a Python number. operands : arguments that are no Tensors. settings : options of ops, such as an axis.
structure : nested lists, dicts, dataclasses. conversions : the ways out of the graph, to numbers and arrays.
detached : the Tensors that took one. custom_checks : the signature of a grad_fn, and checks of what it returns.
scopes : the names of Variables.
observers : functions that are called when a Tensor is made, a Variable assigned, a pass begun. unused_inputs : a
warning of a pass. fast : shorter ways of calls, which record the same. memory : that of arrays and of long chains.
scattered : the gradient of an index. op_facts : formulas, names and samples of ops.
frames : lines of the user's code. error_words : how errors name functions, arguments and values.
pickled_names : how pickle finds a decorated function.
"""
