# %% [markdown]
# # 7 · Custom gradients: replace the adjoint
#
# In lesson 6 a gradient was lost where 0 met inf. The formula was right and the arithmetic was not. Here you write the
# rule for the gradient yourself, in a form that survives, and see what is replaced by it and what is not.
#
# It takes about 25 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import minigrad as mg
import viz
from minigrad import ops
from minigrad.classroom import lesson

check = lesson("07")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A function that brings its own rule
#
# The function is again $f(x) = \log(1 + e^x)$. Its slope can be written in two ways:
#
# $$f'(x) = \frac{1}{1 + e^x} \cdot e^x = 1 - \frac{1}{1 + e^x}.$$
#
# On paper they are the same. The **backward pass**, the walk from the result back to the inputs, computes the left
# one: it multiplies the slope of `log` by the slope of `exp`. At $x = 100$ that is 0 · inf = nan. (**inf** is what a
# number becomes beyond the largest that its dtype holds, $3.4 \cdot 10^{38}$ in **float32**; **nan** is *not a
# number*.) The formula on the right has no such product. (It has a weakness of its own, far below 0; part 1 ends with
# it.)
#
# `mg.custom_gradient` decorates a function that returns two things: its value, and a function `grad`. When the
# backward pass comes to this node, the ops inside are passed over: `grad` is called, and what it returns is used.


# %%
@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


# %% [markdown]
# `upstream` is the **upstream gradient**: how much the final result changes when the value of this function changes.
# The rule returns how much the final result changes when its *input* changes through this function: upstream times
# local slope. That number is the message to the input. If nothing else uses the input, it is the input's gradient, its
# **adjoint**.
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
# *What to look at:* two backward passes of the same function, at their end. In the first lane the gradient is derived
# op by op and ends in nan. In the second lane the decorated function is one node with a thick rim, and what it sends
# is marked *by the rule*; beside it, dashed, is its **ghost**: the ops inside, which computed the value, and the
# messages that they would have sent. The table holds a third value beside both, the finite difference
# $(f(x + h) - f(x - h)) / 2h$.
#
# Read the value in the boxes as well: it is inf in both lanes. The decorator repairs the gradient only. Now make the
# value of `x` smaller: drag its box sideways, or choose it, press Enter and type. From 88.7 down to about -6 both lanes
# agree. Farther down it is the *rule* that loses digits: at -20 it gives 0 in place of $2.1 \cdot 10^{-9}$, because
# $1 - 1 / (1 + e)$ subtracts two nearly equal numbers, the cancellation of lesson 3. Part 4 has a rule that is right on
# both sides.

# %% [markdown]
# ## 2 · What upstream means
#
# A function is seldom the last step. Let $L = 3 f(x)$, and follow what arrives.
#
# **Predict.** At $x = 0$, with what number is `grad` called?

# %% exercise="upstream_number"
### BEGIN SOLUTION
upstream_number = 3.0
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
# A rule that forgets `upstream` is right only when the upstream gradient is 1.
#
# With arrays it is the same. If $f$ takes $n$ numbers to $m$ numbers, its slopes form a matrix, the **Jacobian** $J$,
# with one row for each output. `upstream` then has $m$ entries, and the rule returns the $n$ entries of
#
# $$\bar x = J^\top \bar y,$$
#
# the **vector-Jacobian product**. These are the numbers of $u J$ in lesson 5, written as a column. A rule need not
# build $J$: for a function that works on each element by itself it multiplies element by element.
#
# **Build.** Write `safe_sqrt`: the value is $\sqrt x$, and the gradient is `upstream` times the slope, $1 / (2 \sqrt
# x)$, but 0 at $x = 0$, where the slope is inf. This 0 is not a true slope, but the program can continue with it: inf
# would become nan wherever it is multiplied by 0. (`mg.where(condition, a, b)` chooses.)


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
# In lesson 6, `where` did not protect. Here it does. The difference: this `where` is *inside* the rule. It chooses
# between finished gradients, and the backward pass that finds the first derivative does not go through it. A second
# derivative does (part 4): at 0 it is nan for most rules.
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
@mg.custom_gradient
def product(a, b):
    def grad(upstream):
        return upstream * b, upstream * a

    return a * b, grad


viz.compare(product, 2.0, 5.0)

# %% [markdown]
# *What to look at:* the table has one row for each input, and here derived and custom agree: this rule replaces the
# derived one by the same thing.
#
# What `grad` returns is checked at once. If something is missing or does not fit, the error says what, where, and what
# to write:


# %%
@mg.custom_gradient
def forgetful(a, b):
    return a * b, lambda upstream: upstream * b


@mg.custom_gradient
def misshapen(a):
    return a * a, lambda upstream: mg.sum(upstream * 2 * a)


a, b = mg.constant([1.0, 2.0]), mg.constant([3.0, 4.0])
for function, inputs in [(forgetful, [a, b]), (misshapen, [a])]:
    try:
        mg.gradients(function(*inputs), inputs)
    except ValueError as error:
        print(error, end="\n\n")

# %% [markdown]
# **Build.** Write `length(a, b)`, the length $\sqrt{a^2 + b^2}$ of a vector. Its slopes are $a$ / length and $b$ /
# length. At the origin it has a kink, and the derived gradient is inf · 0 = nan: let both be 0 there.


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
# ## 4 · The second derivative
#
# A rule is made of ops, and they are recorded like any others. So the gradient can be differentiated again. For
# `log1pexp` the second derivative is $e^x / (1 + e^x)^2$; at 100 that is $3.7 \cdot 10^{-44}$, practically 0.
#
# **Predict.** What comes out at 100?
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
    print(f"x = {place:3g}   slope {slope:.6g}   second derivative {bend:.6g}")

# %% tags=["after-prediction"]
viz.backward(slope)

# %% [markdown]
# *What to look at:* this is the backward pass of the *rule*, from `slope` back to `x`; it opens where the nan is born.
# (`dy` is the upstream gradient, 1, and `copy of x` what the function works on.) The value of the rule is 1, but `exp`
# in it is still inf, and the gradient that reaches it is 0. The repair of the first derivative has moved the trouble
# one derivative on.
#
# A better rule uses ops that stay finite themselves. Two facts:
#
# $$\log(1 + e^x) = \max(x, 0) + \log\left(1 + e^{-|x|}\right), \qquad f'(x) = \operatorname{sigmoid}(x).$$
#
# In the first, the argument of `exp` is never above 0. `mg.maximum`, `mg.log1p` ($\log(1 + x)$), `abs` and
# `mg.sigmoid` are there for you.
#
# **Build.** Write `log1pexp_stable`: value, gradient and second derivative all right, from $-1000$ to $1000$; an error
# below $10^{-6}$ counts as rounding.


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
# ## 5 · The same in Keras
#
# TensorFlow has `tf.custom_gradient`; `import minigrad as tf` runs its examples. Keras writes it as
# `keras.ops.custom_gradient`. Its PyTorch backend passes the upstream gradient by keyword, its TensorFlow and JAX
# backends by position (lesson 9 has a rule for both); `from minigrad import ops` runs both forms. Here is the one with
# the keyword:


# %%
@ops.custom_gradient
def log1pexp_keras(x):
    e = ops.exp(x)

    def grad(*args, upstream):
        return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

    return ops.log(ops.add(1, e)), grad


x = mg.constant(100.0)
print(mg.gradients(log1pexp_keras(x), x)[0])

# %% [markdown]
# ## One sentence to keep
#
# > **A custom gradient replaces what one function sends back: it gets the upstream gradient and returns one gradient
# > for each input, and it leaves the value as it is.**

# %%
check()
