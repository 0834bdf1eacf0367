# %% [markdown]
# # 10 · One function, four frameworks
#
# *40 minutes, 4 functions*
#
# The chain rule is the same everywhere. The gradients are not. Who is right?
#
# Run the cells from top to bottom (Shift+Enter). No other framework is needed: their numbers were measured with
# PyTorch 2.13, JAX 0.10.2 and TensorFlow 2.21, and other versions may differ.

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import Table, lesson
from minigrad.data.stored_slopes import STORED
from minigrad.data.unshown import with_a_filler_of_0

check = lesson("10")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · The same line on three backends
#
# A network compares two photographs of a person. It computes a vector for each, `a` and `b`, and the distance between
# them, `norm(a - b)`. One day somebody shows it the same photograph twice. Then the distance is 0, and it has a kink
# there: no slope is right.
#
# **Predict.** One Keras program, `loss = ops.norm(a - b)`, runs on three backends, with a equal to b. On which of
# them is the gradient nan?
#
# - a) on none
# - b) on JAX and TensorFlow
# - c) on all three

# %% exercise="nan_on_which"
### BEGIN SOLUTION
nan_on_which = "b"
### END SOLUTION
check("nan_on_which")

# %% tags=["after-prediction"]
viz.compare(lambda x: mg.norm(x), lambda x: mg.sqrt(mg.sum(x * x)), np.zeros(2))

# %% [markdown]
# **Look: where do the two lanes part?** In the first lane `norm` is one op with its own rule, which says 0. In the
# second lane it is spelled out: sqrt sends 1 · inf, and the square sends inf · 0.

# %% [markdown] tags=["after-prediction"]
# The gradient of `loss` is [0, 0] in PyTorch, and [nan, nan] in JAX and in TensorFlow: PyTorch has the first lane, the
# other two have the second. One step of training later both vectors are nan on two of
# the three. Many people who trained such networks have run into it.

# %% [markdown]
# ## 2 · Choices
#
# A table further down has fourteen awkward points, each with its slope in four libraries. The column of minigrad is
# computed now; the others are stored, and their titles name the versions they were measured with.
#
# **Predict.** The slope of `relu` at 0 is 0 in all four. What is the slope of `maximum(x, 0)` at x = 0, the same
# function?
#
# - a) 0 in all four
# - b) 0.5 in all four
# - c) not the same in all

# %% exercise="maximum_at_a_tie"
### BEGIN SOLUTION
maximum_at_a_tie = "c"
### END SOLUTION
check("maximum_at_a_tie")

# %% [markdown]
# Not all of the fourteen points are a matter of choice. The last of them is the sum of the cumulative products of
# [x, 2, 3], which is x·1 + x·2 + x·2·3, at x = 0.
#
# **Predict.** What is its slope for x? (TensorFlow says 0.)

# %% exercise="slope_of_cumprod"
### BEGIN SOLUTION
slope_of_cumprod = 9.0
### END SOLUTION
check("slope_of_cumprod")

# %% [markdown]
# Another of them comes from lesson 6: log(1 + exp(x)) at 100, in float32.
#
# **Predict.** In how many of the four is its gradient nan?

# %% exercise="nan_in_how_many"
### BEGIN SOLUTION
nan_in_how_many = 4
### END SOLUTION
check("nan_in_how_many")

# %% tags=["after-prediction"]
guarded = lambda x: mg.where(x > 0, mg.sqrt(x), 0.0)
POINTS = {  # a function, and where
    "abs at 0": (abs, 0.0),
    "relu at 0": (mg.relu, 0.0),
    "maximum(x, 0) at 0": (lambda x: mg.maximum(x, 0.0), 0.0),
    "max of [2 2], along an axis": (lambda x: mg.max(x, axis=0), [2.0, 2.0]),
    "clip(x, 0, 1) at 1": (lambda x: mg.clip(x, 0.0, 1.0), 1.0),
    "x ** 0.0 at 0": (lambda x: x**0.0, 0.0),
    "norm at [0 0]": (mg.norm, [0.0, 0.0]),
    "std of [1 1]": (mg.std, [1.0, 1.0]),
    "std of [1 2]": (mg.std, [1.0, 2.0]),
    "median of [2 1 3 4]": (mg.median, [2.0, 1.0, 3.0, 4.0]),
    "where(x > 0, sqrt(x), 0) at 0": (guarded, 0.0),
    "log(1 + exp(x)) at 100": (lambda x: mg.log(1 + mg.exp(x)), 100.0),
    "sqrt at 0": (mg.sqrt, 0.0),
    "cumprod of [0 2 3], summed": (lambda x: mg.sum(mg.cumprod(x)), [0.0, 2.0, 3.0]),
}
table = {}
for name, (f, at) in POINTS.items():
    x = mg.constant(at)
    (slope,) = mg.gradients(f(x), x)
    # minigrad's, then those of PyTorch, JAX and TensorFlow
    table[name] = [float(np.ravel(slope.numpy())[0]), *STORED[name]]

# %% [markdown]
# Which rows show a choice? That depends on what counts as the same: 0.33333334 and 0.3333333 differ by rounding only,
# and two nans agree with each other, though nan == nan is False.
#
# **Build.** Write `disagreements(table)`: a list of the names of the rows where not all numbers are the same as the
# first, up to a relative difference of 1e-5. `np.isclose` has an option for nan. (A None in the table means that the
# library has no such function. The check asks about tables without a None.)


# %% exercise="disagreements"
def disagreements(table):
    ### BEGIN SOLUTION
    found = []
    for name, row in table.items():
        first = row[0]
        if not all(np.isclose(number, first, rtol=1e-5, equal_nan=True) for number in row):
            found.append(name)
    return found
    ### END SOLUTION


check("disagreements")

# %% tags=["after-prediction"]
head = ["", "minigrad", "PyTorch 2.13", "JAX 0.10.2", "TensorFlow 2.21"]
Table(head, [[name, *(f"{number!s:.6}" for number in row)] for name, row in table.items()])

# %% tags=["after-prediction"]
try:
    known = {name: row for name, row in table.items() if None not in row}
    print("not the same:", len(disagreements(known)), "of", len(known))
except NotImplementedError:
    print("Once you have written disagreements, this cell counts.")

# %% [markdown] tags=["after-prediction"]
# No column is the right one. Where two arguments of a maximum are equal, a **tie**, a library gives the slope to the
# first, or shares it. At a kink it takes one side, or something between. Each of the other three differs from all
# others in some rows. A version chooses as well: from 2.14 on PyTorch's slope of clip is 0 at the end, and in 2.13 it
# is 1. PyTorch's std divides by n − 1, so that is another function under the same name; and TensorFlow has no
# median. For max, PyTorch's 1 is from `torch.max(x, dim=0)`; `torch.max(x)` and `torch.amax(x)` share the slope. In
# a new cell, `%run -m minigrad.bridges.disagreements` measures 23 such points in those of the three that you
# have installed.
#
# But not every row is a choice. In the last one TensorFlow's rule divides by x, which is 0 there. Once it gave nan for
# that, and a nan is seen. Now 0 / 0 is replaced by 0, and the mistake has lived on for years.

# %% [markdown]
# ## 3 · Written so that all agree
#
# If you don't want to depend on a choice, write the function so that none is needed.
#
# **Build.** Write `length_everywhere(a, b)`, √(a² + b²), whose gradients at the origin are 0 in every framework:
# without your own rule, and without `mg.hypot` or `mg.norm`. `mg.where` computes both of its branches, so sqrt
# must get an argument that does no harm.


# %% exercise="length_everywhere"
def length_everywhere(a, b):
    ### BEGIN SOLUTION
    square = a * a + b * b
    safe = mg.where(square > 0, square, 1.0)
    return mg.where(square > 0, mg.sqrt(safe), 0.0)
    ### END SOLUTION


check("length_everywhere")

# %% [markdown]
# **Predict.** And if a 0 is put in, so that sqrt gets a 0 at the origin all the same? What are the gradients there?
#
# - a) nan
# - b) 0

# %% exercise="filler_of_0"
### BEGIN SOLUTION
filler_of_0 = "b"
### END SOLUTION
check("filler_of_0")

# %% tags=["after-prediction"]
# The length, with a 0 put in at the origin.
viz.backward(with_a_filler_of_0, a=0.0, b=0.0)

# %% [markdown]
# **Look: what does the `where` inside sqrt pass on?** A 0. The nan that sqrt sends it, 0 · inf, stops there, because
# its other branch was chosen. So it is this inner `where` that protects, and not the number it puts in.
#
# ## 4 · Where a rule lives
#
# The same rule is written in three ways. In TensorFlow, Keras and minigrad it is a function inside the function, and
# sees its numbers. In JAX it is a pair, `fwd` and `bwd`, and in PyTorch a class whose `ctx` carries what is needed.
#
# **Build.** JAX's choice first: write `abs_like_jax(x)`, whose value is |x| and whose slope is 1 from 0 on and −1
# below.


# %% exercise="abs_like_jax"
@mg.custom_gradient
def abs_like_jax(x):
    ### BEGIN SOLUTION
    return abs(x), lambda upstream: upstream * mg.where(x >= 0, 1.0, -1.0)
    ### END SOLUTION


check("abs_like_jax")

# %% [markdown]
# In JAX, `fwd(x)` returns the value and what `bwd` will need, the **residuals**; later `bwd(kept, upstream)` returns a
# tuple with one gradient for each input.
#
# **Predict.** What if the residuals hold a function, such as the rule itself?
#
# - a) it works
# - b) a TypeError: only numbers and arrays can be kept

# %% exercise="keep_a_function"
### BEGIN SOLUTION
keep_a_function = "b"
### END SOLUTION
check("keep_a_function")

# %% [markdown]
# **Build.** Write `to_pair(f)`. `f(x)` returns a value and a rule, as in TensorFlow; `to_pair` returns `fwd` and
# `bwd`, as JAX wants them. What does `bwd` need to find the rule again?


# %% exercise="to_pair"
def to_pair(f):
    ### BEGIN SOLUTION
    def fwd(x):
        value, grad = f(x)
        return value, x

    def bwd(kept, upstream):
        value, grad = f(kept)
        return (grad(upstream),)

    return fwd, bwd
    ### END SOLUTION


check("to_pair")

# %% [markdown]
# **Predict.** A rule for log(1 + eˣ) uses `e`, computed in the forward pass and saved for the rule. Where does the
# *second* derivative at 1 give no number?
#
# - a) in TensorFlow
# - b) in JAX
# - c) in PyTorch
# - d) in minigrad

# %% exercise="no_second_derivative"
### BEGIN SOLUTION
no_second_derivative = "c"
### END SOLUTION
check("no_second_derivative")

# %% [markdown] tags=["after-prediction"]
# What `ctx` saved inside a PyTorch rule has no past: it does not know that it was made from x. The fix is to save x,
# and compute e again in the rule.

# %% [markdown]
# ## One sentence to keep
#
# > **The chain rule is one; at kinks, ties and 0 · inf each library has chosen. Know its choice, or write
# > a function that needs no choice.**
#
# A number without a past is the theme of lesson 11. There the first derivative is right, and the second is not.

# %%
check.questions()

# %%
check()
