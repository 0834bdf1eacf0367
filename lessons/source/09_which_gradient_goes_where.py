# %% [markdown]
# # 9 · Which gradient goes where?
#
# *35 minutes, 3 functions · more: 10 minutes, 1 function*
#
# A rule returns a gradient for each input. That was easy while the inputs came in a row. Now the parameters come in a
# dict of lists, and functions return several results. How does each gradient find its place?

# %%
import minigrad as mg
import viz
from minigrad import ops
from minigrad.classroom import lesson

check = lesson("09")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A dict of parameters
#
# The argument of the next function is a dict, written with `w` first and `b` second. Its rule returns two gradients in
# this order: 3 for `w` and 1 for `b`, times the upstream gradient.


# %%
@mg.custom_gradient
def line(p):
    def grad(upstream):
        return [upstream * 3.0, upstream]  # of w, of b

    return p["w"] * 3.0 + p["b"], grad


p = {"w": mg.constant(2.0), "b": mg.constant(5.0)}

# %% [markdown]
# **Predict.** Which gradient does `p["w"]` get? Type it into its box, the one with the value 2, and press *Check*: your
# answer is checked and the pass is played.
# (In a new cell: `gradient_of_w.answer = 2`.)

# %%
words = "Which gradient does the box with the value 2 get?"
gradient_of_w = check.picture("gradient_of_w", viz.backward(line(p)), "p['w']", words=words)
gradient_of_w

# %% exercise="gradient_of_w"
### BEGIN SOLUTION
gradient_of_w.answer = 1.0
### END SOLUTION
check("gradient_of_w")

# %% tags=["after-prediction"]
of_w, of_b = mg.gradients(line(p), [p["w"], p["b"]])
print("w gets", of_w.item(), "and b gets", of_b.item())

# %% [markdown] tags=["after-prediction"]
# **Look: which box gets the 3?** The one with the value 5, and that is `b`.

# %% [markdown] tags=["after-prediction"]
# Two right numbers in the wrong places, and no error. A list of gradients is matched with the inputs one by one. And a
# dict is read **in the order of its sorted keys**, however it was written: `b` before `w`.
#
# The test of lesson 3 finds it:

# %% tags=["after-prediction"]
mg.check_gradients(line, {"w": 2.0, "b": 5.0}, order=1, raises=False)

# %% [markdown] tags=["after-prediction"]
# The cure? The argument is a dict, so return a dict: `return {"w": upstream * 3.0, "b": upstream}`. Then the names
# decide.

# %% [markdown]
# ## 2 · Taken apart
#
# Dicts may be in lists, and lists in dicts. Take this one apart, down to its numbers:
#
# **Predict.** What is `mg.nest.flatten({"w": 1, "b": [2, 3]})`?
#
# - a) `[1, 2, 3]`
# - b) `[2, 3, 1]`
# - c) `["b", "w"]`
# - d) `[[2, 3], 1]`

# %% exercise="flat_order"
### BEGIN SOLUTION
flat_order = "b"
### END SOLUTION
check("flat_order")

# %% tags=["after-prediction"]
print(mg.nest.flatten({"w": 1, "b": [2, 3]}))
print(mg.nest.flatten({"w": [1, 2], "b": {"z": 3, "a": 4}}))

# %% [markdown] tags=["after-prediction"]
# Lists and tuples go in their order, dicts by sorted key, at every depth. This is the **flat order**. Lists, tuples and
# dicts are **structures**; whatever is none of these is a **leaf**.

# %% [markdown]
# **Build.** Write `flatten(tree)`: the list of its leaves (whatever is not a list, a tuple or a dict), in the order of
# `mg.nest.flatten`, and without it. For a single leaf it returns a list of one.


# %% exercise="flatten"
def flatten(tree):
    ### BEGIN SOLUTION
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree)]
    if not isinstance(tree, (list, tuple)):
        return [tree]
    return [leaf for child in tree for leaf in flatten(child)]
    ### END SOLUTION


check("flatten")

# %% [markdown]
# Inputs go in by this order, and gradients come back by it: each one is put where it belongs. (`rebuild`, at the end of
# this lesson, does that.)
#
# ## 3 · One upstream for each output
#
# Now a function with two results. How many upstream gradients does its rule get? Two, one for each, and this rule
# prints them.


# %%
@mg.custom_gradient
def both(a, b):
    def grad(of_sum, of_product):
        print(f"grad gets {of_sum:g} and {of_product:g}")
        return of_sum + of_product * b, of_sum + of_product * a

    return (a + b, a * b), grad


a, b = mg.constant(2.0), mg.constant(5.0)
total, product = both(a, b)

# %% [markdown]
# **Predict.** Only `total` is differentiated. What does the rule get for the product?
#
# - a) `None`
# - b) `0.0`
# - c) `1.0`
# - d) nothing: the rule is not called

# %% exercise="unused_output"
### BEGIN SOLUTION
unused_output = "b"
### END SOLUTION
check("unused_output")

# %% tags=["after-prediction"]
print([gradient.item() for gradient in mg.gradients(total, [a, b])])

# %% [markdown]
# **Predict.** And for one call of `mg.gradients(total * total + product, [a, b])`: how many times is the rule called?

# %% exercise="calls_of_grad"
### BEGIN SOLUTION
calls_of_grad = 1
### END SOLUTION
check("calls_of_grad")

# %% tags=["after-prediction"]
print([gradient.item() for gradient in mg.gradients(total * total + product, [a, b])])

# %% tags=["after-prediction"]
loss = total + 3 * product
viz.backward(loss, drag=False).start(play=False)

# %% [markdown]
# **Look: when does `both` send?** Step forward. Each output has its own box, and `both` waits until both have their
# gradients. Then it sends, once to each input. (The rule prints twice here, because the picture runs a second pass that
# looks for lost digits.)
#
# A rule computes with whatever it gets. This one has a division in it:


# %%
@mg.custom_gradient
def square_and_log(x):
    def grad(of_square, of_log):
        return of_square * 2 * x + of_log / x

    return (x * x, mg.log(x)), grad


# %% [markdown]
# **Predict.** Only the square is used. What is the gradient at $x = 0$?
#
# - a) `0.0`
# - b) `nan`
# - c) `inf`
# - d) `None`

# %% exercise="unused_at_zero"
### BEGIN SOLUTION
unused_at_zero = "b"
### END SOLUTION
check("unused_at_zero")

# %% tags=["after-prediction"]
x = mg.constant(0.0)
square, logarithm = square_and_log(x)
print(mg.gradients(square, x))

# %% [markdown] tags=["after-prediction"]
# It's lesson 6 again, in your own rule: 0 / 0. The cure is the same as in lesson 7: a `where` in the rule.

# %% [markdown]
# **Build.** `split(x, k)` returns a dict: `"start"` is the first `k` entries of `x`, `"rest"` the others. Write its
# rule. The upstream gradients come in flat order. `k` is an argument, too: return None for it.
# (`mg.concatenate([a, b])` joins two arrays end to end.)


# %% exercise="split"
@mg.custom_gradient
def split(x, k):
    def grad(*upstreams):
        ### BEGIN SOLUTION
        rest, start = upstreams
        return mg.concatenate([start, rest]), None
        ### END SOLUTION

    return {"start": x[:k], "rest": x[k:]}, grad


check("split")

# %% [markdown]
# ## 4 · None is not 0
#
# A rule may return None for an input.


# %%
@mg.custom_gradient
def only_a(a, b):
    return a * b, lambda upstream: (upstream * b, None)


# %% [markdown]
# **Predict.** Let $y = $ `only_a(a, b) + 7 * b` with $a = 2$ and $b = 5$. What is the gradient of `b`?
#
# - a) `None`
# - b) `0.0`
# - c) `7.0`
# - d) `9.0`

# %% exercise="none_and_seven"
### BEGIN SOLUTION
none_and_seven = "c"
### END SOLUTION
check("none_and_seven")

# %% tags=["after-prediction"]
y = only_a(a, b)
print(mg.gradients(y + 7 * b, b)[0].item())
print(mg.gradients(y, b), mg.explain_none(y, b).reason)

# %% [markdown] tags=["after-prediction"]
# None is not a message at all, and the other path counts as before. A message of 0 is a number.

# %% [markdown]
# Does it ever matter whether a gradient is None or 0? Train a weight for two steps, with **momentum**: each step
# repeats nine tenths of the step before it. The gradient is 1 first. Then it is 0 for one weight and None for another,
# and None means: leave it alone.


# %% tags=["after-prediction"]
def step(weight, speed, gradient):
    if gradient is None:
        return weight, speed
    speed = 0.9 * speed + gradient
    return weight - 0.1 * speed, speed


for second in (0.0, None):
    weight, speed = step(1.0, 0.0, 1.0)
    after_one = weight
    weight, speed = step(weight, speed, second)
    print(f"then {second}: {after_one:.2f} -> {weight:.2f}")

# %% [markdown] tags=["after-prediction"]
# At 0 the weight rolls on, from 0.90 to 0.81. At None it stays. So a rule that means "no gradient" returns None, and
# not a 0 that looks like one.

# %% [markdown]
# ## 5 · One rule, three backends
#
# Keras has this decorator as `keras.ops.custom_gradient`; in minigrad it is `ops.custom_gradient`. A rule can have two
# forms: `def grad(upstream)`, as before, or `def grad(*args, upstream)`. minigrad looks at how the rule is declared. In
# the second form it passes the upstream gradient by keyword.
#
# **Predict.** In the second form, what is in `args`, for a function of two inputs?
#
# - a) the upstream gradients
# - b) the two inputs
# - c) nothing
# - d) the input and the upstream gradient

# %% exercise="what_is_in_args"
### BEGIN SOLUTION
what_is_in_args = "b"
### END SOLUTION
check("what_is_in_args")


# %% tags=["after-prediction"]
@ops.custom_gradient
def times(a, b):
    def grad(*args, upstream):
        print("args:", [arg.item() for arg in args], "upstream:", upstream.item())
        return upstream * b, upstream * a

    return a * b, grad


print([gradient.item() for gradient in mg.gradients(times(a, b), [a, b])])

# %% [markdown] tags=["after-prediction"]
# Keras calls a rule as `grad(upstream)` on TensorFlow and JAX, and as `grad(*inputs, upstream=...)` on PyTorch. Can one
# rule run on all three? It must take both calls.

# %% [markdown]
# **Build.** Write the rule of `portable`, which is $\log(1 + e^x)$ of lesson 7, for all three backends of Keras. The
# check calls it in both forms.


# %% exercise="portable"
@ops.custom_gradient
def portable(x):
    e = mg.exp(x)

    def grad(*args, upstream=None):
        ### BEGIN SOLUTION
        if upstream is None:
            (upstream,) = args
        return upstream * (1 - 1 / (1 + e))
        ### END SOLUTION

    return mg.log(1 + e), grad


check("portable")

# %% [markdown]
# ## One sentence to keep
#
# > **Structures are flattened in one fixed order, and each output has one upstream gradient, which is 0
# > if nobody used it; None means that no message arrived.**
#
# When you started, a gradient was something a library returned. Now you can follow it message by message, test it, find
# where a nan first appears, and put your own rule there. Try it on one of your functions: `viz.backward(f, x=2.0)`.

# %%
check.questions()

# %% [markdown]
# ## More: put back in place
#
# The gradients are a flat list. The parameters are a dict of lists. Put each one back where it belongs:
#
# **Build.** Write `rebuild(like, leaves)`. It returns a new structure, made like `like`: the same keys in the same
# order, lists for lists and tuples for tuples. Its leaves are taken from the list `leaves`, in flat order:
# `rebuild({"w": 1, "b": 2}, [10, 20])` is `{"w": 20, "b": 10}`. Leave `like` as it is.


# %% exercise="rebuild"
def rebuild(like, leaves):
    ### BEGIN SOLUTION
    leaves = iter(leaves)

    def build(like):
        if isinstance(like, dict):
            made = {key: build(like[key]) for key in sorted(like)}
            return {key: made[key] for key in like}
        if isinstance(like, (list, tuple)):
            return type(like)([build(child) for child in like])
        return next(leaves)

    return build(like)
    ### END SOLUTION


check("rebuild")

# %% [markdown]
# ## More: the same in other libraries
#
# With two outputs, one of them used, the rule gets (1, 0) in TensorFlow, PyTorch and minigrad. JAX passes one
# upstream gradient with the structure of the result. A None from a rule stays None in TensorFlow and PyTorch, and
# becomes 0.0 in JAX. PyTorch's SGD with momentum does what your two weights did: 0.81 at 0, 0.90 at None.

# %%
check()
