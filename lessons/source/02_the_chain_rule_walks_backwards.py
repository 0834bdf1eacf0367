# %% [markdown]
# # 2 · The chain rule walks backwards
#
# *35 minutes, 2 functions · more: 10 minutes, 1 function*
#
# Here is a walk that finds slopes. It gets the same function twice, as $b \cdot b + b$ and as $b + b \cdot b$,
# with $b = 2x$ and $x = 3$. Run the first two cells without reading the code yet.

# %%
import minigrad as mg
import viz
from minigrad.classroom import lesson
from minigrad.classroom.walks import boxes_of, over_rows, rows_of

check = lesson("02")  # run this cell first, also after a restart of the kernel


# %%
def first_come(rows, tell=lambda *message: None):
    last = len(rows) - 1
    gradients, queue = {last: 1.0}, [last]
    for row in queue:
        for i, (argument, slope) in enumerate(rows[row]):
            message = gradients[row] * slope
            gradients[argument] = gradients.get(argument, 0.0) + message
            tell(row, i, message, gradients[argument])
            if argument not in queue:
                queue.append(argument)
    return gradients[0]


x = mg.constant(3.0)
b = 2 * x
print("b*b + b:", first_come(rows_of(b * b + b)))
print("b + b*b:", first_come(rows_of(b + b * b)))

# %% [markdown]
# Addition does not care about order. The walk does: 26 or 2? Nudge $x$ and see what the result does.


# %%
def f(x):
    return (2 * x) ** 2 + 2 * x


print((f(3.001) - f(3)) / 0.001)

# %% [markdown]
# About 26. So the walk is wrong about $b + b \cdot b$, although every line of its arithmetic is right: it multiplies
# slopes and adds up. What goes wrong? Follow the numbers until you find it. At the end you have your own walk
# that finds 26 both ways.
#
# ## 1 · One box
#
# Raise $a$ by 0.001, and the product $a \cdot b$ rises by $0.001 \cdot b$: $b$ times as much. That is the **slope** of
# the multiplication for $a$. Each op has a slope for each of its arguments, while the others stay. Textbooks call it
# the *local derivative*.

# %%
a, b = mg.constant(3.0), mg.constant(2.0)
viz.backward(a * b).start(play=False)

# %% [markdown]
# **Look: which number goes to `a`?** Step forward with the button or the arrow key. The multiplication sends one
# number along each arrow, backwards. `a` gets 2, the value of `b`, and `b` gets 3: each gets the *other* one.
#
# The arrows are the same as in lesson 1, but here their heads show which way the numbers go. Where there is room, an
# arrow shows its slope, as in × 2. An input that only one op uses may be drawn as a small box next to that op, like
# `b`.
#
# **Build.** Write `slopes_of(op, a, b)`. It returns the pair of both slopes, for the ops `"add"`, `"subtract"`,
# `"multiply"` and `"divide"`.


# %% exercise="slopes_of"
def slopes_of(op, a, b):
    ### BEGIN SOLUTION
    if op == "add":
        return 1.0, 1.0
    if op == "subtract":
        return 1.0, -1.0
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2
    ### END SOLUTION


check("slopes_of")

# %% [markdown]
# ## 2 · Along a path, multiply
#
# In $e^{2x}$ there is one path: from $x$ to $2x$, and on to the exponential. Nudge $x$ by 0.001. Then $2x$ moves by
# 0.002, and the exponential by 0.002 times its own slope. Along a path the slopes multiply.
#
# Nudge the number in *any* box: how many times as far does the *final result* move? That factor is the box's
# **gradient**, $\bar g$ in the pictures; textbooks call it the *adjoint*. For the result itself it is 1. From there
# the numbers travel backwards: a box sends a **message** along each arrow that enters it,
#
# $$\text{message} = \text{gradient} \times \text{slope}.$$
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
# **Look: what did each arrow carry?** `exp` sent 1 · 1 to the multiplication, and the multiplication sent 1 · 2 to
# `x`.
#
# The picture opens on the finished pass. Each arrow has the message that it carried, and the larger the message, the
# wider the arrow. Step back to see how it came about.

# %% [markdown]
# ## 3 · Where paths meet, add
#
# Three paths lead from $x$ to $x \cdot x + x$; you counted them in lesson 1. A nudge of $x$ takes all three.
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
# **Predict.** And what is the gradient of $x$ in the end? Type it into its box, and press *Check*.

# %%
x = mg.constant(3.0)
s = x * x
y = s + x
words = "What is the gradient of x in the end?"
gradient_of_x = check.picture("gradient_of_x", viz.backward(y), "x", words=words)
gradient_of_x

# %% exercise="gradient_of_x"
### BEGIN SOLUTION
gradient_of_x.answer = 7.0
### END SOLUTION
check("gradient_of_x")

# %% [markdown] tags=["after-prediction"]
# **Look: why do the messages add up?** Each of the three paths moves the result, by 1, 3 and 3 times the nudge.
# Together that is 7 times.

# %% [markdown]
# What if every slope were 1? Then each path would add 1, and this walk would count paths. `count_paths` of lesson 1
# was this walk.

# %% [markdown]
# ## 4 · Why 2?
#
# Now the case from the beginning. In $b + b \cdot b$ the paths split at $b$ and join again at the sum: a **diamond**.
#
# **Predict.** How many messages must arrive at $b$ before its gradient is complete?

# %% exercise="messages_for_b"
### BEGIN SOLUTION
messages_for_b = 3
### END SOLUTION
check("messages_for_b")

# %% tags=["after-prediction"]
x = mg.constant(3.0)
b = 2 * x
viz.backward(boxes_of(b + b * b, x=x, b=b), by=over_rows(first_come))

# %% [markdown]
# **Look: why does `x` stay at 2?** Step to the message from `b` to `x`: 1 · 2. So far `b` has one message, the 1 from
# the sum. Step on. Two messages of 6 arrive and bring `b` to 13. But `b` has already sent, and it sends only once.
# (`boxes_of` and `over_rows` are there for the drawing; read past them.)
#
# There is the mistake. `first_come` takes the boxes in the order that messages first reach them. A box that is
# reached early gets its turn too soon, and what arrives later is lost. Now minigrad's walk through the same graph:

# %% tags=["after-prediction"]
viz.backward(b + b * b).start(play=False)

# %% [markdown]
# **Look: what does `b` do here?** Step forward. It waits: first come the 1 and both messages of 6. Then it sends 13 ·
# 2, and `x` gets 26.
#
# When may a box send? When *all* the boxes that use it on the way to the result have sent. One order is always good:
# **newest first**. A box is made after its arguments. So when its turn comes, whatever uses it is newer, and has sent
# already. In a list of rows, newest first means from the last row to the first.
#
# **Build.** Write `backprop(rows)`. It returns the list of all gradients, one for each row. The rows of lesson 1 had an
# op. These have slopes: a row is the list of the arrows that enter its box, each a pair `(argument, slope)`, the number
# of an earlier row and the slope on the arrow. `print(rows_of(b + b * b))` shows an example; there, the constant 2
# has a row as well, without arrows.


# %% exercise="backprop"
def backprop(rows):
    ### BEGIN SOLUTION
    gradients = [0.0] * len(rows)
    gradients[-1] = 1.0
    for row in reversed(range(len(rows))):
        for argument, slope in rows[row]:
            gradients[argument] += gradients[row] * slope
    return gradients
    ### END SOLUTION


check("backprop")

# %% [markdown]
# Once it passes, close the case: run `backprop(rows_of(b * b + b))[0]` and `backprop(rows_of(b + b * b))[0]`. Both are
# 26.
#
# **Predict.** For 30 doublings, `y = y + y` thirty times, there are a billion paths. How many messages does your walk
# send?

# %% exercise="messages_in_all"
### BEGIN SOLUTION
messages_in_all = 60
### END SOLUTION
check("messages_in_all")

# %% [markdown]
# ## One sentence to keep
#
# > **Going backwards, each arrow carries gradient times slope; where arrows meet, add; send only when everything has
# > arrived.**
#
# The nudge said 26, and that settled it. Who says that the nudge is right? [Lesson
# 3](03_can_you_trust_a_gradient.ipynb) puts the judge on trial.

# %%
check.questions()

# %% [markdown]
# ## In other libraries
#
# How do they know when to send? PyTorch and TensorFlow count, for each op, the messages that are still to come. JAX
# goes through its list of ops from the last to the first. All three find 26 both ways. JAX writes the sum where paths
# meet as a separate op, `add_any`. micrograd, a teaching engine of about 150 lines, sorts its boxes first. Leave
# out the sort, and $b + b \cdot b$ can have slope 2.

# %% [markdown]
# ## More: the nudge itself
#
# Here is the $e^{2x}$ of part 2. At each box is the curve of its op, with its slope as a straight line: the
# **tangent**. Move the slider, and the nudge goes along the arrows, each ribbon as wide as the nudge. Then press *Read
# backwards*.

# %%
viz.nudge(lambda x: mg.exp(2 * x), x=0.0, by=0.4)

# %% [markdown]
# **Look: what do the two directions share?** The slopes. Going forwards, an op stretches the nudge by its slope. Going
# backwards, the same slope stretches the message. So a message is a stretch, read backwards.
#
# ## More: by hand
#
# Do one on paper: $(a + b) \cdot (b + 1)$ with $a = 2$ and $b = 1$. Call the sums $s = a + b$ and $t = b + 1$, and the
# result $e = s \cdot t$. Write the value into each box first. Then start with 1 at $e$ and go back.
#
# **Build.** `backprop_by_hand()` returns the five gradients as a list, in the order `[a, b, s, t, e]`.


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
# **Look: which box had to wait?** `b`. It is used in both sums, so it gets two messages, 2 from $s$ and 3 from $t$.
#
# **Predict.** Let $L = 3y$, with the $y = x \cdot x + x$ of part 3. What happens to the gradients when the walk
# starts at $L$?
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
# **Predict.** What is the gradient of $a$ in $a - a$, and why?
#
# - a) 0: a message of 1 and a message of -1 arrive
# - b) 1: a is the first argument
# - c) 0: nothing arrives

# %% exercise="a_minus_a"
### BEGIN SOLUTION
a_minus_a = "a"
### END SOLUTION
check("a_minus_a")

# %%
check()
