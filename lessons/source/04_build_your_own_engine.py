# %% [markdown]
# # 4 · Build your own engine
#
# *35 minutes, 3 functions · more: 10 minutes, 1 function*
#
# Forty lines of Python are an engine. They differentiate any program of additions and multiplications, however long.
# You know both halves: a number remembers how it was made ([lesson 1](01_what_a_number_remembers.ipynb)), and a walk
# back finds the slopes ([lesson 2](02_the_chain_rule_walks_backwards.ipynb)). Now you write the lines. There are many
# ways to get the walk wrong, and you meet four of them before you write it.

# %%
import math
from itertools import count

import viz
from minigrad.classroom import lesson

check = lesson("04")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Numbers that remember
#
# A row of lesson 1 becomes an object. It has
#
# - `value`, the number itself,
# - `op`, the name of the operation that made it, `"add"` or `"multiply"`; an input has `""`,
# - `parents`, a tuple of the objects that went in, one for each arrow,
# - `slopes`, a tuple of the slopes on these arrows,
# - `serial`, how many objects were made before it, read from a counter: `next(clock)` returns 0, then 1, then 2. An
# object is made after its parents, so its `serial` is larger than theirs.
#
# What happens at `a + b`? Python calls the method `a.__add__(b)`, so a class decides what `+` does with its objects.
# If `a` is a plain number that does not know what to do with `b`, Python tries `b.__radd__(a)`.
#
# **Predict.** A class has `__mul__` and no `__rmul__`. Let `x` be one of its objects. What does `2 * x` do?
#
# - a) it works like `x * 2`
# - b) TypeError

# %% exercise="from_the_left"
### BEGIN SOLUTION
from_the_left = "b"
### END SOLUTION
check("from_the_left")

# %% [markdown]
# **Build.** Finish the class. `__add__` and `__mul__` return a new `Number`, with the slopes of lesson 2. `number(x)`
# makes a Number of a plain number, so that `x + 1` works as well.

# %%
clock = count()


def number(x):
    return x if isinstance(x, Number) else Number(float(x))


# %% exercise="Number"
class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.serial = next(clock)

    def __repr__(self):
        return f"Number({self.value:g})"

    def __add__(self, other):
        ### BEGIN SOLUTION
        other = number(other)
        return Number(self.value + other.value, "add", (self, other), (1.0, 1.0))
        ### END SOLUTION

    def __mul__(self, other):
        ### BEGIN SOLUTION
        other = number(other)
        return Number(self.value * other.value, "multiply", (self, other), (other.value, self.value))
        ### END SOLUTION

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other


check("Number")

# %% [markdown]
# Once it passes, `viz` draws its graphs; `value` and `parents` are all it needs. Try `x = Number(3.0); viz.forward(x *
# x + x)`.
#
# ## 2 · Four ways to fail
#
# Before you write the walk, meet the wrong ones. The graphs of this part are made by hand, of a second class, `Node`:
# they work whatever your `Number` does. `four_x` is $4x$, made of two doublings, `diamond` is $b + b \cdot b$ with
# $b = 2x$, and `chain` is as long as you like. The walks call `tell` so that they can be drawn. Read past it for now.


# %%
class Node:
    def __init__(self, value, op="", parents=(), slopes=(), name=""):
        self.value, self.op, self.parents, self.slopes, self.name = value, op, parents, slopes, name
        self.serial = next(clock)


def silent(*message):
    pass


def four_x(x):
    s = Node(2 * x.value, "add", (x, x), (1.0, 1.0), "s")
    return Node(4 * x.value, "add", (s, s), (1.0, 1.0), "y")


def diamond(x):
    b = Node(2 * x.value, "double", (x,), (2.0,), "b")
    square = Node(b.value**2, "multiply", (b, b), (b.value, b.value))
    return Node(b.value + square.value, "add", (b, square), (1.0, 1.0), "y")


def chain(x, length):
    for _ in range(length):
        x = Node(0.9999 * x.value, "scale", (x,), (0.9999,))
    return x


# %% [markdown]
# ### Right, and yet
#
# The shortest walk of all: each box passes on every message as soon as it arrives.


# %%
def by_recursion(y, tell=silent):
    gradient = {y: 0.0}

    def send(node, message):
        gradient[node] = gradient.get(node, 0.0) + message
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            tell(node, i, message * slope, gradient.get(parent, 0.0) + message * slope)
            send(parent, message * slope)

    send(y, 1.0)
    return gradient


x = Node(3.0, name="x")
print("4x     ", by_recursion(four_x(x))[x])
print("diamond", by_recursion(diamond(x))[x])

# %% [markdown]
# 4 and 26: both are right. What could be wrong with it?
#
# **Predict.** What does this walk do on a chain of 10,000 steps?
#
# - a) it is slow, but right
# - b) RecursionError
# - c) a wrong number

# %% exercise="deep_chain"
### BEGIN SOLUTION
deep_chain = "b"
### END SOLUTION
check("deep_chain")

# %% tags=["after-prediction"]
x = Node(1.0, name="x")
try:
    print("found", by_recursion(chain(x, 10_000))[x], " right", 0.9999**10_000)
except Exception as error:
    print(type(error).__name__)

# %% [markdown]
# ### 6 instead of 4
#
# The dict already has the sum. Why not send that?


# %%
def sends_total(y, tell=silent):
    gradient = {y: 1.0}

    def send(node):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = gradient[node] * slope
            gradient[parent] = gradient.get(parent, 0.0) + message
            tell(node, i, message, gradient[parent])
            send(parent)

    send(y)
    return gradient


x = Node(3.0, name="x")
viz.backward(four_x(x), by=sends_total)

# %% [markdown]
# **Look: why does `x` get 6?** Step to the end. `s` sends after each message that arrives, and each time it sends its
# total. So what came first is sent again.
#
# ### A walk that stores
#
# Then visit each box only once, and store what arrives.


# %%
def stores(y, tell=silent):
    gradient, queue = {y: 1.0}, [y]
    for node in queue:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            gradient[parent] = gradient[node] * slope
            tell(node, i, gradient[parent], gradient[parent])
            if parent not in queue:
                queue.append(parent)
    return gradient


# %% [markdown]
# **Predict.** What does this walk find for the slope of $x \cdot x$ at 3?

# %% exercise="stored_slope"
### BEGIN SOLUTION
stored_slope = 3.0
### END SOLUTION
check("stored_slope")

# %% tags=["after-prediction"]
x = Node(3.0, name="x")
viz.backward(Node(9.0, "multiply", (x, x), (3.0, 3.0), "y"), by=stores)

# %% [markdown]
# **Look: what does the second message do?** Step forward. Two messages of 3 arrive at `x`, and in the end it has 3.
# The second replaced the first.
#
# ### 2 instead of 26
#
# You know this one from lesson 2: first come, first served. What would always be right?
#
# **Predict.** Each box sends once. Which order is right for every graph?
#
# - a) first come, first served
# - b) depth first: each box sends as soon as it is first reached
# - c) the largest value first
# - d) the newest first

# %% exercise="right_order"
### BEGIN SOLUTION
right_order = "d"
### END SOLUTION
check("right_order")

# %% [markdown] tags=["after-prediction"]
# A larger `serial` means newer. Collect all numbers behind a result and sort them, the newest first. An order in which
# each box comes before those that use it is a **topological order**. The walk takes it from its end.

# %% [markdown]
# ## 3 · The order
#
# **Build.** Write `order_nodes(y)`: the list of `y` and all that it was made from, each once, in the order
# they may send. Write it without recursion, since a long chain would exceed Python's limit: keep a list of the nodes
# still to visit, and a set of those already found. A set has no order: sort it at the end.


# %% exercise="order_nodes"
def order_nodes(y):
    ### BEGIN SOLUTION
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found, key=lambda node: node.serial, reverse=True)
    ### END SOLUTION


check("order_nodes")

# %% [markdown]
# ## 4 · The walk
#
# **Build.** Now the walk itself, six lines. `backward(y)` returns a dict: for each node of `order_nodes(y)`, its
# gradient. Make a new dict in each call: what a walk keeps, in the nodes or in a default argument, the next one would
# add to.
#
# To see your walk drawn, call `tell(node, i, message, held)` after each message: the sender, the position of the
# receiver in `node.parents`, the number sent, and the gradient of the receiver so far. The check does not need it.


# %% exercise="backward"
def backward(y, tell=silent):
    ### BEGIN SOLUTION
    gradient = {node: 0.0 for node in order_nodes(y)}
    gradient[y] = 1.0
    for node in gradient:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = gradient[node] * slope
            gradient[parent] += message
            tell(node, i, message, gradient[parent])
    return gradient
    ### END SOLUTION


check("backward")

# %% [markdown]
# Once it passes, you have an engine. If your walk calls `tell`, it can be drawn: run
# `x = Number(3.0); b = 2 * x; viz.backward(b + b * b, by=backward)`. This is the graph of lesson 2, with a box for the
# constant 2, and every number in it is yours. minigrad has the same walk, for arrays, in `minigrad/core/backward.py`;
# you can read it now.
#
# ## One sentence to keep
#
# > **Forty lines are enough: remember value, parents, slopes; walk newest first; add up what arrives; keep nothing.**
#
# Your engine computes with single numbers. What if a number is an array, and a small one is used in every row of a
# large one? How large is its gradient? [Lesson 5](05_copied_forward_added_back.ipynb) begins with a shape that is
# wrong.

# %%
check.questions()

# %% [markdown]
# ## More: every path by itself
#
# The recursive walk of part 2 has another weakness.
#
# **Predict.** How often does `by_recursion` call `send` on 20 doublings, `y = y + y` twenty times?
#
# - a) 21 times
# - b) 40 times
# - c) about a million times
# - d) about two million times

# %% exercise="calls_of_send"
### BEGIN SOLUTION
calls_of_send = "d"
### END SOLUTION
check("calls_of_send")

# %% [markdown] tags=["after-prediction"]
# 2,097,151 times, for 40 arrows. Every number is right. But the walk takes every path separately, also those that end
# at a box in the middle: 1 + 2 + 4 + ... + $2^{20}$ calls. Each doubling doubles the paths. Thirty doublings would
# take a thousand times as long.

# %% [markdown]
# ## More: nothing crashes
#
# PyTorch training loops call `zero_grad()` before each backward pass. Leave it out, and nothing crashes; the gradients
# are just wrong. Here is that bug in its smallest form: an engine that keeps its gradients in the nodes.


# %%
def keeps(nodes):
    nodes[0].gradient = 1.0
    for node in nodes:
        for parent, slope in zip(node.parents, node.slopes):
            parent.gradient = getattr(parent, "gradient", 0.0) + node.gradient * slope


x = Node(3.0, name="x")
square = Node(9.0, "multiply", (x, x), (3.0, 3.0))
y = Node(12.0, "add", (square, x), (1.0, 1.0))
keeps([y, square, x])
print("after the first walk ", x.gradient)

# %% [markdown]
# 7 is right. The graph stays as it is, and the walk runs once more.
#
# **Predict.** Which gradient does `x` have afterwards?

# %% exercise="second_walk"
### BEGIN SOLUTION
second_walk = 20.0
### END SOLUTION
check("second_walk")

# %% tags=["after-prediction"]
keeps([y, square, x])
print("after the second walk", x.gradient)

# %% [markdown] tags=["after-prediction"]
# Not even 7 + 7. The box in the middle still had its 1 from the first walk. It got 1 more, and sent 2 · 3 along both
# arrows.

# %% [markdown]
# ## More: one more op
#
# An engine grows by one op at a time: a value, its parents, its slopes. The walk stays as it is.
#
# **Build.** Write `exp(x)` for a Number. It has one parent, and its slope is a number that you have already.


# %% exercise="exp"
def exp(x):
    ### BEGIN SOLUTION
    y = math.exp(x.value)
    return Number(y, "exp", (x,), (y,))
    ### END SOLUTION


check("exp")

# %% [markdown]
# Is it right inside other ops, too? Let the judge of [lesson 3](03_can_you_trust_a_gradient.ipynb) decide.
# For `f = lambda x: exp(x * x) + 3 * x`, compare `backward(f(x))[x]` at `x = Number(0.5)` with
# `(f(Number(0.5 + h)).value - f(Number(0.5 - h)).value) / (2 * h)` for `h = 1e-5`. Both are 4.2840.
#
# ## More: the same in other libraries
#
# micrograd keeps gradients in the nodes, as `keeps` does, and gives the same. PyTorch adds up only in the leaves,
# its inputs and parameters: a second walk over this graph needs `retain_graph=True` in the first, and gives 14. Over a
# new graph it also gives 14, which is why training loops call `zero_grad()`. In TensorFlow a tape can be used once,
# unless it is made persistent. JAX and minigrad return the gradients and keep nothing.

# %%
check()
