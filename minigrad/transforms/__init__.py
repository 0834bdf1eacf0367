"""Transforms of functions: gradients, Jacobians, tapes, and recomputing instead of storing.

Read these files in this order: gradient : `grad` and `value_and_grad`. inputs_and_outputs : the inputs of a function,
and the nesting of its gradients. jacobians : `jacobian`, `hessian`, `vjp`, `jvp`, `hvp`. tape_record : which Tensors
are on a tape. tape : `GradientTape`. recompute : `recompute_grad`, and the straight-through estimator. nesting : the
number of active transforms, which decides whether a pass is recorded. lost : errors and warnings about conversions that
would lose a gradient.
"""
