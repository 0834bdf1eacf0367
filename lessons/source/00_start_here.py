# %% [markdown]
# # Start here
#
# This course shows how gradients are computed, how you replace them, and how you repair them. You see each backward
# pass, number by number, and you build the parts yourself. You need some Python, a little NumPy, and the idea of a
# derivative. The course uses **minigrad** (`mg`), a small library that computes gradients, and `viz`, which draws what
# it does. `mg.constant` makes a number or an array that minigrad records.
#
# This page takes about 15 minutes. It shows what the course is about and how a lesson works. A notebook is made of
# **cells**: to run the one that is marked, press Shift+Enter. Run them from top to bottom.

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson, progress

check = lesson("00")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A thousand slopes at once
#
# A **slope** is how much a result changes per small change of an input. The list of the slopes for all inputs is the
# **gradient**. Here is a program with a loop and a thousand inputs. One line finds all its slopes: `mg.gradients`
# returns a list with one array for each input that it is given, here for `x` alone.

# %%
runs = 0


def f(x):
    global runs
    runs += 1
    for _ in range(3):
        x = mg.tanh(x) + 0.5 * x
    return mg.sum(x * x)


x = mg.constant(np.linspace(-1, 1, 1000))
slopes = mg.gradients(f(x), x)[0]
print("slopes:", slopes.shape, " runs of f:", runs)

# %% [markdown]
# Are they right? Move each input a little up and a little down, and see what the result does. This is called
# *nudging*.

# %%
runs, h = 0, 1e-6
nudged = np.zeros(1000)
for i in range(1000):
    step = np.zeros(1000)
    step[i] = h
    nudged[i] = (f(x + step) - f(x - step)).item() / (2 * h)
print("runs of f:", runs, " largest difference:", f"{np.abs(slopes.numpy() - nudged).max():.0e}")

# %% [markdown]
# The same slopes but for 2e-07, after 2000 runs of the program. `mg.gradients` needed one run forward, and one walk
# backward through what it had computed. How this walk works is what you will learn. Here is a small one:

# %%
x = mg.constant(2.0)
y = x * x * x
viz.backward(y).start()

# %% [markdown]
# *What to look at:* press the play button, the triangle. Numbers travel backwards along the lines, from the result to
# the input. In the end the gradient of `x`, written $\bar g$, is 12: the slope of $x^3$ at 2. You can also step with
# the arrow keys. Lesson 2 explains the words in the picture.
#
# ## 2 · Predict
#
# In each lesson you predict before you look. Type your answer in place of `...` and run the cell. If there is a
# choice, type the letter in quotes, for example `"a"`. A wrong answer costs nothing: you are told why it is wrong, and
# you can try again.
#
# **Predict.** $f(x) = x \cdot x - x$ is 6 at $x = 3$ and 6.005001 at $x = 3.001$. About how large is its slope at 3?

# %% exercise="slope_at_3"
### BEGIN SOLUTION
slope_at_3 = 5
### END SOLUTION
check("slope_at_3")

# %% [markdown]
# **Predict.** What is the slope of $x \cdot x$ at $-3$?
#
# - a) 6
# - b) -6
# - c) 9
#
# Type the letter in quotes, as in `"a"`.

# %% exercise="slope_of_square"
### BEGIN SOLUTION
slope_of_square = "b"
### END SOLUTION
check("slope_of_square")

# %% [markdown]
# **Predict.** One cell has `x = 3.0` and `y = x * x`. The next cell has `x = 4.0`. What is `y` then?
#
# - a) 9.0
# - b) 16.0

# %% exercise="which_y"
### BEGIN SOLUTION
which_y = "a"
### END SOLUTION
check("which_y")

# %% tags=["after-prediction"]
x = 3.0
y = x * x
x = 4.0
print(y)

# %% [markdown]
# This is why a notebook is run from top to bottom: what a cell has computed stays as it is, until the cell runs again.
# After a restart of the kernel nothing is left: run the first cell again, and those that you need. Until then a cell
# with `check` ends with `NameError: name 'check' is not defined`.
#
# ## 3 · Build
#
# In each lesson you also write functions. They are checked with several inputs. If one result is wrong, you see the
# input, your result and the expected one.
#
# **Build.** `double(x)` returns twice `x`. Begin with a wrong answer, to see what happens: replace the line `raise
# NotImplementedError(...)` with `return x * x`, run the cell, and read the message. Then fix it.
#
# The message ends with the name of a hint. To read it, add a cell with the key B (press Escape first), type
# `check.hint("double")` and run it. There are three hints for each function, and then `check.solution("double")`.


# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


check("double")

# %% [markdown]
# Note that $x \cdot x$ is right at 0 and at 2. Two right numbers prove little.
#
# **Build.** `slope_by_nudging(f, x, h)` returns how much `f` changes per change of `x`, when `x` grows by `h`.


# %% exercise="slope_by_nudging"
def slope_by_nudging(f, x, h):
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION


check("slope_by_nudging")

# %% [markdown]
# ## 4 · Where to go
#
# The map shows the way, and what you have solved; your progress is kept on this computer. From top to bottom and from
# left to right, the lessons stand in the order in which they build on each other: 1 and 2 show what a gradient is, 3
# to 5 build an engine, 6 to 9 break and replace what it computes. If you have **two hours**, take the lessons with a
# dot: 1, 2, 6 and 7. A **class** with graded work takes those with a square: 4, 7 and 8.
#
# Run the next cell whenever you come back here:

# %%
progress()

# %% [markdown]
# ## One sentence to keep
#
# > **A slope is the change of the result per small change of an input, and one walk backward finds all of them.**

# %%
check()
