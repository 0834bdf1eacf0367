# %% [markdown]
# # Assignment: rules with variables
#
# It belongs to lesson 8. Two functions capture Variables and have a rule of their own, and one prediction is made
# before. Your answers are checked as you write them. When they are graded, further checks run.

# %%
import minigrad as mg
from minigrad.classroom import assignment

check = assignment("hw8")

# %% [markdown]
# ## 1 · A polynomial
#
# **Predict.** A rule gets `variables` with two Variables in it, and its function has one argument. What does it return?
#
# - a) three gradients, one after the other
# - b) the gradient of the argument, and a list of two
# - c) a list of three

# %% exercise="what_is_returned"
### BEGIN SOLUTION
what_is_returned = "b"
### END SOLUTION
check("what_is_returned")

# %% [markdown]
# **Build.** `make_quadratic(weights)` returns a function of `x` with the value $w_0 + w_1 x + w_2 x^2$. `weights` is a
# captured Variable of three numbers, and `x` may have any shape. Write the rule.


# %% exercise="make_quadratic"
def make_quadratic(weights):
    @mg.custom_gradient
    def quadratic(x):
        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            of_weights = mg.stack([mg.sum(upstream), mg.sum(upstream * x), mg.sum(upstream * x * x)])
            return upstream * (weights[1] + 2 * weights[2] * x), [of_weights]
            ### END SOLUTION

        return weights[0] + weights[1] * x + weights[2] * x * x, grad

    return quadratic


check("make_quadratic")

# %% [markdown]
# ## 2 · A step size for each Variable
#
# A rule can change how fast a Variable learns: it returns the gradient times a factor.
#
# **Build.** `make_line(w, b, factor)` returns a function of `x` with the value `w * x + b`. The gradients of `x` and
# `b` are the true ones, that of `w` is `factor` times the true one. `w` and `b` are Variables of one number each, with
# any names; `x` may have any shape.


# %% exercise="make_line"
def make_line(w, b, factor):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            owed = [factor * mg.sum(upstream * x) if v is w else mg.sum(upstream) for v in variables]
            return upstream * w, owed
            ### END SOLUTION

        return w * x + b, grad

    return line


check("make_line")

# %%
check()
