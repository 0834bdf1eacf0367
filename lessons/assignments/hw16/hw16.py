# %% [markdown]
# # Assignment: a rule of your own
#
# It belongs to lesson 16, and takes an evening. You write one rule, draw it, and say why it is true. A rule is a claim,
# so the marks are for what it claims: 20 in all.
#
# | criterion | marks | a, b, c | d |
# |---|---|---|---|
# | capstone | 1 | everything below, at once | the same |
# | value | 3 | at two inputs | five programs; counts when all four faults are repaired |
# | first | 4 | the gradient of the input, by a rule of your own | `a[0]`, `(a * b)[1]`, `a[1][0]` |
# | second | 3 | the rule is differentiated | `a @ a`, `a * a`, `a @ b + a` |
# | others | 2 | Variables, whatever their names; rows that do not count | `concatenate` |
# | shapes | 2 | one row, many rows, other widths | a row or a column with a table |
# | finite | 2 | plain numbers, 1000 and −1000, nothing to do | a second walk, 1,200 ops; counts with all four |
# | picture | 1 | a pass back through your rule | a pass of your choice |
# | why | 2 | a person reads it | the same |
#
# Compute with `mg`, also inside of the rule: a number that is taken out of a Tensor can't be followed.

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import assignment

check = assignment("hw16")

# %% [markdown]
# ## 1 · Choose one of four
#
# - **a) A loss that skips.** `capstone(labels)` returns `loss(z)`: the mean of softmax cross-entropy over the rows of
#   `z`, with a whole-number label for each row. A row with the label −1 doesn't count, neither in the mean nor in the
#   gradient. If no row counts, loss and gradient are 0. Nothing overflows at 1000. Its rule is one line (lesson 15).
# - **b) A codebook.** `capstone(codes)` returns `quantize(z)`: each row of `z` becomes the nearest row of the Variable
#   `codes`, the first of them if several are as near. To `z` the rule sends the upstream gradient unchanged, a lie on
#   purpose (lesson 12). To the codes it sends the truth: for each code, the sum of what came back for the rows that
#   chose it. `mg.argmin` and `mg.one_hot` help.
# - **c) A layer at rest.** `capstone(W, b)` returns `layer(x)`: the `y` that fulfils y = tanh(x + y W + b), found by 40
#   steps from 0. `W` and `b` are Variables, and may have any names. The rule solves v = u + (v · s) Wᵀ with
#   s = 1 − y², by a loop of its own, and needs no step of the first loop (lessons 8 and 14).
# - **d) Four faults.** `capstone()` returns `Array, concatenate, gradients`, the engine below. It has four faults, one
#   for each of *first*, *second*, *others* and *shapes*. Find and repair them (lessons 4 and 5).
#
# ```python
# from itertools import count
#
# clock = count()
#
#
# class Array:
#     def __init__(self, value, parents=(), rule=None):
#         self.value, self.parents, self.rule = np.asarray(value, float), parents, rule
#         self.birth = next(clock)
#
#     def __add__(self, other):
#         other = array(other)
#         return Array(self.value + other.value, (self, other), lambda u: (u, u))
#
#     def __mul__(self, other):
#         other = array(other)
#         return Array(
#             self.value * other.value, (self, other), lambda u: (u * other.value, u * self.value)
#         )
#
#     def __matmul__(self, other):
#         return Array(
#             self.value @ other.value,
#             (self, other),
#             lambda u: (u @ other.value.T, self.value.T @ u),
#         )
#
#     def __getitem__(self, key):
#         return Array(self.value[key])
#
#
# def array(x):
#     return x if isinstance(x, Array) else Array(x)
#
#
# def concatenate(a, b):
#     n = len(a.value)
#     joined = np.concatenate([a.value, b.value])
#     return Array(joined, (a, b), lambda u: (u[: n - 1], u[n:]))
#
#
# def gradients(y, inputs):
#     found, stack = {y}, [y]
#     while stack:
#         for parent in stack.pop().parents:
#             if parent not in found:
#                 found.add(parent)
#                 stack.append(parent)
#     gradient = {node: np.zeros_like(node.value) for node in found}
#     gradient[y] = np.ones_like(y.value)
#     for node in sorted(found, key=lambda node: -node.birth):
#         if node.parents:
#             for parent, message in zip(node.parents, node.rule(gradient[node])):
#                 gradient[parent] = message
#     return [gradient.get(node, np.zeros_like(node.value)) for node in inputs]
# ```
#
# Say here which one you chose. `parts` is what `capstone` is called with in your picture, and `x` its input: these fit
# *a*. For *b* take one Variable of codes, for *c* two Variables, for *d* nothing.

# %%
chosen = "a"
parts = [np.array([1, -1, 0])]
x = mg.constant([[1.0, 2.0, 0.5], [4.0, 5.0, 6.0], [0.0, -1.0, 3.0]], dtype="float64")

# %% [markdown]
# ## 2 · The rule
#
# **Build.** Write `capstone`. Run the cell as often as you like: each criterion is told by itself.


# %% exercise="capstone"
def capstone(*parts):
    ### BEGIN SOLUTION
    labels = parts[0]

    @mg.custom_gradient
    def loss(z):
        counted = (labels >= 0)[:, None]
        n = max(counted.sum(), 1.0)
        T = np.eye(z.shape[1])[labels]
        m = mg.stop_gradient(mg.max(z, axis=1, keepdims=True))
        e = mg.exp(z - m)
        total = mg.sum(e, axis=1, keepdims=True)
        each = mg.log(total) + m - mg.sum(z * T, axis=1, keepdims=True)
        return mg.sum(each * counted) / n, lambda upstream: upstream * (e / total - T) * counted / n

    return loss
    ### END SOLUTION


check("capstone")

# %% exercise="value"
check("value")

# %% exercise="first"
check("first")

# %% exercise="second"
check("second")

# %% exercise="others"
check("others")

# %% exercise="shapes"
check("shapes")

# %% exercise="finite"
check("finite")

# %% [markdown]
# ## 3 · Its picture
#
# **Build.** `draw()` makes a call of your function and returns the trace of its pass as text. Choose small numbers: the
# person who grades it will look at it.


# %% exercise="picture"
def draw():
    ### BEGIN SOLUTION
    return mg.backward_trace(mg.sum(capstone(*parts)(x))).to_json()
    ### END SOLUTION


check("picture")

# %% [markdown]
# ## 4 · Why it is true
#
# **Write.** Why may your rule differ from what would have been derived, or replace it? 40 to 200 words, to a fellow
# student. Name the reason, and one thing that the rule does *not* change.

# %% exercise="why"
### BEGIN SOLUTION
why = """The loss of a row is the logarithm of a sum of exponentials minus one entry. The slope of the first part is
softmax and that of the second is the label, so the rule is their difference, and nobody has to walk back through the
exponentials. That walk would meet infinity where an entry is 1000, and infinity times zero is nan. The rule does not
change the value, and where nothing overflows it sends what would have been derived, to the last digits."""
### END SOLUTION
check("why")

# %% [markdown]
# ## 5 · A page to send
#
# Your reason, the source of your rule and its picture, in one file that opens in any browser, without Python and
# without a network. The picture can be played there. To whom will you send it?

# %%
page = "Once you have written capstone, draw and why, this cell makes the page."
try:
    picture = viz.backward(mg.BackwardTrace.from_json(draw()))
    if why is not ...:
        page = viz.page("A rule of my own", why, capstone, picture, path="my_capstone.html")
except NotImplementedError:
    pass
page

# %%
check()
