# %% [markdown]
# # 13 · Memory for time
#
# *40 minutes, 4 functions · more: 10 minutes, 1 function*
#
# A backward pass needs numbers from the forward pass. Keep them all, and memory runs out. Throw them away, and they
# must be computed again. How much does each way cost?
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson
from minigrad.data.layer_chain import layers, peak, pieces_of, rows, run_all

check = lesson("13")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A saving that costs
#
# Here are 64 layers, each `tanh(x @ w)`, on 2048 rows of 32 numbers: `layers` is their list, `rows` the array. One
# such array takes 262 kB, and it is our unit. `peak(f)` computes the gradient of f at `rows`, and says about how many
# of these arrays were in memory at once, and how often a layer ran. `run_all(part)` is a function that runs a list of
# layers, one after the other.

# %%
print("as it is:", peak(run_all(layers)))

# %% [markdown]
# About two arrays for each layer: what `tanh` gave, and what `@` gave.
#
# **Predict.** For the backward pass through `exp`, what must have been kept?
#
# - a) its argument x
# - b) its result
# - c) nothing

# %% exercise="kept_of_exp"
### BEGIN SOLUTION
kept_of_exp = "b"
### END SOLUTION
check("kept_of_exp")

# %% [markdown]
# Now save memory. A custom gradient can run a piece of the chain, keep what comes out, and run the piece *again* when
# the backward pass comes by. `pieces_of(size, wrap)` is the chain in pieces of that size, each of them wrapped. Here
# are eight pieces of eight layers, and the wrapper is a first attempt:


# %% tags=["after-prediction"]
def first_attempt(f):
    @mg.custom_gradient
    def wrapped(x):
        def grad(upstream):
            return mg.gradients(f(x), x, grad_ys=upstream)[0]

        return f(x), grad

    return wrapped


print("first attempt:", peak(pieces_of(8, first_attempt)))

# %% [markdown]
# Twice the work, and *more* memory. Why? `mg.saved` lists what a result keeps. Here is a piece of two layers:

# %% tags=["after-prediction"]
x = mg.constant(rows)
mg.saved(first_attempt(run_all(layers[:2]))(x))

# %% [markdown]
# Everything is still there, the inside of the piece as well. Look at what the first attempt returns: `f(x)` is a
# Tensor, and a Tensor remembers how it was made (lesson 1). Whoever holds the result of the piece holds all of its
# inside.
#
# **Build.** Write `recompute(f)`, without `mg.recompute_grad`: value, gradient and second derivative are the same as
# for `f`, and nothing of the inside of `f` is in memory between the two runs. `f(x).value` is the plain array in a
# Tensor; `mg.constant(array)` makes a Tensor that remembers nothing.


# %% exercise="recompute"
def recompute(f):
    @mg.custom_gradient
    def wrapped(x):
        ### BEGIN SOLUTION
        def grad(upstream):
            return mg.gradients(f(x), x, grad_ys=upstream)[0]

        return mg.constant(f(x).value), grad
        ### END SOLUTION

    return wrapped


check("recompute")

# %% tags=["after-prediction"]
try:
    print("yours:            ", peak(pieces_of(8, recompute)))
except NotImplementedError:
    print("Once you have written recompute, this cell measures it.")
print("mg.recompute_grad:", peak(pieces_of(8, mg.recompute_grad)))

# %% [markdown]
# `mg.recompute_grad` is the same idea with the corners filled in: several arguments, Variables, random numbers. It
# needs fewer arrays, because `mg.gradients` in your rule records its steps, so that they have a gradient too (lesson
# 11). `mg.recompute_grad` records them only if somebody asks for that. For two layers it keeps what went in, and what
# came out:

# %% tags=["after-prediction"]
mg.saved(mg.recompute_grad(run_all(layers[:2]))(x))

# %% [markdown]
# A picture shows what is gone. Six layers as they are have 19 boxes. In three pieces:

# %% tags=["after-prediction"]
short = [lambda x, w=w: mg.tanh(x * w) for w in (0.9, 1.1, 0.8, 1.2, 0.7, 1.3)]
x = mg.constant(0.5)
parts = short[:2], short[2:4], short[4:]
first, second, third = (mg.recompute_grad(run_all(part)) for part in parts)
y = third(second(first(x)))
whole = mg.backward_trace(run_all(short)(x))
print(len(whole.nodes), "boxes, in pieces", len(mg.backward_trace(y).nodes))
viz.backward(y)

# %% [markdown]
# **Look: where are the boxes of the layers?** Inside the pieces, and gone. What the pieces send to each other are the
# same numbers as before. A result at the end of a piece, which stays, is called a **checkpoint**.
#
# ## 2 · How many pieces?
#
# **Predict.** The whole chain as a single piece of 64 layers. Its peak, compared with the 130 arrays without pieces?
#
# - a) half of it
# - b) about the same
# - c) a sixty-fourth

# %% exercise="one_piece"
### BEGIN SOLUTION
one_piece = "b"
### END SOLUTION
check("one_piece")

# %% tags=["after-prediction"]
for size in (64, 32, 16, 8, 4, 2, 1):
    print(f"{64 // size:2} pieces of {size:2}:", peak(pieces_of(size, mg.recompute_grad)))

# %% [markdown]
# Where does it go? `viz.memory` draws how much is kept after each op and each step back.

# %% tags=["after-prediction"]
ways = [pieces_of(size, mg.recompute_grad) for size in (64, 8, 1)]
viz.memory(run_all(layers), rows, *ways, names=["as it is", "1 piece", "8 pieces", "64 pieces"])

# %% [markdown]
# **Look: when is most of it there?** One piece saves a lot at first: at the triangle, where the backward pass
# begins, hardly anything is kept. Then it runs again, and all 64 layers are there at once. With 8 pieces only one of
# them is open at a time. With 64 pieces, 64 results are kept, which is a lot as well.
#
# Which size is the best?
#
# **Build.** Write `kept(n, size)`: how many results of layers are in memory at most, for n layers in pieces of `size`?
# The result of each piece is kept, and one piece is open, with all of its layers: it has run again, and its numbers
# stay until its own backward pass is over. The last piece may be shorter, and a piece has at most n layers.


# %% exercise="kept"
def kept(n, size):
    ### BEGIN SOLUTION
    return math.ceil(n / size) + min(size, n)
    ### END SOLUTION


check("kept")

# %% [markdown]
# **Predict.** 100 layers. Which size of a piece needs the least memory?

# %% exercise="best_size"
### BEGIN SOLUTION
best_size = 10
### END SOLUTION
check("best_size")

# %% [markdown] tags=["after-prediction"]
# The square root (Chen and others, 2016): for 64 layers 16 results instead of 64, and each layer runs twice. The 27
# arrays of the picture are these: 8 results of pieces, two arrays for each of the 8 open layers, and the messages on
# their way.

# %% [markdown]
# **Build.** Write `in_pieces(layers, size)`. It returns a function of x that runs the layers in order, in pieces of
# `size`, each wrapped in `mg.recompute_grad`. Mind which layers a piece runs *the second time*: that is later, when
# your loop is over.


# %% exercise="in_pieces"
def in_pieces(layers, size):
    ### BEGIN SOLUTION
    def run(part):
        def piece(x):
            for layer in part:
                x = layer(x)
            return x

        return piece

    def model(x):
        for start in range(0, len(layers), size):
            x = mg.recompute_grad(run(layers[start : start + size]))(x)
        return x

    return model
    ### END SOLUTION


check("in_pieces")

# %% [markdown]
# `viz.schedule` watches each layer run. Here are 12 of them in your pieces of 4; time goes downwards.

# %% tags=["after-prediction"]
try:
    twelve, ones = [mg.tanh] * 12, np.ones((3, 4))
    runs_in_time = viz.schedule(lambda layers: in_pieces(layers, 4), twelve, ones)
except NotImplementedError:
    runs_in_time = "Once you have written in_pieces, this cell draws when each layer runs."
runs_in_time

# %% [markdown]
# **Look: which two results are kept longest?** Layers 4 and 8, the checkpoints. The last piece runs again
# first, and all of its results stay until the pass has gone through it.
#
# ## 3 · The dropout that changed its mind
#
# What runs twice must give the same numbers twice. **Dropout** sets entries to 0 at random while a network is trained,
# so that it can't rely on any single one. Its random numbers come from a generator, and a generator goes on.
#
# **Predict.** Dropout in a piece of `first_attempt`, with its own generator. What is wrong afterwards?
#
# - a) the value
# - b) the gradient
# - c) nothing

# %% exercise="what_is_wrong"
### BEGIN SOLUTION
what_is_wrong = "b"
### END SOLUTION
check("what_is_wrong")

# %% tags=["after-prediction"]
numbers = np.random.default_rng(1)
x = mg.constant(np.ones(8))
y = first_attempt(lambda x: mg.dropout(x, 0.5, numbers))(x)
print("value   ", y.value)
print("gradient", mg.gradients(y, x)[0].value)

# %% [markdown] tags=["after-prediction"]
# The gradient is 2 at places where the value is 0: it belongs to a function that never ran. Nothing is raised.
# TensorFlow's `recompute_grad` around a dropout layer does this, and PyTorch's `checkpoint` too if it
# is told not to keep the state of its generator.

# %% [markdown]
# **Predict.** To measure the 64 slopes of this piece, 8 results for 8 inputs, `mg.check_gradients` calls it again and
# again. What does it do with them?
#
# - a) it compares them all, and finds that some differ
# - b) it leaves nearly all of them out
# - c) it compares them all, and they agree

# %% exercise="does_the_check_find_it"
### BEGIN SOLUTION
does_the_check_find_it = "b"
### END SOLUTION
check("does_the_check_find_it")

# %% tags=["after-prediction"]
noisy = first_attempt(lambda x: mg.dropout(x, 0.5, numbers))
report = mg.check_gradients(noisy, np.ones(8), order=1, raises=False)
print("compared:", len(report.rows), " left out:", len(report.left_out))
print(report.findings[0])

# %% [markdown] tags=["after-prediction"]
# Each call is another function, so hardly a slope can be measured. What gives it away is the rule: called twice, it
# does two different things, and so it is not linear in upstream. Read how many numbers were compared, before you trust
# a report.

# %% [markdown]
# `mg.recompute_grad` compares the values of both runs, which are there anyway:

# %% tags=["after-prediction"]
y = mg.recompute_grad(lambda x: mg.dropout(x, 0.5, numbers))(x)
try:
    mg.gradients(y, x)
except ValueError as error:
    print(error)

# %% [markdown]
# **Build.** Write `dropout(x, rate, seed)`, which draws the same numbers whenever it is called with the same seed. An
# entry is kept if its random number from 0 to 1 is at least `rate`; what is kept is divided by `1 - rate`, so that the
# mean stays. `x` may have any shape. Do not use `mg.dropout`.


# %% exercise="dropout"
def dropout(x, rate, seed):
    ### BEGIN SOLUTION
    keep = np.random.default_rng(seed).random(x.shape) >= rate
    return mg.where(keep, x / (1 - rate), 0.0)
    ### END SOLUTION


check("dropout")

# %% tags=["after-prediction"]
x = mg.constant(np.ones(8))
try:
    y = mg.recompute_grad(lambda x: dropout(x, 0.5, seed=7))(x)
    print("value   ", y.value)
    print("gradient", mg.gradients(y, x)[0].value)
except NotImplementedError:
    print("Once you have written dropout, this cell recomputes it.")

# %% [markdown]
# ## One sentence to keep
#
# > **What is not kept is computed again, and then the second run must be the first one over again.**
#
# A loop of 40 steps keeps 40 steps, or runs them twice. But sometimes nobody cares about the steps, only about the
# answer. Does an answer have its own gradient? That is lesson 14.

# %%
check.questions()

# %% [markdown]
# ## More: recompute the recomputing
#
# A piece that runs again can itself be made of pieces. Suppose s states can be kept, the start being one of them, and
# each step may run up to t times before its own turn. How long can the chain be?
#
# Run to some place and keep the state there. The part to the right of it has one state fewer. Once that is done, the
# part to the left has one run fewer. So
#
# $$\begin{aligned} \text{longest}(s, t) &= \text{longest}(s - 1, t) \\
# &\quad {} + \text{longest}(s, t - 1), \end{aligned}$$
#
# and with one state, or with no run left over, the chain has t + 1 steps.
#
# **Predict.** With 10 states and 3 runs: how long is the chain?
#
# - a) 30
# - b) 286
# - c) 1000

# %% exercise="ten_and_three"
### BEGIN SOLUTION
ten_and_three = "b"
### END SOLUTION
check("ten_and_three")

# %% [markdown]
# **Build.** Write `longest(states, sweeps)`, where `sweeps` is the number of runs, t.


# %% exercise="longest"
def longest(states, sweeps):
    ### BEGIN SOLUTION
    if states == 1 or sweeps == 0:
        return sweeps + 1
    return longest(states - 1, sweeps) + longest(states, sweeps - 1)
    ### END SOLUTION


check("longest")

# %% tags=["after-prediction"]
try:
    for states, sweeps in [(5, 5), (10, 3), (10, 10)]:
        print(f"{states:2} states, {sweeps:2} runs: {longest(states, sweeps):,} steps")
except NotImplementedError:
    print("Once you have written longest, this cell counts.")

# %% [markdown]
# Ten states and ten runs for 184,756 steps. Griewank found this in 1992. These are the numbers of Pascal's triangle.
#
# And this is how it goes: pieces in pieces, by the plan for 3 states and 2 runs. More than 3 results are in memory at
# once: the plan counts the states that a run begins from, and an open piece also keeps what its layers gave.


# %% tags=["after-prediction"]
def plan(part, states, sweeps):
    if len(part) == 1:
        return part[0]
    left = longest(states, sweeps - 1)
    first = mg.recompute_grad(plan(part[:left], states, sweeps - 1))
    rest = plan(part[left:], max(states - 1, 1), sweeps)
    return lambda x: rest(first(x))


try:
    ten, ones = [mg.tanh] * longest(3, 2), np.ones((3, 4))
    pieces_in_pieces = viz.schedule(lambda layers: plan(layers, 3, 2), ten, ones)
except NotImplementedError:
    pieces_in_pieces = "Once you have written longest, this cell draws the plan."
pieces_in_pieces

# %% [markdown]
# **Look: how often does the first layer run?** Three times: twice before its own turn, and once in it. No layer runs
# more often, and the last one runs once.

# %%
check()
