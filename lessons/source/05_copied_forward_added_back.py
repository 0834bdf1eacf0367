# %% [markdown]
# # 5 · Copied forward, added back
#
# *40 minutes, 2 functions · more: 25 minutes, 4 functions*
#
# Here is one step of training, six lines long. It runs without an error, and it ruins the network. The engine of
# [lesson 4](04_build_your_own_engine.ipynb) would have done the same, given arrays. What is missing in it? Once it is
# there, your engine trains a network that reads handwritten digits, on this page.

# %%
from functools import partial
from itertools import pairwise

import numpy as np
from IPython.display import clear_output, display

import minigrad as mg
import viz
from minigrad.classroom import Table, lesson, mine

check = lesson("05")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · The bias that grew
#
# `X` is four examples, one in each row. A **layer** multiplies them by a table `W`, its weights, and adds `b`, its
# **bias**, two numbers. Training wants a smaller result. Where the slope of a number is positive, the result grows with
# it, and so a step of training subtracts a small multiple of the gradient. What is the gradient of `b`? The rule for
# `+` in lesson 4 passes on what arrives at the sum, the **upstream gradient**:

# %%
X, W, b = np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)
out = X @ W + b
upstream = np.ones_like(out)  # the gradient of out, where the result is sum(out)
b = b - 0.1 * upstream
print("b has the shape", b.shape)
print("one example gives", (X[:1] @ W + b).shape)

# %% [markdown]
# No error, no warning. Now look at the shapes. `b` went in with 2 entries and came out with 8, and a single example
# gives four rows. Going forward, NumPy used `b` in each of the four rows, as if it were written out four times. That is
# **broadcasting**: one number, used in many places.
#
# **Predict.** With 32 examples, `X` is 32 × 3, `W` is 3 × 2 and `b` has two entries. What is the shape of the gradient
# of `b`, for the result `mg.sum(X @ W + b)`?
#
# - a) `()`
# - b) `(2,)`
# - c) `(32, 2)`
# - d) `(2, 2)`

# %% exercise="shape_of_bias"
### BEGIN SOLUTION
shape_of_bias = "b"
### END SOLUTION
check("shape_of_bias")

# %% [markdown]
# **Predict.** Now with four examples: which number is in each entry of the gradient of `b`? Type it into the box of
# `b`, and press *Check*: your answer is checked and the pass is played.
# (In a new cell: `entries_of_bias.answer = 8`.)

# %%
X = mg.constant(np.arange(12.0).reshape(4, 3))
W = mg.constant(np.ones((3, 2)))
b = mg.constant(np.zeros(2))
words = "Which number is in each entry of the gradient of b?"
picture = viz.backward(mg.sum(X @ W + b))
entries_of_bias = check.picture("entries_of_bias", picture, "b", words=words)
entries_of_bias

# %% exercise="entries_of_bias"
### BEGIN SOLUTION
entries_of_bias.answer = 4
### END SOLUTION
check("entries_of_bias")

# %% [markdown] tags=["after-prediction"]
# **Look: what happens on the arrow to `b`?** An array is drawn as cells, on the left its values, on the right its
# gradient. The sum sends 4 × 2 ones to the addition. On the arrow to `b` they are added up over the four rows: `b` gets
# 4 and 4. `X`, `W` and `b` each get a gradient of their own shape.

# %% [markdown]
# ## 2 · All slopes at once
#
# Where do these numbers come from? Write down every slope there is. A function of three inputs with three outputs has
# nine. The simplest one returns its input:

# %%
viz.jacobian(lambda x: x, [2.0, 7.0, 1.0])

# %% [markdown]
# **Look: why is most of it 0?** Each output moves exactly as far as its own input, and with no other. The table has a
# row for each output and a column for each input. This is the **Jacobian**.
#
# `cumsum` returns running sums: of $[a, b, c]$ it makes $[a, \; a + b, \; a + b + c]$.
#
# **Predict.** Where are the ones in its Jacobian?
#
# - a) on the diagonal
# - b) on the diagonal and below it
# - c) on the diagonal and above it
# - d) everywhere

# %% exercise="ones_of_cumsum"
### BEGIN SOLUTION
ones_of_cumsum = "b"
### END SOLUTION
check("ones_of_cumsum")

# %% tags=["after-prediction"]
viz.jacobian(mg.cumsum, [2.0, 7.0, 1.0])

# %% [markdown]
# **Look: what is the second row made of?** Two ones: `cumsum[1]` is the sum of the first two inputs.
# %% [markdown]
# ## 3 · By rows, by columns
#
# A *row* of the table shows what one output is made of. A *column* shows what one input does to all outputs. Which of
# them does a gradient need?
#
# Take an input, the one with number $j$. Output $i$ has an upstream gradient, $u_i$, and sends it the message
# $u_i J_{ij}$, where $J_{ij}$ is the slope in row $i$, column $j$. The input adds up its messages: upstream gradients
# times its *column*, entry by entry. Do so for each column, and you have the **vector-Jacobian product**, in NumPy `u @
# J`. A rule returns just this, and doesn't need the table for it.
#
# **Predict.** The upstream gradients of `cumsum` are `u = [1, 10, 100]`. What is the gradient of its three inputs?
#
# - a) `[1, 11, 111]`
# - b) `[111, 110, 100]`
# - c) `[111, 111, 111]`
# - d) `[1, 10, 100]`

# %% exercise="back_through_cumsum"
### BEGIN SOLUTION
back_through_cumsum = "b"
### END SOLUTION
check("back_through_cumsum")

# %% [markdown]
# ## 4 · Broadcasting is a matrix
#
# Back to the bias. Going forward it was copied into every row; going back, the rows are added up. Why added? Write the
# copying as a matrix and read it both ways. Here three numbers are copied into two rows:

# %%
copy = viz.jacobian(lambda b: mg.broadcast_to(b, (2, 3)), np.zeros(3))
copy

# %% [markdown]
# **Look: what does a row do, and what does a column?** By rows it copies: `[1, 10, 100]` becomes
# `[1, 10, 100, 1, 10, 100]`. By columns it adds: with the upstream gradients `[1, 2, 3, 4, 5, 6]`, the first input has
# its ones in rows 0 and 3 and gets 1 + 4. All three: `[5, 7, 9]`.
#
# Now a function that adds up two rows. `mg.sum_to` sums an array along its axes until it has the given shape:

# %%
add_up = viz.jacobian(lambda a: mg.sum_to(a, (3,)), np.zeros((2, 3)))
print("the same table with rows and columns swapped:", np.array_equal(copy.matrix.T, add_up.matrix))
add_up

# %% [markdown]
# **Look: have you seen this table?** It's the one above, turned so that its rows are columns: its **transpose**.
#
# So copying and adding up are one matrix, read in two directions. What broadcasting copied going forward is added up
# going back. That is **un-broadcasting**.
#
# **Predict.** Let `c` be 2 × 1 and `r` be 1 × 3, all ones. Their product is 2 × 3. What is the gradient of `c`, for the
# result `mg.sum(c * r)`?
#
# - a) `[[3], [3]]`
# - b) `[[2], [2]]`
# - c) `[[6], [6]]`
# - d) `[[1], [1]]`

# %% exercise="gradient_of_column"
### BEGIN SOLUTION
gradient_of_column = "a"
### END SOLUTION
check("gradient_of_column")

# %% [markdown]
# **Build.** Write `unbroadcast(g, shape)`, which is missing in the engine of lesson 4. `g` is the gradient that
# arrives, with the shape of the result; `shape` is the shape of the argument. NumPy lines shapes up from the right.
# Going forward it puts the axes that the argument lacks on its left, and repeats axes of size 1. Going back, sum over
# both. Return an array of shape `shape`.


# %% exercise="unbroadcast"
def unbroadcast(g, shape):
    ### BEGIN SOLUTION
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g
    ### END SOLUTION


check("unbroadcast")

# %% [markdown]
# ## 5 · The silent one
#
# Broadcasting also happens where nobody wants it. `prediction` has the shape `(3,)`, `target` has the shape `(3, 1)`,
# and both are 1, 2, 3.
#
# **Predict.** What is the mean squared error, `mg.mean((prediction - target) ** 2)`?
#
# - a) `0.0`
# - b) an error
# - c) `1.3333`
# - d) `nan`

# %% exercise="silent_table"
### BEGIN SOLUTION
silent_table = "c"
### END SOLUTION
check("silent_table")

# %% tags=["after-prediction"]
prediction = mg.constant([1.0, 2.0, 3.0])
target = mg.constant([[1.0], [2.0], [3.0]])
error = (prediction - target) ** 2
print("mean ", mg.mean(error))
print("shape", error.shape)
print("gradient", mg.gradients(mg.mean(error), prediction)[0].numpy().round(3))

# %% [markdown]
# **Look: why isn't it 0?** The predictions were perfect, and the error is 1.3333. Shape (3,) minus shape (3, 1) is a
# table of all nine pairs. Nothing warns you; even the gradient has the right shape. Training drives every prediction to
# 2, the mean of the targets. When a loss stops falling for no reason, print the shapes.
#
# ## 6 · Your walk learns to read
#
# With a rule for each array op, and `unbroadcast` wherever an op broadcasts, the engine of lesson 4 works for arrays.
# `mine` has it: `mine.gradients(y, sources)` returns what `mg.gradients` returns, by your walk and your `unbroadcast`,
# or by minigrad's where yours is missing. Is it enough to train a network?
#
# A **network** is two layers with `tanh` between them. Its **weights** are four arrays, which begin as random numbers.
# It gives each example a row of scores, and the largest score is its answer.
#
# The **loss** is the number that training makes small: it says how wrong the answers are. This one is the
# **cross-entropy**, near 0 where the score of the right answer is far above the others. `T` says which answer is right,
# by a 1 in the row of each example. Read the code later, if you like.


# %%
def outputs(weights, x):
    W, b, V, c = weights
    return mg.tanh(x @ W + b) @ V + c


def cross_entropy(z, T):
    return mg.mean(mg.log(mg.sum(mg.exp(z), axis=1)) - mg.sum(z * T, axis=1))


def start(sizes):
    """Random weights, and biases of 0."""
    rng, weights = np.random.default_rng(1), []
    for m, n in zip(sizes, sizes[1:]):
        weights += [rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)]
    return [w.astype("float32") for w in weights]


# %% [markdown]
# **Build.** Write `step(loss_of, weights, rate)`, four lines. `weights` is a list of arrays, and `loss_of` takes such a
# list, of Tensors, and returns the loss. Make Tensors of the weights, find the loss and its slopes with
# `mine.gradients`, and move each weight *against* its slope, by `rate` times the slope. Return the list of the new
# weights, as arrays, and the loss, as a number. (`.numpy()` makes an array of a Tensor, `.item()` a number.)


# %% exercise="step"
def step(loss_of, weights, rate):
    ### BEGIN SOLUTION
    tensors = [mg.constant(w) for w in weights]
    loss = loss_of(tensors)
    slopes = mine.gradients(loss, tensors)
    return [w - rate * g.numpy() for w, g in zip(weights, slopes)], loss.item()
    ### END SOLUTION


check("step")

# %% [markdown]
# Training is this step, again and again: `mine.step` is your function once its check is right, and minigrad's until
# then. Here are 200 points on two moons, an array `x` of shape (200, 2). Which moon is a point on?


# %%
def train(loss, weights, x, T, rate, steps):
    losses = []
    for _ in range(steps):
        weights, value = mine.step(lambda w: loss(outputs(w, x), T), weights, rate)
        losses.append(value)
    return weights, losses


print(mine)
x, labels = mg.data.two_moons(200, seed=0)
T = np.eye(2, dtype="float32")[labels]

# %% tags=["trained"]
weights, moments = start((2, 16, 2)), {}
for before, after in pairwise([0, 0, 20, 100, 400]):
    weights, losses = train(cross_entropy, weights, x, T, rate=1.0, steps=after - before)
    moments[f"step {after}"] = partial(outputs, weights)
    clear_output(wait=True)
    display(viz.plane(moments, x, labels))

# %% [markdown]
# **Look: how does the border move?** Circles are on one moon, triangles on the other, and a cross is a point that the
# network gets wrong. At step 0 it has most of them upside down. Soon the border is a line that cuts through both moons,
# and then it bends between them. Nobody told it how: 82 numbers moved against their slopes.
#
# Now digits, 8 × 8 pixels each, written by 13 people: 1,297 to learn from, and 500 others to see what it can read.
#
# **Predict.** 64 pixels go in, 32 numbers are between the layers, and ten scores come out. How many of the 500 digits
# does the network read before its first step, with random weights?
#
# - a) none of them
# - b) about a tenth
# - c) about half

# %% exercise="before_training"
### BEGIN SOLUTION
before_training = "b"
### END SOLUTION
check("before_training")

# %% tags=["after-prediction", "trained"]
images, digits, test_images, test_digits = mg.data.digits()
hot = np.eye(10, dtype="float32")[digits]
weights, reads = start((64, 32, 10)), []
for step_number in range(101):
    answers = np.argmax(outputs(weights, test_images), axis=1)
    reads.append(np.mean(answers == test_digits))
    if step_number in (5, 25, 100):
        clear_output(wait=True)
        display(viz.history({"share of the 500 digits that it reads": reads}))
    weights, losses = train(cross_entropy, weights, images, hot, rate=1.0, steps=1)

# %% [markdown] tags=["after-prediction"]
# **Look: where does it begin, and where does it end?** With luck, and then it reads more than 95 of a hundred: digits
# that it has never seen, learned by a walk of forty lines. Here are ten that it got wrong.

# %% tags=["after-prediction", "trained"]
wrong = np.flatnonzero(answers != test_digits)[:10]
titles = [f"{test_digits[i]}, read as {answers[i]}" for i in wrong]
viz.images(test_images[wrong], titles=titles, columns=3)

# %% [markdown]
# **Look: would you have read them?** Not all of them. You'll meet this network again: a part of its loss gets a nan in
# lesson 6 and a rule in lesson 7, a layer of it gets Variables in lesson 8, and in lesson 15 it learns nothing, and you
# find out why.
#
# **Now break it.** Leave out the `+` of the `+=` in the walk: what arrives last replaces what came before. And take
# another loss, the mean of the squared errors `e`:


# %%
def squares(z, T):
    e = z - T
    return mg.mean(e * e)


walk = mine.backward  # the right one


def stores(y):
    nodes = list(walk(y))  # all nodes behind y; the gradients of this walk are not used
    nodes.sort(key=lambda node: node.serial, reverse=True)
    gradient = dict.fromkeys(nodes, 0.0)
    gradient[y] = 1.0
    for node in gradient:
        for parent, slope in zip(node.parents, node.slopes):
            gradient[parent] = gradient[node] * slope
    return gradient


# %% [markdown]
# **Predict.** Which walk learns the two moons, with the squared errors, 400 steps and the rate 1?
#
# - a) the right one
# - b) `stores`
# - c) both
# - d) neither

# %% exercise="which_walk_learns"
### BEGIN SOLUTION
which_walk_learns = "b"
### END SOLUTION
check("which_walk_learns")

# %% tags=["after-prediction", "trained"]
rows = []
for loss in (squares, cross_entropy):
    for name, by in (("the right one", walk), ("stores", stores)):
        with mine.using(backward=by), np.errstate(all="ignore"):
            weights, losses = train(loss, start((2, 16, 2)), x, T, rate=1.0, steps=400)
        right = np.mean(np.argmax(outputs(weights, x), axis=1) == labels)
        rows.append([loss.__name__, name, f"{losses[-1]:.3f}", f"{right:.1%}"])
Table(["loss", "walk", "loss at the end", "points right"], rows)

# %% [markdown] tags=["after-prediction"]
# **Look: why is the wrong walk better, and then not?** In `e * e` two equal messages arrive at `e`, and one is lost:
# every slope is half of what it should be. With right slopes this step is too long, the errors grow to inf, and the
# loss is nan; half of it is a good step. In the cross-entropy, `z` is used in two places that disagree: `exp` pulls
# all scores down, and `z * T` lifts the right one. `stores` keeps one message and loses the other. All scores sink,
# until exp(z) is 0 and its log is -inf.
#
# Training forgives a wrong gradient, until it does not: **test the slope, not the loss.**

# %% [markdown]
# ## One sentence to keep
#
# > **A gradient has the shape of its input: what broadcasting copied on the way forward is added up on the way back.**
#
# Adding up has a price. Let one of a thousand examples send nan: what does the shared bias get? [Lesson
# 6](06_where_nans_come_from.ipynb) follows such a number back to where it began. And what if one number moves a
# thousand others? [Lesson 17](17_forward.ipynb) walks the other way, and you have all that it needs.

# %%
check.questions()

# %% [markdown]
# ## More: two tables
#
# Here is what minigrad computes for the layer of part 1, printed as NumPy code. (`argnums` names the arguments whose
# gradients you want.)

# %%
X, W, b = np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)
loss = lambda X, W, b: mg.sum((X @ W + b) ** 2)
print(mg.source(mg.value_and_grad(loss, argnums=(0, 1, 2)), X, W, b))

# %% [markdown]
# **Look: where is your function?** In the line of `d_b`, which sums over `axis=0`, the examples. The gradients of `X`
# and `W` are matrix products with the other factor transposed, `.T`. You'll use all three in lesson 8.
#
# **Build.** Write `jac_mean(x)`: the Jacobian of the mean of `x`, as a NumPy array with two axes. `x` is a NumPy array
# with one axis, of any length.


# %% exercise="jac_mean"
def jac_mean(x):
    ### BEGIN SOLUTION
    return np.full((1, x.size), 1 / x.size)
    ### END SOLUTION


check("jac_mean")

# %% [markdown]
# **Build.** Write `jac_cumsum(x)`: the table of `cumsum`, as in part 2, for any number of inputs.


# %% exercise="jac_cumsum"
def jac_cumsum(x):
    ### BEGIN SOLUTION
    i, j = np.indices((x.size, x.size))
    return (j <= i) * 1.0
    ### END SOLUTION


check("jac_cumsum")

# %% [markdown]
# ## More: a table that puts in order
#
# `sort` has put $[3, 1, 2]$ in order. Does a function that only moves numbers have slopes?
#
# **Predict.** The upstream gradients `[1, 10, 100]` arrive at the sorted list. What is the gradient of the inputs?
#
# - a) `[1, 10, 100]`
# - b) `[10, 100, 1]`
# - c) `[100, 1, 10]`
# - d) `[0, 0, 0]`

# %% exercise="back_through_sort"
### BEGIN SOLUTION
back_through_sort = "c"
### END SOLUTION
check("back_through_sort")

# %% tags=["after-prediction"]
viz.jacobian(mg.sort, [3.0, 1.0, 2.0])

# %% [markdown]
# **Look: what does the first row say?** Its one is in column 1, because input 1 is the smallest and comes first. Read
# by rows, a one says which input comes to that place of the sorted list. Read by columns, it says where an input went,
# and so where its gradient comes from.
#
# **Build.** Write `jac_sort(x)`. Among equal numbers, the one that is first in `x` comes first.


# %% exercise="jac_sort"
def jac_sort(x):
    ### BEGIN SOLUTION
    return np.eye(x.size)[np.argsort(x, kind="stable")]
    ### END SOLUTION


check("jac_sort")

# %% [markdown]
# ## More: a window that slides
#
# A **convolution** slides a few weights over its input. With the weights $w = [1, 2, 4]$ the first output is
# $x_0 + 2 x_1 + 4 x_2$, and the next one starts one place to the right. (That is its name in
# neural networks. Mathematicians call it a cross-correlation, and `np.convolve` reverses the weights.)


# %%
def conv1d(x, w=(1.0, 2.0, 4.0)):
    return mg.stack([mg.sum(x[i : i + len(w)] * w) for i in range(len(x) - len(w) + 1)])


viz.jacobian(conv1d, np.arange(6.0))

# %% [markdown]
# **Look: which inputs count least?** Add up the columns: 1, 3, 7, 7, 6 and 4. That's the gradient of the sum of all
# outputs. The inputs at the ends lie in fewer windows.
#
# **Build.** Write `jac_conv1d(x, w)` for weights `w` that are no longer than `x`.


# %% exercise="jac_conv1d"
def jac_conv1d(x, w):
    ### BEGIN SOLUTION
    jacobian = np.zeros((x.size - w.size + 1, x.size))
    for i in range(len(jacobian)):
        jacobian[i, i : i + w.size] = w
    return jacobian
    ### END SOLUTION


check("jac_conv1d")

# %% [markdown]
# Tables are good for thinking. Can one compute with them?
#
# **Predict.** `exp` of an image has a Jacobian, too. The image has 1000 × 1000 entries in float32, four bytes each. How
# many terabytes (10 to the power of 12 bytes) would the Jacobian take?

# %% exercise="terabytes"
### BEGIN SOLUTION
terabytes = 4
### END SOLUTION
check("terabytes")

# %% [markdown]
# ## More: the same in other libraries
#
# All of them add up what was copied. They differ if a rule of *yours* returns a gradient of the wrong shape: PyTorch
# sums it without a warning if it can, TensorFlow in eager mode hands it out as it is, JAX and minigrad raise an error.
# And the step at the top of this lesson? `b = b - g` grows in all of them. `b -= g` works in place in NumPy and
# PyTorch, so there it raises an error.

# %%
check()
