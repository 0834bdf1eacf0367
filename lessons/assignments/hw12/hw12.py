# %% [markdown]
# # Assignment: lies with a purpose
#
# It belongs to lesson 12. Three functions get a rule whose gradient is wrong on purpose, and two predictions are made
# before. Your answers are checked as you write them. When they are graded, further checks run, at inputs that you do
# not see here.

# %%
import minigrad as mg
from minigrad.classroom import assignment

check = assignment("hw12")

# %% [markdown]
# ## 1 · Two predictions
#
# **Predict.** The slope of `mg.square(mg.clip(d, -1, 1))` at d = 3?

# %% exercise="slope_at_3"
### BEGIN SOLUTION
slope_at_3 = 0.0
### END SOLUTION
check("slope_at_3")

# %% [markdown]
# **Predict.** `mg.check_gradients` is run on a `round` that passes its gradient straight through, at 0.3. It says:
#
# - a) agrees
# - b) wrong
# - c) nothing could be compared
# - d) it raises a TypeError

# %% exercise="what_the_check_says"
### BEGIN SOLUTION
what_the_check_says = "b"
### END SOLUTION
check("what_the_check_says")

# %% [markdown]
# ## 2 · Weights with five values
#
# **Build.** Write `quantize(x)`: its value is the nearest of −1, −½, 0, ½ and 1, and its rule sends the upstream
# gradient where the size of x is at most 1, and 0 elsewhere.


# %% exercise="quantize"
@mg.custom_gradient
def quantize(x):
    ### BEGIN SOLUTION
    def grad(upstream):
        return mg.where(abs(x) <= 1, upstream, 0.0)

    return mg.clip(mg.round(2 * x) / 2, -1.0, 1.0), grad
    ### END SOLUTION


check("quantize")

# %% [markdown]
# ## 3 · A message of limited length
#
# **Build.** Write `clip_by_norm(x, limit)`: its value is `x`, and an upstream gradient that is longer than `limit` is
# shortened to that length, all entries by the same factor. The length is the root of the sum of all squares. `limit`
# gets None. Think of an upstream gradient of 0.


# %% exercise="clip_by_norm"
@mg.custom_gradient
def clip_by_norm(x, limit):
    ### BEGIN SOLUTION
    def grad(upstream):
        norm = mg.sqrt(mg.sum(upstream * upstream))
        return upstream * limit / mg.maximum(norm, limit), None

    return mg.identity(x), grad
    ### END SOLUTION


check("clip_by_norm")

# %% [markdown]
# ## 4 · The nearest code
#
# A network may keep a small list of numbers, its codes, and replace each value by the nearest of them.
#
# **Build.** Write `nearest(x, codes)`: it replaces each entry of `x` by the nearest of `codes`, an array of one axis;
# if two codes are equally near, either will do. The rule sends the upstream gradient straight to `x`, and None
# to the codes. Compute with `mg`, without an index that is taken from a Tensor: `mg.argmin` and `mg.one_hot` help.


# %% exercise="nearest"
@mg.custom_gradient
def nearest(x, codes):
    ### BEGIN SOLUTION
    distance = abs(mg.expand_dims(x, -1) - codes)
    hit = mg.one_hot(mg.argmin(distance, axis=-1), len(codes))
    return mg.sum(hit * codes, axis=-1), lambda upstream: (upstream, None)
    ### END SOLUTION


check("nearest")

# %%
check()
