# %% [markdown]
# # 5 · Copied forward, added back
#
# *35 minutes, 3 functions · more: 15 minutes, 2 functions*
#
# Here is one step of training, six lines long. It runs without an error, and it ruins the network. The engine of
# [lesson 4](04_build_your_own_engine.ipynb) would have done the same, given arrays. What is missing in it?

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("05")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · The bias that grew
#
# `X` is four examples, one in each row. A **layer** multiplies them by a table `W`, its weights, and adds `b`, its
# **bias**, two numbers. To improve it, one subtracts a small multiple of the gradient. And the gradient of `b`? The
# rule for `+` in lesson 4 passes on what arrives at the sum, the **upstream gradient**:

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
# **Predict.** Now with four examples: which number is in both entries of the gradient of `b`? Type it into the box of
# `b`, and press *Check*: the picture is judged, and played. (In a cell of your own: `entries_of_bias.answer = 8`.)

# %%
X = mg.constant(np.arange(12.0).reshape(4, 3))
W = mg.constant(np.ones((3, 2)))
b = mg.constant(np.zeros(2))
words = "Which number is in both entries of the gradient of b?"
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
# **Look: why is most of it 0?** An output moves with its own input, by as much, and with no other. The table has a row
# for each output and a column for each input. This is the **Jacobian**.
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
#
# **Build.** Write `jac_cumsum(x)`, for any number of inputs.


# %% exercise="jac_cumsum"
def jac_cumsum(x):
    ### BEGIN SOLUTION
    i, j = np.indices((x.size, x.size))
    return (j <= i) * 1.0
    ### END SOLUTION


check("jac_cumsum")

# %% [markdown]
# ## 3 · By rows, by columns
#
# A *row* of the table shows what one output is made of. A *column* shows what one input does to all outputs. Which of
# them does a gradient need?
#
# Take an input, the one with number $j$. Output $i$ has an upstream gradient, $u_i$, and sends it the message
# $u_i J_{ij}$, where $J_{ij}$ is the slope in row $i$, column $j$. The input adds up its messages: upstream gradients
# times its *column*. For all inputs at once that's $u J$, the **vector-Jacobian product**. A rule returns just this,
# and doesn't need the table for it.
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
# With a rule for each array op, and `unbroadcast` wherever an op broadcasts, the engine of lesson 4 works for arrays.
# Here is what minigrad computes for the layer, printed as NumPy code. (`argnums` names the arguments whose gradients
# you want.)

# %%
X, W, b = np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)
loss = lambda X, W, b: mg.sum((X @ W + b) ** 2)
print(mg.source(mg.value_and_grad(loss, argnums=(0, 1, 2)), X, W, b))

# %% [markdown]
# **Look: where is your function?** In the line of `d_b`, which sums over `axis=0`, the examples. The gradients of `X`
# and `W` are matrix products with the other factor transposed, `.T`. You'll use all three in lesson 8.
#
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
print("gradient of the prediction", mg.gradients(mg.mean(error), prediction)[0])

# %% [markdown]
# **Look: why isn't it 0?** The predictions were perfect, and the error is 1.3333. Shape (3,) minus shape (3, 1) is a
# table of all nine pairs. Nothing warns you; even the gradient has the right shape. Training drives every prediction to
# 2, the mean of the targets. When a loss stops falling for no reason, print the shapes.
#
# ## One sentence to keep
#
# > **A gradient has the shape of its input: what broadcasting copied on the way forward is added up on the way back.**
#
# Adding up has a price. Let one of a thousand examples send nan: what does the shared bias get? [Lesson
# 6](06_where_nans_come_from.ipynb) follows such a number back to where it began.

# %%
check.questions()

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
# **Look: who is the 1 in the first row?** The input 1, in column 1: the smallest comes first. By rows, the ones say
# which input comes to this place of the sorted list. By columns, they say where each input went, and so where its
# gradient comes from.
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
# $x_0 + 2 x_1 + 4 x_2$, and the next one starts one place to the right. (So it is in neural networks. In mathematics
# this is a cross-correlation, and `np.convolve` reverses the weights.)


# %%
def conv1d(x, w=(1.0, 2.0, 4.0)):
    return mg.stack([mg.sum(x[i : i + len(w)] * w) for i in range(len(x) - len(w) + 1)])


viz.jacobian(conv1d, np.arange(6.0))

# %% [markdown]
# **Look: which inputs count least?** Add up the columns: 1, 3, 7, 7, 6 and 4. That's the gradient of the sum of all
# outputs. The inputs at the ends lie in fewer windows.
#
# **Build.** Write `jac_conv1d(x, w)` for weights `w` of any length that is not larger than that of `x`.


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
# All of them add up what was copied. They part where a rule of *yours* returns a gradient of the wrong shape: PyTorch
# sums it without a warning if it can, TensorFlow in eager mode hands it out as it is, JAX and minigrad raise an error.
# And the step at the top of this lesson? `b = b - g` grows in all of them. `b -= g` works in place in NumPy and
# PyTorch, so there it raises an error.

# %%
check()
