# %% [markdown]
# # 18 · Half the digits
#
# *35 minutes, 3 functions*
#
# A number in float32 takes four bytes. Use two, and twice as many fit into memory, and graphics cards compute with them
# several times faster. Large networks are trained like that. What does it cost to leave out two bytes?
#
# You need lessons 6, 7, 12 and 15 for this one. Run the cells from top to bottom (Shift+Enter).

# %%
import numpy as np
from IPython.display import display

import minigrad as mg
import viz
from minigrad.classroom import lesson
from minigrad.data.unshown import by_astype

np.seterr(over="ignore", invalid="ignore")  # inf and nan are what this lesson looks at
check = lesson("18")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · Three ends
#
# A weight of 1 goes downhill. The slope is 1, the learning rate 0.0001, and there are 10,000 steps. In float32 the
# weight ends where it should, near 0.


# %%
def walk_down(dtype, rate):
    w, step = np.ones((), dtype)[()], np.dtype(dtype).type(rate)
    for _ in range(10_000):
        w = w - step
    return w


print(f"float32 {walk_down('float32', 0.0001):.6f}")

# %% [markdown]
# **Predict.** Where does it end in float16?
#
# - a) near 0 as well
# - b) at nan
# - c) at 1, where it began

# %% exercise="where_it_ends"
### BEGIN SOLUTION
where_it_ends = "c"
### END SOLUTION
check("where_it_ends")

# %% tags=["after-prediction"]
print(f"float16 {walk_down('float16', 0.0001):g}")
print(f"rate 0.00025: ends at {walk_down('float16', 0.00025):g}")

# %% [markdown] tags=["after-prediction"]
# No error, no nan. The slope was right and the step was right, and nothing moved: between 0.99951 and 1 there is no
# number, and 0.9999 is rounded back to 1. With a rate of 0.00025 each step is rounded up to 0.00049 at first, and the
# weight walks past 0 and comes to rest at −1, though −1.5 would be right.
#
# That is one end of a number format: a number is **too near** to the next. There are two others, too large and too
# small.

# %% [markdown]
# **Predict.** Start at 0 and add 1, again and again, in float16. At which number does it stop?

# %% exercise="counting_stops"
### BEGIN SOLUTION
counting_stops = 2048
### END SOLUTION
check("counting_stops")

# %% tags=["after-prediction"]
half = np.float16
total = half(0)
while total + half(1) > total:
    total += half(1)
print(f"too near:  {total:g} + 1 = {total + half(1):g}, 1000 + 0.2 = {half(1000) + half(0.2):g}")
print(f"too large: 255 * 255 = {half(255) * half(255):g}, 256 * 256 = {half(256) * half(256):g}")
print(f"too small: {half(3e-8):.2g} is the least above 0, and 0.000000029 is {half(2.9e-8):g}")

# %% [markdown] tags=["after-prediction"]
# float16 keeps 11 bits of each number. The largest is 65,504. Below 0.00006 the bits run out one by one, and below
# 0.00000003 everything is 0. There is another format of two bytes, **bfloat16**. NumPy doesn't have it, but you can
# round a float32 to it: keep 8 bits of the number, and all of its range.


# %% tags=["after-prediction"]
def to_bfloat16(x):
    u = np.asarray(x, "float32").view("uint32")
    return ((u + 0x7FFF + ((u >> 16) & 1)) & 0xFFFF0000).astype("uint32").view("float32")


for x in (70000, 1e-30, 1.001):
    print(f"in bfloat16 {x:g} is {to_bfloat16(x):.5g}")

# %% tags=["after-prediction"]
powers = np.arange(-40, 41)


def bits(rounded):
    """How many bits a number of each size has: a bit is there if 0.99 of it is rounded to it."""
    seen = lambda x, n: 0 < rounded(x) < np.inf and rounded(x + 0.99 * x / 2**n) != rounded(x)
    return [sum(seen(x, n) for n in range(24)) for x in 2.0**powers]


viz.history(
    {"float32": bits(np.float32), "float16": bits(np.float16), "bfloat16": bits(to_bfloat16)},
    along=("power of 2", powers),
)

# %% [markdown]
# **Look: where are the three ends of float16?** On the right the line falls off: too large. On the left it runs out bit
# by bit: too small. And it lies at 11 bits where float32's lies at 24: too near. bfloat16 is lower still, but you
# see neither of its other ends here. They are the ends of float32.
#
# ## 2 · Your network in half
#
# This is the network of lesson 15, 64 pixels, 32 hidden numbers and ten logits. Its 2,410 weights are one long vector
# here, so that they can be turned into another format at once. `train` takes three formats: one for the `products` in
# the layers, one for the `slopes` that come back, and one for the `weights` from step to step.

# %%
images, labels, test_images, test_labels = mg.data.digits()
one_hot = np.eye(10, dtype="float32")[labels]


def logits(v, x):
    W1, b1 = mg.reshape(v[362:], (64, 32)), v[330:362]
    W2, b2 = mg.reshape(v[:320], (32, 10)), v[320:330]
    return mg.tanh(x @ W1 + b1) @ W2 + b2


def loss_of(v, x, T):
    z = logits(v, x)
    return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))


def start():
    rng = np.random.default_rng(0)
    W1, W2 = rng.normal(size=(64, 32)) / np.sqrt(64), rng.normal(size=(32, 10)) / np.sqrt(32)
    return np.concatenate([W2.ravel(), np.zeros(42), W1.ravel()]).astype("float32")


def score(v):
    answers = np.argmax(logits(mg.constant(v), test_images.astype(v.dtype)).numpy(), axis=1)
    return np.mean(answers == test_labels)


def batches(epochs):
    rng = np.random.default_rng(0)
    for _ in range(epochs):
        order = rng.permutation(len(images))
        yield from (order[i : i + 32] for i in range(0, 1280, 32))


def train(products, slopes, weights, rate, epochs):
    v, longer = start().astype(weights), np.result_type(slopes, weights)
    for b in batches(epochs):
        x, T = images[b].astype(products), one_hot[b].astype(products)
        slope = mg.grad(loss_of)(v.astype(products), x, T).astype(slopes)
        v = (v - rate * slope.astype(longer)).astype(weights)
    return v


print("float32, 10 epochs, rate 0.5: reads", score(train("float32", "float32", "float32", 0.5, 10)))

# %% [markdown]
# **Predict.** Now everything in float16: weights, products, loss and steps. What does it read?
#
# - a) about one digit in ten
# - b) about 80 %
# - c) as much as in float32

# %% exercise="all_in_half"
### BEGIN SOLUTION
all_in_half = "c"
### END SOLUTION
check("all_in_half")

# %% tags=["after-prediction", "trained"]
print("float16, 10 epochs, rate 0.5: reads", score(train("float16", "float16", "float16", 0.5, 10)))
for dtype in ("float32", "float16"):
    slow = train(dtype, dtype, dtype, 0.001, 50)
    print(f"{dtype}, 50 epochs, rate 0.001: reads", score(slow))

# %% [markdown] tags=["after-prediction"]
# With steps of that size nothing is lost. With small steps it is another story: float16 reads 40 %, and float32 59 %.
# The picture shows how far each weight of the first layer has moved, an image for each of the 32 hidden numbers.

# %% tags=["after-prediction", "trained"]
viz.images((slow - start().astype("float16"))[362:].reshape(64, 32).T)

# %% [markdown]
# **Look: which weights have not moved?** The weights of pixels at the rims, where no digit has ink: their slope is 0.
# But the middle is full of holes as well. Nearly half of the weights of pixels with ink are where they were 2,000
# steps ago. It is the weight of part 1, hundreds of times.
#
# ## 3 · A long copy
#
# Something must be kept in float32. It can't be everything, or nothing is gained.
#
# **Predict.** Which of these has to be in float32, so that the small steps arrive?
#
# - a) the products of the layers
# - b) the weights that are kept from step to step
# - c) the slopes

# %% exercise="what_stays_long"
### BEGIN SOLUTION
what_stays_long = "b"
### END SOLUTION
check("what_stays_long")

# %% tags=["after-prediction", "trained"]
for long in ("products", "slopes", "weights"):
    formats = dict.fromkeys(("products", "slopes", "weights"), "float16") | {long: "float32"}
    print(f"float32 for the {long}: reads", score(train(**formats, rate=0.001, epochs=20)))

# %% [markdown] tags=["after-prediction"]
# After 20 epochs, float32 for everything reads 32 % as well. Yet each product and each slope was computed in float16.
# The copy in float32 is what is stepped; a copy in float16 is made of it for each pass. They are called **master
# weights** (Micikevicius and others, 2018).
#
# You can try such a format where the computer doesn't have it: compute in float32, and round the weights on the way in.
# But what does rounding send back? Nearly everywhere it is flat, and `mg.astype` rounds what it sends as well.

# %% [markdown]
# **Build.** Write `as_half(x)`: a float32 goes in, and a float32 comes out that is rounded to a number of float16. Its
# rule is a lie on purpose, as in lesson 12: it sends `upstream` as it came, with all its digits.


# %% exercise="as_half"
def as_half(x):
    @mg.custom_gradient
    def rounded(x):
        ### BEGIN SOLUTION
        return mg.astype(mg.astype(x, "float16"), "float32"), lambda upstream: upstream
        ### END SOLUTION

    return rounded(x)


check("as_half")

# %% tags=["after-prediction"]
# by_astype gives the same value, and has no custom rule.
for f in (by_astype, as_half):
    x, upstream = mg.constant(np.float32(0.1)), mg.constant(np.float32(1e-9))
    try:
        y = f(x)
        (back,) = mg.gradients(y, x, grad_ys=upstream)
        print(f"{f.__name__}: 0.1 becomes {y.item():.6f}, and 1e-9 comes back as {back.item():g}")
    except NotImplementedError:
        print("Once you have written as_half, this cell compares both.")

# %% [markdown]
# ## 4 · The corridor
#
# The other two ends are left. Slopes are small: 0.000001 is nothing special, and in float16 it has five bits. So
# multiply the loss by 2 to the power of k. Then each slope is 2^k times as large, on its whole way back. At the end
# divide by 2^k, in float32, before the step. On paper nothing changes.
#
# **Predict.** And the other way round: k = −20, so the loss is divided by a million, and the slopes are multiplied by a
# million at the end. How does it learn?
#
# - a) more slowly
# - b) not at all
# - c) as before

# %% exercise="loss_made_small"
### BEGIN SOLUTION
loss_made_small = "b"
### END SOLUTION
check("loss_made_small")


# %% tags=["after-prediction"]
def half_slopes(v, b, factor):
    """The slopes of the loss times a factor, in float16. The loss itself is computed in float32."""

    def loss(v):
        z = mg.astype(logits(v, images[b].astype("float16")), "float32")
        return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * one_hot[b], axis=1)) * factor

    return mg.grad(loss)(v.astype("float16"))


# %% tags=["after-prediction", "trained"]
ks = [-24, -22, -20, -18, -16, -14, -12, -10, -5, 0, 5, 10, 15, 18, 19, 22]
first = next(batches(1))
true = mg.grad(loss_of)(start(), images[first], one_hot[first])
reads, vanished = [], []
for k in ks:
    v = start()
    for b in batches(3):
        v = v - 0.5 * half_slopes(v, b, 2.0**k).astype("float32") / 2.0**k
    reads.append(score(v))
    vanished.append(np.mean(half_slopes(start(), first, 2.0**k)[true != 0] == 0))
viz.history({"it reads": reads, "slopes that became 0": vanished}, along=("k", ks))

# %% [markdown]
# **Look: what happens on the left, and what on the right?** On the left it fades: at −16 a sixth of the slopes is 0,
# and it reads as well as ever; at −20 all of them are. On the right it falls: from 19 on a slope is inf in some step,
# the weights become nan, and nothing brings them back. In between lies a corridor of more than 30 powers of 2.

# %% [markdown] tags=["after-prediction"]
# This network stands in the middle of it with k = 0. One whose layers shrink the gradient, such as the five sigmoids of
# lesson 15, stands further to the left.

# %% [markdown]
# **Build.** Write `scale_gradient(x, factor)`: the value is `x`, and each entry of the upstream gradient is multiplied
# by `factor`, a plain number. With it you can scale the way back, and print the loss as it is. Compute with `upstream`
# itself, which is a Tensor.


# %% exercise="scale_gradient"
def scale_gradient(x, factor):
    @mg.custom_gradient
    def scaled(x):
        ### BEGIN SOLUTION
        return mg.identity(x), lambda upstream: upstream * factor
        ### END SOLUTION

    return scaled(x)


check("scale_gradient")

# %% [markdown]
# ## 5 · Why a power of 2
#
# Multiply by 1,000, divide by 1,000: is that any worse? And what becomes of the loss itself? Here everything is in
# float16, and 2.3 times 2^15 is more than 65,504.
#
# **Predict.** The loss is inf. What are its slopes?
#
# - a) inf
# - b) nan
# - c) finite, and right

# %% exercise="slopes_of_inf"
### BEGIN SOLUTION
slopes_of_inf = "c"
### END SOLUTION
check("slopes_of_inf")

# %% tags=["after-prediction"]
v, x, T = (part.astype("float16") for part in (start(), images[first], one_hot[first]))
plain = mg.grad(loss_of)(v, x, T)
loss, slope = mg.value_and_grad(lambda v: loss_of(v, x, T) * half(2.0**15))(v)
print(f"the loss is {loss:g}; slopes that are finite: {np.mean(np.isfinite(slope)):.0%}")
for factor in (2.0**10, 1000.0):
    back = half_slopes(start(), first, factor).astype("float32") / factor
    same = np.mean(back == half_slopes(start(), first, 1.0).astype("float32"))
    print(f"times {factor:g}, and divided by it again: {same:.0%} of the slopes stay as they are")

# %% [markdown] tags=["after-prediction"]
# The way back never asks for the value of the loss. Its first message is 2^15, which fits.
#
# A power of 2 moves the exponent of a number, and leaves its digits alone. (The 1 % that changed had been too small on
# the way back: times 1,024 they keep their bits.) 1,000 rounds most of them. The errors are no larger than those that
# float16 makes anyway. But after 2^k you can compare with `==`, and know that your code changed nothing else.

# %% [markdown]
# ## 6 · Skip, halve, go on
#
# Which k is right? It changes during training, so nobody chooses it by hand. Begin too high. If a slope is inf or nan,
# throw the *whole* step away, and take half the factor. If 50 steps went well, try twice the factor.
#
# **Build.** Write `careful_step(w, slope, k, rate)`, which returns the new weights and the new k. `w` is a float32
# array. `slope` is a float16 array, 2**k times too large. If any of its entries is not finite, return `w` as it is, and
# k − 1. Otherwise step against the slope, with the digits of float32, and return k as it is.


# %% exercise="careful_step"
def careful_step(w, slope, k, rate):
    ### BEGIN SOLUTION
    if not np.all(np.isfinite(slope)):
        return w, k - 1
    return w - rate * (slope.astype("float32") / 2.0**k), k
    ### END SOLUTION


check("careful_step")

# %% tags=["after-prediction"]
try:
    v, k, good, tried = start(), 24, 0, []
    for b in batches(3):
        tried.append(k)
        v, new = careful_step(v, half_slopes(v, b, 2.0**k), k, 0.5)
        good = good + 1 if new == k else 0
        k = new + (good > 0 and good % 50 == 0)
    skipped = sum(after < before for before, after in zip(tried, tried[1:]))
    print(f"{skipped} of {len(tried)} steps skipped; reads {score(v):.0%}")
    display(viz.history({"k": tried}))
except NotImplementedError:
    print("Once you have written careful_step, this cell trains with it.")

# %% [markdown]
# Once yours passes, this run throws away its first steps, until the slopes fit. From then on it climbs as training
# makes them smaller, and is thrown back by one now and then. `GradScaler` of PyTorch does the same, with 2,000 steps
# instead of 50.
#
# bfloat16 needs none of this: its range is the same as float32's. But with its 8 bits it needs the long copy all the
# more.
#
# ## One sentence to keep
#
# > **Too large, too small, too near: scale by a power of 2 against the first two, and keep a long copy against the
# > third.**
#
# With fewer digits, formulas that lose digits break sooner. Which of your formulas would break at 65,504? The stability
# catalogue on minigrad's site has more than 30 such formulas: where each one breaks, and what to write instead.

# %%
check.questions()

# %%
check()
