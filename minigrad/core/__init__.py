"""The engine: Tensors that record how they were made, the backward pass, and custom gradients.

Its words, for a number L that is computed from y = f(x):
upstream gradient: dL/dy, what arrives at f in the backward pass. Adjoint of a node: dL/dx, summed over all its uses.
VJP (vector-Jacobian product), or rule: the function that makes dL/dx of dL/dy. A custom gradient's rule is its grad_fn.
Recorded pass: one that computes with Tensors, so that its results can be differentiated again; others use arrays.
Transform: a function such as `grad` or `vjp`, which runs another function and differentiates it.

Read these files, in this order:
tensor : a value and the record of how it was made. op : functions with rules, and the record of a call.
gradients : the request for gradients. graph : searches of the recorded graph.
adjoint_sums : where gradients are added up, and broadcasting is undone.
backward : the chain rule, node by node, and a pass from targets to sources.
variable : values that can be assigned. custom : `custom_gradient`, each call of it, where your grad_fn is called, and
`ignore_custom_gradients`.

`support` has what these files use. Begin there with `calling`: what happens between `mg.exp(x)` and the record.
"""
