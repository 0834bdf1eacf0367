# %% [markdown]
# # 3 · How do we know? Finite differences
#
# A rule for a slope can be wrong, and so can the program that applies it. In this lesson you build an independent test
# that uses no rules: it only runs the function. The test has an error of its own, and you need to know how large it is
# before you trust the result.
#
# It takes about 30 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("03")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · The smaller the step, the better?
#
# The slope of $f$ at $x$ is the limit of $(f(x + h) - f(x)) / h$ when the **step** $h$ goes to 0. A computer cannot
# take the limit, but it can take a small $h$. The quotient is then called a **finite difference**.
#
# **Predict.** What happens to its error when $h$ gets smaller and smaller, down to $10^{-16}$?
#
# - a) it goes to 0
# - b) it falls, and then it grows
# - c) it stays the same

# %% exercise="smaller_and_smaller"
### BEGIN SOLUTION
smaller_and_smaller = "b"
### END SOLUTION
check("smaller_and_smaller")


# %% tags=["after-prediction"]
def slope(f, x, h):
    return (f(x + h) - f(x)) / h


for h in (1e-1, 1e-4, 1e-8, 1e-12, 1e-15, 1e-16):
    print(f"h = {h:.0e}    slope of exp at 1: {slope(math.exp, 1.0, h):.10f}")
print(f"true value                     {math.exp(1):.10f}")

# %% [markdown]
# Two errors work against each other. The first, the **truncation error**, is mathematical: $h$ is not 0, and the graph
# of the function is curved. This error shrinks with $h$. The second is the **rounding error**: $f(x + h)$ and $f(x)$
# are nearly equal, and each is rounded, that is, replaced by the nearest number that can be stored. Subtracting them
# loses the digits that the two share, which is called **cancellation**, and dividing by a small $h$ makes the rest
# large. So the rounding error grows as $h$ shrinks. The usual format, **float64**, stores about 16 digits; **float32**
# stores about 7.
#
# At $h = 10^{-16}$ nothing is left: in float64 the next number after 1 is $1 + 2.2 \cdot 10^{-16}$, and $h$ is less
# than half of that distance. So $1 + h$ is rounded to 1, the function does not move, and the slope is 0.
#
# The error can be made much smaller with one more idea: step to *both* sides. $(f(x + h) - f(x)) / h$ is the
# **forward** difference, $(f(x + h) - f(x - h)) / (2h)$ the **central** one.

# %% tags=["after-prediction"]
viz.steps(math.exp, x=1.0)

# %% [markdown]
# *What to look at:* each curve shows the error for each step $h$; both axes are logarithmic. On the right the curve is
# a straight line: the step is too large. On the left it is noisy: rounding dominates. The best step is at the bottom
# of the V. The error there is the smallest that this formula can reach in this format, its **floor**.
#
# Such a curve has the shape of a V. The smallest error, at the bottom of the V, is the **floor** of the formula.
#
# **Predict.** On the right arm of the V of the *central* difference, the step gets ten times smaller. By how much does
# the error fall?
#
# - a) 10 times
# - b) 100 times
# - c) 1000 times

# %% exercise="central_error"
### BEGIN SOLUTION
central_error = "b"
### END SOLUTION
check("central_error")

# %% [markdown]
# **Predict.** Read the picture: which of these steps is best for central differences in *float32*?
#
# - a) $10^{-1}$
# - b) $10^{-3}$
# - c) $10^{-5}$
# - d) $10^{-8}$

# %% exercise="best_step_in_float32"
### BEGIN SOLUTION
best_step_in_float32 = "b"
### END SOLUTION
check("best_step_in_float32")

# %% [markdown]
# ## 2 · Build the test
#
# A function of several numbers has a slope for each of them. The list of all slopes is the **gradient**.
#
# **Build.** Write `numerical_grad(f, x, h)`. `x` is a NumPy array of float64 numbers with one axis, and `f(x)` is a
# number. It returns an array of the same shape: for each entry of `x` the central difference, with that entry moved
# and the others as they are.


# %% exercise="numerical_grad"
def numerical_grad(f, x, h):
    ### BEGIN SOLUTION
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (f(up) - f(down)) / (2 * h)
    return gradient
    ### END SOLUTION


check("numerical_grad")

# %% [markdown]
# ## 3 · A thousand inputs
#
# **Predict.** How many runs of `f` does `numerical_grad` take for 1000 inputs?

# %% exercise="runs_for_1000"
### BEGIN SOLUTION
runs_for_1000 = 2000
### END SOLUTION
check("runs_for_1000")

# %% [markdown]
# If `f` takes a second, that is half an hour. But to *check* a gradient, you do not need all its entries. Move all
# inputs at once, along a **direction** $v$: to find the slope along $v$, multiply gradient and $v$ entry by entry, and
# add up. Two runs of `f` measure it, and if the sum of the claimed gradient differs from it by more than the error of
# the test, the gradient is wrong.
#
# **Build.** Write `check_direction(f, gradient, x, v, h)`, where `gradient` is the claimed gradient at `x`, an array
# of the shape of `x`. It returns how far the central difference along $v$ is from what `gradient` claims: a number
# that is not negative.


# %% exercise="check_direction"
def check_direction(f, gradient, x, v, h):
    ### BEGIN SOLUTION
    measured = (f(x + h * v) - f(x - h * v)) / (2 * h)
    return abs(measured - gradient @ v)
    ### END SOLUTION


check("check_direction")

# %% [markdown]
# **Predict.** In a claimed gradient, two entries are swapped, neither of them the first. Which direction finds it?
#
# - a) `v = [1, 1, ..., 1]`
# - b) `v = [1, 0, ..., 0]`
# - c) a random `v`

# %% exercise="which_direction"
### BEGIN SOLUTION
which_direction = "c"
### END SOLUTION
check("which_direction")

# %% [markdown]
# ## 4 · Where the test is wrong
#
# `relu(x)` is 0 for negative `x`, and `x` otherwise. At 0 it has a **kink**: a point where the slope jumps.

# %%
viz.curves(mg.relu, x=(-1, 1))

# %% [markdown]
# *What to look at:* the slope is 0 on the left and 1 on the right, and nothing in between.
#
# **Predict.** What is the central difference of relu at 0?

# %% exercise="relu_at_zero"
### BEGIN SOLUTION
relu_at_zero = 0.5
### END SOLUTION
check("relu_at_zero")


# %% tags=["after-prediction"]
def relu(x):
    return max(x, 0.0)


for x in (-5e-5, 0.0, 5e-5):
    print(f"x = {x:8.0e}    central difference {(relu(x + 1e-4) - relu(x - 1e-4)) / 2e-4:.2f}")

# %% [markdown]
# *What to look at:* 0.25, 0.5 and 0.75 are slopes that relu has nowhere. Within one step of a kink, the central
# difference takes a mean over both sides. A correct rule would be called wrong here, so a good test finds out first
# whether there is a kink.
#
# **Build.** Write `has_kink(f, x, h)`. Compare the slope to the right, $(f(x + h) - f(x)) / h$, with the slope to the
# left, $(f(x) - f(x - h)) / h$. Their difference, without its sign, is the gap. Where `f` is smooth, half the step has
# about half the gap, or less. At a kink the gap stays about the same. (0.75 lies between a half and 1.) Return True if
# the gap at `h / 2` is more than 0.75 times the gap at `h`, and False otherwise. If the gap at `h / 2` is below
# $10^{-6}$, take it for rounding: return False. (This floor fits functions with values near 1. A test for all
# functions would scale it with `f(x)`.) `x` is a single number. (This finds a kink at `x` itself. It can miss one
# beside `x`, within the step.)


# %% exercise="has_kink"
def has_kink(f, x, h):
    ### BEGIN SOLUTION
    def gap(step):
        return abs((f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step)

    return gap(h / 2) > 0.75 * gap(h) and gap(h / 2) > 1e-6
    ### END SOLUTION


check("has_kink")

# %% [markdown]
# There is one more way to be fooled. Here is a function whose rule for the gradient is wrong on purpose: it says that
# the slope of $x^2$ is $x^2$. How a rule of your own is written is the subject of lesson 7.


# %%
@mg.custom_gradient
def square(x):
    y = x * x
    return y, lambda upstream: upstream * y


# %% [markdown]
# **Predict.** You check it at $x = 0$ and at $x = 2$. Does it pass?
#
# - a) it passes at both
# - b) it fails at one of them at least

# %% exercise="lucky_points"
### BEGIN SOLUTION
lucky_points = "a"
### END SOLUTION
check("lucky_points")

# %% tags=["after-prediction"]
for x in (0.0, 2.0, 3.0):
    result = mg.check_gradients(square, x, order=1, raises=False)
    print(f"x = {x:g}: {'passes' if result.ok else 'fails'}")

# %% [markdown]
# *What to look at:* at 0 and at 2, $x^2$ and $2x$ are equal. A check at one point proves one point. Choose points at
# which wrong rules differ from right ones, and not only one.
#
# ## 5 · minigrad's own test
#
# `mg.check_gradients(f, x)` is made like yours: central differences in float64, at several steps, and it skips kinks
# and reports them.

# %%
print(mg.check_gradients(mg.relu, [-1.0, 0.0, 2.0], order=1))

# %% [markdown]
# ## In other libraries
#
# `torch.autograd.gradcheck` takes a step of $10^{-6}$ and needs float64: for $x^2$ at 1 in float32 it finds 1.967 in
# place of 2, warns, and fails. It does not look for kinks: relu at 0 fails with 0.5 against 0. JAX has
# `jax.test_util.check_grads`, TensorFlow `tf.test.compute_gradient`.
#
# ## One sentence to keep
#
# > **An independent check has an error of its own: know its floor, and use it only where the function is smooth.**
#
# In lesson 4 you write an engine, and this test tells you when it is wrong.

# %%
check()
