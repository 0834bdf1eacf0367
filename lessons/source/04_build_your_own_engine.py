# %% [markdown]
# # 4 · Build your own engine
#
# You know the two halves. A number remembers how it was made ([lesson 1](01_a_function_is_a_graph.ipynb)), and a walk
# from the result back to the inputs finds the slopes ([lesson 2](02_the_chain_rule_walks_backwards.ipynb)). Put them
# together and you have an engine: about forty lines of Python that differentiate any program of additions and
# multiplications, however long. In this lesson you write it, and see five ways in which it could go wrong.
#
# It takes about 40 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import math
from itertools import count

import viz
from minigrad.classroom import lesson

check = lesson("04")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Numbers that remember
#
# In lesson 1 a graph was a list of rows. Now each row becomes an object. It holds
#
# - `value`, the number itself,
# - `op`, the name of the operation that made it, or `""` for an input,
# - `parents`, a tuple of the objects that went in, one for each argument,
# - `slopes`, a tuple of local derivatives, one for each parent,
# - `birth`, how many objects were made before it, read from a counter: `next(clock)` returns 0, then 1, then 2. An
# object is made after its parents, so its `birth` is larger than theirs.
#
# When Python meets `a + b`, it calls the method `a.__add__(b)`. So a class may say what `+` does with its objects. If
# `a` is a plain number that does not know what to do with `b`, Python tries `b.__radd__(a)`.
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
# **Build.** Finish the class: `__add__` and `__mul__` return a new `Number`. Its slopes are the local derivatives of
# lesson 2. `number(x)` converts a plain number to a Number, so that `x + 1` works as well. The last two methods, which
# are given, allow the plain number on the left, as in `1 + x`.

# %%
clock = count()


def number(x):
    return x if isinstance(x, Number) else Number(float(x))


# %% exercise="Number"
class Number:
    def __init__(self, value, op="", parents=(), slopes=()):
        self.value, self.op, self.parents, self.slopes = value, op, parents, slopes
        self.birth = next(clock)

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
# When it is right, `viz` can draw its graphs, as it needs no more than `value` and `parents`: `x = Number(3.0);
# viz.forward(x * x + x)`.
#
# ## 2 · Five ways to fail
#
# Before you write the walk, see how it fails. The graphs of this part are made by hand, so that you can run it at
# once. To be drawn, a walk calls `tell(node, i, message, held)` after each message: `node` is the sender, `i` the
# place of the receiver in `node.parents`, `message` the number sent, and `held` the adjoint of the receiver
# afterwards. `silent` is a `tell` that does nothing.


# %%
class Node:
    def __init__(self, value, op="", parents=(), slopes=(), name=""):
        self.value, self.op, self.parents, self.slopes, self.name = value, op, parents, slopes, name
        self.birth = next(clock)


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
# `four_x` is $4x$, made of two doublings. `diamond` is $b + b \cdot b$ with $b = 2x$. `chain` is as long as you like.
#
# ### A walk that calls itself
#
# The shortest walk: each node passes every message on as soon as it arrives.


# %%
def by_recursion(y, tell=silent):
    adjoint = {y: 0.0}

    def send(node, message):
        adjoint[node] = adjoint.get(node, 0.0) + message
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            tell(node, i, message * slope, adjoint.get(parent, 0.0) + message * slope)
            send(parent, message * slope)

    send(y, 1.0)
    return adjoint


x = Node(3.0, name="x")
print("4x     ", by_recursion(four_x(x))[x])
print("diamond", by_recursion(diamond(x))[x])

# %% [markdown]
# 4 and 26: both are right.
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
try:
    by_recursion(chain(Node(1.0), 10_000))
except RecursionError:
    print("RecursionError")

# %% [markdown]
# **Predict.** And on 20 doublings, `y = y + y` twenty times? How often is `send` called?
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
# It walks every path separately, also those that end at a node in the middle: 1 + 2 + 4 + ... + $2^{20}$ calls. Each
# doubling doubles the paths. Thirty doublings would take a thousand times longer than twenty.
#
# ### A walk that sends its total
#
# The dict already holds the sum. What happens if a node sends that instead?


# %%
def sends_total(y, tell=silent):
    adjoint = {y: 1.0}

    def send(node):
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] = adjoint.get(parent, 0.0) + message
            tell(node, i, message, adjoint[parent])
            send(parent)

    send(y)
    return adjoint


x = Node(3.0, name="x")
viz.backward(four_x(x), by=sends_total)

# %% [markdown]
# *What to look at:* step to the end: `x` gets 6 in place of 4. `s` sends after each message that arrives, and each time
# it sends all that it holds. What came first is sent again.
#
# ### A walk that stores
#
# Visit each node once, and store the message in place of adding it.


# %%
def stores(y, tell=silent):
    adjoint, queue = {y: 1.0}, [y]
    for node in queue:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            adjoint[parent] = adjoint[node] * slope
            tell(node, i, adjoint[parent], adjoint[parent])
            if parent not in queue:
                queue.append(parent)
    return adjoint


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
# *What to look at:* step forward: two messages of 3 arrive at `x`, and it holds 3. The second replaced the first.
#
# ### A walk that leaves its numbers behind
#
# Some engines keep the adjoint in the node itself. Then the next walk meets what the last one left.


# %%
def keeps(nodes):
    nodes[0].adjoint = 1.0
    for node in nodes:
        for parent, slope in zip(node.parents, node.slopes):
            parent.adjoint = getattr(parent, "adjoint", 0.0) + node.adjoint * slope


x = Node(3.0, name="x")
square = Node(9.0, "multiply", (x, x), (3.0, 3.0))
y = Node(12.0, "add", (square, x), (1.0, 1.0))
keeps([y, square, x])
print("after the first walk ", x.adjoint)

# %% [markdown]
# 7 is right. The graph stays as it is, and the walk runs once more.
#
# **Predict.** What does `x` hold afterwards?

# %% exercise="second_walk"
### BEGIN SOLUTION
second_walk = 20.0
### END SOLUTION
check("second_walk")

# %% tags=["after-prediction"]
keeps([y, square, x])
print("after the second walk", x.adjoint)

# %% [markdown]
# ### A walk in the wrong order
#
# You know this one from lesson 2: first come, first served, 2 instead of 26. What would always be right?
#
# **Predict.** Each node sends once. Which order is right for every graph?
#
# - a) first come, first served
# - b) depth first: each node sends as soon as it is first reached
# - c) the largest value first
# - d) the newest first

# %% exercise="right_order"
### BEGIN SOLUTION
right_order = "d"
### END SOLUTION
check("right_order")

# %% [markdown]
# ## 3 · The order
#
# Each node knows its birth. Collect all nodes that a result was made from and sort them. An order in which each node
# comes before those that use it is called a **topological order**. The walk needs its reverse.
#
# **Build.** Write `order_nodes(y)`: the list of `y` and all that it was made from, in that order, each once. Write it
# without recursion, as a long chain would exceed Python's limit: keep a list of the nodes still to visit, and a set of
# those already found.


# %% exercise="order_nodes"
def order_nodes(y):
    ### BEGIN SOLUTION
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found, key=lambda node: node.birth, reverse=True)
    ### END SOLUTION


check("order_nodes")

# %% [markdown]
# ## 4 · The walk
#
# **Build.** Write `backward(y)`. It returns a dict that holds the adjoint of each node of `order_nodes(y)`. Start from
# a fresh dict, and keep nothing in the nodes, so that a second call returns the same. To look at your walk, call
# `tell(node, i, message, held)` after each message, as the walks above do; `held` is the adjoint of the parent with
# this message added. The check does not need it.


# %% exercise="backward"
def backward(y, tell=silent):
    ### BEGIN SOLUTION
    adjoint = {node: 0.0 for node in order_nodes(y)}
    adjoint[y] = 1.0
    for node in adjoint:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            message = adjoint[node] * slope
            adjoint[parent] += message
            tell(node, i, message, adjoint[parent])
    return adjoint
    ### END SOLUTION


check("backward")

# %% [markdown]
# When it is right, this is yours: `x = Number(3.0); b = 2 * x; viz.backward(b + b * b, by=backward)`.
#
# ## 5 · One op more
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
# Now use the test of [lesson 3](03_finite_differences.ipynb): for `f = lambda x: exp(x * x) + 3 * x`, compare
# `backward(f(x))[x]` at `x = Number(0.5)` with `(f(Number(0.5 + h)).value - f(Number(0.5 - h)).value) / (2 * h)` for
# `h = 1e-5`. Both are 4.2840.
#
# ## 6 · The real one
#
# minigrad's own engine has the same walk, for arrays. It is in `minigrad/core/backward.py`; you can read it now.
#
# ## In other libraries
#
# micrograd keeps adjoints in the nodes, as `keeps` does: a second walk gives 20. PyTorch adds up in the leaves only
# (inputs and parameters): a second walk over this graph needs `retain_graph=True` in the first, and gives 14. Over a
# new graph it also gives 14, which is why training loops call `zero_grad()`. In TensorFlow a tape can be used once,
# unless it is made persistent. JAX and minigrad return the gradients and keep nothing.
#
# ## One sentence to keep
#
# > **Forty lines are enough: remember value, parents, slopes; walk newest first; add up what arrives; keep nothing.**
#
# In lesson 5 the numbers become arrays, and a gradient gets a shape.

# %%
check()
