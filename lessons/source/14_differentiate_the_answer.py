# %% [markdown]
# # 14 · Differentiate the answer, not the loop
#
# *35 minutes, 3 functions · more: 10 minutes, 1 function*
#
# A loop runs until its answer is good enough. Must the gradient go back through every step?
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("14")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A warm start
#
# Newton's method for the square root of a: start somewhere, and replace y by the mean of y and a / y until y · y is a.
# At a = 4 the slope of the square root is 1 / 4. Does the gradient through the loop find it?


# %%
def root(a, start):
    y = start
    while abs(float(y * y - a)) > 1e-6:
        y = (y + a / y) / 2
    return y


a = mg.constant(4.0)
y = root(a, start=mg.constant(1.0))
print("value", y.item(), " gradient", mg.gradients(y, a)[0].item())

# %% [markdown]
# It does. Next time you already have yesterday's answer, so you start there. That is a **warm start**: the
# loop sees at once that it is done.
#
# **Predict.** `root(a, start=mg.constant(2.0))`: the value is 2. And the gradient?
#
# - a) 0.25
# - b) 0
# - c) None

# %% exercise="warm_start"
### BEGIN SOLUTION
warm_start = "c"
### END SOLUTION
check("warm_start")

# %% tags=["after-prediction"]
y = root(a, start=mg.constant(2.0))
print("value", y.item(), " gradient", mg.gradients(y, a)[0])

# %% [markdown] tags=["after-prediction"]
# The same answer, and no gradient. The loop was started so well that it did nothing, and nothing has no gradient. In
# TensorFlow's graph loop, and in JAX's forward mode, it would be 0 instead, without a word. `mg.explain_none(y, a)`
# says why there is none.
#
# But the *answer* has a slope, whatever was done to find it. It solves an equation, y · y = a, and the equation stays
# true when a is nudged.

# %% [markdown]
# ## 2 · What 40 steps send back
#
# Take 40 steps, always. Each step is three ops, a quotient, a sum and a half, and each op sends its messages back.


# %%
def halve(a, steps=40):
    y = (a + 1) / 2
    for _ in range(steps):
        y = (y + a / y) / 2
    return y


sends = [send for step in mg.backward_trace(halve(a)).steps for send in step.sends]
print(len(sends), "messages")

# %% [markdown]
# **Predict.** How many of these 202 messages are *not* 0?

# %% exercise="messages_not_0"
### BEGIN SOLUTION
messages_not_0 = 5
### END SOLUTION
check("messages_not_0")

# %% tags=["after-prediction"]
print(sum(send.value != 0 for send in sends), "messages that are not 0")
viz.backward(halve(a))

# %% [markdown]
# **Look: where do two messages cancel?** In the last step. The sum sends 0.5 to the step before, and so does the
# quotient, with a minus: together 0. Newton's method forgets where it came from. The backward pass walks through 39
# steps where nothing arrives.
#
# Now forget the loop. Nudge a by da; the answer moves by dy. Since y · y = a holds before and after, 2y · dy = da. That
# is the slope: dy / da = 1 / (2y). One line, and no step in it.
#
# **Build.** Write the rule of `newton_sqrt`. Its value comes from the loop; its gradient from the equation,
# without `mg.sqrt`.


# %% exercise="newton_sqrt"
@mg.custom_gradient
def newton_sqrt(a):
    y = halve(a)

    def grad(upstream):
        ### BEGIN SOLUTION
        return upstream / (2 * y)
        ### END SOLUTION

    return y, grad


check("newton_sqrt")

# %% tags=["after-prediction"]
try:
    loop, rule = viz.backward(halve(a, steps=4), fold="none"), viz.backward(newton_sqrt(a))
    both = viz.beside(loop, rule, names=["4 steps of the loop", "the rule"])
except NotImplementedError:
    both = "Once you have written newton_sqrt, this cell draws its pass next to the pass of a loop."
both

# %% [markdown]
# **Look: where are the steps on the right?** Gone. Both passes are drawn at one scale. On the left are 4 steps, and 40
# are ten times as long; on the right are two boxes and one message. The loop still finds the value. The gradient
# doesn't walk through it.
#
# ## 3 · Halley's comet
#
# Where is a planet at a given time? Kepler's equation is E = M + e · sin E: M is the time as an angle; e says how
# elongated the orbit is; E says where the planet is. There is no formula for E. Kepler put E back into the right
# side until it stayed the same.


# %%
def orbit(M, e, steps=60, start=None):
    E = M if start is None else start
    for _ in range(steps):
        E = M + e * mg.sin(E)
    return E


# %% [markdown]
# For the earth (e = 0.0167) three steps give six digits. Halley's comet has e = 0.967, and takes forty at M = 0.1. Let
# us start *at* its answer, with all digits right, and do a few more steps: the value stays, and we watch the slope
# dE / dM.
#
# **Predict.** One step from the answer: what does the gradient through that step say about dE / dM?

# %% exercise="one_step"
### BEGIN SOLUTION
one_step = 1.0
### END SOLUTION
check("one_step")

# %% [markdown]
# **Predict.** And after two steps? Here they are. Type the gradient of `M` into its box, within 0.001, and press
# *Check*. A step multiplies a nudge of E by e · cos E, which is 0.6873 here.

# %% tags=["after-prediction"]
M, e = mg.constant(0.1, dtype="float64"), mg.constant(0.967, dtype="float64")
answer = mg.constant(orbit(M, e, 500).numpy())
steps = viz.backward(orbit(M, e, 2, start=answer))
two_steps = check.picture("two_steps", steps, "M", words="What is the gradient of M?")
two_steps

# %% exercise="two_steps"
### BEGIN SOLUTION
two_steps.answer = 1.6873
### END SOLUTION
check("two_steps")

# %% tags=["after-prediction"]
for steps in (0, 1, 2, 3, 5, 10, 20, 50):
    (slope,) = mg.gradients(orbit(M, e, steps, start=answer), M)
    print(f"{steps:3} steps: {'None' if slope is None else round(slope.item(), 4)}")
print("1 / (1 - 0.6873) =", round(1 / (1 - 0.967 * math.cos(answer.item())), 4))

# %% [markdown] tags=["after-prediction"]
# 1, then 1 + r, then 1 + r + r²: the loop adds up a series, r = e · cos E. Every step through which the gradient goes
# adds a term. The equation knows the sum: dE = dM + e · cos E · dE, so dE = dM / (1 − e · cos E).

# %% [markdown]
# **Build.** Write the rule of `kepler`, with a gradient for M and one for e. Nudge both in E = M + e · sin E, and solve
# for dE.


# %% exercise="kepler"
@mg.custom_gradient
def kepler(M, e):
    E = orbit(M, e)

    def grad(upstream):
        ### BEGIN SOLUTION
        v = upstream / (1 - e * mg.cos(E))
        return v, v * mg.sin(E)
        ### END SOLUTION

    return E, grad


check("kepler")

# %% [markdown]
# An answer that a step gives back unchanged is a **fixed point**. A network can be one: a layer that is applied until
# nothing changes any more, with a rule like yours behind it, is as deep as you like (Bai, Kolter and Koltun, 2019).
#
# The backward pass skips the steps. But are they gone from memory? `mg.saved` of lesson 13 counts what a result keeps:

# %% tags=["after-prediction"]
try:
    E = kepler(mg.constant(0.1), mg.constant(0.3))
    print("numbers that are kept:", len(mg.saved(E)))
except NotImplementedError:
    print("Once you have written the rule of kepler, this cell counts.")

# %% [markdown]
# All 60 steps are there: E remembers how it was made, as the first attempt of lesson 13 did. A function that returns
# `mg.constant(E.value)` keeps three numbers: M, e and E. Its rule then calls `kepler(M, e)` itself for an E with a
# past, or the second derivative is wrong (lesson 11).
#
# ## 4 · The point that minimises
#
# A minimum is an answer to an equation too: the slope is 0 there. Here is a mean that does not care much about
# outliers: the y with the smallest sum of √(1 + d²), where d is a third of the distance of a point from y.


# %%
def middle(x):
    y = mg.mean(x)
    for _ in range(30):
        w = 1 / mg.sqrt(1 + ((x - y) / 3) ** 2)
        y = mg.sum(w * x) / mg.sum(w)
    return y


points = np.array([0.0, 1.0, 2.0, 3.0, 40.0])
print("mean", points.mean(), " robust middle", round(middle(mg.constant(points)).item(), 4))

# %% [markdown]
# How much say does each point have in the answer? That is its slope: how much the middle moves when the point moves
# by 1. For the mean it is 0.2 for each of the five.
#
# **Predict.** How much say does the point 40 have in the robust middle?
#
# - a) 0.2
# - b) 0.02
# - c) about 0.0002

# %% exercise="say_of_40"
### BEGIN SOLUTION
say_of_40 = "c"
### END SOLUTION
check("say_of_40")

# %% [markdown] tags=["after-prediction"]
# Why so little? Look at one point. The slope of √(1 + d²) is d / √(1 + d²). Near 0 it grows with d; far away it stays
# near 1, whatever d is. How fast it grows is *its* slope, the second derivative of √(1 + d²), which is (1 + d²)^−1.5.
# This number says how much the curve bends, so call it the **bend**. At d = 0 it is 1, and for the point 40, whose d
# is 12.5, it is 0.0005.

# %% tags=["after-prediction"]
viz.curves(lambda d: mg.sqrt(1 + d * d), d=(-6.0, 6.0))

# %% [markdown]
# **Look: where does the slope grow fastest?** In the middle, where the curve bends. From 4 on it is nearly level.

# %% [markdown] tags=["after-prediction"]
# Now two points, with the bends 1 and 0.25. At the answer y their slopes add up to 0. Nudge the first point so that
# its d grows by 0.1: its slope grows by 1 · 0.1, and the sum is 0.1. So y moves as well, by some dy, and each d falls
# by dy. That takes 1 · dy from the first slope and 0.25 · dy from the second, until the sum is 0 again:
# 1 · 0.1 = (1 + 0.25) · dy, so dy = 0.08. The middle moves 0.8 times as far as the point. The point has a say of 0.8.

# %% [markdown]
# **Build.** Write the rule of `robust_middle`: from the bends of all points, the say of each. (In d = (x − y) / 3 the
# third is the same for all.)


# %% exercise="robust_middle"
@mg.custom_gradient
def robust_middle(x):
    y = middle(x)

    def grad(upstream):
        ### BEGIN SOLUTION
        bend = (1 + ((x - y) / 3) ** 2) ** -1.5
        return upstream * bend / mg.sum(bend)
        ### END SOLUTION

    return y, grad


check("robust_middle")

# %% tags=["after-prediction"]
try:
    say = np.asarray(mg.grad(robust_middle)(points))
    print(*say.round(5), " sum", say.sum().round(5))
    shown = viz.jacobian(lambda x: robust_middle(x), points)
except NotImplementedError:
    shown = "Once you have written robust_middle, this cell draws the say of each point."
shown

# %% [markdown]
# The five add up to 1: move all points by 1, and the middle moves by 1.
#
# ## 5 · When the rule lies
#
# **Predict.** After only 2 steps of Newton's method y is 2.0006. Which slope is nearer to 0.25?
#
# - a) the one through the loop
# - b) the one by the rule, 1 / (2y)

# %% exercise="after_two_steps"
### BEGIN SOLUTION
after_two_steps = "b"
### END SOLUTION
check("after_two_steps")

# %% tags=["after-prediction"]
a = mg.constant(4.0, dtype="float64")
y = (a + 1) / 2
for _ in range(2):
    y = (y + a / y) / 2
print("loop", round(mg.gradients(y, a)[0].item(), 5), " rule", round(1 / (2 * y.item()), 5))

# %% [markdown] tags=["after-prediction"]
# The slope of the loop is a step behind its value.

# %% [markdown]
# And now a loop that does not come to rest. x becomes r · x · (1 − x), 200 times. At r = 2.8 it settles at 1 − 1/r. At
# r = 3.2 it jumps between two numbers for ever.
#
# **Predict.** At r = 3.2 the slope through 200 steps is −0.379. The rule, at the fixed point, says 0.0977. Which is
# right?
#
# - a) −0.379
# - b) 0.0977
# - c) neither

# %% exercise="never_at_rest"
### BEGIN SOLUTION
never_at_rest = "c"
### END SOLUTION
check("never_at_rest")

# %% tags=["after-prediction"]
for r in (2.8, 3.2, 3.9):
    rate, x = mg.constant(r, dtype="float64"), mg.constant(0.5, dtype="float64")
    for _ in range(200):
        x = rate * x * (1 - x)
    after = rate * x * (1 - x)
    still = 1 - 1 / r
    loop, one_more = (mg.gradients(y, rate)[0].item() for y in (x, after))
    rule = still * (1 - still) / (1 - r * (1 - 2 * still))
    print(f"r = {r}   200 steps: {loop:.3g}   201 steps: {one_more:.3g}   rule: {rule:.3g}")

# %% [markdown] tags=["after-prediction"]
# Where the loop settles, all three agree. At 3.2 one step more gives another slope, and the rule gives the slope of a
# number which is never reached. At 3.9 the loop is chaotic: it says −1.4 · 10⁴³, and means nothing (Metz and others,
# *Gradients Are Not All You Need*, 2021). A rule is right about an *answer*, and does not ask whether there is one. You
# can: take one more step, and see whether anything changes.

# %% [markdown]
# ## One sentence to keep
#
# > **The answer solves an equation: nudge the equation, solve for the nudge, and forget the loop.**
#
# You have followed gradients, built an engine, found nans, replaced rules. Lesson 15 puts all of it to work: it
# trains a network to read digits, and looks inside when it doesn't learn.

# %%
check.questions()

# %% [markdown]
# ## More: a system of equations
#
# Ridge regression fits weights w to data: A w = Xᵀ y with A = XᵀX + strength · I, where I is the unit matrix. Nudge y
# and the strength, and the equation gives A dw = Xᵀ dy − w · dstrength. `mg.solve` solves it, and one solve with the
# upstream gradient serves both inputs.
#
# **Build.** Write the rule of `ridge`. A is its own transpose. Compute with Tensors, so that the gradients have
# gradients as well (lesson 11).


# %% exercise="make_ridge"
def make_ridge(X):
    @mg.custom_gradient
    def ridge(y, strength):
        A = mg.transpose(X) @ X + strength * mg.eye(X.shape[1], dtype=X.dtype)
        w = mg.solve(A, mg.transpose(X) @ y)

        def grad(upstream):
            ### BEGIN SOLUTION
            v = mg.solve(A, upstream)
            return X @ v, -mg.sum(v * w)
            ### END SOLUTION

        return w, grad

    return ridge


check("make_ridge")

# %% [markdown]
# With this gradient the strength can be learned. Twelve noisy points, a polynomial of degree 8, and forty other points
# that judge the fit. Which strength is best for *those*?

# %% tags=["after-prediction"]
rng = np.random.default_rng(3)
powers = lambda t: np.stack([t**k for k in range(9)], axis=1)
t, t_held = np.linspace(-1, 1, 12), np.linspace(-0.95, 0.95, 40)
y, y_held = (np.sin(3 * s) + 0.2 * rng.normal(size=s.size) for s in (t, t_held))


def held_out_error(log_strength):
    w = make_ridge(powers(t))(mg.constant(y), mg.exp(log_strength))
    return mg.mean((powers(t_held) @ w - y_held) ** 2)


try:
    log_strength, optimizer = np.array(math.log(1e-6)), mg.optim.Adam(0.5)
    for step in range(31):
        error, slope = mg.value_and_grad(held_out_error)(log_strength)
        if step % 10 == 0:
            print(f"{step:2}: strength {math.exp(log_strength):.2g}, error {float(error):.4f}")
        log_strength = optimizer.step(log_strength, slope)
except NotImplementedError:
    print("Once you have written make_ridge, this cell learns the strength.")

# %%
check()
