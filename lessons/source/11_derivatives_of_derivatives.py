# %% [markdown]
# # 11 · Derivatives of derivatives
#
# *35 minutes, 4 functions · more: 5 minutes*
#
# A gradient is computed from numbers, by ops, like anything else. So it has its own gradient. When is that one
# right?
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("11")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Two right numbers and a wrong one
#
# The function is $x e^x$, with its own rule. Its slope is $e^x + x e^x$, and the rule says so. At x = 1 the value
# is e = 2.718, the slope 2e = 5.437 and the second derivative 3e = 8.155.


# %%
@mg.custom_gradient
def careless(x):
    e = mg.exp(x)

    def grad(upstream):
        n = float(e)  # "it is only a number"
        return upstream * (n + x * n)

    return x * e, grad


x = mg.constant(1.0)
y = careless(x)
(slope,) = mg.gradients(y, x)
print(f"value {y.item():.4f}  slope {slope.item():.4f}")

# %% [markdown]
# Both are right. Now take the gradient of the slope.
#
# **Predict.** The second derivative that comes out, in units of e: is it 3, the true one? Or what else? Type the
# number that e is multiplied by.

# %% exercise="second_of_careless"
### BEGIN SOLUTION
second_of_careless = 1.0
### END SOLUTION
check("second_of_careless")

# %% tags=["after-prediction"]
(second,) = mg.gradients(slope, x)
print(f"second derivative {second.item():.4f}  true {3 * np.e:.4f}")

# %% [markdown]
# No error, no nan, and a wrong number. To see where it comes from, look at what a gradient is made of.
#
# ## 2 · The gradient is a graph
#
# `mg.gradients` computes with ops, and these are recorded. So the gradient is a box at the end of a graph, like any
# result. How large does that graph get, order by order?


# %%
def boxes(y):
    return len(mg.backward_trace(y).nodes)


def orders(f, x, count):
    """The number of boxes behind f, its first derivative, its second derivative, ..."""
    x = mg.constant(x)
    y, found = f(x), []
    for _ in range(count):
        found.append(boxes(y))
        (y,) = mg.gradients(y, x)
    return found


print("sin ", orders(mg.sin, 0.5, 6))
print("tanh", orders(mg.tanh, 0.5, 3))

# %% [markdown]
# sin turns into cos, cos into −sin: each order adds two or three boxes.
#
# **Predict.** How many boxes does the third derivative of tanh have, after 2, 4 and 10?
#
# - a) 16
# - b) 21
# - c) 20

# %% exercise="boxes_of_tanh"
### BEGIN SOLUTION
boxes_of_tanh = "b"
### END SOLUTION
check("boxes_of_tanh")

# %% tags=["after-prediction"]
print("tanh", orders(mg.tanh, 0.5, 6))

# %% [markdown] tags=["after-prediction"]
# It doubles each time, or more. The slope of tanh is $1 - \tanh^2 x$, computed as $1 / \cosh^2 x$, which keeps its
# digits. Its own slope holds tanh and itself once more, so each order multiplies by something that is made of x again.

# %% [markdown]
# **Predict.** And x·x·x? The slopes are 3x², 6x and 6. What does `mg.gradients` return as the *fourth* derivative?
#
# - a) 0
# - b) 6
# - c) None
# - d) an error

# %% exercise="fourth_of_cube"
### BEGIN SOLUTION
fourth_of_cube = "c"
### END SOLUTION
check("fourth_of_cube")

# %% tags=["after-prediction"]
x = mg.constant(0.5)
y = x * x * x
for order in range(1, 5):
    before = y
    (y,) = mg.gradients(y, x)
    print(order, y)

# %% [markdown] tags=["after-prediction"]
# Why that? Run `print(mg.explain_none(before, x))` in a new cell. `before` is the third derivative.

# %% [markdown]
# ## 3 · The missing arrow
#
# Back to the wrong number. Here is the backward pass of the *slope*, in the careless rule.

# %% tags=["after-prediction"]
x = mg.constant(1.0)
y = careless(x)
(slope,) = mg.gradients(y, x)
viz.backward(slope)

# %% [markdown]
# **Look: which arrow is missing?** The dotted one. The rule used e in two ways, in `n + x * n`, and `float(e)` made a
# plain number of it. A plain number does not know that it was made from x. So of the three e's that make up the
# second derivative, only the one through the other factor, x, arrives.
#
# The box `dy` is the 1 that the first pass began with, and `copy of x` is the argument as the rule saw it.
#
# PyTorch does the same, silently, if a rule saves x and e in `ctx.save_for_backward`, the usual thing to do: 2.7183.
# (If a rule saves only e, no arrow to x is left, and there is an error: that was the last prediction of lesson 10.)
# And the test of lesson 3 finds it only at order 2, where it looks by default:

# %% tags=["after-prediction"]
mg.check_gradients(careless, 1.0, raises=False)

# %% [markdown]
# **Build.** Write `times_exp(x)`: the same function, with a rule whose gradient is right as well.


# %% exercise="times_exp"
@mg.custom_gradient
def times_exp(x):
    e = mg.exp(x)

    def grad(upstream):
        ### BEGIN SOLUTION
        return upstream * (e + x * e)
        ### END SOLUTION

    return x * e, grad


check("times_exp")

# %% [markdown]
# minigrad's own rules keep every arrow. Here is x · eˣ without your rule, and the backward pass of its slope, at
# x = 1.
#
# **Predict.** Two messages arrive at `e`. Type the gradient of `e` into its box, and press *Check*.

# %% tags=["after-prediction"]
x = mg.constant(1.0)
e = mg.exp(x)
(slope,) = mg.gradients(x * e, x)
words = "What is the gradient of e?"
gradient_of_e = check.picture("gradient_of_e", viz.backward(slope), "e", words=words)
gradient_of_e

# %% exercise="gradient_of_e"
### BEGIN SOLUTION
gradient_of_e.answer = 2.0
### END SOLUTION
check("gradient_of_e")

# %% [markdown] tags=["after-prediction"]
# Twice e, and x once: that makes the 3e of the second derivative. The careless rule had cut both arrows to `e`.

# %% [markdown]
# ## 4 · A product without the matrix
#
# A function of n numbers has n slopes, and each slope has its own n slopes. This table of n × n second derivatives
# is the **Hessian** H. Here is the Hessian of a function of two numbers, Rosenbrock's valley, which is curved and hard
# to walk down:


# %%
def valley(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


print(mg.hessian(valley)(np.array([-1.2, 1.0])))

# %% [markdown]
# How do you get it? Row i of H is the gradient of slope i.
#
# **Build.** Write `hessian(f, x)` with `mg.gradients`. `x` is a NumPy array with one axis, so make it a Tensor first:
# `mg.constant(x)`. `mg.stack` makes an array of a list of rows.


# %% exercise="hessian"
def hessian(f, x):
    ### BEGIN SOLUTION
    x = mg.constant(x)
    slopes = mg.gradients(f(x), x)[0]
    return mg.stack([mg.gradients(slopes[i], x)[0] for i in range(len(x))])
    ### END SOLUTION


check("hessian")

# %% [markdown]
# **Predict.** For 1000 numbers: how many backward passes does that take, after the first one, which gave the slopes?

# %% exercise="passes_for_hessian"
### BEGIN SOLUTION
passes_for_hessian = 1000
### END SOLUTION
check("passes_for_hessian")

# %% [markdown]
# Often nobody needs the table. What is needed is H v, the table times one vector: how do the slopes change if x moves
# along v? There is a trick for it (Pearlmutter, 1994): slopes · v is a single number, and its gradient is H v.
#
# **Predict.** How many backward passes does H v take, after the first one?

# %% exercise="passes_for_product"
### BEGIN SOLUTION
passes_for_product = 1
### END SOLUTION
check("passes_for_product")

# %% [markdown]
# **Build.** Write `hvp(f, x, v)`, which returns H v without building H. It will be called with 20,000 numbers, whose H
# has 400 million entries.


# %% exercise="hvp"
def hvp(f, x, v):
    ### BEGIN SOLUTION
    x = mg.constant(x)
    slopes = mg.gradients(f(x), x)[0]
    return mg.gradients(mg.sum(slopes * v), x)[0]
    ### END SOLUTION


check("hvp")

# %% [markdown]
# ## 5 · Newton
#
# Gradient descent asks which way is down. With the second derivatives you can ask more: if the slopes go on changing
# as they do here, where are they all 0? The step to that place solves *H · step = slopes*, and you go against it.
#
# **Build.** Write `newton_step(slopes, matrix, x)`, in plain NumPy: x after one step. `np.linalg.solve(A, b)` solves
# A · step = b.


# %% exercise="newton_step"
def newton_step(slopes, matrix, x):
    ### BEGIN SOLUTION
    return x - np.linalg.solve(matrix, slopes)
    ### END SOLUTION


check("newton_step")

# %% tags=["after-prediction"]
try:
    x = np.array([-1.2, 1.0])
    for step in range(8):
        print(f"{step}: {x.round(2)} height {float(valley(x)):.3g}")
        x = newton_step(mg.grad(valley)(x), mg.hessian(valley)(x), x)
except NotImplementedError:
    print("Once you have written newton_step, this cell walks down the valley.")

# %% [markdown]
# Below a height of 0.0001 in five steps, where gradient descent with a well chosen rate, 0.002, needs 4,630. Did you
# see the height of 1,410 on the way? Newton's method does not look for a lower place. It looks for one where all slopes
# are 0.
#
# **Predict.** So where does it go on x² − y², from (1, 1), in one step?
#
# - a) to the minimum
# - b) it stays
# - c) to (0, 0)
# - d) it flies off

# %% exercise="newton_on_a_saddle"
### BEGIN SOLUTION
newton_on_a_saddle = "c"
### END SOLUTION
check("newton_on_a_saddle")

# %% [markdown] tags=["after-prediction"]
# (0, 0) is a **saddle**: the lowest place along x, and the highest along y. Gradient descent slides off it. Newton's
# method can also fly off: on log(cosh(x)), whose only minimum is 0, it arrives from 1.08 and explodes from 1.09. Far
# from the answer, take smaller steps.

# %% [markdown]
# ## One sentence to keep
#
# > **A gradient is a graph: it can be differentiated as long as every arrow is there. A missing arrow makes no error,
# > only another number.**
#
# So far a wrong gradient was a mistake. Can a wrong one be useful? Lesson 12 tells lies on purpose.

# %%
check.questions()

# %% [markdown]
# ## More: whose derivative?
#
# One more way that a second derivative goes wrong. Take $x \cdot \frac{d}{dy}(x + y)$ at x = y = 1. The inner
# derivative is 1, so this is x, and its slope is 1.
#
# Numbers that carry their slope along are **dual numbers**. Lesson 17 builds them. If every slope is called dx, then
# adding two of them and multiplying one by a plain number is enough to go wrong.
#
# **Predict.** With one dx for all derivatives, what do dual numbers say?
#
# - a) 1
# - b) 2
# - c) 0

# %% exercise="confused"
### BEGIN SOLUTION
confused = "b"
### END SOLUTION
check("confused")


# %% tags=["after-prediction"]
class Dual:
    def __init__(self, value, dx=0.0):
        self.value, self.dx = value, dx

    def __add__(self, other):
        return Dual(self.value + other.value, self.dx + other.dx)

    def __rmul__(self, number):
        return Dual(number * self.value, number * self.dx)


def slope_of(f, at):
    return f(Dual(at, 1.0)).dx


print("dual numbers ", slope_of(lambda x: slope_of(lambda y: x + y, 1.0) * x, 1.0))
print("minigrad     ", mg.grad(lambda x: mg.grad(lambda y: x + y)(1.0) * x)(1.0).item())

# %% [markdown] tags=["after-prediction"]
# The inner derivative counted the outer dx as its own: 1 + 1. This is **perturbation confusion** (Siskind and
# Pearlmutter, 2005). An engine that keeps gradients in the numbers, as PyTorch's `.grad` does, says 2 as well when the
# first gradient was not set to 0.

# %%
check()
