"""The engine: Tensors that record how they were made, the backward pass, and custom gradients.

Its terms, for a number L that is computed from y = f(x):
upstream gradient: dL/dy, which arrives at f in the backward pass.
VJP (vector-Jacobian product), or rule: the function from dL/dy to dL/dx. A custom gradient's rule is its grad_fn; its
derived adjoint is the gradient that the ops inside the function would give without that rule.
Contribution, or message: the gradient that one use of x sends to x. Adjoint of a node: the sum of all contributions to
the node; when the node is visited, its rules take the adjoint as their upstream gradient.
Target, source: a pass begins at the targets and ends at the sources. Cut: a node that is treated as a constant.
Recorded pass: a pass that computes with Tensors, so its results can be differentiated again; other passes use arrays.
Transform: a function such as `grad` or `vjp`, which runs another function and differentiates it.

Read these files, in this order:
tensor : a value and the record of how it was made. op : functions with rules, and the record of a call.
gradients : the request for gradients. graph : searches of the recorded graph.
adjoint_sums : adds up gradients, and undoes broadcasting.
backward : applies the chain rule node by node, from targets to sources.
variable : values that can be assigned.
custom : `custom_gradient`, the node that each call makes, the call to your grad_fn, `ignore_custom_gradients`.

Helpers are in `support`. Begin there with `calling`, which covers every step from `mg.exp(x)` to the record;
`fast` does the same in fewer steps for common arguments. The ops and their rules are in `minigrad/ops`.
"""
