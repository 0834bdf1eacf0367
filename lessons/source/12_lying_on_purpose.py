# %% [markdown]
# # 12 · Lying on purpose
#
# *40 minutes, 4 functions · more: 10 minutes, 1 function*
#
# A gradient can be right and teach nothing. It can be wrong and teach well.
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson
from minigrad.data.unshown import stairs

check = lesson("12")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Nothing is wrong, and nothing is learned
#
# Three predictions start at 0. Their targets are 0.5, 3 and −10. One target is far away, and one bad example should
# not pull too hard, so the error is clipped before it is squared. Here are 200 steps of gradient descent.


# %%
def clipped_loss(delta):
    return mg.sum(mg.square(mg.clip(delta, -1.0, 1.0)))


def train(loss, steps=200):
    target, guess = np.array([0.5, 3.0, -10.0]), np.zeros(3)
    for _ in range(steps):
        guess = guess - 0.1 * mg.grad(lambda g: loss(g - target))(guess)
    return guess, loss(mg.constant(guess - target)).item()


guess, loss = train(clipped_loss)
print("predictions", guess.round(3), "  loss", round(loss, 3))

# %% [markdown]
# The first prediction arrives. The other two have not moved at all. Does the gradient have a mistake in it? Lesson 3
# has a test for that.

# %%
report = mg.check_gradients(clipped_loss, np.array([-0.5, -3.0, 10.0]), order=1, raises=False)
print(str(report).split("\n")[0])

# %% [markdown]
# The gradient is right. That is the trouble.
#
# **Predict.** What is the gradient of `square(clip(d, -1, 1))` at d = 3?

# %% exercise="slope_beyond"
### BEGIN SOLUTION
slope_beyond = 0.0
### END SOLUTION
check("slope_beyond")

# %% tags=["after-prediction"]
viz.backward(lambda d: clipped_loss(d), d=np.array([3.0, 0.5]))

# %% [markdown]
# **Look: what does `clip` send to the 3?** A 0. `clip` is flat there: nudge the 3 and its value stays 1. A prediction
# that is far off gets no gradient, so it stays far off.

# %% [markdown] tags=["after-prediction"]
# This line has a history. Two public programs that learn Atari games contained it, deep_q_rl (issue 46, 2015) and
# DQN-tensorflow (issue 16, 2016), until readers noticed that the gradient vanishes where it should be largest.

# %% tags=["after-prediction"]
viz.curves(lambda d: mg.square(mg.clip(d, -1.0, 1.0)), d=(-3.0, 3.0))

# %% [markdown]
# **Look: what is the slope beyond −1 and beyond 1?** It is 0: the curve is flat there.
#
# What was wanted is a loss whose *slope* is clipped: the error itself up to 1, and 1 from there on.
#
# **Build.** Write `dqn_loss(delta)`, the loss whose slope is `clip(delta, -1, 1)`: half the square where the size of
# `delta` is below 1, and a straight line beyond, which joins it. `delta` may be an array.


# %% exercise="dqn_loss"
def dqn_loss(delta):
    ### BEGIN SOLUTION
    size = abs(delta)
    return mg.where(size < 1, 0.5 * delta * delta, size - 0.5)
    ### END SOLUTION


check("dqn_loss")

# %% tags=["after-prediction"]
try:
    guess, loss = train(lambda delta: mg.sum(dqn_loss(delta)))
    print("predictions", guess.round(3), "  loss", round(loss, 3))
except NotImplementedError:
    print("Once you have written dqn_loss, this cell trains with it.")

# %% [markdown]
# All three arrive, the far ones at a steady pace. This loss is older than the agents that made it famous: it is
# **Huber's loss** (1964).
#
# ## 2 · Clip the message, not the number
#
# There is a second way. Leave the numbers as they are, and clip what is sent back. Your own rule can do that:
# its value is `x` itself, and it sends the upstream gradient, shortened.
#
# **Predict.** The rule clips to a limit of 1. The upstream gradient is 5. What does `x` get?

# %% exercise="clipped_message"
### BEGIN SOLUTION
clipped_message = 1.0
### END SOLUTION
check("clipped_message")

# %% [markdown]
# **Predict.** And what is the *value* of this function at x = 3?

# %% exercise="clipped_value"
### BEGIN SOLUTION
clipped_value = 3.0
### END SOLUTION
check("clipped_value")

# %% [markdown]
# **Build.** Write `clip_gradient(x, limit)`. The value is `x` (`mg.identity(x)`), and each entry of the upstream
# gradient is clipped to −limit … limit. `limit` is a plain number and gets no gradient: the rule returns a pair, the
# gradient for `x` and None. `upstream` is a Tensor with its own arrows: compute with it, not with its numbers
# (lesson 11).


# %% exercise="clip_gradient"
@mg.custom_gradient
def clip_gradient(x, limit):
    ### BEGIN SOLUTION
    def grad(upstream):
        return mg.clip(upstream, -limit, limit), None

    return mg.identity(x), grad
    ### END SOLUTION


check("clip_gradient")

# %% [markdown]
# Where you put it decides what is clipped. The same rule before and after the square:

# %% tags=["after-prediction"]
try:
    for name, f in [
        ("before the square", lambda x: mg.sum(mg.square(clip_gradient(x, 1.0)))),
        ("after the square ", lambda x: mg.sum(clip_gradient(mg.square(x), 1.0))),
    ]:
        print(name, mg.grad(f)(np.array([3.0, 0.1])))
except NotImplementedError:
    print("Once you have written clip_gradient, this cell uses it.")

# %% [markdown]
# Before the square, the messages 6 and 0.2 pass the rule, and 6 becomes 1. After the square, the rule meets only the
# 1 that comes from the sum, and there is nothing to clip.
#
# ## 3 · A wrong gradient that teaches
#
# Now the other way round. The weights of this model must be whole numbers: it computes `x @ round(w)`. The weights that
# made the data are 1, −1 and 1.
#
# **Predict.** What is the gradient of `mg.round(x)` at x = 0.3?
#
# - a) 0
# - b) None
# - c) 1

# %% exercise="gradient_of_round"
### BEGIN SOLUTION
gradient_of_round = "b"
### END SOLUTION
check("gradient_of_round")

# %% tags=["after-prediction"]
x = mg.constant(0.3)
print(mg.gradients(mg.round(x), x))

# %% [markdown]
# `round` is a staircase: flat almost everywhere, with jumps in between. Its true slope is 0, and a 0 teaches nothing.
# So people lie. They keep the value of `round`, and send back the gradient of something else: of `x` itself, as if
# nothing had been rounded. This is the **straight-through estimator** (Bengio, Léonard and Courville, 2013).
#
# **Build.** Write `straight_through(x)`: the value is `mg.round(x)`, and the gradient is the upstream gradient,
# unchanged. You may use a rule, or `mg.stop_gradient(a)`, which has the value of `a` and sends nothing back.


# %% exercise="straight_through"
def straight_through(x):
    ### BEGIN SOLUTION
    return x + mg.stop_gradient(mg.round(x) - x)
    ### END SOLUTION


check("straight_through")

# %% tags=["after-prediction"]
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
truth = X @ np.array([1.0, -1.0, 1.0])


def fit(rounded, steps=60):
    w = np.array([0.3, -0.2, 0.9])
    loss = lambda w: mg.mean(mg.square(X @ rounded(w) - truth))
    for _ in range(steps):
        w = w - 0.1 * mg.grad(loss)(w)
    return w, loss(mg.constant(w)).item()


try:
    w, loss = fit(straight_through)
    print("weights", w.round(3), " rounded", np.round(w), " loss", loss)
except NotImplementedError:
    print("Once you have written straight_through, this cell trains with it.")

# %% [markdown]
# The loss is 0. With a gradient that is wrong everywhere, every weight found its whole number.
#
# Networks whose weights have a single bit go one step further (Hubara and others, 2016): their weights are −1 or 1, and
# the lie they tell is the gradient of `clip(x, -1, 1)`. A weight that is already beyond 1 gets nothing more.
#
# **Build.** Write `binarize(x)`: 1 where x is at least 0, and −1 elsewhere. Its rule sends the upstream gradient where
# the size of x is at most 1, and 0 elsewhere. `mg.ones_like(x)` makes a 1 for each entry, in the dtype of x.


# %% exercise="binarize"
@mg.custom_gradient
def binarize(x):
    ### BEGIN SOLUTION
    def grad(upstream):
        return mg.where(abs(x) <= 1, upstream, 0.0)

    one = mg.ones_like(x)
    return mg.where(x >= 0, one, -one), grad
    ### END SOLUTION


check("binarize")

# %% [markdown]
# ## 4 · Test the lie
#
# A test is there to find wrong gradients. What does it say of one that is wrong on purpose?
#
# **Predict.** `mg.check_gradients` is run on a straight-through `round` at x = 0.3. It says:
#
# - a) agrees
# - b) wrong
# - c) nothing could be compared

# %% exercise="check_of_a_lie"
### BEGIN SOLUTION
check_of_a_lie = "b"
### END SOLUTION
check("check_of_a_lie")

# %% tags=["after-prediction"]
# stairs is a straight-through round.
mg.check_gradients(stairs, 0.3, order=1, raises=False)

# %% tags=["after-prediction"]
viz.curves(stairs, x=(-2.0, 2.0))

# %% [markdown]
# **Look: how far is the lie from the truth?** By 1, everywhere. Above are the stairs; below, the rule sends 1, and the
# measured slope is 0.

# %% [markdown] tags=["after-prediction"]
# It must say so, and a test that expects this is right to. But it only proves that *some* lie is told. Which one? The
# function whose gradient is sent instead of the true one has a name: it is the **surrogate**. `round` lies as `x`,
# `binarize` as `clip(x, -1, 1)`. Name it, and the test becomes exact: the value is the function's, the gradient
# is its surrogate's.


# %% tags=["after-prediction"]
def as_it_is(x):
    return x


def twice(x):
    return 2 * x


mg.check_gradients(stairs, 0.3, order=1, surrogate=as_it_is, raises=False)

# %% tags=["after-prediction"]
mg.check_gradients(stairs, 0.3, order=1, surrogate=twice, raises=False)

# %% [markdown]
# ## 5 · What a lie costs
#
# **Predict.** `mg.check_gradients` compares the slope of your `clip_gradient`, with limit 1, at an upstream gradient
# of 1. What does its report say in the end?
#
# - a) agrees
# - b) wrong

# %% exercise="blind_check"
### BEGIN SOLUTION
blind_check = "b"
### END SOLUTION
check("blind_check")

# %% [markdown] tags=["after-prediction"]
# The slopes agree: at an upstream gradient of 1 nothing is clipped. A lie that is told only to large messages isn't
# seen by a test that sends small ones. So the rule is also called on its own, with large ones, and is found not to be
# linear: no function has a gradient that stops growing with its upstream.

# %% [markdown]
# Lies also reach the next derivative. Here is `stairs(x)` cubed, at 1.7: value, slope and second derivative are those
# of x³ at 2.

# %% tags=["after-prediction"]
x = mg.constant(1.7)
y = stairs(x) ** 3
(slope,) = mg.gradients(y, x)
(second,) = mg.gradients(slope, x)
print("value", y.item(), " slope", slope.item(), " second derivative", second.item())

# %% [markdown]
# ## One sentence to keep
#
# > **A gradient is what you tell the weights. Where it is a lie, say which one, and test that it is that one.**
#
# True or not, a gradient has a price that no lesson has named yet: the numbers of the forward pass must be there when
# it is computed. Which of them are kept, and which could be computed again? Lesson 13 starts with a saving that costs.

# %%
check.questions()

# %% [markdown]
# ## More: turn it round
#
# One more lie turns the gradient round. The value is `x`; what is sent back is −strength times the upstream gradient.
# Everything behind it then climbs while the rest descends: one optimizer, two wills. This **gradient reversal** (Ganin
# and Lempitsky, 2015) trains networks to keep a secret: one part learns to find out where a picture comes from, the
# part below it to hide it.
#
# **Build.** Write `reverse_gradient(x, strength)`.


# %% exercise="reverse_gradient"
@mg.custom_gradient
def reverse_gradient(x, strength):
    ### BEGIN SOLUTION
    return mg.identity(x), lambda upstream: (-strength * upstream, None)
    ### END SOLUTION


check("reverse_gradient")

# %% [markdown]
# A game for two: $(a - 2)^2 + a b - b^2$. The player of a wants it small, and the player of b wants it large.


# %% tags=["after-prediction"]
def game(reverse, steps):
    a, b = 0.5, 0.5
    f = lambda a, b: (a - 2) ** 2 + a * reverse(b) - reverse(b) ** 2
    for _ in range(steps):
        slope_a, slope_b = mg.grad(f, argnums=(0, 1))(a, b)
        a, b = a - 0.1 * slope_a, b - 0.1 * slope_b
    return float(a), float(b)


try:
    a, b = game(lambda b: b, 60)
    print(f"both descend:       a = {a:.1f}, b = {b:.1f}")
    a, b = game(lambda b: reverse_gradient(b, 1.0), 200)
    print(f"b behind reversal:  a = {a:.1f}, b = {b:.1f}")
except NotImplementedError:
    print("Once you have written reverse_gradient, this cell plays the game.")

# %% [markdown]
# Both descend, and the two run away. With b behind the reversal they settle at (1.6, 0.8), where a can't do better
# and neither can b.
#
# **Predict.** Two reversals of strength 1, one after the other: what is the upstream gradient multiplied by?

# %% exercise="two_reversals"
### BEGIN SOLUTION
two_reversals = 1.0
### END SOLUTION
check("two_reversals")

# %%
check()
