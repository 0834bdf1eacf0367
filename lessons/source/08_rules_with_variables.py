# %% [markdown]
# # 8 · Rules with variables
#
# A custom rule returns gradients for the arguments of its function. A layer of a network also uses weights that are
# not arguments. In this lesson you see how a rule receives them, what it must return for them, and an example from
# TensorFlow's documentation in which the rule is wrong.
#
# It takes about 30 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("08")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A rule from the documentation
#
# A **Variable** holds a number or an array that can be assigned, such as the weights of a model. It has a name. A
# function that uses a Variable which is not one of its arguments **captures** it.
#
# The documentation of `tf.custom_gradient` has one example with a captured Variable, a straight line. Here it is,
# slightly shortened, with `mg` in place of `tf`. `variables` is the list of captured Variables, here `weights` alone,
# and the rule returns a pair: the gradient of `x`, and a list with a gradient for each Variable.

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
# **Predict.** Work it out: `poly = weights[1] * x + weights[0]`, with `x = [1, 2, 3]`. For an
# array, `mg.gradients` returns the gradient of the sum of its entries. What is the gradient of `weights`?
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
print(mg.check_gradients(linear_poly, x, order=1, raises=False))

# %% tags=["after-prediction"]
viz.compare(linear_poly, x)

# %% [markdown]
# *What to look at:* the table. The rule sends [6 3] to `weights`, and the gradient is [3 6]: the two entries are
# exchanged. (Step back to read the messages. Without the rule two arrive at `weights`, [3 0] and [0 6]; they add up.)
# The value and the gradient of `x` are right, so the mistake is easy to miss.
#
# ## 2 · In and out
#
# minigrad records which Variables a function reads, and passes them to the rule as `variables`. The contract is:
#
# - The rule is declared as `def grad(upstream, variables=None)`.
# - `variables` is a list of the trainable Variables that a gradient of the value reaches and that are not arguments.
# - The rule returns a pair: the gradients of the arguments, and a list with one gradient for each of `variables`. If
# the function captures no Variable, `variables` is None, and the rule returns the gradients of the arguments alone.
#
# **Predict.** The function uses a Variable `w`, but the rule is declared as `def grad(upstream)`. When is the error
# raised?
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


try:
    scaled(mg.constant(3.0))
except TypeError as error:
    print("TypeError:", error)

# %% [markdown]
# **Build.** Repair the documentation. `make_linear_poly(weights)` returns the function, so that the check can choose
# the weights. The surrounding code is given; write what the rule returns. The gradient of `weights` is an array of two
# numbers, like `weights`, and `x` may have any shape.


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
# The next function uses five Variables, each in another way. `mg.stop_gradient(v)` has the value of `v` and passes no
# gradient on; `trainable=False` marks a Variable that training leaves as it is.

# %%
w = mg.Variable(2.0, name="w")
a = mg.Variable(1.0, name="a")
stopped = mg.Variable(1.0, name="stopped")
frozen = mg.Variable(1.0, name="frozen", trainable=False)
unused = mg.Variable(1.0, name="unused")


@mg.custom_gradient
def five(x, a):
    value = w * x + a + mg.stop_gradient(stopped) + frozen
    unused * 2  # computed, and thrown away

    def grad(upstream, variables=None):
        print("variables:", [variable.name for variable in variables])
        return (upstream * w, upstream), [upstream * x for variable in variables]

    return value, grad


# %% [markdown]
# **Predict.** `a` is passed as an argument. How many of the five Variables are in `variables`?

# %% exercise="how_many_variables"
### BEGIN SOLUTION
how_many_variables = 1
### END SOLUTION
check("how_many_variables")

# %% tags=["after-prediction"]
x = mg.constant(1.0)
y = five(x, a)
names = ["x", "w", "a", "stopped", "frozen", "unused"]
for name, gradient in zip(names, mg.gradients(y, [x, w, a, stopped, frozen, unused])):
    print(f"{name:8}", gradient if gradient is None else gradient.item())

# %% [markdown]
# *What to look at:* `a` has its place among the arguments. No gradient passes `stop_gradient`. In a function with a
# rule, a Variable that is not **trainable** counts as a constant. And the value does not depend on what was thrown
# away. A gradient of None says that no message arrived: for `unused` there is no path to the value, for the other two
# it is cut.
#
# **Predict.** What if a Variable is an argument *and* captured? Below, a function with the arguments `x` and `v`
# computes `w * x + v`; its rule sends 100 to `v`, and `w` is passed for `v`. What is the gradient of `w`?

# %% exercise="argument_and_captured"
### BEGIN SOLUTION
argument_and_captured = 100
### END SOLUTION
check("argument_and_captured")


# %% tags=["after-prediction"]
@mg.custom_gradient
def twice_used(x, v):
    def grad(upstream, variables=None):
        return upstream, 100 * upstream

    return w * x + v, grad


print(mg.gradients(twice_used(x, w), w))

# %% [markdown]
# **Predict.** `k` is a constant, `mg.constant(2.0)`, captured by a function with a rule: `x * k`. What is the gradient
# of `k` at $x = 3$?
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
print(mg.explain_none(y, k))

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

# %% [markdown]
# *What to look at:* they are sorted by name, alphabetically. So do not rely on positions. Go through the list and find
# out which Variable it is, with `is`, as `line` does. `==` would compare the numbers.
#
# **Build.** Write `dense_with_rule(W, b)`: it returns a function of `x` with a rule of its own, whose value is
# `x @ W + b`. `W` and `b` are captured Variables with any names, `x` is an array with one example in each row.
# (`mg.transpose(W)` exchanges rows and columns. The program at the end of lesson 5's part 5 has all three gradients.)


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
# ## 5 · When a Variable is read
#
# **Predict.** `w` holds 2. Then `y = f(x)`, where `f` is `x * w` with the rule `upstream * w`, and `z = x * w` without
# a rule. Then `w.assign(10.0)`. What are the gradients of `x`, through `y` and through `z`?
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

# %% [markdown]
# *What to look at:* the multiplication kept the 2 with which it was computed. The rule reads `w` when it runs. To keep
# the number of the forward pass, read it there: `v = w.read_value()` in `f`, and `upstream * v` in the rule.
#
# ## 6 · Freeze a Variable
#
# A rule can stop a gradient. If it returns None for a Variable, then no message goes there.
#
# **Build.** Write `freeze_by_rule(w, b)`: a function of `x` whose value is `w * x + b`. `b` gets its gradient, and
# that of `w` is None. `w` and `b` are Variables of one number each; `x` may be an array, and it gets its gradient,
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
# When it is right, look at it: `viz.backward(freeze_by_rule(mg.Variable(2.0, name="w"), mg.Variable(5.0,
# name="b"))(mg.constant(3.0)))`.
#
# ## In other libraries
#
# In eager mode TensorFlow lists each trainable Variable that was *touched*, also behind `stop_gradient` or in a result
# that was thrown away, in the order of a Python set, which may differ from run to run. JAX has no Variables, and its
# rules may not capture what is differentiated: pass it as an argument. In PyTorch a captured parameter gets no
# gradient from a custom `Function`, silently.
#
# ## One sentence to keep
#
# > **A trainable Variable that the value depends on is an input, written down or not: the rule gets these Variables in
# > a list and returns a gradient for each.**
#
# In [lesson 9](09_structures_and_upstreams.ipynb) the inputs are nested in lists and dicts, and there are several
# outputs.

# %%
check()
