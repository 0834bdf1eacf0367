# %% [markdown]
# # 2 · The chain rule walks backwards
#
# In [lesson 1](01_a_function_is_a_graph.ipynb) you counted the paths from an input to a result, in one walk from the
# last row to the first. Put one factor into that walk and it finds slopes. In this lesson you see why it works, and
# why the order of the walk decides whether the number is right.
#
# It takes about 30 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("02")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · One function, two slopes
#
# A **slope** is how much the result changes per change of a number. Here is a walk that finds the slope of a result
# with respect to its input. It takes the graph as a list of rows, as in lesson 1. There a row was a pair; here a row
# is a list of pairs, one for each arrow: the number of an earlier row, and the slope that belongs to the arrow. You
# need not read it yet: part 6 comes back to it. (`tell` is called for each message, only to draw it.)


# %%
def first_come(rows, tell=lambda *message: None):
    last = len(rows) - 1
    adjoints, queue = {last: 1.0}, [last]
    for row in queue:
        for i, (argument, slope) in enumerate(rows[row]):
            message = adjoints[row] * slope
            adjoints[argument] = adjoints.get(argument, 0.0) + message
            tell(row, i, message, adjoints[argument])
            if argument not in queue:
                queue.append(argument)
    return adjoints[0]


# %% [markdown]
# The next cell reads the rows from a Tensor (`rows_of`) and draws a walk (`draw`). You can skip its code.


# %%
def rows_of(y):
    trace = mg.backward_trace(y)
    rows = [[] for node in trace.nodes]
    for edge in trace.edges:
        if edge.local_value is not None:
            rows[edge.dst].append((edge.src, float(edge.local_value)))
    return rows


class Box:
    def __init__(self, value, op, name, parents, slopes):
        self.value, self.op, self.name, self.parents, self.slopes = value, op, name, parents, slopes


def draw(walk, y, **names):
    rows, boxes = rows_of(y), []
    for node, row in zip(mg.backward_trace(y, names=names).nodes, rows):
        op = "" if node.kind in ("leaf", "const") else node.op
        parents, slopes = [boxes[i] for i, _ in row], [slope for _, slope in row]
        boxes.append(Box(float(node.value), op, node.name, parents, slopes))
    told_by = lambda tell: lambda row, *rest: tell(boxes[row], *rest)
    return viz.backward(boxes[-1], by=lambda _, tell: walk(rows, told_by(tell)))


# %% [markdown]
# The function is $b^2 + b$ with $b = 2x$, at $x = 3$. Addition does not care about order, so it may be written in two
# ways:

# %%
x = mg.constant(3.0)
b = 2 * x
print("b*b + b:", first_come(rows_of(b * b + b)))
print("b + b*b:", first_come(rows_of(b + b * b)))

# %% [markdown]
# One of them must be wrong. Move $x$ a little and see what the result does:


# %%
def f(x):
    return (2 * x) ** 2 + 2 * x


print((f(3.001) - f(3)) / 0.001)

# %% [markdown]
# So it is about 26, and `first_come` returns 2 if the sum is written the other way round. At the end of this lesson
# you know why, and repair it.
#
# ## 2 · One box
#
# Start with a single op. Its **local derivative** with respect to an argument is how much its result changes per
# change of that argument while the others stay. For $a \cdot b$: when $a$ grows by 0.001, the product grows by $0.001
# \cdot b$. So the local derivative with respect to $a$ is $b$.

# %%
a, b = mg.constant(3.0), mg.constant(2.0)
viz.backward(a * b).start()

# %% [markdown]
# *What to look at:* step forward with the button or the arrow key. The multiplication sends one number along each
# arrow, backwards. The argument `a` gets the value of `b`, and `b` gets the value of `a`: each gets the *other* one.
#
# The arrows are those of lesson 1, but here their heads show which way the numbers go. At a line stands the local
# derivative, as in × 2, which the sentences of the pictures call the **slope**. An input that only one op uses may
# stand beside that op as a small box, like `b`.
#
# **Build.** Write `local_derivatives(op, a, b)`. It returns the pair of both local derivatives, for the ops `"add"`,
# `"subtract"`, `"multiply"` and `"divide"`.


# %% exercise="local_derivatives"
def local_derivatives(op, a, b):
    ### BEGIN SOLUTION
    if op == "add":
        return 1.0, 1.0
    if op == "subtract":
        return 1.0, -1.0
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2
    ### END SOLUTION


check("local_derivatives")

# %% [markdown]
# ## 3 · Along a path the slopes multiply
#
# In $e^{2x}$ there is one path: from $x$ to $2x$, and from there to the exponential. When $x$ grows by 0.001, $2x$
# grows by 0.002, and the exponential by about 0.002 times its own slope.
#
# This is what travels in the picture. Each box has a **gradient**: how much the *final result* changes per change of
# the number in this box. In the pictures it is written $\bar g$; textbooks call it the **adjoint** of the box. The
# last box starts with 1, because the result changes by 1 when it changes by 1. When it is the turn of a box, its
# adjoint is, seen from the op, the **upstream gradient**, and it sends a **message** back along each arrow that enters
# it:
#
# $$\text{message} = \text{upstream gradient} \times \text{local derivative}.$$
#
# **Predict.** Let $y = e^{2x}$ at $x = 0$, where $e^0 = 1$. What number arrives at $x$?

# %% exercise="arrives_along_a_chain"
### BEGIN SOLUTION
arrives_along_a_chain = 2.0
### END SOLUTION
check("arrives_along_a_chain")

# %% tags=["after-prediction"]
x = mg.constant(0.0)
viz.backward(mg.exp(2 * x))

# %% [markdown]
# *What to look at:* `exp` sends 1 · 1 to the multiplication, and the multiplication sends 1 · 2 to `x`. The picture
# opens on the finished pass: each line has the message that it carried, and is the wider the larger this is. Step back
# to see how it came about.
#
# ## 4 · Where paths meet, add
#
# Now a graph with several paths: $x \cdot x + x$, three of them, as you counted in lesson 1.
#
# **Predict.** Let $x = 3$. Which messages arrive at $x$, in this order, when the walk starts at the result?
#
# - a) 6, then 1
# - b) 1, then 3, then 3
# - c) 3, then 3, then 1
# - d) a single message, the sum of all

# %% exercise="messages_at_x"
### BEGIN SOLUTION
messages_at_x = "b"
### END SOLUTION
check("messages_at_x")

# %% [markdown]
# **Predict.** And what is the adjoint of $x$ in the end?

# %% exercise="adjoint_of_x"
### BEGIN SOLUTION
adjoint_of_x = 7.0
### END SOLUTION
check("adjoint_of_x")

# %% tags=["after-prediction"]
x = mg.constant(3.0)
s = x * x
y = s + x
viz.backward(y)

# %% [markdown]
# *What to look at:* $x$ influences the result along three paths, and the influences add up: 1 + 3 + 3. If every slope
# were 1, the sum would be the number of paths. `count_paths` of lesson 1 was this walk with all slopes 1.
#
# **Predict.** Let $L = 3y$. What happens to all adjoints when the walk starts at $L$?
#
# - a) each is 3 times what it was
# - b) each is 3 more than it was
# - c) they stay

# %% exercise="three_times"
### BEGIN SOLUTION
three_times = "a"
### END SOLUTION
check("three_times")

# %% [markdown]
# **Predict.** What is the adjoint of $a$ in $a - a$, and why?
#
# - a) 0: a message of 1 and a message of -1 arrive
# - b) 1: a is the first argument
# - c) 0: nothing arrives

# %% exercise="a_minus_a"
### BEGIN SOLUTION
a_minus_a = "a"
### END SOLUTION
check("a_minus_a")

# %% [markdown]
# ## 5 · By hand
#
# Do one on paper. The function is $(a + b) \cdot (b + 1)$ with $a = 2$ and $b = 1$. Call the sums $s = a + b$ and $t =
# b + 1$, and the result $e = s \cdot t$. Start with 1 at $e$.
#
# **Build.** `backprop_by_hand()` returns the five adjoints as a list, in the order `[a, b, s, t, e]`.


# %% exercise="backprop_by_hand"
def backprop_by_hand():
    ### BEGIN SOLUTION
    return [2, 5, 2, 3, 1]
    ### END SOLUTION


check("backprop_by_hand")

# %% tags=["after-prediction"]
a, b = mg.constant(2.0), mg.constant(1.0)
s = a + b
t = b + 1
e = s * t
viz.backward(e)

# %% [markdown]
# *What to look at:* `b` gets two messages, 2 from $s$ and 3 from $t$, and its gradient is their sum.
#
# ## 6 · The order
#
# Back to the two slopes. In $b + b \cdot b$ the paths split at $b$ and join again at the sum. Such a graph is called a
# **diamond**.
#
# **Predict.** How many messages must arrive at $b$ before its adjoint is complete?

# %% exercise="messages_for_b"
### BEGIN SOLUTION
messages_for_b = 3
### END SOLUTION
check("messages_for_b")

# %% tags=["after-prediction"]
x = mg.constant(3.0)
b = 2 * x
draw(first_come, b + b * b, x=x, b=b)

# %% [markdown]
# *What to look at:* step forward. `first_come` processes the boxes in the order in which a message first reaches them.
# After the first message, 1 from the sum, `b` is in the queue before the multiplication. So `b` sends 1 · 2 to `x`,
# and only then the two messages of 6 arrive. They come too late: `b` holds 13, and `x` keeps 2.
#
# Here is minigrad's walk through the same graph:

# %% tags=["after-prediction"]
viz.backward(b + b * b).start()

# %% [markdown]
# *What to look at:* step forward: `b` waits. A box may send when *all* the boxes that use it on the path to the result
# have sent. One order is always good: **newest first**. A box is made after its arguments, so when its turn comes,
# whatever uses it was newer and has sent already. In a list of rows, newest first is from the last row to the first.
#
# **Build.** Write `backprop(rows)`. It returns the list of all adjoints, one for each row. A row is a list of pairs
# `(argument, slope)`, as `rows_of` makes them.


# %% exercise="backprop"
def backprop(rows):
    ### BEGIN SOLUTION
    adjoints = [0.0] * len(rows)
    adjoints[-1] = 1.0
    for row in reversed(range(len(rows))):
        for argument, slope in rows[row]:
            adjoints[argument] += adjoints[row] * slope
    return adjoints
    ### END SOLUTION


check("backprop")

# %% [markdown]
# When it is right, run it on both orders: `backprop(rows_of(b * b + b))[0]` and `backprop(rows_of(b + b * b))[0]`.
#
# **Predict.** For 30 doublings, `y = y + y` thirty times, there are a billion paths. How many messages does this walk
# send?

# %% exercise="messages_in_all"
### BEGIN SOLUTION
messages_in_all = 60
### END SOLUTION
check("messages_in_all")

# %% [markdown]
# ## In other libraries
#
# PyTorch and TensorFlow count, for each op, the messages that are still to come; JAX goes through its list of ops from
# the last to the first. All three find 26 in both orders. JAX writes the sum where paths meet as an op of its own,
# `add_any`. In micrograd, a teaching engine of about 150 lines, the order comes from a sort. Now you know why the sort
# is needed: with first come, first served instead, $b + b \cdot b$ can have slope 2.
#
# ## One sentence to keep
#
# > **Going backwards, each arrow carries upstream times local; where arrows meet, add; send only when everything has
# > arrived.**
#
# In lesson 3 you build a test that uses no rules, and find out when to trust it.

# %%
check()
