"""Helpers of the engine: argument checks and conversions, fast calls, error messages.

Read its files in this order:
calling : what happens when an op is called, with any arguments. tensor_values : the values of a Tensor, and the dtype
of a Python number. operands : arguments that are not Tensors. settings : options of ops, such as an axis.
structure : nested lists, dicts, dataclasses. conversions : the ways out of the graph, to numbers and arrays.
detached : Tensors whose value was read out. custom_checks : the signature of a grad_fn, and checks of its result.
scopes : the names of Variables.
observers : functions called when a Tensor is created, a Variable assigned, or a pass started. unused_inputs : a warning
after a pass. fast : faster paths for calls, with the same record. array_memory : memory of arrays and of long chains.
scattered : the gradient of indexing. op_facts : formulas, names and samples of ops.
user_frames : lines in the user's code. error_words : how errors name functions, arguments and values.
pickled_names : how pickle finds a decorated function. shown_names : the names that Tab completion offers.
"""
