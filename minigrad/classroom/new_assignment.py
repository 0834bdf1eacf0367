"""The files of a new assignment: one prediction and one function, with their checks, to be replaced by your own."""

NOTEBOOK = """\
# %% [markdown]
# # NAME
#
# Text is written like this, in comments below a line that says markdown. What stands between BEGIN SOLUTION and
# END SOLUTION is taken out of the notebook that students receive.

# %%
import math

from minigrad.classroom import assignment

check = assignment("NAME")

# %% [markdown]
# **Predict.** $f(x) = x^2$. What is its slope at $x = 3$?

# %% exercise="slope_at_3"
### BEGIN SOLUTION
slope_at_3 = 6.0
### END SOLUTION
check("slope_at_3")

# %% [markdown]
# **Build.** Write the rule of tanh: the gradient of the input, from the input and the upstream gradient.


# %% exercise="tanh_backward"
def tanh_backward(x, upstream):
    ### BEGIN SOLUTION
    return upstream * (1 - math.tanh(x) ** 2)
    ### END SOLUTION


check("tanh_backward")

# %%
check()
"""

CHECKS = '''\
"""The checks of NAME: students receive this file beside their notebook. It holds no answer; see hidden.py."""

from minigrad.classroom import exercise, floats


@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.gradient(forward="tanh", vary=(floats(-4, 4),))
'''

HIDDEN = '''\
"""What students of NAME do not receive: answers, hints, wrong answers that must fail, and further checks."""

from minigrad.classroom import exercise, mistake


@exercise("slope_at_3")
def slope_at_3(c):
    c.number(
        6.0,
        because={
            6.0: "Yes: the slope of x * x is 2 * x.",
            9.0: "9 is the value at 3. The slope says how many times as much it changes as x.",
            3.0: "x * x uses x twice, and each use adds 3.",
        },
    )


@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.example((800.0, 1.0), 0.0, says="0 for a large input, and no overflow")
    c.hint("What is the slope of tanh?", "1 - tanh(x)**2, times what arrives.", "return upstream * (1 - ___ ** 2)")
    c.solution("The slope of tanh is 1 - tanh(x)**2, and a rule returns upstream times the slope.")
    c.wrong("def tanh_backward(x, upstream): return 1 - math.tanh(x) ** 2", mistake.no_upstream)
    c.wrong("def tanh_backward(x, upstream): return upstream", mistake.no_local)
    c.wrong("def tanh_backward(x, upstream): return -upstream * (1 - math.tanh(x) ** 2)", mistake.sign)
    c.wrong("def tanh_backward(x, upstream): return upstream * (1 - x ** 2)", mistake.input_for_output)
    c.wrong("def tanh_backward(x, upstream): return upstream * math.tanh(x)", mistake.value_for_slope)
    c.wrong("def tanh_backward(x, upstream): return upstream / math.cosh(x) ** 2")
'''
