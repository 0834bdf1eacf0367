# %% [markdown]
# # 1 · A function is a graph
#
# To compute a gradient, a library needs a record of how the result was computed. It does not read your code for this:
# each number stores which operation made it, and from which arguments. In this lesson you see this record, draw it,
# write it as a list, and walk through it.
#
# It takes about 30 minutes. In each part you *see* something, *predict* what comes next, *run* it, and *build*
# something small that is checked at once. Run the cells from top to bottom (Shift+Enter).

# %%
import math

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("01")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Where did the loop go?
#
# Here is a function with a loop. It squares a number until the result is at least 100.


# %%
def square_until_100(x):
    y = x
    while y < 100:
        y = y * y
    return y


y = square_until_100(mg.constant(3.0))
print(y)
viz.forward(y)

# %% [markdown]
# *What to look at:* each **box** is a number and the operation that made it (for short, its **op**). An **arrow** is
# one use of a number as an argument. A box that no op made is an **input**. (A constant of the formula has no box; it
# stands in the box of the op that uses it.) All boxes and arrows together are the **graph** of `y`.
#
# There is no `while` in the graph, and no comparison. (The picture takes the name `y` from your program; the graph has
# no names.) The graph records the operations that were run, not the code.
#
# **Predict.** How many boxes does the graph of `square_until_100` have at $x = 1.5$? Count the input, too.

# %% exercise="boxes_at_1_5"
### BEGIN SOLUTION
boxes_at_1_5 = 5
### END SOLUTION
check("boxes_at_1_5")

# %% tags=["after-prediction"]
viz.forward(square_until_100(mg.constant(1.5)))

# %% [markdown]
# *What to look at:* the input and four multiplications. One function has many graphs. At 20 the loop runs once, and at
# 100 it does not run at all: then the result is the input itself, one box without an arrow. Try
# `viz.forward(square_until_100(mg.constant(20.0)))`. (Not with a number from -1 to 1: there the loop would not end.)
#
# ## 2 · Two arrows from one box
#
# Here is another result.

# %%
x = mg.constant(3.0)
s = x * x
y = s + x

# %% [markdown]
# **Predict.** How many arrows enter the box of `s = x * x`?

# %% exercise="arrows_into_square"
### BEGIN SOLUTION
arrows_into_square = 2
### END SOLUTION
check("arrows_into_square")

# %% [markdown]
# **Predict.** How many boxes and arrows does the whole graph of `x * x + x` have?
#
# - a) 3 boxes, 4 arrows
# - b) 4 boxes, 4 arrows
# - c) 3 boxes, 3 arrows
# - d) 5 boxes, 4 arrows

# %% exercise="size_of_graph"
### BEGIN SOLUTION
size_of_graph = "a"
### END SOLUTION
check("size_of_graph")

# %% tags=["after-prediction"]
viz.forward(y).start()

# %% [markdown]
# *What to look at:* press the button that steps forward. Each step adds the box that is made next, with an arrow from
# each number that it used.
#
# A number that is used more than once is **shared**. `x` is shared: three arrows leave it, two to `s` and one to `y`.
#
# **Predict.** Now let `s = x * x` and `z = s * s`. How many boxes of the op *multiply* does the graph of `z` have?

# %% exercise="multiplications_shared"
### BEGIN SOLUTION
multiplications_shared = 2
### END SOLUTION
check("multiplications_shared")

# %% tags=["after-prediction"]
s = x * x
z = s * s
viz.forward(z)

# %% [markdown]
# *What to look at:* `z` is 81, and so is `x * x * x * x`, which takes three multiplications. The graph tells how a
# number was computed. Two formulas with the same value may have different graphs.
#
# ## 3 · A graph written down
#
# A graph can also be written down as a list, for a program. In lessons 1 and 2 a **graph is a list of rows**, one for
# each box, in the order in which the boxes were made; in the list a constant has a row as well. In this lesson a
# **row** is a pair. The first entry is the op, or the name of an input, or the value of a constant. The second is the
# list of the row numbers of its arguments, counted from 0.
#
# - `("x", [])` is an input called x.
# - `(1.0, [])` is a constant of the formula.
# - `("multiply", [0, 0])` multiplies the value of row 0 by the value of row 0.
#
# The graph of `x * x + x` is then this list:

# %%
square_plus_x = [
    ("x", []),  # row 0
    ("multiply", [0, 0]),  # row 1: x * x
    ("add", [1, 0]),  # row 2: x * x + x
]

# %% [markdown]
# A number of minigrad, a **Tensor**, holds the same two things: its op and its arguments.

# %%
y = x * x + x
print(y.op, y.args)

# %% [markdown]
# **Build.** Write `draw_by_hand()`. It returns the list of rows of
#
# $$(a + b) \cdot (b + 1).$$
#
# Draw the boxes on paper first, with a box for the constant: there are six boxes.


# %% exercise="draw_by_hand"
def draw_by_hand():
    ### BEGIN SOLUTION
    return [
        ("a", []),
        ("b", []),
        ("add", [0, 1]),
        (1.0, []),
        ("add", [1, 3]),
        ("multiply", [2, 4]),
    ]
    ### END SOLUTION


check("draw_by_hand")

# %% [markdown]
# **Build.** Write `count_arrows(graph)`. It returns the number of arrows in a graph that is written as a list of rows.


# %% exercise="count_arrows"
def count_arrows(graph):
    ### BEGIN SOLUTION
    return sum(len(arguments) for op, arguments in graph)
    ### END SOLUTION


check("count_arrows")

# %% [markdown]
# The list is enough to compute the value again, at other inputs as well: the row of an op comes after the rows that it
# uses, so one walk from the first row to the last will do. This walk is the **forward pass**.
#
# **Build.** Write `evaluate_graph(graph, inputs)`. It returns the value of the last row. `inputs` is a dict, such as
# `{"x": 3.0}`, and `OPS` below holds the function of each op.

# %%
OPS = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "exp": math.exp}


# %% exercise="evaluate_graph"
def evaluate_graph(graph, inputs):
    ### BEGIN SOLUTION
    values = []
    for op, arguments in graph:
        if arguments:
            values.append(OPS[op](*[values[i] for i in arguments]))
        else:
            values.append(inputs[op] if isinstance(op, str) else op)
    return values[-1]
    ### END SOLUTION


check("evaluate_graph")

# %% [markdown]
# ## 4 · What the record does not hold
#
# **Predict.** First `x = mg.constant(3.0)` and `y = x * x + x`, and then `x = mg.constant(100.0)`. What is `y`
# afterwards?
#
# - a) `12.0`
# - b) `10100.0`
# - c) an error

# %% exercise="name_moved"
### BEGIN SOLUTION
name_moved = "a"
### END SOLUTION
check("name_moved")

# %% tags=["after-prediction"]
x = mg.constant(3.0)
y = x * x + x
x = mg.constant(100.0)
print(y)

# %% [markdown]
# A graph holds numbers, not names. The old 3.0 is still there, inside `y`, although no name leads to it any more.
#
# A number is recorded only if the op is one of minigrad's. The next cell takes a square root with Python's `math`.
#
# **Predict.** How many arrows leave `x` in the graph of `math.sqrt(x) + x`?

# %% exercise="arrows_after_sqrt"
### BEGIN SOLUTION
arrows_after_sqrt = 1
### END SOLUTION
check("arrows_after_sqrt")

# %% tags=["after-prediction"]
x = mg.constant(3.0)
y = math.sqrt(x) + x
viz.forward(y)

# %% [markdown]
# *What to look at:* 1.732 stands in the box of `add`, without an arrow from `x`. `math.sqrt` made a plain number of
# `x`, and a plain number remembers nothing. The slope of this result would come out as 1; the true one is 1.2887. With
# `mg.sqrt` the arrow is there.
#
# ## 5 · Thirty doublings
#
# `y = y + y`, thirty times:

# %%
y = mg.constant(1.0)
for _ in range(30):
    y = y + y

# %% [markdown]
# The graph has 31 boxes and 60 arrows. A **path** leads along arrows, from the input to the result; at a box with two
# arrows there are two choices.
#
# **Predict.** How many paths lead from the input to the result?
#
# - a) 30
# - b) 60
# - c) 2 to the power of 30, which is 1,073,741,824
# - d) 31

# %% exercise="paths"
### BEGIN SOLUTION
paths = "c"
### END SOLUTION
check("paths")

# %% [markdown]
# They need not be walked one by one: they can be counted with one walk over the rows, from the last to the first: the
# result has one path to itself, and a row has, for each arrow that leaves it, the paths of the row where that arrow
# ends.
#
# **Build.** Write `count_paths(graph)`: the number of paths from row 0 to the last row.


# %% exercise="count_paths"
def count_paths(graph):
    ### BEGIN SOLUTION
    paths = [0] * len(graph)
    paths[-1] = 1
    for row in reversed(range(len(graph))):
        for i in graph[row][1]:
            paths[i] += paths[row]
    return paths[0]
    ### END SOLUTION


check("count_paths")

# %% [markdown]
# Keep this function in mind. In lesson 2 you add one factor to it.
#
# ## In other libraries
#
# All of them record a graph, and the record looks much the same. JAX prints it as rows, as you did:
# `jax.make_jaxpr(lambda x: x*x + x)(3.0)` shows `b = mul a a` and `c = add b a`. In PyTorch `y.grad_fn.next_functions`
# holds the arrows. They differ in details. PyTorch and minigrad record a `while` that depends on values step by step.
# `jax.jit`, which compiles a function, raises an error, because it has no values while it records. `math.sqrt(x)` ends
# the record: of a PyTorch tensor with a warning, of a TensorFlow Variable silently. Inside `jax.grad`, and inside
# minigrad's `mg.grad`, which returns gradients as well, it is an error.
#
# ## One sentence to keep
#
# > **Every number remembers how it was made: a box for each number, an arrow for each use.**
#
# In [lesson 2](02_the_chain_rule_walks_backwards.ipynb) something travels along the arrows, from the result to the
# inputs.

# %%
check()
