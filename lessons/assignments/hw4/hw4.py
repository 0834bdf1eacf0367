# %% [markdown]
# # Assignment: an engine without a clock
#
# It belongs to lesson 4. You write an engine for numbers once more, with division, and with nodes that have no serial:
# the order follows from the graph alone. Your answers are checked as you write them. When they are graded, further
# checks run, on graphs that you do not see here.

# %%
import math

from minigrad.classroom import assignment

check = assignment("hw4")

# %% [markdown]
# ## 1 · Two ways
#
# Let $a = x + 1$, $b = x \cdot x$ and $y = a \cdot b$.
#
# **Predict.** What is the slope of $y$ for $x$ at $x = 2$?

# %% exercise="two_ways"
### BEGIN SOLUTION
two_ways = 16
### END SOLUTION
check("two_ways")

# %% [markdown]
# ## 2 · Values that remember
#
# A `Value` has `value`, a number, `parents`, a tuple of the Values that it was made from, and `slopes`, a tuple of
# slopes, one for each parent.
#
# **Build.** Finish the class: `+`, `*` and `/` return a new `Value`. `value_of(x)` makes a Value of a plain number, so
# that `x + 1` works too. What follows from these three is given.


# %%
def value_of(x):
    return x if isinstance(x, Value) else Value(float(x))


# %% exercise="Value"
class Value:
    def __init__(self, value, parents=(), slopes=()):
        self.value, self.parents, self.slopes = value, parents, slopes

    def __add__(self, other):
        ### BEGIN SOLUTION
        other = value_of(other)
        return Value(self.value + other.value, (self, other), (1.0, 1.0))
        ### END SOLUTION

    def __mul__(self, other):
        ### BEGIN SOLUTION
        other = value_of(other)
        return Value(self.value * other.value, (self, other), (other.value, self.value))
        ### END SOLUTION

    def __truediv__(self, other):
        ### BEGIN SOLUTION
        other = value_of(other)
        quotient = self.value / other.value
        return Value(quotient, (self, other), (1 / other.value, -quotient / other.value))
        ### END SOLUTION

    def __sub__(self, other):
        return self + (-1) * value_of(other)

    def __radd__(self, other):
        return value_of(other) + self

    def __rmul__(self, other):
        return value_of(other) * self

    def __rsub__(self, other):
        return value_of(other) - self

    def __rtruediv__(self, other):
        return value_of(other) / self


check("Value")

# %% [markdown]
# ## 3 · An order from the graph alone
#
# Without a serial, nothing can be sorted. But a node may send as soon as all nodes that use it have sent.
#
# **Build.** Write `order_nodes(y)`: a list of `y` and all that it was made from, each once, and each before its
# parents. Any such order is right. Graphs may be deep, and they may have many ways.


# %% exercise="order_nodes"
def order_nodes(y):
    ### BEGIN SOLUTION
    uses, stack = {y: 0}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in uses:
                uses[parent] = 0
                stack.append(parent)
            uses[parent] += 1
    order = [y]
    for node in order:
        for parent in node.parents:
            uses[parent] -= 1
            if uses[parent] == 0:
                order.append(parent)
    return order
    ### END SOLUTION


check("order_nodes")

# %% [markdown]
# ## 4 · Gradients
#
# **Build.** Write `gradients(y, inputs)`: the list of the gradients of `y` for each node in the list `inputs`. They may
# be any nodes. For one that `y` does not use the gradient is `0.0`. Leave nothing in the nodes.


# %% exercise="gradients"
def gradients(y, inputs):
    ### BEGIN SOLUTION
    gradient = {node: 0.0 for node in order_nodes(y)}
    gradient[y] = 1.0
    for node in gradient:
        for parent, slope in zip(node.parents, node.slopes):
            gradient[parent] += gradient[node] * slope
    return [gradient.get(node, 0.0) for node in inputs]
    ### END SOLUTION


check("gradients")

# %% [markdown]
# ## 5 · One function more
#
# **Build.** Write `tanh(x)` for a Value. Its slope can be written with the result alone.


# %% exercise="tanh"
def tanh(x):
    ### BEGIN SOLUTION
    y = math.tanh(x.value)
    return Value(y, (x,), (1 - y * y,))
    ### END SOLUTION


check("tanh")

# %%
check()
