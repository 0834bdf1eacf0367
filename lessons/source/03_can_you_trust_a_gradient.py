# %% [markdown]
# # 3 · Can you trust a gradient?
#
# *25 minutes, 2 functions · more: 10 minutes, 1 function*
#
# In lesson 2 a nudge decided: 26, not 2. A nudge is a good judge. It knows no rules, it only runs the function. But
# how far should you nudge? A slope is what is left when the step goes to 0. So with a tiny step the answer must be
# nearly exact. Must it?

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
# Nudge $x$ by a **step** $h$, and compare: $(f(x + h) - f(x)) / h$. This is a **finite difference**. On paper it
# becomes the slope when $h$ goes to 0.

# %%
viz.nudge(lambda x: mg.exp(x), x=1.0, by=1.0)

# %% [markdown]
# **Look: why does the finite difference miss the slope?** The curve bends away from its tangent, the straight line.
# With a smaller nudge it bends less, and the two come together.
#
# **Predict.** What happens to the error of the finite difference when $h$ gets smaller and smaller, down to $10^{-16}$?
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
    print(f"h = {h:.0e}   {slope(math.exp, 1.0, h):.10f}")
print(f"true slope  {math.exp(1):.10f}")

# %% [markdown] tags=["after-prediction"]
# With the smallest step, the slope is 0. Two errors work against each other.
#
# One is the **truncation error**: $h$ is not 0, and the function bends on the way. Smaller steps make it smaller.
#
# The other is the **rounding error**. At $h = 10^{-12}$ the two values agree in their first 11 digits, and **float64**
# keeps about 16. Subtract, and those 11 cancel. The slope comes out as 2.7187: four digits are right. This is
# **cancellation**. The smaller the step, the more digits it takes. **float32** keeps about 7 digits, so there it
# begins much earlier.
#
# At $h = 10^{-16}$ nothing is left. The next float64 after 1 is $1 + 2.2 \cdot 10^{-16}$, more than twice as far away.
# So $1 + h$ is rounded to 1, the function does not move, and the slope is 0.

# %% [markdown]
# One idea makes the error much smaller: step to *both* sides. $(f(x + h) - f(x)) / h$ is the **forward** difference,
# and $(f(x + h) - f(x - h)) / (2h)$ the **central** one. How does the error of each depend on the step?

# %% tags=["after-prediction"]
viz.steps(math.exp, x=1.0, slope=math.e)

# %% [markdown] tags=["after-prediction"]
# **Look: which step is best?** Each curve shows the error for each step $h$; both axes are logarithmic. On the right
# the curve is a straight line: the step is too large. On the left it is noisy: rounding takes over. The best step is
# at the bottom of the V. The error there is the smallest that this formula can reach: its **floor**.

# %% [markdown]
# **Predict.** Follow the *central* difference from the right, where its curve is straight. When the step gets ten
# times smaller, by how much does the error fall?
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
# ## 2 · Build the judge
#
# A function of several numbers has a slope for each of them, and the list of all slopes is its gradient. Nudge one
# number at a time.
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
# That is a long wait if `f` takes a second. But you don't want to *find* a gradient. You want to know whether one is
# right. For this, two runs are enough.
#
# Move all inputs at once, along a **direction** $v$: once by $h \cdot v$ and once by $-h \cdot v$. That measures the
# slope along $v$. What does the gradient claim it to be? Multiply the gradient and $v$ entry by entry, and add up the
# products. If the two slopes are further apart than the error of the test, the gradient is wrong.
#
# **Build.** Write `check_direction(f, gradient, x, v, h)`, where `gradient` is the claimed gradient at `x`, an array
# of the shape of `x`. It returns how far the central difference along $v$ is from the claim: a number that is not
# negative.


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
# ## 4 · Where the judge errs
#
# `relu(x)` is 0 for negative `x`, and `x` otherwise.

# %%
viz.curves(mg.relu, x=(-1, 1))

# %% [markdown]
# **Look: what is the slope at 0?** On the left it is 0, on the right it is 1, and there is nothing in between. A point
# where the slope jumps is a **kink**.
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
    print(f"x = {x:6.0e}   slope {(relu(x + 1e-4) - relu(x - 1e-4)) / 2e-4:.2f}")

# %% [markdown] tags=["after-prediction"]
# 0.25, 0.5 and 0.75: relu has none of these slopes anywhere. Within one step of a kink, the central difference takes a
# mean over both sides. Here the rule is right and the judge calls it wrong. So a good test first finds out whether
# there is a kink.

# %% [markdown]
# `mg.check_gradients(f, x)` is a judge made like yours: central differences in float64, at several steps. With
# `order=1` it checks slopes, and not slopes of slopes. It skips kinks and reports them:

# %%
mg.check_gradients(mg.relu, [-1.0, 0.0, 2.0], order=1)

# %% [markdown]
# A row is a slope: `dy[2] / dx[1]` is the slope of the third result for the second input. Three results and three
# inputs have nine slopes. Eight were compared, and the one at the kink was left out.
#
# ## One sentence to keep
#
# > **An independent check has its own error: know its floor, and use it only where the function is smooth.**
#
# You have a judge, and you know when it errs. What it lacks is somebody to judge. In [lesson
# 4](04_build_your_own_engine.ipynb) you write an engine, and this test tells you when it is wrong.

# %%
check.questions()

# %% [markdown]
# ## More: the step in float32
#
# **Predict.** Read the picture of part 1: which of these steps is best for central differences in *float32*?
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
# ## More: a check at two points
#
# Here is a function with a rule for its gradient that is wrong on purpose: it claims
# that the slope of $x^2$ is $x^2$. Lesson 7 explains how to write such a rule.


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

# %% [markdown] tags=["after-prediction"]
# A judge can also be too kind. At 0 and at 2, $x^2$ and $2x$ are equal. You met this pair in lesson 0. A check at one
# point proves one point. Choose several, at which wrong rules differ from right ones.

# %% [markdown]
# ## More: find the kink
#
# How does a test notice a kink? It has nothing but values of `f`. Here is one way, from two steps.
#
# **Build.** Write `has_kink(f, x, h)` for one number `x`. For a step $s$, the *gap* is the distance between the slope
# to the right, $(f(x + s) - f(x)) / s$, and the slope to the left, $(f(x) - f(x - s)) / s$. Where `f` is smooth, half
# the step leaves at most about half the gap. At a kink the gap stays. So return True if the gap at `h / 2` is more
# than 0.75 times the gap at `h`; but a gap at `h / 2` below $10^{-6}$ is rounding, not a kink.


# %% exercise="has_kink"
def has_kink(f, x, h):
    ### BEGIN SOLUTION
    def gap(step):
        return abs((f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step)

    return gap(h / 2) > 0.75 * gap(h) and gap(h / 2) > 1e-6
    ### END SOLUTION


check("has_kink")

# %% [markdown]
# This judge errs, too. It finds a kink at `x` itself, and can miss one next to `x`, within the step. And $10^{-6}$
# fits functions with values near 1; for others it would have to grow with `f(x)`.
#
# ## More: the same in other libraries
#
# `torch.autograd.gradcheck` takes a step of $10^{-6}$ and needs float64: for $x^2$ at 1 in float32 it finds 1.967
# instead of 2, warns, and fails. It does not look for kinks: relu at 0 fails with 0.5 against 0. JAX has
# `jax.test_util.check_grads`, TensorFlow `tf.test.compute_gradient`.

# %%
check()
