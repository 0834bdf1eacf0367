# %% [markdown]
# # 17 · Forward
#
# *35 minutes, 3 functions*
#
# Turn one knob, and many points move. How fast does each of them move? A walk back starts at one of the points. But an
# arrow has two ends. What if you start at the knob?
#
# You need lessons 4 and 5 for this one. Run the cells from top to bottom (Shift+Enter).

# %%
from itertools import count

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("17")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · One knob
#
# `wave` computes 1,000 points of a wave that fades out. Each of them depends on the same number t.


# %%
k = np.arange(1000.0)


def wave(t):
    return mg.sin(t * k) * mg.exp(-t * k / 500)


t = np.float64(0.5)
print(len(wave(t)), "points")

# %% [markdown]
# The slope of each point with respect to t makes a table of 1,000 rows and one column.
#
# **Predict.** How many walks back does it take to fill that table?

# %% exercise="walks_for_wave"
### BEGIN SOLUTION
walks_for_wave = 1000
### END SOLUTION
check("walks_for_wave")

# %% tags=["after-prediction"]
value, pull_back = mg.vjp(wave, t)
by_rows = np.array([pull_back(row)[0] for row in np.eye(1000)])
value, by_column = mg.jvp(wave, (t,), (np.float64(1.0),))
print("the same slopes:", np.allclose(by_rows, by_column))

# %% [markdown] tags=["after-prediction"]
# `mg.vjp` returns the value and a function that walks back, and the line of `by_rows` calls it once for each point.
# `mg.jvp` got the same 1,000 numbers in one call: it starts at t, with a nudge of 1. The rows took more than twenty
# times as long.

# %% [markdown]
# ## 2 · Nudges travel forward
#
# This is the function of lesson 2: b = 2x and y = b + b · b, at x = 3. Walking back, you found the gradient 26. Now
# nudge x, and watch what arrives at y.


# %%
def diamond(x):
    b = 2 * x
    return b + b * b


viz.nudge(diamond, x=3.0)

# %% [markdown]
# **Look: what happens to a nudge of 0.3 on an arrow?** It is multiplied by the slope of that arrow, as a message is. b
# moves by 2 · 0.3 = 0.6. b · b has two arrows from b with the slope 6, so it moves by 6 · 0.6 + 6 · 0.6 = 7.2. And y
# gets 0.6 + 7.2 = 7.8, which is 26 · 0.3. In truth b · b moves by 7.56 and y by 8.16, because the parabola bends:
# slopes speak of small nudges.
#
# So the same slopes serve both ways. Walking back, you ask how much y moves per nudge of each box. Walking
# forward, you ask how much each box moves per nudge of x. That second number is the **tangent** of the box. Where
# arrows meet, tangents add up.
#
# **Predict.** y = x · x · z at x = 3 and z = 5. x gets the tangent 1, and z the tangent 10. Which tangent does y get?

# %% exercise="two_nudges"
### BEGIN SOLUTION
two_nudges = 120
### END SOLUTION
check("two_nudges")

# %% [markdown] tags=["after-prediction"]
# 2 · 3 · 5 · 1 from x and 9 · 10 from z. You get one number for a whole **direction** (1, 10), not one for x and one
# for z.

# %% [markdown]
# Here is the engine of lesson 4, without the lines that draw.


# %%
clock = count()


def number(x):
    return x if isinstance(x, Number) else Number(float(x))


class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.serial = next(clock)

    def __add__(self, other):
        other = number(other)
        return Number(self.value + other.value, "add", (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = number(other)
        product = self.value * other.value
        return Number(product, "multiply", (self, other), (other.value, self.value))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


def order_nodes(y):
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found, key=lambda node: node.serial, reverse=True)


def backward(y):
    gradient = {node: 0.0 for node in order_nodes(y)}
    gradient[y] = 1.0
    for node in gradient:
        for parent, slope in zip(node.parents, node.slopes):
            gradient[parent] += gradient[node] * slope
    return gradient


# %% [markdown]
# **Build.** Write `forward(y, seed)`: a dict with the tangent of each node of `order_nodes(y)`. `seed` is a dict with
# the tangents of some inputs; an input that is not in it has the tangent 0. A node may have any number of
# parents. Make a new dict, and leave `seed` as it is.


# %% exercise="forward"
def forward(y, seed):
    ### BEGIN SOLUTION
    tangent = {}
    for node in reversed(order_nodes(y)):
        arrived = [tangent[parent] * slope for parent, slope in zip(node.parents, node.slopes)]
        tangent[node] = seed.get(node, 0.0) + sum(arrived)
    return tangent
    ### END SOLUTION


check("forward")

# %% tags=["after-prediction"]
x = Number(3.0)
y = diamond(x)
try:
    print("forward ", forward(y, {x: 1.0})[y])
    print("backward", backward(y)[x])
except NotImplementedError:
    print("Once you have written forward, this cell compares both ways.")

# %% [markdown]
# ## 3 · A column next to a row
#
# With several inputs and several outputs, the slopes are a table: the **Jacobian** J of lesson 5.


# %%
def four(x):
    return mg.stack([x[0] * x[1], x[1] * x[2], x[0] + x[2], mg.sin(x[0])])


viz.jacobian(four, [1.0, 2.0, 3.0])

# %% [markdown]
# **Look: which walk gives a row?** A walk back: it starts at one output and finds how much that one moves for each
# input. A walk forward starts at one input and ends with a column: how much does each output move for it?
#
# Start at several boxes at once, with a number for each, and you get a sum of rows, u J, or a sum of columns, J v.
# These are the vector–Jacobian product, **vjp**, and the Jacobian–vector product, **jvp**.

# %%
x = np.array([1.0, 2.0, 3.0])
v = np.array([1.0, 10.0, 100.0])
u = np.array([1.0, 10.0, 100.0, 1000.0])
_, moved = mg.jvp(four, (x,), (v,))
_, pull_back = mg.vjp(four, x)
(row,) = pull_back(u)
print("J v", moved.round(4))
print("u J", row.round(4))
print(f"u (J v) = {u @ moved:.4f}")
print(f"(u J) v = {row @ v:.4f}")

# %% [markdown]
# The last two lines are one number, computed from both sides.
#
# A network for digits has 2,410 weights, and its loss is one number. Suppose that you have only walks forward.
#
# **Predict.** How many of them does the gradient of the loss take?

# %% exercise="walks_for_weights"
### BEGIN SOLUTION
walks_for_weights = 2410
### END SOLUTION
check("walks_for_weights")

# %% [markdown] tags=["after-prediction"]
# 2,410 for one step of training, and each single call of `mg.jvp` takes longer than `mg.grad` takes for all of them.
# That is why training goes backward. For the wave it is the other way round. Count inputs and outputs, and start on the
# side that has fewer. `mg.jacobian` does the same: where the inputs are far fewer, it computes columns.

# %% [markdown]
# ## 4 · Nothing kept
#
# A walk back can't begin before the end is there, so the graph is kept until then. A nudge can travel with the value.
# Then no graph is needed: each number is a pair of value and tangent, a **dual number**.
#
# **Build.** Finish `Dual`. `__mul__` returns a new `Dual` with the product and its tangent. `dual(2)` makes a `Dual` of
# a plain number, with the tangent 0.


# %%
def dual(x):
    return x if isinstance(x, Dual) else Dual(x)


# %% exercise="Dual"
class Dual:
    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent

    def __repr__(self):
        return f"Dual({self.value:g}, {self.tangent:g})"

    def __add__(self, other):
        other = dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __mul__(self, other):
        ### BEGIN SOLUTION
        other = dual(other)
        return Dual(self.value * other.value, self.value * other.tangent + self.tangent * other.value)
        ### END SOLUTION

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


check("Dual")

# %% [markdown]
# Once it passes, run `diamond(Dual(3.0, 1.0))`: it is the function of part 2, and both 42 and 26 come out of one run.
#
# Now a loop: 500 times x ← 0.99 x + 0.01. When it ends, the graph of a `Number` has 2,001 boxes.
#
# **Predict.** How much does a `Dual` keep?
#
# - a) as much
# - b) half of it
# - c) as much as after one step

# %% exercise="kept_by_dual"
### BEGIN SOLUTION
kept_by_dual = "c"
### END SOLUTION
check("kept_by_dual")


# %% tags=["after-prediction"]
def decay(x, steps=500):
    for _ in range(steps):
        x = 0.99 * x + 0.01
    return x


x = Number(3.0)
y = decay(x)
print(f"back    slope {backward(y)[x]:.6g}, boxes kept: {len(order_nodes(y)):,}")
try:
    last = decay(Dual(3.0, 1.0))
    print(f"forward slope {last.tangent:.6g}, numbers kept: {len(vars(last))}")
except NotImplementedError:
    print("Once you have written Dual, the other way is here, too.")

# %% [markdown] tags=["after-prediction"]
# The same slope, and only the value and the tangent of the last step. `mg.jvp` is built differently. It walks back with
# an open u, which gives u J, and then back through that walk, from u J to u. So it needs no second set of rules. It
# takes longer than a row, and it does keep the graph.

# %% [markdown]
# ## 5 · Forward over reverse
#
# What happens if you put dual numbers *into* the engine of lesson 4? `Number(Dual(3.0, 1.0))` is a number of the graph
# whose value carries a tangent. The slopes on the arrows are made of values, so they carry tangents. And so does each
# gradient that `backward` adds up: its tangent says how the gradient moves when the inputs move along v. For all
# inputs together, that is H v, the Hessian times v. (The Hessian is the table of the second derivatives.)
#
# **Predict.** To get H v in this way, how often does `backward` run?

# %% exercise="walks_for_hvp"
### BEGIN SOLUTION
walks_for_hvp = 1
### END SOLUTION
check("walks_for_hvp")

# %% [markdown]
# Here are functions to try it on. `valley` is Rosenbrock's function, which is curved and hard to walk down.


# %%
def valley(x, z):
    side, height = 1 + -1 * x, z + -1 * (x * x)
    return side * side + 100 * (height * height)


def cubic(x, z):
    return x * x * z


def square(x, z):
    return x * x


# %% [markdown]
# **Build.** Write `hvp(f, x, v)`: the list of the entries of H v, for lists of floats `x` and `v`. `f` takes a `Number`
# for each input, and returns one. A gradient that stands still may be a plain number; `dual` makes a `Dual` of it. An
# input that `f` does not use, such as the z of `square`, has no gradient in the dict.


# %% exercise="hvp"
def hvp(f, x, v):
    ### BEGIN SOLUTION
    inputs = [Number(Dual(value, tangent)) for value, tangent in zip(x, v)]
    gradient = backward(f(*inputs))
    return [dual(gradient.get(i, 0.0)).tangent for i in inputs]
    ### END SOLUTION


check("hvp")

# %% tags=["after-prediction"]
try:
    print("yours ", hvp(valley, [-1.2, 1.0], [1.0, 0.0]))
    product = mg.hvp(lambda p: valley(p[0], p[1]))
    print("mg.hvp", product(np.array([-1.2, 1.0]), np.array([1.0, 0.0])))
except NotImplementedError:
    print("Once you have written hvp, this cell compares it with mg.hvp.")

# %% [markdown]
# Lesson 11 gets H v by a walk back through a walk back, as `mg.hvp` does. Here the second walk is what the dual numbers
# do on the way. It is called **forward over reverse**.
#
# ## 6 · A rule without a tangent
#
# A rule of yours says what is sent back. Nobody asked you what is sent forward. Here is x · x with a wrong rule: it
# claims the slope 10, where at 2 it is 4.


# %%
@mg.custom_gradient
def ten(x):
    return x * x, lambda upstream: upstream * 10.0


# %% [markdown]
# **Predict.** Which tangent does `mg.jvp` return for `ten` at 2, for a nudge of 1?
#
# - a) 4
# - b) 10
# - c) an error

# %% exercise="tangent_of_ten"
### BEGIN SOLUTION
tangent_of_ten = "b"
### END SOLUTION
check("tangent_of_ten")

# %% tags=["after-prediction"]
print("minigrad:", mg.jvp(ten, (2.0,), (1.0,))[1].item())

# %% [markdown] tags=["after-prediction"]
# minigrad derives the tangent from the rule, right or wrong. Each library decides that for itself:
#
# | the rule 10 · upstream, asked for a tangent | answer |
# |---|---|
# | minigrad `mg.jvp` | 10 |
# | PyTorch, `jvp` of `autograd.functional` | 10 |
# | PyTorch forward mode, `Function` without `jvp` | an error |
# | JAX `custom_vjp` | an error |
# | TensorFlow `ForwardAccumulator` | 4: the rule is ignored |
#
# JAX has `custom_jvp` for this: you write the tangent, and the walk back is derived from it. In PyTorch you may write
# both, `backward` with 10 and `jvp` with 3, and nobody compares them. You can: u (J v) and (u J) v must be one number.
# If they differ, one of the two rules is wrong, and you don't know yet which.

# %% [markdown]
# ## One sentence to keep
#
# > **Backward asks one output about all inputs, forward tells all outputs about one direction: start on the side that
# > has fewer.**
#
# Which function of yours has few inputs and many outputs? Try `mg.jvp` on it.

# %%
check.questions()

# %%
check()
