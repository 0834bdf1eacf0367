# %% [markdown]
# # 6 · Where NaNs come from
#
# *35 minutes, 2 functions*
#
# A model trains for an hour, and then every weight is `nan`. Somewhere, one number went wrong, and it took the others
# with it. Which number was it, and where? In this lesson you catch one in the act, see the obvious repair fail, and
# write the function that finds the next one.

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import Table, lesson, mine

check = lesson("06")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A gradient that works
#
# The function of this lesson is
#
# $$f(x) = \log(1 + e^x).$$
#
# It makes numbers positive: far below 0 it's nearly 0, far above it's nearly $x$. Its slope is $e^x / (1 + e^x)$,
# always between 0 and 1. The network of lesson 5 has it in its loss: for the scores 0 and $x$ the cross-entropy is
# $f(x)$ minus the score of the right answer.
#
# The **backward pass** starts at the result with gradient 1. A box that has received all its messages sends one along
# each arrow that enters it:
#
# $$\text{message} = \text{upstream} \times \text{slope}.$$
#
# *Upstream* is short for the upstream gradient: the gradient of the box that sends.


# %%
def log1pexp(x):
    return mg.log(1 + mg.exp(x))


x = mg.constant(2.0)
y = log1pexp(x)
viz.backward(y).start(play=False)

# %% [markdown]
# **Look: which numbers are multiplied?** The picture opens before the first message. Step forward, with the button or
# the arrow key. `log` sends $1 \cdot 1/8.389 = 0.1192$, `add` passes it on, and `exp` multiplies it by its own value,
# 7.389. A small number times a large one: 0.8808.
#
# ## 2 · The same, at 100
#
# minigrad computes in **float32**, like TensorFlow, PyTorch and JAX unless you say otherwise: numbers of about 7
# digits, the largest of them $3.4 \cdot 10^{38}$. Whatever is larger becomes **inf**, infinity. And what should
# $0 \cdot \infty$ be, or $\infty - \infty$? No number is right, so the result is **nan**, *not a number*.
#
# **Predict.** At $x = 100$ the true slope is 1, to 43 digits. Which gradient does the backward pass compute?
#
# - a) `1.0`
# - b) `0.0`
# - c) `inf`
# - d) `nan`

# %% exercise="gradient_at_100"
### BEGIN SOLUTION
gradient_at_100 = "d"
### END SOLUTION
check("gradient_at_100")

# %% tags=["after-prediction"]
x = mg.constant(100.0)
y = log1pexp(x)
print("value   ", y)
print("gradient", mg.gradients(y, x)[0])

# %% [markdown]
# **Predict.** On the way forward the values of `exp`, `add` and `log` are `inf` already. Which product does `exp` send
# to `x` on the way back?
#
# - a) upstream inf × slope inf
# - b) upstream 0 × slope inf
# - c) upstream inf − slope inf
# - d) upstream inf × slope 0

# %% exercise="which_factors"
### BEGIN SOLUTION
which_factors = "b"
### END SOLUTION
check("which_factors")

# %% tags=["after-prediction"]
viz.backward(y, report=False)

# %% [markdown]
# **Look: which two numbers met?** 0 and inf, between `exp` and `x`. Neither of them is nan. Step back to see where the
# 0 came from; *First nan* brings you here again.

# %% [markdown] tags=["after-prediction"]
# On paper the two factors are $1 / (1 + e^{100})$, a very small number, and $e^{100}$, a very large one, and their
# product is nearly 1. Which of the two was lost first?
#
# The large one. float32 has room for $3.7 \cdot 10^{-44}$, with hardly two digits: below $1.2 \cdot 10^{-38}$ its
# numbers are **subnormal** and have fewer and fewer of them. It has no room for $e^{100}$, which became inf. Only then
# did the small factor become 0, because it was computed from the large one: $1 / (1 + \infty)$. No later step can bring
# it back.

# %% [markdown] tags=["after-prediction"]
# Is it a fault of minigrad? Take the walk that you wrote in lesson 4. Its check has kept it in `mine.py`, and here it
# walks through the same graph. If you have not written one yet, the first lines say so, and minigrad's walk is used.

# %% tags=["after-prediction"]
print(mine)
viz.backward(y, by=mine.backward)

# %% [markdown] tags=["after-prediction"]
# **Look: does your walk find another number?** No. Add up what arrives, multiply by the slope: whoever does that
# multiplies 0 by inf.

# %% [markdown]
# ## 3 · From which x on?
#
# **Predict.** The largest float32 is $3.4 \cdot 10^{38}$. What is the largest $x$ for which $e^x$ is smaller than that?
# Give one digit after the decimal point. You may compute it with Python.

# %% exercise="breaks_at"
### BEGIN SOLUTION
breaks_at = 88.7
### END SOLUTION
check("breaks_at")

# %% [markdown]
# **Predict.** And at $x = 88$?
#
# - a) value and slope are both right
# - b) the value is inf already
# - c) the value is right, the slope is 0

# %% exercise="at_88"
### BEGIN SOLUTION
at_88 = "a"
### END SOLUTION
check("at_88")

# %% tags=["after-prediction"]
rows = []
for dtype in ("float16", "float32", "float64"):
    largest = np.finfo(dtype).max
    for place in (math.floor(math.log(largest)), math.ceil(math.log(largest))):
        x = mg.constant(place, dtype=dtype)
        y = log1pexp(x)
        numbers = [f"{number.item():.5g}" for number in (y, *mg.gradients(y, x))]
        rows.append([dtype, f"{math.log(largest):.2f}", place, *numbers])
Table(["dtype", "log of the largest", "x", "value", "gradient"], rows)

# %% [markdown] tags=["after-prediction"]
# Each dtype has its own limit, and a larger range only moves it. Just below the limit the gradient is right, except for
# rounding (float16 has 3 digits). There is no warning that the limit is near.
#
# One of the factors at 88 is subnormal. TensorFlow and JAX, on a CPU, put 0 instead of subnormal numbers: the slope
# that they compute at 88 is 0. It's wrong, and nothing says so.
#
# Can you find the limit by hand? In the next picture drag the box of `x` sideways, or choose it, press Enter and type.

# %% tags=["after-prediction"]
viz.backward(log1pexp, x=88.0, report=False)

# %% [markdown]
# **Look: does the gradient fade, or does it jump?** It jumps. Type 88.72 and Enter, and after it 88.73: the gradient of
# `x` goes from 1 to nan at once. Then type $-104$: `exp` is 0 there, and so is the gradient of `x`, which is right
# except for $10^{-45}$. A number that's too small does less harm here than one that's too large.
#
# ## 4 · The obvious repair
#
# For $x > 50$, $f(x)$ and $x$ are the same float32. So this is the obvious repair:


# %%
def with_where(x):
    return mg.where(x > 50, x, log1pexp(x))


x = mg.constant(100.0)
y = with_where(x)
print(y)

# %% [markdown]
# The value is right.
#
# **Predict.** And its gradient at 100?
#
# - a) `1.0`, the slope of the branch that was taken
# - b) `0.0`
# - c) `inf`
# - d) `nan`

# %% exercise="dead_branch"
### BEGIN SOLUTION
dead_branch = "d"
### END SOLUTION
check("dead_branch")

# %% [markdown]
# **Predict.** On which arrow is that number first sent? Click it in the next picture, or take it from the list, and
# press *Check*: your answer is checked and the pass is played.
# (In a new cell: `which_arrow.answer = "log", "add"`, sender first.)

# %% tags=["after-prediction"]
words = "On which arrow is that number first sent?"
which_arrow = check.picture("which_arrow", viz.backward(y), words=words)
which_arrow

# %% exercise="which_arrow"
### BEGIN SOLUTION
which_arrow.answer = "exp", "x"
### END SOLUTION
check("which_arrow")

# %% tags=["after-prediction"]
viz.backward(y, report=False)

# %% [markdown]
# **Look: what does `where` send to the branch that was not taken?** The branch taken gets the whole gradient, 1. The
# other one gets 0. Step back and follow the 0: through `log` and `add` it walks to `exp`, whose slope is inf. At this
# message the picture opens. `x` adds up what arrived, 1 + nan.

# %% [markdown] tags=["after-prediction"]
# `where` chooses between two results. By then both branches have been computed. The one you didn't take gets the
# message 0. And 0 · inf is nan.
#
# So choose earlier, *before* the dangerous function: give `exp` a harmless number wherever its result won't be used.
# With the `where` at the end that makes two, the **double where**.

# %% [markdown]
# **Build.** Write `safe_log1pexp`, with the right value and the right gradient from $-60$ to $1000$. `x` may be an
# array; an error below $10^{-6}$ counts as rounding. (`mg.softplus` is this function, ready to use. Write it yourself
# once, without it: most functions have no such name.)


# %% exercise="safe_log1pexp"
def safe_log1pexp(x):
    ### BEGIN SOLUTION
    big = x > 50
    harmless = mg.where(big, 0.0, x)
    return mg.where(big, x, log1pexp(harmless))
    ### END SOLUTION


check("safe_log1pexp")

# %% [markdown]
# Once it passes, look at it: let `x = mg.constant(100.0)` and run `viz.backward(safe_log1pexp(x))`. The branch not
# taken still gets 0. Does it stay 0?
#
# And could the machine have found your repair? `mg.find_nan` says where a nan first appears. Then it looks for other
# ways to write the same function, and runs them before it offers one:

# %% tags=["after-prediction"]
mg.find_nan(y)

# %% [markdown]
# ## 5 · One broken example of four
#
# Four examples go through the function, all multiplied by the same weight $w$, and their results are added up.

# %%
w = mg.constant(1.0)
examples = mg.constant([-1.0, 0.0, 2.0, 100.0])
loss = mg.sum(log1pexp(w * examples))

# %% [markdown]
# **Predict.** Only the last example is too large. What is the gradient of `w`?
#
# - a) the sum over the three good examples
# - b) the sum over all four, with 0 for the broken one
# - c) `nan`

# %% exercise="shared_weight"
### BEGIN SOLUTION
shared_weight = "c"
### END SOLUTION
check("shared_weight")

# %% tags=["after-prediction"]
gradient_of_w, gradient_of_examples = mg.gradients(loss, [w, examples])
print("examples", gradient_of_examples)
print("w       ", gradient_of_w)
viz.backward(loss, report=False)

# %% [markdown]
# **Look: how far does it get?** Printed, only the last entry of `examples` is nan. The picture opens at the message
# where it first appears; a cell that is nan or inf is crossed out. Now step on, and watch `w`. It's shared, so all four
# entries are added up in it.

# %% [markdown] tags=["after-prediction"]
# Three good examples, one bad one, and the sum is nan. One training step later `w - 0.1 * nan` is nan, and so is every
# result that is computed with it. That's how one example ruins a model in one step.

# %% [markdown]
# ## 6 · Find where it begins
#
# In a large graph you wouldn't step by hand. `mg.messages(y)` gives the backward pass as rows, one for each message, in
# the order they are sent:

# %% tags=["after-prediction"]
mg.messages(log1pexp(mg.constant(100.0)))

# %% [markdown]
# **Build.** Write `first_nan(messages)`. It returns the row where a nan *begins*: the first one whose message is nan
# although its upstream gradient is not. If there is no such row, it returns `None`. The fields of a row are `row.node`,
# `row.argument`, `row.upstream`, `row.local` (the slope) and `row.message`; `math.isnan(number)` says whether a number
# is nan.


# %% exercise="first_nan"
def first_nan(messages):
    ### BEGIN SOLUTION
    for row in messages:
        if math.isnan(row.message) and not math.isnan(row.upstream):
            return row
    return None
    ### END SOLUTION


check("first_nan")

# %% [markdown]
# Once it passes, try it on the real thing: let `y = with_where(mg.constant(100.0))` and run
# `first_nan(mg.messages(y))`. That's how `mg.find_nan` begins. It also looks at the forward pass, and at boxes where
# two messages meet: inf and -inf add up to nan.
#
# ## One sentence to keep
#
# > **A nan in a gradient begins at one place, mostly an arrow where 0 is multiplied by inf; every sum that it enters is
# > nan.**
#
# You needed two `where`s for one function. Can't you just replace the rule that went wrong? In [lesson
# 7](07_write_the_rule_yourself.ipynb) you do.

# %%
check.questions()

# %%
check()
