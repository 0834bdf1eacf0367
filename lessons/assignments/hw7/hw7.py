# %% [markdown]
# # Assignment: rules that stay finite
#
# It belongs to lesson 7. Two functions get a rule of their own, and two predictions are made before. Your answers are
# checked as you write them. When they are graded, further checks run, at inputs that you do not see here.

# %%
import minigrad as mg
from minigrad.classroom import assignment

check = assignment("hw7")

# %% [markdown]
# ## 1 · x log x
#
# The entropy of a distribution is the negative sum of $p \log p$. At $p = 0$ this is meant to be 0, which is the limit.
#
# **Predict.** What does `x * mg.log(x)` compute at $x = 0$?
#
# - a) `0.0`
# - b) `-inf`
# - c) `nan`

# %% exercise="entropy_at_0"
### BEGIN SOLUTION
entropy_at_0 = "c"
### END SOLUTION
check("entropy_at_0")

# %% [markdown]
# **Build.** Write `xlogx`: the value is $x \log x$, and 0 at $x = 0$. The gradient is `upstream` times $\log x + 1$; at
# $x = 0$, where the slope is $-\infty$, let it be 0. `x` may be an array.


# %% exercise="xlogx"
@mg.custom_gradient
def xlogx(x):
    ### BEGIN SOLUTION
    logarithm = mg.log(mg.where(x > 0, x, 1.0))

    def grad(upstream):
        return mg.where(x > 0, upstream * (logarithm + 1), 0.0)

    return x * logarithm, grad
    ### END SOLUTION


check("xlogx")

# %% [markdown]
# ## 2 · The logarithm of a sum
#
# $f(a, b) = \log(e^a + e^b)$ is the smooth maximum of two numbers. Its slopes are $\operatorname{sigmoid}(a - b)$ for
# $a$, and $\operatorname{sigmoid}(b - a)$ for $b$.
#
# **Predict.** What is the sum of the two slopes?

# %% exercise="sum_of_slopes"
### BEGIN SOLUTION
sum_of_slopes = 1.0
### END SOLUTION
check("sum_of_slopes")

# %% [markdown]
# **Build.** Write `log_of_sum(a, b)` with a rule of its own. Value and gradients are right, also where $e^a$ or $e^b$
# is too large for the dtype. `mg.logaddexp`, `mg.softplus` and `mg.logsumexp` have the answer in them: an answer that
# uses one of them gets no marks.


# %% exercise="log_of_sum"
@mg.custom_gradient
def log_of_sum(a, b):
    ### BEGIN SOLUTION
    def grad(upstream):
        return upstream * mg.sigmoid(a - b), upstream * mg.sigmoid(b - a)

    return mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b))), grad
    ### END SOLUTION


check("log_of_sum")

# %%
check()
