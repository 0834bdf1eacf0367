# %% [markdown]
# # 0 · Start here
#
# *20 minutes, 2 functions*
#
# Here is a program with a thousand inputs. Change the first one a little: how much does the result change? And the
# second, and all the others? On this page you get a thousand answers from a single run, and check them with 2,000
# runs. On the way you see how a lesson works.
#
# A notebook is made of **cells**. To run the one that is marked, press Shift+Enter. Run them from top to bottom. You
# need some Python, a little NumPy, and the idea of a derivative.

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson, progress, three_a_day, where_it_leads

check = lesson("00")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A thousand slopes from one run
#
# Raise $x$ from 2 to 2.001, and $x^3$ rises by 0.012, twelve times as much. That factor, 12, is its **slope** at 2.
#
# A result of a thousand inputs has a thousand slopes. Together they are its **gradient**. The program below has a loop
# and counts its runs. The library of this course is **minigrad**, for short `mg`. What you compute from
# `mg.constant(...)`, of a number or an array, is recorded. `mg.gradients` reads the record and returns a list: one
# array of slopes for each input that you name, here only `x`.

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
# One run. Are the numbers right? Find them again, the slow way: move each input a little up and a little down, and see
# what the result does. This is **nudging**.

# %%
runs, h = 0, 1e-6
nudged = np.zeros(1000)
for i in range(1000):
    step = np.zeros(1000)
    step[i] = h
    nudged[i] = (f(x + step) - f(x - step)).item() / (2 * h)
print("runs of f:", runs, " largest difference:", f"{np.abs(slopes.numpy() - nudged).max():.0e}")

# %% [markdown]
# The same slopes, up to 2e-07. Nudging took 2,000 runs. How can one run do that? Every number on its way is kept, and a
# walk goes back through them. Here is a small one:

# %%
x = mg.constant(2.0)
y = x * x * x
viz.backward(y).start(play=False)

# %% [markdown]
# **Look: where does the 12 come from?** Press the triangle to play, or click the picture and step with the arrow keys.
# Numbers travel backwards along the arrows, from the result to the input. Several arrive at `x`, and there they add up
# to 12, the slope of $x^3$ at 2. The pictures write $\bar g$ for a gradient. What is it that travels? Lesson 2 answers
# that.
#
# ## 2 · Predict
#
# In each lesson you predict before you look. Type your answer instead of the `...` and run the cell. A wrong answer
# costs nothing: you read why it is wrong, and try again. A cell that begins with `# Runs after the prediction` would
# give the answer away: it runs when you have typed yours.
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
# So run a notebook from top to bottom. After a restart of the kernel nothing is left: run the first cell again, and
# those that you need. Until then each `check` ends with `NameError: name 'check' is not defined`.
#
# ## 3 · Build
#
# You also write functions. Each is tried with many inputs, and if one result is wrong, you see the input, your result
# and the right one.
#
# **Build.** `double(x)` returns twice `x`. Write it wrong first, to see what happens: replace the line `raise
# NotImplementedError(...)` with `return x * x`, run the cell, and read what it says. Then repair it.


# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


check("double")

# %% [markdown]
# $x \cdot x$ is right at 0. It is right at 2 as well. Two right numbers prove little.
#
# **Build.** Now nudge. When `x` grows by `h`, by how many times `h` does `f` grow? Write
# `slope_by_nudging(f, x, h)`, which returns this factor. (Steps to both sides, as in part 1, are right, too.)
#
# If you are stuck, add a cell (press Escape, then B) and run `check.hint("slope_by_nudging")`. Each function has three
# hints, and after them `check.solution` with the same name.


# %% exercise="slope_by_nudging"
def slope_by_nudging(f, x, h):
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION


check("slope_by_nudging")

# %% [markdown]
# ## 4 · Where to go
#
# On the map, follow the arrows: each lesson builds on the ones before. 1 and 2 show what travels backwards, in 3 to 5
# you build an engine, and in 6 to 9 you see a gradient break and replace the step that broke. The last ones put all of
# this to use. The time on a card is for the core of a lesson, which ends with one sentence to keep. A card that says
# 30 + 15 has more below that sentence, for another day.
#
# Three ways are shorter. The lessons with a triangle lead to **a network that learns** within three hours, a few failed
# attempts included; lesson 3 takes half an hour more. A **workshop** takes the four cores with a dot, and a **class**
# with graded work takes the lessons with a square. Come back here after each lesson and run this cell again. It also
# says where your progress is kept, and how to start over.

# %%
progress()

# %% [markdown]
# From lesson 1 on, each lesson ends with five questions. Each question comes back here after one day, three days and a
# week, at most three a day. What you recall on several days stays longer.

# %%
three_a_day()

# %% [markdown]
# And this is where it leads. In lesson 4 you write the walk, and at the end of lesson 5 it trains a network: each of
# 82 weights moves a little against its slope, again and again, until two moons are told apart. Then the same walk
# learns to read digits.

# %% tags=["trained"]
where_it_leads()

# %% [markdown]
# **Look: what does it learn?** The colours are its answer at each place, a cross is a point that it gets wrong. At
# first it has most of them upside down, then it draws a line, and then it bends the line.
#
# ## One sentence to keep
#
# > **A slope says by how many times a nudge of the input moves the result. One walk backward finds all slopes.**
#
# The walk needs something to walk through. What does a number remember of how it was made? [Lesson
# 1](01_what_a_number_remembers.ipynb) looks inside one.

# %%
check()
