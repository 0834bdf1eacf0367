# %% [markdown]
# # 7 · Write the rule yourself
#
# *30 minutes, 2 functions · more: 15 minutes, 1 function*
#
# The slope of $\log(1 + e^x)$ at 100 is 1. It is in the loss of lesson 5's network, and the backward pass of lesson 6
# found nan, because it multiplied 0 by inf. Nothing forces it to. Hand it your own formula, one line long, and it
# uses yours. This lesson is about that line: what goes in, what must come out, and what it does not repair.

# %%
import minigrad as mg
import viz
from minigrad.classroom import lesson, mine

check = lesson("07")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A function that brings its own rule
#
# Here is the slope of $f(x) = \log(1 + e^x)$, written in two ways:
#
# $$f'(x) = \frac{1}{1 + e^x} \cdot e^x = 1 - \frac{1}{1 + e^x}.$$
#
# On paper they are the same. Which one does the backward pass compute? The left one: the slope of `log` times the slope
# of `exp`. At $x = 100$ that's 0 · inf. The formula on the right has no such product. It isn't perfect either; you'll
# see where it fails.
#
# `mg.custom_gradient` decorates a function that returns two things: its value, and a function `grad`. The backward pass
# steps over the ops inside. It calls `grad`, and sends what `grad` returns.


# %%
@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


# %% [markdown]
# `upstream` is the gradient of this function's result: what has arrived in its box. The rule multiplies it by the
# slope, and returns the message to the input.
#
# **Predict.** What does this rule return at $x = 100$, where `e` is inf and `upstream` is 1? Type a number, or
# `float("inf")`, or `float("nan")`.

# %% exercise="slope_with_rule"
### BEGIN SOLUTION
slope_with_rule = 1.0
### END SOLUTION
check("slope_with_rule")

# %% [markdown]
# **Predict.** And the *value* of `log1pexp` at 100?
#
# - a) `100.0`
# - b) `inf`
# - c) `nan`

# %% exercise="value_with_rule"
### BEGIN SOLUTION
value_with_rule = "b"
### END SOLUTION
check("value_with_rule")

# %% tags=["after-prediction"]
x = mg.constant(100.0)
y = log1pexp(x)
print("value   ", y)
print("gradient", mg.gradients(y, x)[0])

# %% tags=["after-prediction"]
viz.compare(log1pexp, 100.0)

# %% [markdown]
# **Look: what did the rule replace?** Each lane is a backward pass of the same function, at its end. In the first lane
# the gradient is derived op by op. In the second the decorated function is one box with a thick rim, and its message is
# marked *by the rule*. The ops inside are its **ghost**, drawn dashed: they computed the value, and the dashed messages
# were never sent. The table compares both lanes with a third number, the finite difference
# $(f(x + h) - f(x - h)) / 2h$.

# %% [markdown] tags=["after-prediction"]
# Now read the *values*: inf, in both lanes. The rule replaced what the function sends back. It did not touch what the
# function computes.
#
# And where does the rule fail? Make `x` smaller: drag its box sideways, or choose it, press Enter and type. From 88.7
# down to about −6 both lanes agree. Farther down it's the *rule* that loses digits. At −20 it gives 0 instead of
# $2.1 \cdot 10^{-9}$: `1 - 1 / (1 + e)` subtracts two nearly equal numbers, the cancellation of lesson 3.

# %% [markdown] tags=["after-prediction"]
# What is a rule, then? A slope that you state. Here is the curve of the function, and the slope of the rule as a
# straight line, the **tangent**. Nudge `x` with the slider, and see how far the result moves. *Read backwards* shows
# the gradient on the same arrow.

# %% tags=["after-prediction"]
viz.nudge(log1pexp, x=0.0, by=2.0)

# %% [markdown]
# **Look: does the line touch the curve?** It does, because $1 - 1 / (1 + e^x)$ is the slope. If the rule returned
# `upstream * 0.9`, the line would cross the curve.

# %% [markdown] tags=["after-prediction"]
# And the walk that you wrote in lesson 4? Its check has kept it in `mine.py`; if there is none of yours yet, the first
# lines say so.

# %% tags=["after-prediction"]
print(mine)
viz.backward(y, by=mine.backward)

# %% [markdown]
# **Look: what does your walk know about the rule?** Nothing. It multiplies by the slope it gets, and at 100 that
# is now 1. You replaced a rule in your own engine without changing it.

# %% [markdown]
# ## 2 · What upstream means
#
# A function is seldom the last step. Let $L = 3 f(x)$, and follow what arrives.
#
# **Predict.** At $x = 0$, with what number is `grad` called? Type it into the box of `log1pexp` in the next picture,
# and press *Check*: your answer is checked and the pass is played.
# (In a new cell: `upstream_number.answer = 2.5`.)

# %%
x = mg.constant(0.0)
L = 3 * log1pexp(x)
words = "What arrives in the box log1pexp?"
upstream_number = check.picture("upstream_number", viz.backward(L), "log1pexp", words=words)
upstream_number

# %% exercise="upstream_number"
### BEGIN SOLUTION
upstream_number.answer = 3.0
### END SOLUTION
check("upstream_number")


# %% tags=["after-prediction"]
@mg.custom_gradient
def telling(x):
    e = mg.exp(x)

    def grad(upstream):
        gradient = upstream * (1 - 1 / (1 + e))
        print(f"grad gets {upstream:g} and returns {gradient:g}")
        return gradient

    return mg.log(1 + e), grad


x = mg.constant(0.0)
loss = 3 * telling(x)
print("gradient", mg.gradients(loss, x)[0])

# %% [markdown]
# A rule that forgets `upstream` is right only when `upstream` is 1.
#
# Arrays change nothing. The rule gets an upstream gradient of the shape of the value, and returns a gradient of the
# shape of the input: $u J$, the vector-Jacobian product of lesson 5. For a function that works on each element by
# itself, this means: multiply element by element.
#
# **Build.** Write the rule of `safe_sqrt`: `upstream` times the slope of $\sqrt x$, which is $1 / (2 \sqrt x)$, and 0
# at $x = 0$, where the slope is inf. That 0 isn't a true slope. It's a choice that lets a program go on: inf
# would become nan at the next 0 that it meets. `x` may be an array. (`mg.where(condition, a, b)` chooses.)


# %% exercise="safe_sqrt"
@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)

    def grad(upstream):
        ### BEGIN SOLUTION
        return mg.where(x > 0, upstream / (2 * y), 0.0)
        ### END SOLUTION

    return y, grad


check("safe_sqrt")

# %% [markdown]
# In lesson 6, `where` did not protect. Why does it here? Because it's *inside* the rule. It chooses between two
# finished gradients, and the pass doesn't go back through it. (A second derivative does: a rule is differentiated like
# any function. See *More*.)
#
# ## 3 · Several inputs
#
# **Predict.** $f(a, b)$ has two inputs and one output. What does its `grad` return?
#
# - a) one number, the sum of the two slopes
# - b) one gradient, because there is one output
# - c) two gradients, one for each input

# %% exercise="how_many"
### BEGIN SOLUTION
how_many = "c"
### END SOLUTION
check("how_many")


# %% tags=["after-prediction"]
rules = {
    "a": lambda upstream, a, b: upstream * (a + b),
    "b": lambda upstream, a, b: upstream * b,
    "c": lambda upstream, a, b: (upstream * b, upstream * a),
}


def product_with(rule):
    @mg.custom_gradient
    def product(a, b):
        return a * b, lambda upstream: rule(upstream, a, b)

    return product


a, b = mg.constant(2.0), mg.constant(5.0)
for letter, rule in rules.items():
    product = product_with(rule)
    try:
        print(letter, [gradient.item() for gradient in mg.gradients(product(a, b), [a, b])])
    except ValueError as error:
        print(letter, error)
viz.compare(product, 2.0, 5.0)

# %% [markdown]
# **Look: do the two lanes differ?** They don't: this rule replaces the derived one by the same thing. The table has a
# row for each input.

# %% [markdown]
# And if a gradient has the wrong shape? Then the error says so, and what to write:


# %% tags=["after-prediction"]
@mg.custom_gradient
def misshapen(a):
    return a * a, lambda upstream: mg.sum(upstream * 2 * a)


a = mg.constant([1.0, 2.0])
try:
    mg.gradients(misshapen(a), a)
except ValueError as error:
    print(error)

# %% [markdown]
# **Build.** Write the rule of `length(a, b)`, the length $\sqrt{a^2 + b^2}$ of a vector. Its slopes are $a$ / length
# and $b$ / length. At the origin it has a kink: from one side the slope is 1, from the other −1, and the derived pass
# gives inf · 0 = nan. Return 0 for both there, which is in between. `a` and `b` may be arrays.


# %% exercise="length"
@mg.custom_gradient
def length(a, b):
    y = mg.sqrt(a * a + b * b)

    def grad(upstream):
        ### BEGIN SOLUTION
        divisor = mg.where(y > 0, y, 1.0)
        return upstream * a / divisor, upstream * b / divisor
        ### END SOLUTION

    return y, grad


check("length")

# %% [markdown]
# ## One sentence to keep
#
# > **A custom gradient replaces what one function sends back: it gets the upstream gradient and returns one gradient
# > for each input, and it leaves the value as it is.**
#
# One thing is missing. A layer uses weights that nobody passes to it. Where would your rule send their gradients?
# [Lesson 8](08_the_inputs_that_nobody_passed.ipynb) starts with a documented rule that gets this wrong.

# %%
check.questions()

# %% [markdown]
# ## More: the second derivative
#
# A rule is made of ops, and they are recorded like any others. So a gradient can be differentiated again. The second
# derivative of `log1pexp` is $e^x / (1 + e^x)^2$; at 100 that is $3.7 \cdot 10^{-44}$, practically 0.
#
# **Predict.** What comes out at 100, with the rule of part 1?
#
# - a) `0.0`
# - b) `1.0`
# - c) `inf`
# - d) `nan`

# %% exercise="second_at_100"
### BEGIN SOLUTION
second_at_100 = "d"
### END SOLUTION
check("second_at_100")

# %% tags=["after-prediction"]
for place in (1.0, 100.0):
    x = mg.constant(place)
    (slope,) = mg.gradients(log1pexp(x), x)
    (bend,) = mg.gradients(slope, x)
    print(f"x = {place:g}: slope {slope:.3g}, second {bend:.3g}")

# %% tags=["after-prediction"]
viz.backward(slope, report=False)

# %% [markdown]
# **Look: which function is this the backward pass of?** Of the rule. It leads from `slope` back to `x`, through
# $1 - 1 / (1 + e)$, and opens where the nan first appears. (`dy` is the upstream gradient, 1, and `copy of x` what the
# function works on.)

# %% [markdown] tags=["after-prediction"]
# The value of the rule is 1, and it's right. But the `exp` in it is still inf, and the gradient that reaches it is 0.
# The repair of the first derivative has moved the trouble to the second. (That's also true of the `where` in
# `safe_sqrt`: a second derivative goes back through it.)
#
# A better rule is made of ops that stay finite themselves. Two facts:
#
# $$\log(1 + e^x) = \max(x, 0) + \log(1 + e^{-|x|}),$$
#
# $$f'(x) = \operatorname{sigmoid}(x).$$
#
# In the first, the argument of `exp` is never above 0. The second needs no `exp` of yours at all.

# %% [markdown]
# **Build.** Write `log1pexp_stable`: value, gradient and second derivative all right, from $-1000$ to $1000$; an error
# below $10^{-6}$ counts as rounding. Use `mg.maximum`, `mg.log1p` (the logarithm of $1 + x$), `abs` and `mg.sigmoid`,
# but not `mg.softplus`, which is the whole function.


# %% exercise="log1pexp_stable"
@mg.custom_gradient
def log1pexp_stable(x):
    ### BEGIN SOLUTION
    def grad(upstream):
        return upstream * mg.sigmoid(x)

    return mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x))), grad
    ### END SOLUTION


check("log1pexp_stable")

# %% [markdown]
# Once it passes, look at it: `viz.compare(log1pexp_stable, 100.0)`. In the first lane the derived pass is right, too.
# Then what is the rule for? Take the second derivative at 0. It is 0.25, by your rule; derived, it comes out as 0,
# because `abs` has a kink there.

# %%
check()
