# %% [markdown]
# # 9 · Structures and upstreams
#
# Parameters come in dicts of lists of arrays, and a function may return several results at once. A rule must then send
# many gradients, and each must find its place. In this lesson you see how they find it.
#
# It takes about 30 minutes: *see*, *predict*, *run*, *build*. Run the cells from top to bottom (Shift+Enter).

# %%
import minigrad as mg
import viz
from minigrad import ops
from minigrad.classroom import lesson

check = lesson("09")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Right numbers in the wrong places
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
# **Predict.** Which gradient does `p["w"]` get?

# %% exercise="gradient_of_w"
### BEGIN SOLUTION
gradient_of_w = 1.0
### END SOLUTION
check("gradient_of_w")

# %% tags=["after-prediction"]
of_w, of_b = mg.gradients(line(p), [p["w"], p["b"]])
print("w gets", of_w.item(), "and b gets", of_b.item())

# %% tags=["after-prediction"]
viz.backward(line(p))

# %% [markdown]
# *What to look at:* the 3 goes to `b`, the one with the value 5. A list of gradients is matched with the inputs one by
# one, and a dict has its values **in the order of its sorted keys**: `b` comes before `w`.

# %% [markdown]
# The test of lesson 3 finds what is wrong:

# %% tags=["after-prediction"]
print(mg.check_gradients(line, {"w": 2.0, "b": 5.0}, order=1, raises=False))

# %% [markdown]
# The fix is to return a dict, as the argument is one: `return {"w": upstream * 3.0, "b": upstream}`. Then the names
# decide.
#
# ## 2 · Trees, flat and back
#
# A **structure** is a list, a tuple or a dict that holds values or other structures, or a single value. A value that
# is not itself a list, tuple or dict is a **leaf**. The **flat order** of the leaves is fixed: lists and tuples in
# their order, dicts by sorted key, at every depth.
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

# %% [markdown]
# **Build.** Write `flatten(tree)`, which returns the list of leaves in flat order. Of a single leaf it is a list of
# one. Do not use `mg.nest.flatten`.


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
# And back: when the gradients are known as a flat list, they are put into the structure of the inputs.
#
# **Build.** Write `rebuild(like, leaves)`. It returns a new structure that is made like `like`, with the same keys in
# the same order, lists for lists and tuples for tuples. Its leaves are those of the list `leaves`, in flat order:
# `rebuild({"w": 1, "b": 2}, [10, 20])` is `{"w": 20, "b": 10}`.


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
# ## 3 · One upstream for each output
#
# The next function returns two results. Its rule gets two upstream gradients, one for each, and prints them.


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

# %% [markdown]
# The node waits until all upstream gradients are there: 14 for the sum, which is used twice, and 1 for the product. In
# the picture each output is a box of its own:

# %% tags=["after-prediction"]
viz.backward(total + 3 * product).start()

# %% [markdown]
# *What to look at:* step forward until `both` has its turn. It has two gradients then, one for each output, and sends
# one message to each input.
#
# An upstream gradient of 0 is a number, and a rule computes with it. This rule has a division in it:


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

# %% [markdown]
# It is lesson 6 again, in a rule of your own: 0 / 0. The fix is that of lesson 7, a `where` in the rule.
#
# **Build.** `split(x, k)` returns a dict: `"start"` holds the first `k` entries of `x`, and `"rest"` the others. Write
# its rule. The upstream gradients are passed in flat order, that is, by sorted key. `k` is an argument, too: return
# None for it. (`mg.concatenate([a, b])` joins two arrays end to end.)


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
# ## 4 · None and zero
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

# %% [markdown]
# *What to look at:* None is not a number. It is no message at all, and other paths count as before. A gradient is None
# if no message arrived. A message of 0 is different: then there is a path, and its slope is 0.
#
# ## 5 · Keras's two conventions
#
# Keras has this decorator as `keras.ops.custom_gradient`; minigrad's version is `ops.custom_gradient`, imported above.
# A rule can have two forms: `def grad(upstream)`, as before, or `def grad(*args, upstream)`. minigrad looks at how the
# rule is declared: in the second form it passes the upstream gradient by keyword.
#
# **Predict.** In the second form, what does `args` hold for a function of two inputs?
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

# %% [markdown]
# On Keras's TensorFlow and JAX backends a rule is called as `grad(upstream)`, on its PyTorch backend as `grad(*inputs,
# upstream=...)`. A rule that runs on all three must take both.
#
# **Build.** Write the rule of `portable`, which is $\log(1 + e^x)$ of lesson 7. The check calls it in both ways.


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
# ## In other libraries
#
# With two outputs of which one is used, the rule gets (1, 0) in TensorFlow, PyTorch and minigrad. JAX passes one
# upstream gradient with the structure of the result. A None from a rule stays None in TensorFlow and PyTorch and
# becomes 0.0 in JAX. The difference matters in training: with **momentum**, where a step also repeats a part of the
# step before it, a weight whose gradient has become 0 keeps moving, and one whose gradient is None is left alone.
#
# ## One sentence to keep
#
# > **Structures are flattened in one fixed order, and each output has one upstream gradient, which is 0
# > if nobody used it; None means that no message arrived.**
#
# You can now replace what a function sends back, also with Variables and in structures.

# %%
check()
