# %% [markdown]
# # 8 · The inputs that nobody passed
#
# *30 minutes, 2 functions · more: 10 minutes, 1 function*
#
# A layer is called with examples. It takes its weights from elsewhere: the network of lesson 5 was handed four arrays,
# and in a library each layer holds its own. TensorFlow's documentation of `custom_gradient` has one example of such a
# function, a straight line. It runs, and nothing complains. Is its rule right?

# %%
import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("08")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A rule from the documentation
#
# Here is the example, slightly shortened, with `mg` instead of `tf`. `weights` is a **Variable**: a number or an array
# with a name, which can be assigned. The function uses it without having it as an argument: it **captures** it. That's
# why the rule gets a second argument, `variables`, the list of captured Variables, and returns a pair: the gradient of
# `x`, and a list with a gradient for each Variable.

# %%
weights = mg.Variable([1.0, 1.0], name="weights")


@mg.custom_gradient
def linear_poly(x):
    poly = weights[1] * x + weights[0]

    def grad_fn(dpoly, variables):
        dy_dx = dpoly * weights[1]
        dy_dw = dpoly * mg.stack([x**1, x**0])
        return dy_dx, [mg.reduce_sum(dy_dw, axis=1)]

    return poly, grad_fn


x = mg.constant([1.0, 2.0, 3.0])
poly = linear_poly(x)
print("by the rule:", mg.gradients(poly, weights)[0].value)

# %% [markdown]
# **Predict.** Work it out: `poly = weights[1] * x + weights[0]`, with `x = [1, 2, 3]`. For an array, `mg.gradients`
# returns the gradient of the sum of its entries. What is the true gradient of `weights`?
#
# - a) `[6, 3]`
# - b) `[3, 6]`
# - c) `[1, 1]`
# - d) a table of 2 × 3 numbers

# %% exercise="true_gradient"
### BEGIN SOLUTION
true_gradient = "b"
### END SOLUTION
check("true_gradient")

# %% tags=["after-prediction"]
with mg.ignore_custom_gradients():
    print("derived:    ", mg.gradients(linear_poly(x), weights)[0].value)
mg.check_gradients(linear_poly, x, order=1, raises=False)

# %% tags=["after-prediction"]
viz.compare(linear_poly, x)

# %% [markdown]
# **Look: what arrives at `weights`?** By the rule, [6 3]. Derived, two messages: 6 for `weights[1]`, and 3 for
# `weights[0]`.

# %% [markdown] tags=["after-prediction"]
# The documentation has the two entries swapped. The value is right, the gradient of `x` is right, and the shapes fit.
# Who would look? The test of lesson 3 does: it nudges the Variables, too.

# %% [markdown]
# ## 2 · In and out
#
# And if the rule says nothing about Variables? Here is one that is declared as `def grad(upstream)`, although its
# function uses `w`.
#
# **Predict.** When do you hear of it?
#
# - a) when the function is called
# - b) when the gradient is computed
# - c) never: the gradient of `w` is None
# - d) when `w` is assigned

# %% exercise="when_told"
### BEGIN SOLUTION
when_told = "a"
### END SOLUTION
check("when_told")

# %% tags=["after-prediction"]
w = mg.Variable(2.0, name="w")


@mg.custom_gradient
def scaled(x):
    return w * x, lambda upstream: upstream * w


moment = "the function is called"
try:
    x = mg.constant(3.0)
    y = scaled(x)
    moment = "the gradient is computed"
    print(mg.gradients(y, [x, w]))
    moment = "w is assigned"
    w.assign(2.0)
    print("no word of it")
except Exception as error:
    print(f"When {moment}: {type(error).__name__}: {error}")

# %% [markdown]
# So a rule for a function that captures Variables looks like this:
#
# - It is declared as `def grad(upstream, variables=None)`.
# - It returns a pair: the gradients of the arguments, and a list with one gradient for each entry of `variables`.
#
# Without captured Variables, `variables` is None and there is no pair: the rule returns the gradients of the arguments.
#
# **Build.** Repair the documentation. `make_linear_poly(weights)` returns the function, so that the check can choose
# the weights; write what the rule returns. The gradient of `weights` has two entries, like `weights`. `x` may have any
# shape.


# %% exercise="make_linear_poly"
def make_linear_poly(weights):
    @mg.custom_gradient
    def linear_poly(x):
        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            of_weights = mg.stack([mg.sum(upstream), mg.sum(upstream * x)])
            return upstream * weights[1], [of_weights]
            ### END SOLUTION

        return weights[1] * x + weights[0], grad

    return linear_poly


check("make_linear_poly")

# %% [markdown]
# ## 3 · Which Variables are in the list
#
# minigrad notes which Variables a function reads. Does it hand all of them to the rule? The next function reads four,
# each in another way.

# %%
w = mg.Variable(2.0, name="w")
stopped = mg.Variable(1.0, name="stopped")
frozen = mg.Variable(1.0, name="frozen", trainable=False)  # training leaves it as it is
unused = mg.Variable(1.0, name="unused")


@mg.custom_gradient
def four(x):
    value = w * x + mg.stop_gradient(stopped) + frozen  # stop_gradient: the value, and no gradient
    unused * 2  # computed, and thrown away

    def grad(upstream, variables=None):
        print("variables:", [variable.name for variable in variables])
        return upstream * w, [upstream * x for variable in variables]

    return value, grad


# %% [markdown]
# **Predict.** How many of the four are in `variables`?

# %% exercise="how_many_variables"
### BEGIN SOLUTION
how_many_variables = 1
### END SOLUTION
check("how_many_variables")

# %% tags=["after-prediction"]
x = mg.constant(1.0)
y = four(x)
names = ["x", "w", "stopped", "frozen", "unused"]
for name, gradient in zip(names, mg.gradients(y, [x, w, stopped, frozen, unused])):
    print(f"{name:8}", gradient if gradient is None else gradient.item())

# %% [markdown] tags=["after-prediction"]
# Only `w`. A Variable is in the list if a gradient of the value reaches it. No gradient passes `stop_gradient`;
# `frozen` is not **trainable** and counts as a constant; and the value does not depend on what was thrown away. The
# gradient of these three is None: no message arrived.

# %% [markdown]
# What if a Variable is an argument *and* captured? Here is a function with the arguments `x` and `v`, and `w` is passed
# for `v`.
#
# **Predict.** What is the gradient of `w`? Type it into its box and press *Check*: your answer is checked and the pass
# is played.
# (In a new cell: `argument_and_captured.answer = 50`.)


# %%
@mg.custom_gradient
def twice_used(x, v):
    def grad(upstream, variables=None):
        return upstream, 100 * upstream

    return w * x + v, grad


x = mg.constant(1.0)
words = "What is the gradient of w?"
picture = viz.backward(twice_used(x, w))
argument_and_captured = check.picture("argument_and_captured", picture, "w", words=words)
argument_and_captured

# %% exercise="argument_and_captured"
### BEGIN SOLUTION
argument_and_captured.answer = 100
### END SOLUTION
check("argument_and_captured")

# %% [markdown]
# And a constant? `k` is `mg.constant(2.0)`, captured by a function with a rule: `x * k`.
#
# **Predict.** What is the gradient of `k` at $x = 3$?
#
# - a) `3.0`
# - b) `0.0`
# - c) `None`
# - d) an error

# %% exercise="captured_constant"
### BEGIN SOLUTION
captured_constant = "c"
### END SOLUTION
check("captured_constant")

# %% tags=["after-prediction"]
k = mg.constant(2.0)


@mg.custom_gradient
def times_k(x):
    return x * k, lambda upstream: upstream * k


y = times_k(mg.constant(3.0))
print(mg.gradients(y, k))

# %% [markdown] tags=["after-prediction"]
# The message does not even begin. Run `print(mg.explain_none(y, k))` in a new cell: it says why, and what to
# do about it.

# %% [markdown]
# ## 4 · In which order
#
# **Predict.** A function reads the Variable named `v2`, and then the one named `v10`. In which order are they in
# `variables`?
#
# - a) `v2`, `v10`
# - b) `v10`, `v2`
# - c) a different one each time

# %% exercise="order_of_names"
### BEGIN SOLUTION
order_of_names = "b"
### END SOLUTION
check("order_of_names")

# %% tags=["after-prediction"]
v2, v10 = mg.Variable(1.0, name="v2"), mg.Variable(1.0, name="v10")


@mg.custom_gradient
def line(x):
    def grad(upstream, variables=None):
        print("variables:", [variable.name for variable in variables])
        return upstream * v2, [upstream * x if v is v2 else upstream for v in variables]

    return v2 * x + v10, grad


print(mg.gradients(line(mg.constant(3.0)), [v2, v10]))

# %% [markdown] tags=["after-prediction"]
# They are sorted by name, as words, and the character 1 comes before 2. Rename a Variable, and the order is another
# one. Two gradients of the same shape, swapped: no error, and a model that learns the wrong thing.
#
# So don't rely on positions. Go through the list and find out which Variable each entry is, with `is`, as `line` does.
# (`==` would compare the numbers.)

# %% [markdown]
# **Build.** Write `dense_with_rule(W, b)`: it returns a function of `x` with its own rule, whose value is
# `x @ W + b`. `W` and `b` are captured Variables with any names, `x` is an array with one example in each row. (The
# program in *More: two tables* of lesson 5 has all three gradients; `mg.transpose(W)` swaps rows and columns.)


# %% exercise="dense_with_rule"
def dense_with_rule(W, b):
    @mg.custom_gradient
    def dense(x):
        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            owed = [mg.transpose(x) @ upstream if v is W else mg.sum(upstream, axis=0) for v in variables]
            return upstream @ mg.transpose(W), owed
            ### END SOLUTION

        return x @ W + b, grad

    return dense


check("dense_with_rule")

# %% [markdown]
# ## One sentence to keep
#
# > **A trainable Variable that the value depends on is an input, written down or not: the rule gets these Variables in
# > a list and returns a gradient for each.**
#
# What if the weights come in a dict? Which gradient goes where? [Lesson 9](09_which_gradient_goes_where.ipynb) starts
# with a rule that returns two right numbers. Is that enough?

# %%
check.questions()

# %% [markdown]
# ## More: when a Variable is read
#
# A Variable can be assigned between the way forward and the way back. Which number does a rule see?
#
# **Predict.** `w` is 2. Then `y = f(x)`, where `f` is `x * w` with the rule `upstream * w`, and `z = x * w` without a
# rule. Then `w.assign(10.0)`. What are the gradients of `x`, through `y` and through `z`?
#
# - a) 2 and 2
# - b) 10 and 2
# - c) 2 and 10
# - d) 10 and 10

# %% exercise="assigned_between"
### BEGIN SOLUTION
assigned_between = "b"
### END SOLUTION
check("assigned_between")


# %% tags=["after-prediction"]
@mg.custom_gradient
def f(x):
    def grad(upstream, variables=None):
        return upstream * w, [upstream * x]

    return x * w, grad


x = mg.constant(3.0)
w.assign(2.0)
y, z = f(x), x * w
w.assign(10.0)
print("through y:", mg.gradients(y, x)[0].item())
print("through z:", mg.gradients(z, x)[0].item())

# %% [markdown] tags=["after-prediction"]
# The multiplication kept the 2 that it multiplied by. The rule reads `w` when it runs, and by then it's 10. To keep the
# number of the forward pass, read it there: `v = w.read_value()` in `f`, and `upstream * v` in the rule.

# %% [markdown]
# ## More: freeze a Variable
#
# A rule can also send nothing. If it returns None for a Variable, no message is sent.
#
# **Build.** Write `freeze_by_rule(w, b)`: a function of `x` whose value is `w * x + b`. `b` gets its gradient, and the
# gradient of `w` is None. `w` and `b` are Variables of one number each; `x` may be an array, and it gets its gradient,
# too.


# %% exercise="freeze_by_rule"
def freeze_by_rule(w, b):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            return upstream * w, [mg.sum(upstream) if v is b else None for v in variables]
            ### END SOLUTION

        return w * x + b, grad

    return line


check("freeze_by_rule")

# %% [markdown]
# Once it passes, look for the arrow to `w`: let `b = mg.Variable(5.0)`, `line = freeze_by_rule(w, b)` and
# `x = mg.constant(3.0)`, and run `viz.backward(line(x))`.
#
# ## More: the same in other libraries
#
# In eager mode TensorFlow lists each trainable Variable that was *touched*, also behind `stop_gradient` or in a result
# that was thrown away, in the order of a Python set, which may differ from run to run. JAX has no Variables, and its
# rules may not capture what is differentiated: pass it as an argument. In PyTorch a captured parameter gets no gradient
# from a custom `Function`, and nothing warns you.

# %%
check()
