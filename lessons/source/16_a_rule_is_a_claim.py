# %% [markdown]
# # 16 · A rule is a claim
#
# *35 minutes, 2 functions*
#
# You can write rules now: for a value that overflows, for Variables, for an answer that a loop found. How would you
# convince somebody that one of them is right?
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import math

import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson

check = lesson("16")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Four rules are handed in
#
# Four people wrote log(1 + exp(x)) with a rule of their own. You grade them. This is what they claim to be:


# %%
def plain(x):
    return mg.log(1 + mg.exp(x))


def stable(x):
    return mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))


@mg.custom_gradient
def ada(x):
    return stable(x), lambda upstream: upstream * mg.sigmoid(x)


@mg.custom_gradient
def bob(x):
    return stable(x), lambda upstream: mg.sigmoid(x)


@mg.custom_gradient
def dan(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * e / (1 + e)


@mg.custom_gradient
def eve(x):
    slope = mg.stop_gradient(mg.sigmoid(x))
    return stable(x), lambda upstream: upstream * slope


# %% [markdown]
# One of the four is right, and three are not. A first comparison: value and gradient at three inputs, next to the
# numbers of `plain`.
#
# **Predict.** How many of the three wrong rules does this comparison find?

# %% exercise="found_at_first"
### BEGIN SOLUTION
found_at_first = 0
### END SOLUTION
check("found_at_first")

# %% tags=["after-prediction"]
x = mg.constant([0.3, -1.2, 2.0], dtype="float64")
(true,) = mg.gradients(plain(x), x)
for rule in (ada, bob, dan, eve):
    y = rule(x)
    (g,) = mg.gradients(y, x)
    print(
        f"{rule.__name__}: value {'same' if np.allclose(y, plain(x)) else 'differs'}, "
        f"gradient {'same' if np.allclose(g, true) else 'differs'}"
    )

# %% [markdown] tags=["after-prediction"]
# None of them. The comparison is the one that everybody makes first, and it tries the least that a rule claims: the
# usual numbers, and an upstream gradient of 1.

# %% [markdown]
# A rule claims more than that. For *every* upstream gradient the message is right. The rule is made of ops, so *its*
# slope is right as well. And it holds at every size of the input, and for Variables and arrays of any shape.
#
# ## 2 · Another upstream gradient
#
# **Predict.** The result is now multiplied by [2, −1, 10] before it is added up. Whose gradient is wrong?
#
# - a) the gradient of `bob`
# - b) the gradient of `dan`
# - c) the gradient of `eve`

# %% exercise="wrong_upstream"
### BEGIN SOLUTION
wrong_upstream = "a"
### END SOLUTION
check("wrong_upstream")

# %% tags=["after-prediction"]
weights = mg.constant([2.0, -1.0, 10.0], dtype="float64")
(true,) = mg.gradients(mg.sum(weights * plain(x)), x)


def error(rule):
    (slope,) = mg.gradients(mg.sum(weights * rule(x)), x)
    return mg.max(abs(slope - true)).item()


wrong = max((bob, dan, eve), key=error)
viz.backward(mg.sum(weights * wrong(x)))

# %% [markdown]
# **Look: which box sends on what it did not get?** The rule's box: it gets 2, −1 and 10, and sends the bare slopes.
# As long as the result was the end of the graph, upstream was 1 everywhere, and nobody could see it. Compare with
# numbers that differ from entry to entry, and from 1.
#
# ## 3 · The slope of the slope
#
# `eve` computes her slope once and holds it with `mg.stop_gradient`.
#
# **Predict.** What is the second derivative of `eve` at x = 0, by `mg.gradients` of the gradient? For `plain` it is
# 0.25.
#
# - a) 0.25
# - b) 0
# - c) None

# %% exercise="second_of_eve"
### BEGIN SOLUTION
second_of_eve = "c"
### END SOLUTION
check("second_of_eve")

# %% tags=["after-prediction"]
x = mg.constant(0.0, dtype="float64")
for rule in (plain, ada, bob, dan, eve):
    (g,) = mg.gradients(rule(x), x)
    (second,) = mg.gradients(g, x)
    print(f"{rule.__name__}: second derivative {None if second is None else second.item()}")

# %% [markdown]
# A rule is part of the graph like any other op: whoever asks for Newton's method, or for a penalty on the gradient,
# differentiates it. If you mean that it has no slope, say so, and say it in the text.
#
# ## 4 · Every size
#
# `dan` writes the slope as exp(x) / (1 + exp(x)).
#
# **Predict.** The gradient of `dan` at x = 1000?
#
# - a) 1
# - b) inf
# - c) nan

# %% exercise="dan_at_1000"
### BEGIN SOLUTION
dan_at_1000 = "c"
### END SOLUTION
check("dan_at_1000")

# %% tags=["after-prediction"]
x = mg.constant(1000.0, dtype="float64")
viz.backward(dan(x))

# %% [markdown]
# **Look: what is divided by what?** exp(1000) is inf, and the rule divides inf by 1 + inf. No comparison at the usual
# numbers finds that. Try 1000 and −1000, 0, and an input with nothing in it.
#
# ## 5 · Your turn
#
# log(cosh(x)) is a loss for regression: like x² / 2 near 0, like |x| far away. Its slope is tanh(x). Written as it
# stands, it is inf at 1000.
#
# **Build.** Write `log_cosh` with a rule, so that each of the four claims holds. The value is
# |x| + log(1 + exp(−2|x|)) − log(2).


# %% exercise="log_cosh"
@mg.custom_gradient
def log_cosh(x):
    ### BEGIN SOLUTION
    size = abs(x)
    value = size + mg.log1p(mg.exp(-2 * size)) - math.log(2)

    def grad(upstream):
        return upstream * mg.tanh(x)

    return value, grad
    ### END SOLUTION


check("log_cosh")

# %% [markdown]
# One claim is easily forgotten: where does the gradient of something go that is not an argument? `make_loss(width)`
# returns a loss of x alone, with a Variable that says how wide its round part is.
#
# **Build.** Write the rule of `make_loss`. Its function is log_cosh(width · x). Your `grad` gets `variables`, and
# returns the gradient of x, and a list that holds the gradient of the Variable: one number.


# %% exercise="make_loss"
def make_loss(width):
    @mg.custom_gradient
    def loss(x):
        y = log_cosh(width * x)

        def grad(upstream, variables=None):
            ### BEGIN SOLUTION
            message = upstream * mg.tanh(width * x)
            return message * width, [mg.sum(message * x)]
            ### END SOLUTION

        return y, grad

    return loss


check("make_loss")

# %% [markdown]
# ## 6 · You are the grader
#
# Assignment hw16 is the capstone of this course: one rule out of four, written, drawn, tested and explained in an
# evening. It is marked by what a rule claims. Wherever a gradient is tried, the upstream gradient is not 1.
#
# | criterion | marks | what is tried |
# |---|---|---|
# | all of it | 1 | everything that is tried |
# | value | 3 | two inputs |
# | first | 4 | the gradient of the input, by your own rule |
# | second | 3 | the rule is differentiated |
# | others | 2 | the gradients of Variables, and rows that do not count |
# | shapes | 2 | value and gradients for one row, many rows, other widths |
# | finite | 2 | value and gradients at plain numbers, at 1000 and −1000, and with nothing to do |
# | picture | 1 | a backward pass through the rule |
# | why | 2 | a paragraph, read by a person |
#
# The rule in question: softmax cross-entropy for a table of logits, where rows with the label −1 do not count.
#
# **Predict.** One capstone forgets to subtract the largest logit of each row before `exp`. All else is right, the
# picture and the paragraph too. How many of the 20 marks does it get?

# %% exercise="largest_left_on"
### BEGIN SOLUTION
largest_left_on = 17
### END SOLUTION
check("largest_left_on")

# %% [markdown]
# **Predict.** Another one forgets the upstream gradient in the rule. All else is right. How many marks?

# %% exercise="upstream_left_out"
### BEGIN SOLUTION
upstream_left_out = 6
### END SOLUTION
check("upstream_left_out")

# %% [markdown]
# ## 7 · A page to send
#
# The last claim is the reason, and it is made to a person. `viz.page` puts words, source and pictures into one file
# that opens in any browser, without Python and without a network. Write your own words, and send it to somebody. (For
# a picture in your own text: `picture.to_svg(path)`, or `picture.graphviz()`, to style it with the package graphviz.)

# %%
words = """log(cosh(x)) overflows at 1000, and its derived gradient is nan there.

The rule sends tanh(x) times what arrives. That is the slope of log(cosh(x)) everywhere, and it
needs no exponential that could overflow. The rule does not change the value, and it can be
differentiated again."""


def written_plainly(x):
    return mg.log(mg.cosh(x))


try:
    picture = viz.compare(written_plainly, log_cosh, 1000.0)
    page = viz.page("A rule for log(cosh(x))", words, log_cosh, picture, path="my_rule.html")
except NotImplementedError:
    page = "Once you have written log_cosh, this cell makes the page."
page

# %% [markdown]
# ## One sentence to keep
#
# > **A rule is a claim: show its value, its slopes and its limits, and say why it is true.**
#
# Assignment hw16 is next to the lessons, in the folder `assignments`. It takes an evening, and ends with a page of your
# own. To whom will you send it?
#
# Two lessons stand on their own: [lesson 17](17_forward.ipynb) walks forward, and [lesson
# 18](18_half_the_digits.ipynb) trains the network of lesson 15 with half the digits.

# %%
check.questions()

# %%
check()
