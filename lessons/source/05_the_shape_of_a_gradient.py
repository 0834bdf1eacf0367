# %% [markdown]
# # 5 · Tensors, and the shape of a gradient
#
# The engine of [lesson 4](04_build_your_own_engine.ipynb) works with single numbers. A layer of a network works with
# arrays, and there something happens on the way forward that nobody wrote down: numbers are copied. In this lesson you
# see what that means on the way back.
#
# It takes about 40 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("05")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · The bias that grew
#
# A **layer** is a step of a neural network: it multiplies its inputs, here four examples in the rows of `X`, by a
# table of numbers `W`, its **weights**, and adds a **bias** `b`, one number for each column of the result.
# **Training** looks for numbers in `W` and `b` that make the results good, in small steps: each subtracts a small
# multiple of the gradient, here 0.1 times. The rule for `+` in lesson 4 passes the upstream gradient on unchanged. Use
# it for one such step:

# %%
X, W, b = np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)
out = X @ W + b
upstream = np.ones_like(out)  # the slopes of sum(out)
b = b - 0.1 * upstream
print("b has the shape", b.shape)
print("one example gives", (X[:1] @ W + b).shape)

# %% [markdown]
# There was no error. But `b` had 2 entries and now has 4 × 2, and a single example comes out as four. NumPy added `b`
# to each of the four rows as if it stood in all of them. This is called **broadcasting**: one number is read as if it
# stood in many places.
#
# **Predict.** With 32 examples, `X` is 32 × 3, `W` is 3 × 2 and `b` has two entries. What is the shape of the gradient
# of `mg.sum(X @ W + b)` with respect to `b`?
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
# **Predict.** And what number stands in each of its entries?

# %% exercise="entries_of_bias"
### BEGIN SOLUTION
entries_of_bias = 32
### END SOLUTION
check("entries_of_bias")

# %% [markdown]
# The same with four examples in place of 32:

# %% tags=["after-prediction"]
X = mg.constant(np.arange(12.0).reshape(4, 3))
W = mg.constant(np.ones((3, 2)))
b = mg.constant(np.zeros(2))
viz.backward(mg.sum(X @ W + b))

# %% [markdown]
# *What to look at:* an array is drawn as cells, on the left its values, on the right its gradient. Each input receives
# an array of its own shape: 4 × 3, 3 × 2 and 2. The sum sends 4 × 2 ones to the addition. On the line to `b` these are
# added up over the four rows: `b` gets 4 and 4.
#
# ## 2 · All slopes at once
#
# A function with several inputs and several outputs has a slope for each pair of them. The table of all these slopes
# is the **Jacobian**: a row for each output, a column for each input. For the function that returns its input, an
# output depends on its own input only:

# %%
viz.jacobian(lambda x: x, [2.0, 7.0, 1.0])

# %% [markdown]
# *What to look at:* ones on the diagonal and zeros elsewhere. An output moves with its own input, and with no other.
#
# **Build.** Write `jac_mean(x)`: the Jacobian of the mean of `x`, as a NumPy array with two axes. `x` is a NumPy array
# with one axis.


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
# *What to look at:* the row of `cumsum[1]` has two ones, as this output is the sum of two inputs.
#
# **Build.** Write `jac_cumsum(x)`. The picture shows you the case of three inputs; yours works for any number.


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
# Read a *row* of the Jacobian, and you see what one output is made of. Read a *column*, and you see what one input
# does to all outputs. A gradient is read by columns: with the upstream gradients 1, 10 and 100, the first input of
# `cumsum`, whose column is 1, 1, 1, gets $1 \cdot 1 + 10 \cdot 1 + 100 \cdot 1 = 111$. In general output $i$ has the
# upstream gradient $u_i$ and sends $u_i J_{ij}$ to input $j$, where $J_{ij}$ is the slope in row $i$, column $j$. The
# gradient of input $j$ is the sum of these messages, $\sum_i u_i J_{ij}$. For all inputs at once this is $u J$, the
# **vector-Jacobian product**. This is what a rule returns, and it can do so without building the table.
#
# **Predict.** The upstream gradients of `cumsum` are `u = [1, 10, 100]`. What is the gradient of all its inputs?
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
# **Predict.** The same upstream gradients arrive at `sort`, which has put $[3, 1, 2]$ in order. What is the gradient
# of its inputs?
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
# *What to look at:* each row holds a single 1. It says which input stands at that place of the sorted list. Read by
# columns, the same ones say where each input went, and so where its gradient comes from.
#
# **Build.** Write `jac_sort(x)`. Of equal numbers, the one that stands first in `x` comes first.


# %% exercise="jac_sort"
def jac_sort(x):
    ### BEGIN SOLUTION
    return np.eye(x.size)[np.argsort(x, kind="stable")]
    ### END SOLUTION


check("jac_sort")

# %% [markdown]
# ## 4 · A window that slides
#
# A **convolution** slides a few weights over its input. With the weights $w = [1, 10, 100]$ the first output is $x_0 +
# 10 x_1 + 100 x_2$, and the next one starts one place to the right. (This is the convention of neural networks. In
# mathematics it is called a cross-correlation, and `np.convolve` reverses the weights.)


# %%
def conv1d(x, w=(1.0, 10.0, 100.0)):
    return mg.stack([mg.sum(x[i : i + len(w)] * w) for i in range(len(x) - len(w) + 1)])


viz.jacobian(conv1d, np.arange(6.0))

# %% [markdown]
# *What to look at:* a band. The sums of its columns, 1, 11, 111, 111, 110 and 100, are the gradient of the sum of all
# outputs: the numbers at the ends are used less often.
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
# **Predict.** `exp` of an image has a Jacobian, too. The image has 1000 × 1000 entries in float32, four bytes each.
# How many terabytes (10 to the power of 12 bytes) would the Jacobian take?

# %% exercise="terabytes"
### BEGIN SOLUTION
terabytes = 4
### END SOLUTION
check("terabytes")

# %% [markdown]
# ## 5 · Broadcasting is a matrix
#
# Broadcasting has a Jacobian as well. Let `b` have three entries, and copy it into two rows.

# %%
copy = viz.jacobian(lambda b: mg.broadcast_to(b, (2, 3)), np.zeros(3))
copy

# %% [markdown]
# *What to look at:* read it by rows, and it copies: `[1, 10, 100]` becomes `[1, 10, 100, 1, 10, 100]`. Read it by
# columns, and it adds: with the upstream gradients `[1, 2, 3, 4, 5, 6]` the gradient is `[5, 7, 9]`.
#
# `mg.sum_to` adds up an array along its axes until it has the given shape; here it adds up the rows. Its Jacobian is
# the same table with rows and columns exchanged, which is called the **transpose**:

# %%
add_up = viz.jacobian(lambda a: mg.sum_to(a, (3,)), np.zeros((2, 3)))
print("the transpose of one is the other:", np.array_equal(copy.matrix.T, add_up.matrix))
add_up

# %% [markdown]
# So what broadcasting copied on the way forward is added up on the way back. This is called **un-broadcasting**.
#
# **Predict.** Let `c` be 2 × 1 and `r` be 1 × 3, all ones. Their product is 2 × 3. What is the gradient of `mg.sum(c *
# r)` with respect to `c`?
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
# **Build.** Write `unbroadcast(g, shape)`. `g` is the gradient that arrives, with the shape of the result of the op;
# `shape` is the shape of the argument. NumPy aligns shapes from the right. Going forward, it inserts the axes that the
# argument lacks on the left, and repeats axes of size 1. Going back, the copies along both are summed. Return the
# gradient of the argument, an array of shape `shape`.


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
# An engine for arrays is the engine of lesson 4 with a rule for each array op, and `unbroadcast` wherever an op
# broadcasts. Here is what minigrad computes for the layer, printed as NumPy code. By default `value_and_grad` takes
# the gradient of the first argument; `argnums` names all three:

# %%
X, W, b = np.ones((4, 3)), np.ones((3, 2)), np.zeros(2)
loss = lambda X, W, b: mg.sum((X @ W + b) ** 2)
print(mg.source(mg.value_and_grad(loss, argnums=(0, 1, 2)), X, W, b))

# %% [markdown]
# *What to look at:* the line of `d_b` adds up over `axis=0`, the examples. The gradients of a matrix product are
# matrix products with the other factor transposed, `.T`: lesson 8 uses them.
#
# ## 6 · The silent one
#
# Broadcasting also happens where nobody wants it. Here `prediction` has the shape `(3,)` and `target` the shape `(3,
# 1)`, and both hold 1, 2, 3.
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
# *What to look at:* the difference is a table of all pairs, 3 × 3. Nothing warns, the gradient has the right shape,
# and a training step would move the predictions towards the mean of the targets. When an error does not go down in
# training, print the shapes.
#
# ## In other libraries
#
# All of them add up what was copied: TensorFlow in the rule of each op, PyTorch and minigrad in the walk, JAX in the
# rule of an op of its own that copies. They differ when a rule of *yours* returns a gradient of the wrong shape:
# PyTorch sums it without a warning if the shape of the input broadcasts to it, and raises an error otherwise;
# TensorFlow in eager mode returns it as it is; JAX and minigrad raise an error. `b = b - g` with a larger `g` makes
# `b` larger in all of them. `b -= g` works in place in NumPy and PyTorch, and raises an error in these two; in JAX and
# minigrad it means `b = b - g`.
#
# ## One sentence to keep
#
# > **A gradient has the shape of its input: what broadcasting copied on the way forward is added up on the way back.**
#
# In [lesson 6](06_where_nans_come_from.ipynb) a number goes wrong in the middle of a backward pass, and takes the
# others with it.

# %%
check()
