# %% [markdown]
# # 1 · What a number remembers
#
# *35 minutes, 2 functions · more: 20 minutes, 2 functions*
#
# Here is a loop that squares a number until it reaches 100. From 3 it runs three times, from 20 once: two different
# formulas. How does a library keep up? It doesn't read your code. Each number carries a note: which operation made it,
# and from what. In this lesson you read these notes, draw them, and walk through them.

# %%
import math

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("01")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Where did the loop go?


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
# **Look: where is the `while`?** Nowhere. There is no loop in the picture and no comparison, only the three
# multiplications that were run. The notes keep what happened, not the code.
#
# Each **box** is a number: 3, then 9, 81 and 6561. Its *value* comes after the =. The box also names the operation
# that made it, for short its **op**. Where several boxes have the same op, a number tells them apart, as in
# `multiply#1`: boxes are counted from 0, in the order they were made. An **arrow** is one use of a number as
# an argument. A box that no op made is an **input**. All boxes and arrows together are the **graph** of `y`.
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
# **Look: what changed, compared with 3?** One more multiplication: the input and four of them.
#
# One function, many graphs. At 20 the loop runs once. At 100 it doesn't run at all: then the result *is* the input,
# one box without an arrow. Try 20.0 instead of the 3.0 above, but not a number from -1 to 1: with those, the loop
# would never end.
#
# ## 2 · One number, used again
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
# **Look: how often is `x` used?** Step forward with the button. Each step adds the box that is made next, with an
# arrow from each number that it used. Three arrows leave `x`: two to `s`, one to `y`.
#
# A number that is used more than once is **shared**.
#
# ## 3 · The notes as a list
#
# A picture is for you. A program takes the same notes as a list, with a **row** for each box, in the order they
# were made. This is $x \cdot x + x$:

# %%
square_plus_x = [
    ("x", []),  # row 0
    ("multiply", [0, 0]),  # row 1: x * x
    ("add", [1, 0]),  # row 2: x * x + x
]

# %% [markdown]
# A row is a pair. First comes the op, and then the list of its arguments, each by its row number, counted from 0. So
# `("multiply", [0, 0])` multiplies the value of row 0 by itself. An input has its name instead of an op, and no
# arguments. A constant of the formula, such as the 1 in $b + 1$, has a row as well: `(1.0, [])`. The pictures leave
# this box out and write the 1 behind the op.
#
# The numbers of minigrad are **Tensors**, and each has the same two parts:

# %%
y = x * x + x
print(y.op, y.args)

# %% [markdown]
# **Build.** Write `draw_by_hand()`. It returns the list of rows of
#
# $$(a + b) \cdot (b + 1).$$
#
# Draw the boxes on paper first. With one for the constant there are six.


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

# %% tags=["after-prediction"]
a, b = mg.constant(2.0), mg.constant(1.0)
viz.forward((a + b) * (b + 1))

# %% [markdown]
# **Look: is it the one on your paper?** `b` is one box with two arrows. The constant is in the box of its
# sum: `add#4 1` is row 4, which adds 1.

# %% [markdown]
# ## 4 · Thirty doublings
#
# `y = y + y`, thirty times:

# %%
y = mg.constant(1.0)
for _ in range(30):
    y = y + y

# %% [markdown]
# The graph has 31 boxes and 60 arrows. A **path** follows arrows to the result. Where several arrows leave a box, it
# takes one of them. Begin with a small graph, $x \cdot x + x$ again.
#
# **Predict.** How many paths lead from `s`, and how many from `x`, to the result? Type both numbers into the picture,
# and press *Check*. (Without a mouse, in a new cell: `small_paths.answer = [2, 2]`.)

# %%
x = mg.constant(3.0)
s = x * x
words = "How many paths lead from s and from x to the result?"
small_paths = check.picture("small_paths", viz.forward(s + x), "s", "x", words=words)
small_paths

# %% exercise="small_paths"
### BEGIN SOLUTION
small_paths.answer = [1, 3]
### END SOLUTION
check("small_paths")

# %% [markdown]
# Now the thirty doublings.
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
# You don't have to walk them. Start at the end: the last row has one path to itself. From any other row, a path begins
# with one of its arrows. So a row adds, for each arrow that leaves it, the count of the row where this arrow ends. One
# walk over the rows, from the last to the first, counts them all.
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
# ## One sentence to keep
#
# > **Every number remembers how it was made: a box for each number, an arrow for each use.**
#
# Keep `count_paths`. In [lesson 2](02_the_chain_rule_walks_backwards.ipynb) you multiply by one more number at each
# arrow, and the same walk stops counting paths and starts finding slopes.

# %%
check.questions()

# %% [markdown]
# ## In other libraries
#
# JAX prints its graph as rows, as you did: `jax.make_jaxpr(lambda x: x*x + x)(3.0)` shows `b = mul a a` and `c = add b
# a`. In PyTorch, `y.grad_fn.next_functions` holds the arrows. PyTorch and minigrad record a `while` that depends on
# values step by step; `jax.jit`, which compiles a function, raises an error, because it has no values while it
# records.

# %% [markdown]
# ## More: the same value, another graph
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
# **Look: is this the graph of `x * x * x * x`?** No, although both are 81. That formula takes three multiplications.
#
# A graph says how a number was computed. Two formulas with the same value may have different graphs.
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

# %% [markdown] tags=["after-prediction"]
# `x` is 100 now. `y` is still 12. A graph is made of numbers, not names: the old 3.0 is inside `y`, although no name
# leads to it any more.

# %% [markdown]
# ## More: what the notes leave out
#
# A graph is made of numbers. And what if a number goes through somebody else's function? The next cell takes a square
# root with Python's `math`.
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
# **Look: what is in the box of `add`?** A 1.732, and no arrow leads there from `x`. `math.sqrt` made a plain number of
# `x`, and a plain number carries no notes.

# %% [markdown] tags=["after-prediction"]
# What is not in the graph is lost on the way back: this result's slope would come out as 1, and the true one is
# 1.2887. With `mg.sqrt` the arrow is there.
#
# In other libraries? A PyTorch tensor warns, a TensorFlow Variable says nothing, and both lose the arrow. Inside
# `jax.grad`, and inside minigrad's `mg.grad`, it is an error.

# %% [markdown]
# ## More: what paths are good for
#
# Nudge an input, and the nudge takes every path to the result. Each box below shows the curve of its op. Move the
# slider.

# %%
viz.nudge(lambda x: x * x + x, x=2.0)

# %% [markdown]
# **Look: how far does the result move?** Farther than `x`. Each op passes the nudge on, and some stretch it.
#
# ## More: the forward pass
#
# **Build.** Write `count_arrows(graph)`. It returns the number of arrows in a graph that is written as a list of rows.


# %% exercise="count_arrows"
def count_arrows(graph):
    ### BEGIN SOLUTION
    return sum(len(arguments) for op, arguments in graph)
    ### END SOLUTION


check("count_arrows")

# %% [markdown]
# With a list of rows you can compute the result again, at other inputs too. A row only uses rows above it. So walk
# from the first row to the last, and each argument is there when you need it. This walk is the **forward pass**.
#
# **Build.** Write `evaluate_graph(graph, inputs)`. It returns the value of the last row. `inputs` is a dict, such as
# `{"x": 3.0}`, and `OPS` below has the function of each op.

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

# %%
check()
