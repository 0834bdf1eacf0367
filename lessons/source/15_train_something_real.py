# %% [markdown]
# # 15 · Train something real
#
# *40 minutes, 4 functions · more: 10 minutes, 1 function*
#
# A network that reads handwritten digits has 2,410 numbers to learn. What does training do to them? And when it learns
# nothing, where do you look?
#
# Run the cells from top to bottom (Shift+Enter).

# %%
import numpy as np

import minigrad as mg
import viz
from minigrad.classroom import lesson, mine
from minigrad.data.small_networks import layers_of, trained_on

check = lesson("15")  # run this cell first, also after a restart of the kernel

# %% [markdown]
# ## 1 · A network that cannot learn
#
# The digits are 8 × 8 pixels, written by 13 people (Alpaydin and Kaynak, 1998); 1,297 are to learn from, and 500 others
# are for the exam.

# %%
images, labels, test_images, test_labels = mg.data.digits()
viz.images(images[:16], titles=labels[:16])

# %% [markdown]
# **Look: could you read them all?** Mostly. That is what the network has to match.
#
# It has one hidden layer: 64 pixels, 32 hidden numbers, and ten results, the **logits**, one for each digit. The
# largest logit is its answer. `layers_of(scale)` makes the layers: random weights, times a scale, and biases of 0.


# %%
def hidden(layer, x):
    return mg.tanh(x @ layer["W"] + layer["b"])


def logits(params, x):
    for layer in params[:-1]:
        x = hidden(layer, x)
    return x @ params[-1]["W"] + params[-1]["b"]


one_hot = np.eye(10, dtype="float32")[labels]


def loss_of(params, x, T):
    z = logits(params, x)
    return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))


def score(params):
    """The share of the 500 other digits that it reads."""
    answers = np.argmax(logits(params, mg.constant(test_images)).numpy(), axis=1)
    return np.mean(answers == test_labels)


# %% [markdown]
# **Softmax** makes probabilities of the logits: exp of each, divided by the sum of the ten exps. The loss is the
# **cross-entropy**: −log of the probability of the right digit. The log of a quotient is a difference, and so the code
# has log(Σ exp z), which is `mg.logsumexp`, minus the logit of the right digit. That one is left when `z` is multiplied
# by T and added up: a row of `one_hot` is 1 at its label, and 0 elsewhere.
#
# **Predict.** A network that knows nothing gives each of the ten digits the same probability. Its loss? (Within 0.01.)

# %% exercise="first_loss"
### BEGIN SOLUTION
first_loss = 2.303
### END SOLUTION
check("first_loss")

# %% [markdown]
# Training is a loop: take 32 images, a **batch**, find the loss and its gradient, and step against the gradient by the
# **learning rate**. With a **momentum** of 0.9, nine tenths of the last step are added to each. Once through all images
# is an **epoch**. `trained_on` runs this loop, and returns new parameters and the loss of each batch.


# %% tags=["after-prediction"]
def train_network(params, epochs=10, rate=0.1, loss=loss_of):
    return trained_on(images, one_hot, params, loss, epochs, rate)


params, losses = train_network(layers_of(scale=0.0))
print(f"loss {losses[0]:.3f}, at the end {np.mean(losses[-40:]):.2f}; reads {score(params):.1%}")

# %% [markdown]
# No error, no nan, and one digit in thirteen. All weights began at 0.
#
# **Predict.** Which of its numbers move in training?
#
# - a) all of them
# - b) none
# - c) only the last bias

# %% exercise="what_moves"
### BEGIN SOLUTION
what_moves = "c"
### END SOLUTION
check("what_moves")

# %% tags=["after-prediction"]
viz.layers(mg.grad(loss_of)(layers_of(scale=0.0), images, one_hot))

# %% [markdown]
# **Look: which bars are missing?** All but one. The hidden numbers are 0, so the second W gets 0; the second W is 0, so
# nothing goes on to the first layer.
#
# Now with small random numbers. Everything else stays as it was.

# %% tags=["after-prediction", "trained"]
params, losses = train_network(layers_of(scale=1.0))
print(f"reads {score(params):.1%} of 500 digits that it has never seen")
viz.history({"loss": losses}, smooth=20)

# %% [markdown]
# **Look: how fast does it learn?** Most of it in the first 50 steps. After 400, about a second, it reads 97 or 98 of a
# hundred. Here are the weights of the 32 hidden numbers, as images, and some digits that it got wrong:

# %% tags=["after-prediction", "trained"]
viz.images(params[0]["W"].T)

# %% [markdown]
# **Look: what does a hidden number react to?** To strokes: ink in the blue places raises it, in the orange ones it
# lowers it. At the rims, where hardly any digit has ink, they stay as random as they began.

# %% tags=["after-prediction", "trained"]
answers = np.argmax(logits(params, mg.constant(test_images)).numpy(), axis=1)
wrong = np.flatnonzero(answers != test_labels)[:9]
titles = [f"{test_labels[i]}, read as {answers[i]}" for i in wrong]
viz.images(test_images[wrong], titles=titles, columns=3)

# %% [markdown]
# **Look: would you have read them all?** Probably not.
#
# **Build.** Now you write the two lines in the middle of the loop: `train(images, labels)` returns parameters that read
# at least 95 % of digits that it has not seen. `step` takes what `loss_of` takes, and returns the loss and the
# gradients; `optimizer.step` takes parameters and gradients, and returns new parameters. `T` is built from the labels
# that are passed in, which may differ from this notebook's.


# %% exercise="train"
def train(images, labels):
    params = layers_of(scale=1.0)
    T = np.eye(10, dtype="float32")[labels]
    rng, optimizer = np.random.default_rng(0), mg.optim.SGD(0.1, momentum=0.9)
    step = mg.value_and_grad(loss_of)
    for _ in range(10):
        order = rng.permutation(len(images))
        for i in range(0, len(images) - 31, 32):
            batch = order[i : i + 32]
            ### BEGIN SOLUTION
            loss, slopes = step(params, images[batch], T[batch])
            params = optimizer.step(params, slopes)
            ### END SOLUTION
    return params


check("train")

# %% [markdown]
# Libraries that keep gradients in the parameters need one more line, `zero_grad()`. Without it each step adds to all
# the earlier gradients: the same network in PyTorch then ends with a loss of more than 10,000. Here a gradient is what
# a function returns. There is nothing to forget.
#
# ## 2 · Through your own engine
#
# In lessons 4 and 5 you wrote the walk and the un-broadcasting, and at the end of lesson 5 they trained a network of
# these sizes. With the slopes of the ops, they are all that training needs. `mine` has yours, or minigrad's where yours
# is missing, and the steps are plain ones: 0.5 times the gradient.

# %% tags=["after-prediction", "trained"]
print(mine)
start = layers_of(scale=1.0)
own = [{name: mg.Variable(value) for name, value in layer.items()} for layer in start]
flat = [layer[name] for layer in own for name in ("W", "b")]
order = np.random.default_rng(0).permutation(len(images))
for i in range(0, 1280, 32):
    batch = order[i : i + 32]
    loss = loss_of(own, mg.constant(images[batch]), one_hot[batch])
    for weight, slope in zip(flat, mine.gradients(loss, flat)):
        weight.assign(weight.numpy() - 0.5 * np.asarray(slope))
print(f"after one epoch it reads {score(own):.0%}")

# %% [markdown]
# ## 3 · How large to begin
#
# The random start was divided by √64, the root of the number of inputs. Why? A sum of n random numbers of size 1 has
# the size √n, where the size of many numbers is the root of the mean of their squares (rms in the pictures).
#
# **Predict.** The start times 100: the first loss is about
#
# - a) 2.3
# - b) 13
# - c) 120

# %% exercise="loss_of_a_large_start"
### BEGIN SOLUTION
loss_of_a_large_start = "c"
### END SOLUTION
check("loss_of_a_large_start")

# %% tags=["after-prediction", "trained"]
for scale in (0.01, 1, 10, 100):
    begun = layers_of(scale)
    flat_part = np.mean(np.abs(hidden(begun[0], mg.constant(images)).numpy()) > 0.99)
    trained, losses = train_network(begun)
    first, reads = losses[0], score(trained)
    print(f"start x {scale:5}: first loss {first:6.1f}, flat {flat_part:4.0%}, reads {reads:.0%}")

# %% [markdown] tags=["after-prediction"]
# It knows nothing, and is sure of it. *Flat* is the share of hidden numbers beyond ±0.99, where tanh hardly moves: it
# is **saturated**, and sends almost nothing back.

# %% [markdown]
# **Build.** Write `start_weights(inputs, outputs, seed)`: random weights of shape (inputs, outputs), drawn from
# `rng`, so that inputs of size 1 come out with size about 1.


# %% exercise="start_weights"
def start_weights(inputs, outputs, seed):
    rng = np.random.default_rng(seed)
    ### BEGIN SOLUTION
    return rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)
    ### END SOLUTION


check("start_weights")

# %% [markdown]
# In a deep network each layer multiplies the gradient. The slope of sigmoid is at most 1/4, the slope of tanh at most
# 1.
#
# **Predict.** Five hidden layers of sigmoid, each W started as above. How many times smaller is the gradient of the
# first W than the gradient of the last, the sixth?
#
# - a) about 5
# - b) about 50
# - c) about 1,700

# %% exercise="through_five_sigmoids"
### BEGIN SOLUTION
through_five_sigmoids = "c"
### END SOLUTION
check("through_five_sigmoids")


# %% tags=["after-prediction"]
def deep_loss(activation):
    def loss(params, x, T):
        for layer in params[:-1]:
            x = activation(x @ layer["W"] + layer["b"])
        z = x @ params[-1]["W"] + params[-1]["b"]
        return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))

    return loss


deep = layers_of(1.0, sizes=(64, 32, 32, 32, 32, 32, 10))
viz.layers([layer["W"] for layer in mg.grad(deep_loss(mg.sigmoid))(deep, images, one_hot)])

# %% [markdown]
# **Look: by how much does each layer shrink it?** By 3.5 to 6 times. Training moves the last layers only: after ten
# epochs this network reads 7.8 %, no more than the one that began with zeros.
#
# With tanh everywhere it reads 80 to 99 %. After 400 steps, two processors that round the last bit differently have two
# different networks. The same bars:

# %% tags=["after-prediction"]
viz.layers([layer["W"] for layer in mg.grad(deep_loss(mg.tanh))(deep, images, one_hot)])

# %% [markdown]
# **Look: where is the smallest bar now?** In the middle, and it is more than half of the largest, not a thousandth.
#
# ## 4 · Silent units
#
# `relu` is 0 for everything below 0, and its slope is 0 there too. A hidden number, also called a **unit**, that is 0
# for *every* image sends no gradient to its weights, and stays so. It is **silent**.
#
# **Build.** Write `silent_units(h)`: how many columns of `h`, a NumPy array of shape (images, units), are 0 for every
# image? A number below 0 is not 0, and nor is a small one.


# %% exercise="silent_units"
def silent_units(h):
    ### BEGIN SOLUTION
    return int(np.sum(np.all(h == 0, axis=0)))
    ### END SOLUTION


check("silent_units")

# %% [markdown]
# **Predict.** With relu and a learning rate of 2, all 32 units fall silent, and the loss stays at 2.5. What does
# such a network answer?
#
# - a) random digits
# - b) the same digit for every image
# - c) nan

# %% exercise="all_silent"
### BEGIN SOLUTION
all_silent = "b"
### END SOLUTION
check("all_silent")


# %% tags=["after-prediction", "trained"]
def trial(rate, scale, activation):
    f = {"tanh": mg.tanh, "relu": mg.relu}[activation]
    trained, losses = train_network(layers_of(scale), epochs=5, rate=rate, loss=deep_loss(f))
    h = f(mg.constant(test_images) @ trained[0]["W"] + trained[0]["b"]).numpy()
    return [viz.history({"loss": losses}, smooth=20), viz.units(h)]


trial(rate=0.3, scale=1.0, activation="relu")[1]

# %% [markdown]
# **Look: which columns are blank?** The silent ones, on the right. At a rate of 0.3 half of the network is gone, and
# nothing tells you.
#
# Now train it yourself. Move a slider, or choose from the menu: 200 steps run again each time.

# %% tags=["after-prediction", "trained"]
viz.retrain(
    trial,
    rate=(0.01, 3.0, 0.1),
    scale=(0.01, 10.0, 1.0),
    activation=["tanh", "relu"],
    show=[
        {"activation": "relu"},
        {"rate": 0.3, "activation": "relu"},
        {"rate": 2.0, "activation": "relu"},
        {"scale": 10.0},
    ],
)

# %% [markdown]
# **Look: what rate breaks relu?** Between 0.3 and 1. At 2 no unit is left, and all 500 images get the same
# answer. All numbers stay finite, so nothing is raised. tanh keeps all its units, but from a start of 10 most of them
# hardly move: they are saturated.
#
# ## 5 · A rule in the loss
#
# `exp` of a large logit is inf, and `mg.logsumexp` avoids it. Lesson 7 had the cure: an exp whose argument is never
# above 0, and a rule. Here log(Σ exp z) is m + log(Σ exp(z − m)), for any number m.
#
# **Build.** Write `cross_entropy(z, T)` with a rule: the mean over the images of log(Σ exp z) minus the logit of the
# label. Value, gradient and second derivative stay right for logits from −1000 to 1000, so the rule is made of ops of
# mg. The slope is softmax minus the label `T`, and this difference is divided by the number of images.


# %% exercise="cross_entropy"
def cross_entropy(z, T):
    @mg.custom_gradient
    def loss(z):
        ### BEGIN SOLUTION
        m = mg.stop_gradient(mg.max(z, axis=1, keepdims=True))
        e = mg.exp(z - m)
        total = mg.sum(e, axis=1, keepdims=True)
        value = mg.mean(mg.log(total[:, 0]) + m[:, 0] - mg.sum(z * T, axis=1))

        def grad(upstream):
            return upstream * (e / total - T) / len(T)

        return value, grad
        ### END SOLUTION

    return loss(z)


check("cross_entropy")

# %% [markdown]
# ## One sentence to keep
#
# > **Value, gradient, step. And when nothing is learned, look at the sizes: of the start, of the gradient in each
# > layer, of the step.**
#
# You have trained a network through gradients that you can follow, test and replace. One question is left: how do you
# convince somebody that your rule is right? Lesson 16 grades four rules, and ends with your own.

# %%
check.questions()

# %% [markdown]
# ## More: labels that are not so sure
#
# A rule can also teach something else than the slope. **Label smoothing** (Szegedy and others, 2016) asks for 90 %
# certainty instead of 100: a part ε of each label is shared out among all classes. Usually the loss is changed for it.
# With a rule, only the gradient changes: the printed loss is still computed from the true labels.
#
# **Build.** Write the rule of `smoothed_loss`: the gradient for labels S = (1 − ε) T + ε / classes, also for logits up
# to 1000. It is made of ops of mg, like the rule of `cross_entropy`, so that it can be differentiated too.


# %% exercise="smoothed_loss"
def smoothed_loss(z, T, epsilon):
    @mg.custom_gradient
    def loss(z):
        value = mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))

        def grad(upstream):
            ### BEGIN SOLUTION
            smooth = (1 - epsilon) * T + epsilon / T.shape[1]
            return upstream * (mg.softmax(z) - smooth) / len(T)
            ### END SOLUTION

        return value, grad

    return loss(z)


check("smoothed_loss")

# %% [markdown]
# **Predict.** Take the gradient with smoothed labels minus the one with the true labels, times n / ε, for all n images
# and ten classes. How many different numbers are in it, up to rounding?

# %% exercise="change_of_the_gradient"
### BEGIN SOLUTION
change_of_the_gradient = 2
### END SOLUTION
check("change_of_the_gradient")

# %% tags=["after-prediction"]
z, T = logits(layers_of(1.0), mg.constant(images[:6])).numpy().astype("float64"), one_hot[:6]
plain = lambda z: mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))
try:
    smoothed = lambda z: smoothed_loss(z, T, 0.1)
    print("same value:", plain(mg.constant(z)).item() == smoothed(mg.constant(z)).item())
    change = (mg.grad(smoothed)(z) - mg.grad(plain)(z)) * 6 / 0.1
    print("difference:", np.unique(np.asarray(change).round(6)))
    print(mg.check_gradients(smoothed, z, order=1, raises=False).findings[0])
except NotImplementedError:
    print("Once you have written smoothed_loss, this cell shows that it changed the gradient only.")

# %% [markdown] tags=["after-prediction"]
# Three signs that the rule touched nothing but the gradient: the values are equal to the last bit; the difference of
# the gradients is T − 1/10, so 0.9 at the label and −0.1 elsewhere; and the check of lesson 3 fails, as it must.

# %%
check()
