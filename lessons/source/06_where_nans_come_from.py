# %% [markdown]
# # 6 · Where NaNs come from
#
# A model trains for an hour, and then every weight is `nan`. Somewhere, one number went wrong, and it took the others
# with it. In this lesson you see where such a number is born, why it spreads, and how to stop it.
#
# It takes about 25 minutes. In each part you first *see* something, then *predict* what comes next, *run* it, and
# *build* something small that is checked at once. Run the cells from top to bottom (Shift+Enter): the pictures get
# their buttons when their cell runs.

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("06")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A gradient that works
#
# The function of this lesson is
#
# $$f(x) = \log(1 + e^x).$$
#
# It is called *softplus* and is found wherever a number must be positive. Its slope is $e^x / (1 + e^x)$, always
# between 0 and 1: near 0 where $x$ is very negative, near 1 where it is large.
#
# minigrad remembers how a result was made. To find the gradient it walks from the result back to the inputs: this walk
# is the **backward pass**. The boxes of a graph are also called **nodes**, its arrows **edges**. Each node gets one
# number, its **gradient** (or **adjoint**): how much the result changes per change of the value in that node. It is
# written $\bar g$. When a node's turn comes, its gradient is the **upstream gradient**; the node multiplies it by its
# own slope, the **local derivative**, and sends the product on:
#
# $$\text{message} = \text{upstream gradient} \times \text{local derivative}.$$


# %%
def log1pexp(x):
    return mg.log(1 + mg.exp(x))


x = mg.constant(2.0)
y = log1pexp(x)
viz.backward(y).start()

# %% [markdown]
# *What to look at:* `.start()` opens the picture at the result, before the first message. Step forward, with the button
# or the arrow key: at each stop one number travels along one edge, and the sentence above the picture does the
# multiplication. In the end the gradient of `x` is 0.8808, which is $e^2 / (1 + e^2)$.
#
# ## 2 · The same, at 100
#
# minigrad computes in **float32**, the default of TensorFlow, PyTorch and JAX, too: numbers of about 7 digits, the
# largest of them $3.4 \cdot 10^{38}$. Beyond that there is only **inf**, infinity. Where a result is not defined, as
# for $0 \cdot \infty$ and $\infty - \infty$, it is **nan**, *not a number*.
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
# **Predict.** The values of `exp`, `add` and `log` are `inf`, already on the way forward. Which product does `exp`
# send to `x` on the way back?
#
# - a) upstream inf × local derivative inf
# - b) upstream 0 × local derivative inf
# - c) upstream inf − local derivative inf
# - d) upstream inf × local derivative 0

# %% exercise="which_factors"
### BEGIN SOLUTION
which_factors = "b"
### END SOLUTION
check("which_factors")

# %% tags=["after-prediction"]
viz.backward(y)

# %% [markdown]
# *What to look at:* the picture opens at the message in which the nan is born. The card below it says what to write
# instead, and why. *First nan* leads back to this message from anywhere.

# %% [markdown] tags=["after-prediction"]
# The true factors are $1 / (1 + e^{100})$, a very small number, and $e^{100}$, a very large one; their product is
# nearly 1. float32 can hold $1 / (1 + e^{100})$, with hardly two digits: its numbers below $1.2 \cdot 10^{-38}$ are
# **subnormal** and have fewer and fewer digits. It cannot hold $e^{100}$, which became inf. And the first factor was
# computed from the second: $1 / (1 + \infty)$ is 0. No later step can bring back what is lost.
#
# `mg.find_nan` says in words where a nan is born:

# %% tags=["after-prediction"]
print(mg.find_nan(y))

# %% [markdown]
# ## 3 · From which x on?
#
# **Predict.** The largest float32 is $3.4 \cdot 10^{38}$. Up to which $x$ is $e^x$ smaller than that? Give one digit
# after the point. You may compute it with Python.

# %% exercise="breaks_at"
### BEGIN SOLUTION
breaks_at = 88.7
### END SOLUTION
check("breaks_at")

# %% [markdown]
# **Predict.** And just below, at $x = 88$?
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
print(f"{'dtype':8}  {'largest':>8}  {'its log':>8}    x    value  gradient")
for dtype, places in {"float16": (11, 12), "float32": (88, 89), "float64": (709, 710)}.items():
    largest = np.finfo(dtype).max
    for place in places:
        x = mg.constant(place, dtype=dtype)
        y = log1pexp(x)
        slope = mg.gradients(y, x)[0]
        numbers = f"{place:3}  {y.item():7.5g}  {slope.item():8.5g}"
        print(f"{dtype:8}  {largest:8.2g}  {math.log(largest):8.2f}  {numbers}")

# %% [markdown]
# *What to look at:* each dtype has its own limit: 11.09 in float16, 88.72 in float32, 709.78 in float64. A larger
# range moves the limit; it does not remove it. Just below it the gradient is still right, except for rounding (float16
# has 3 digits): there is no warning that the limit is near. On a CPU, TensorFlow and JAX put 0 in place of subnormal
# numbers. One of the factors at 88 is subnormal, so the slope that they compute there is 0: wrong, without a warning.
#
# The limit can be found by hand. In the next picture the value of `x` can be changed: drag its box sideways, or choose
# the box, press Enter and type. The picture computes everything anew, also when no Python runs.

# %% tags=["after-prediction"]
viz.backward(log1pexp, x=88.0)

# %% [markdown]
# *What to look at:* the picture shows the finished pass. Type 88.72 and Enter, and after it 88.73. Where `exp` becomes
# inf, the slope of `log` becomes 0, and the gradient of `x` goes from 1 to nan at once. Then type $-104$: `exp` is 0
# there, and so is the gradient of `x`, which is right except for $10^{-45}$. A number that is too small does less harm
# here than one that is too large.
#
# ## 4 · The obvious repair
#
# For $x > 50$, $f(x)$ and $x$ are the same float32. So most people try this repair first:


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
# **Predict.** On which edge is this nan born? In the next picture click the edge, or take it from the list above it.
# The picture goes on when you have chosen. (Without a mouse the list is enough; or write the two ends, the sender
# first, above the check: `nan_edge.edge = "log", "add"`.)

# %% tags=["after-prediction"]
nan_edge = viz.backward(y, choose=True).widget()
nan_edge

# %% exercise="nan_edge"
### BEGIN SOLUTION
nan_edge.edge = "exp", "x"
### END SOLUTION
check("nan_edge")

# %% tags=["after-prediction"]
viz.backward(y)

# %% [markdown]
# *What to look at:* `where` sends two messages. The branch taken gets the whole gradient, 1. The branch not taken gets
# 0, and the 0 walks through `log` and `add` to `exp`, where it is multiplied by inf. At this message the picture
# opens: `x` adds up what arrived, 1 + nan.
#
# `where` chooses between results. It does not keep the other branch from being computed, and 0 times inf is not 0.
#
# The cure is to choose *before* the dangerous function: give `exp` a harmless number wherever its result will not be
# used. With the `where` at the end, that makes two: the **double where**.
#
# **Build.** Write `safe_log1pexp`, with the right value and the right gradient from $-60$ to $1000$; an error below
# $10^{-6}$ counts as rounding. (`mg.softplus` is this function, already repaired. Write it yourself once: for most
# functions there is no such name.)


# %% exercise="safe_log1pexp"
def safe_log1pexp(x):
    ### BEGIN SOLUTION
    big = x > 50
    harmless = mg.where(big, 0.0, x)
    return mg.where(big, x, log1pexp(harmless))
    ### END SOLUTION


check("safe_log1pexp")

# %% [markdown]
# When it is right, look at it: `viz.backward(safe_log1pexp(mg.constant(100.0)))`. The branch not taken still gets 0,
# and now it stays 0.
#
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
viz.backward(loss)

# %% [markdown]
# *What to look at:* in the printed gradient of `examples` only the last entry is nan. The picture opens at the message
# in which it is born; a cell that is nan or inf is crossed out. Step on, and watch `w`. The weight is shared, so all
# four entries are added up in it, and their sum is nan. After one training step `w - 0.1 * nan` is nan, and so is every
# result that is computed with it.
#
# ## 6 · Find the birth
#
# In a large graph you would not step by hand. `mg.messages(y)` gives the backward pass as rows, one for each message,
# in the order in which they are sent:

# %%
mg.messages(log1pexp(mg.constant(100.0)))

# %% [markdown]
# *What to look at:* in each row the message is the upstream gradient times the local derivative. In the last row these
# are 0 and inf.
#
# **Build.** Write `first_nan(messages)`. It returns the row at which a nan is *born*: the first one whose message is
# nan although its upstream gradient is not; `None` if there is no such row. The fields of a row are `row.node`,
# `row.argument`, `row.upstream`, `row.local` and `row.message`. (`math.isnan(number)` tells whether a number is nan.)


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
# When it is right, try it on the real thing: `first_nan(mg.messages(with_where(mg.constant(100.0))))`. `mg.find_nan`
# begins like this. It also looks at the forward pass, and at places where two messages meet: inf and -inf add up to
# nan.
#
# ## One sentence to keep
#
# > **A nan in a gradient begins at one place, mostly an edge where 0 is multiplied by inf; every sum that it enters is
# > nan.**
#
# In lesson 7 you replace the rule that made it.

# %%
check()
