"""The table of expressions that are compared with other frameworks.

A row has a name, arguments (floats are differentiated; other things are options), minigrad's expression, and one
for each framework that has it. "=" stands for minigrad's expression with the framework's own prefix. Where a framework
gives another gradient, docs/differences.md says whom minigrad follows, and why.
"""

# A row stays on one line, so that the table can be read as one.
# ruff: noqa: E501

from __future__ import annotations

import numpy as np

from minigrad.core.op import OPS

FRAMEWORKS = ("tensorflow", "jax", "keras", "torch")

X = [[1.5, -2.0, 0.5], [0.3, 1.0, 2.5]]
POSITIVE = [[1.5, 2.0, 0.5], [0.3, 1.2, 2.5]]
ROW, COLUMN = [1.0, 2.0, -0.5], [[2.0], [3.0]]
TALL = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.7]]
SQUARE = [[2.0, 0.5], [-0.3, 1.5]]
SYMMETRIC = [[4.0, 2.0, 0.3], [2.0, 3.0, 0.5], [0.3, 0.5, 1.0]]
SINGULAR = [[1.0, 1.0], [1.0, 1.0]]
IMAGE = (np.arange(32.0).reshape(1, 4, 4, 2) % 7 / 3 + np.arange(32.0).reshape(1, 4, 4, 2) / 50).tolist()
KERNEL = (np.arange(24.0).reshape(2, 2, 2, 3) / 8 - 1).tolist()
INF = float("inf")

#: Elementwise ops are compared under the names of their declarations, at the arguments of their declarations.
FROM_DECLARATIONS = [
    "add", "subtract", "multiply", "divide", "negative", "reciprocal", "square", "sqrt", "rsqrt", "cbrt", "power", "hypot",
    "mod", "absolute", "sign", "maximum", "minimum", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10",
    "logaddexp", "logaddexp2", "fmax", "fmin", "erfc", "logit", "xlog1py", "xlogy", "sigmoid", "softplus", "log_sigmoid", "erf", "gammaln", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "sinc", "deg2rad", "rad2deg", "relu",
    "elu", "silu", "nan_to_num", "clip",
]  # fmt: skip


def declared():
    """Rows for the elementwise ops, one for each sample without options."""
    for name in FROM_DECLARATIONS:
        op = OPS[name]
        for i, sample in enumerate(
            s for s in op.facts.samples if not any(isinstance(a, (dict, type(None))) for a in s)
        ):
            letters = ", ".join("abc"[: len(sample)])
            spelled = {"tensorflow": "tf", "jax": "jax", "keras": "keras", "torch": "torch"}
            theirs = {
                framework: f"{{{key}.{op.facts.names[key]}}}({letters})"
                for framework, key in spelled.items()
                if key in op.facts.names
            }
            yield f"{name}-{i}", sample, f"ops.{name}({letters})", theirs


def row(name, args, mine, tensorflow="", jax="", keras="", torch=""):
    given = dict(tensorflow=tensorflow, jax=jax, keras=keras, torch=torch)
    return name, args, f"ops.{mine}", {k: v for k, v in given.items() if v}


def reductions():
    for name, tf, torch in [
        ("sum", "tf.reduce_sum", "torch.sum"), ("mean", "tf.reduce_mean", "torch.mean"),
        ("max", "tf.reduce_max", "torch.amax"), ("min", "tf.reduce_min", "torch.amin"),
        ("prod", "tf.reduce_prod", "torch.prod"), ("std", "tf.math.reduce_std", ""),
        ("var", "tf.math.reduce_variance", ""), ("logsumexp", "tf.reduce_logsumexp", "torch.logsumexp"),
    ]:  # fmt: skip
        jax = f"jax.scipy.special.{name}" if name == "logsumexp" else f"jnp.{name}"
        theirs = {"tensorflow": tf, "jax": jax, "keras": f"keras.ops.{name}", "torch": torch}
        for axis in (None, 0, -1):
            options = "" if axis is None else f", {axis}"
            found = {k: f"{call}(a{options})" for k, call in theirs.items() if call}
            if axis is None and name == "logsumexp":
                found["torch"] = "torch.logsumexp(a, (0, 1))"
            yield f"{name}-axis {axis}", (X,), f"ops.{name}(a{options})", found


EXPLICIT = [
    # What NumPy's users miss.
    row("fmax at a tie", (1.0, 1.0), "fmax(a, b)", "", "jnp.fmax(a, b)", "", "torch.fmax(a, b)"),
    row("quantile", (X,), "quantile(a, np.asarray([0.3, 0.8]), 1)", "", "jnp.quantile(a, np.array([0.3, 0.8]), 1)", "", "torch.quantile(a, torch.tensor([0.3, 0.8]), 1)"),
    row("convolve", (ROW, [0.3, 1.0]), "convolve(a, b)", "", "jnp.convolve(a, b)"),
    row("interp", ([0.3, 1.7, 4.0], [0.0, 1.0, 2.5], [2.0, -1.0, 0.5]), "interp(a, b, c)", "", "jnp.interp(a, b, c)"),
    row("cov", (X,), "cov(a)", "", "jnp.cov(a)", "", "torch.cov(a)"),
    row("polyval", (ROW, [0.3, 1.5]), "polyval(a, b)", "", "jnp.polyval(a, b)"),
    row("lstsq", (TALL, [1.0, 2.0, 0.5]), "lstsq(a, b)[0]", "", "jnp.linalg.lstsq(a, b)[0]"),
    row("glu", ([[1.0, 2.0, 0.5, -1.0]],), "glu(a)", "", "jax.nn.glu(a)", "keras.ops.glu(a)", "F.glu(a)"),
    row("conv_transpose", (IMAGE, KERNEL), "conv_transpose(a, np.swapaxes(b, -1, -2), 3, 'same')", "", "", "keras.ops.conv_transpose(a, keras.ops.swapaxes(b, -1, -2), 3, 'same')"),
    row("fmod", ([5.0, -5.0], [2.3, 2.3]), "fmod(a, b)", "", "jnp.fmod(a, b)", "keras.ops.fmod(a, b)", "torch.fmod(a, b)"),
    # Shapes and order.
    row("reshape", (X,), "reshape(a, (3, 2))", "tf.reshape(a, (3, 2))", "jnp.reshape(a, (3, 2))", "keras.ops.reshape(a, (3, 2))", "torch.reshape(a, (3, 2))"),
    row("transpose", (X,), "transpose(a)", "tf.transpose(a)", "jnp.transpose(a)", "keras.ops.transpose(a)", "a.T"),
    row("swapaxes", ([X],), "swapaxes(a, 0, 2)", "", "jnp.swapaxes(a, 0, 2)", "keras.ops.swapaxes(a, 0, 2)", "torch.swapaxes(a, 0, 2)"),
    row("moveaxis", ([X],), "moveaxis(a, 0, 2)", "", "jnp.moveaxis(a, 0, 2)", "keras.ops.moveaxis(a, 0, 2)", "torch.moveaxis(a, 0, 2)"),
    row("expand_dims", (X,), "expand_dims(a, 1)", "tf.expand_dims(a, 1)", "jnp.expand_dims(a, 1)", "keras.ops.expand_dims(a, 1)", "torch.unsqueeze(a, 1)"),
    row("squeeze", ([X],), "squeeze(a, 0)", "tf.squeeze(a, 0)", "jnp.squeeze(a, 0)", "keras.ops.squeeze(a, 0)", "torch.squeeze(a, 0)"),
    row("broadcast_to", (COLUMN,), "broadcast_to(a, (3, 2, 4))", "tf.broadcast_to(a, (3, 2, 4))", "jnp.broadcast_to(a, (3, 2, 4))", "keras.ops.broadcast_to(a, (3, 2, 4))", "torch.broadcast_to(a, (3, 2, 4))"),
    row("concatenate", (X, X), "concatenate([a, b], 1)", "tf.concat([a, b], 1)", "jnp.concatenate([a, b], 1)", "keras.ops.concatenate([a, b], 1)", "torch.cat([a, b], 1)"),
    row("stack", (X, X), "stack([a, b], -1)", "tf.stack([a, b], -1)", "jnp.stack([a, b], -1)", "keras.ops.stack([a, b], -1)", "torch.stack([a, b], -1)"),
    row("split", (X,), "split(a, 3, 1)[1]", "tf.split(a, 3, 1)[1]", "jnp.split(a, 3, 1)[1]", "keras.ops.split(a, 3, 1)[1]", "torch.split(a, 1, 1)[1]"),
    row("tile", (X,), "tile(a, (2, 1))", "tf.tile(a, (2, 1))", "jnp.tile(a, (2, 1))", "keras.ops.tile(a, (2, 1))", "torch.tile(a, (2, 1))"),
    row("repeat", (X,), "repeat(a, 2, 0)", "tf.repeat(a, 2, 0)", "jnp.repeat(a, 2, 0)", "keras.ops.repeat(a, 2, 0)", "torch.repeat_interleave(a, 2, 0)"),
    row("pad", (X,), "pad(a, ((1, 0), (0, 2)))", "tf.pad(a, ((1, 0), (0, 2)))", "jnp.pad(a, ((1, 0), (0, 2)))", "keras.ops.pad(a, ((1, 0), (0, 2)))", "F.pad(a, (0, 2, 1, 0))"),
    row("pad reflect", (X,), "pad(a, ((1, 0), (0, 2)), 'reflect')", "tf.pad(a, ((1, 0), (0, 2)), 'REFLECT')", "jnp.pad(a, ((1, 0), (0, 2)), 'reflect')", "keras.ops.pad(a, ((1, 0), (0, 2)), 'reflect')"),
    row("flip", (X,), "flip(a, 1)", "tf.reverse(a, [1])", "jnp.flip(a, 1)", "keras.ops.flip(a, 1)", "torch.flip(a, (1,))"),
    row("roll", (X,), "roll(a, 2, 1)", "tf.roll(a, 2, 1)", "jnp.roll(a, 2, 1)", "keras.ops.roll(a, 2, 1)", "torch.roll(a, 2, 1)"),
    row("rot90", (X,), "rot90(a)", "tf.image.rot90(a[..., None])[..., 0]", "jnp.rot90(a)", "keras.ops.rot90(a)", "torch.rot90(a)"),
    row("tril", (X,), "tril(a)", "tf.linalg.band_part(a, -1, 0)", "jnp.tril(a)", "keras.ops.tril(a)", "torch.tril(a)"),
    row("triu", (X,), "triu(a, 1)", "", "jnp.triu(a, 1)", "keras.ops.triu(a, 1)", "torch.triu(a, 1)"),
    row("diag", (ROW,), "diag(a)", "tf.linalg.diag(a)", "jnp.diag(a)", "keras.ops.diag(a)", "torch.diag(a)"),
    row("diagonal", (X,), "diagonal(a)", "tf.linalg.diag_part(a)", "jnp.diagonal(a)", "keras.ops.diagonal(a)", "torch.diagonal(a)"),
    row("trace", (SQUARE,), "trace(a)", "tf.linalg.trace(a)", "jnp.trace(a)", "keras.ops.trace(a)", "torch.trace(a)"),
    row("getitem slices", (X,), "getitem(a, (slice(None), slice(None, None, 2)))", "a[:, ::2]", "a[:, ::2]", "", "a[:, ::2]"),
    row("getitem repeats", (X,), "getitem(a, [0, 0, 1])", "tf.gather(a, [0, 0, 1])", "a[jnp.array([0, 0, 1])]", "keras.ops.take(a, [0, 0, 1], 0)", "a[[0, 0, 1]]"),
    row("take", (X,), "take(a, [2, 2, 0], 1)", "tf.gather(a, [2, 2, 0], axis=1)", "jnp.take(a, jnp.array([2, 2, 0]), 1)", "keras.ops.take(a, [2, 2, 0], 1)", "torch.index_select(a, 1, torch.tensor([2, 2, 0]))"),
    row("take_along_axis", (X,), "take_along_axis(a, [[2], [0]], 1)", "tf.gather(a, [[2], [0]], axis=1, batch_dims=1)", "jnp.take_along_axis(a, jnp.array([[2], [0]]), 1)", "keras.ops.take_along_axis(a, np.array([[2], [0]]), 1)", "torch.take_along_dim(a, torch.tensor([[2], [0]]), 1)"),
    row("index_add", (X, ROW), "index_add(a, 0, b)", "tf.tensor_scatter_nd_add(a, [[0]], b[None])", "a.at[0].add(b)", "", "torch.index_add(a, 0, torch.tensor([0]), b[None])"),
    row("index_set", (X, ROW), "index_set(a, 0, b)", "tf.tensor_scatter_nd_update(a, [[0]], b[None])", "a.at[0].set(b)", "keras.ops.scatter_update(a, [[0]], b[None])", "torch.index_copy(a, 0, torch.tensor([0]), b[None])"),
    row("sort", (X,), "sort(a)", "tf.sort(a)", "jnp.sort(a)", "keras.ops.sort(a)", "torch.sort(a)[0]"),
    row("top_k", (X,), "top_k(a, 2)[0]", "tf.math.top_k(a, 2)[0]", "jax.lax.top_k(a, 2)[0]", "keras.ops.top_k(a, 2)[0]", "torch.topk(a, 2)[0]"),
    row("diff", (X,), "diff(a)", "a[:, 1:] - a[:, :-1]", "jnp.diff(a)", "keras.ops.diff(a)", "torch.diff(a)"),
    row("cumsum", (X,), "cumsum(a, 1)", "tf.cumsum(a, 1)", "jnp.cumsum(a, 1)", "keras.ops.cumsum(a, 1)", "torch.cumsum(a, 1)"),
    row("cumprod", (X,), "cumprod(a, 1)", "tf.math.cumprod(a, 1)", "jnp.cumprod(a, 1)", "keras.ops.cumprod(a, 1)", "torch.cumprod(a, 1)"),
    row("cummax", (X,), "cummax(a, 1)", "", "jax.lax.cummax(a, 1)", "", "torch.cummax(a, 1)[0]"),
    row("median", (ROW,), "median(a)", "", "jnp.median(a)", "keras.ops.median(a)", "torch.median(a)"),
    row("where", (X, POSITIVE), "where(a > 0, a, b)", "tf.where(a > 0, a, b)", "jnp.where(a > 0, a, b)", "keras.ops.where(a > 0, a, b)", "torch.where(a > 0, a, b)"),
    row("meshgrid", (ROW, [3.0, 4.0]), "meshgrid(a, b)[1]", "tf.meshgrid(a, b)[1]", "jnp.meshgrid(a, b)[1]", "keras.ops.meshgrid(a, b)[1]", "torch.meshgrid(a, b, indexing='xy')[1]"),
    row("linspace", (1.0, 3.0), "linspace(a, b, 5)", "tf.linspace(a, b, 5)", "jnp.linspace(a, b, 5)", "keras.ops.linspace(a, b, 5)"),
    row("clip_by_norm", (ROW,), "clip_by_norm(a, 1.0)", "tf.clip_by_norm(a, 1.0)"),
    row("norm", (ROW,), "norm(a)", "tf.norm(a)", "jnp.linalg.norm(a)", "keras.ops.norm(a)", "torch.linalg.norm(a)"),
    row("norm 1", (ROW,), "norm(a, 1)", "tf.norm(a, 1)", "jnp.linalg.norm(a, 1)", "keras.ops.norm(a, 1)", "torch.linalg.norm(a, 1)"),
    row("norm inf", (ROW,), "norm(a, np.inf)", "tf.norm(a, np.inf)", "jnp.linalg.norm(a, np.inf)", "keras.ops.norm(a, np.inf)", "torch.linalg.norm(a, np.inf)"),
    row("norm of rows", (X,), "norm(a, axis=1)", "tf.norm(a, axis=1)", "jnp.linalg.norm(a, axis=1)", "keras.ops.norm(a, axis=1)", "torch.linalg.norm(a, dim=1)"),
    row("nuclear norm", (TALL,), "norm(a, 'nuc')", "", "jnp.linalg.norm(a, 'nuc')", "keras.ops.norm(a, 'nuc')", "torch.linalg.norm(a, 'nuc')"),
    # Products and linear algebra.
    row("matmul", (X, TALL), "matmul(a, b)", "tf.matmul(a, b)", "jnp.matmul(a, b)", "keras.ops.matmul(a, b)", "torch.matmul(a, b)"),
    row("matmul of batches", ([X, X], TALL), "matmul(a, b)", "tf.matmul(a, b)", "jnp.matmul(a, b)", "keras.ops.matmul(a, b)", "torch.matmul(a, b)"),
    row("matvec", (X, ROW), "matvec(a, b)", "tf.linalg.matvec(a, b)", "jnp.matvec(a, b)", "keras.ops.matmul(a, b)", "torch.mv(a, b)"),
    row("dot", (ROW, ROW), "dot(a, b)", "tf.tensordot(a, b, 1)", "jnp.dot(a, b)", "keras.ops.dot(a, b)", "torch.dot(a, b)"),
    row("tensordot", ([X], TALL), "tensordot(a, b, ((1, 2), (1, 0)))", "tf.tensordot(a, b, ((1, 2), (1, 0)))", "jnp.tensordot(a, b, ((1, 2), (1, 0)))", "keras.ops.tensordot(a, b, ((1, 2), (1, 0)))", "torch.tensordot(a, b, ((1, 2), (1, 0)))"),
    row("einsum", (X, TALL), "einsum('ij,jk->ki', a, b)", "tf.einsum('ij,jk->ki', a, b)", "jnp.einsum('ij,jk->ki', a, b)", "keras.ops.einsum('ij,jk->ki', a, b)", "torch.einsum('ij,jk->ki', a, b)"),
    row("einsum of one", (X,), "einsum('ij->j', a)", "tf.einsum('ij->j', a)", "jnp.einsum('ij->j', a)", "keras.ops.einsum('ij->j', a)", "torch.einsum('ij->j', a)"),
    row("einsum diagonal", (SQUARE,), "einsum('ii->i', a)", "tf.einsum('ii->i', a)", "jnp.einsum('ii->i', a)", "", "torch.einsum('ii->i', a)"),
    row("einsum dots", ([X, X], TALL), "einsum('...ij,jk->...k', a, b)", "tf.einsum('...ij,jk->...k', a, b)", "jnp.einsum('...ij,jk->...k', a, b)", "keras.ops.einsum('...ij,jk->...k', a, b)", "torch.einsum('...ij,jk->...k', a, b)"),
    row("outer", (ROW, [3.0, 4.0]), "outer(a, b)", "tf.tensordot(a, b, 0)", "jnp.outer(a, b)", "keras.ops.outer(a, b)", "torch.outer(a, b)"),
    row("inner", (X, ROW), "inner(a, b)", "", "jnp.inner(a, b)", "keras.ops.inner(a, b)", "torch.inner(a, b)"),
    row("kron", (X, TALL), "kron(a, b)", "", "jnp.kron(a, b)", "keras.ops.kron(a, b)", "torch.kron(a, b)"),
    row("cross", (ROW, [2.0, 3.0, 0.5]), "cross(a, b)", "tf.linalg.cross(a, b)", "jnp.cross(a, b)", "keras.ops.cross(a, b)", "torch.linalg.cross(a, b)"),
    row("vdot", (X, X), "vdot(a, b)", "", "jnp.vdot(a, b)", "keras.ops.vdot(a, b)"),
    row("inv", (SQUARE,), "inv(a)", "tf.linalg.inv(a)", "jnp.linalg.inv(a)", "keras.ops.inv(a)", "torch.linalg.inv(a)"),
    row("solve", (SQUARE, X), "solve(a, b)", "tf.linalg.solve(a, b)", "jnp.linalg.solve(a, b)", "keras.ops.solve(a, b)", "torch.linalg.solve(a, b)"),
    row("triangular_solve", (SQUARE, X), "triangular_solve(a, b)", "tf.linalg.triangular_solve(a, b)", "jax.scipy.linalg.solve_triangular(a, b, lower=True)", "keras.ops.solve_triangular(a, b, lower=True)", "torch.linalg.solve_triangular(a, b, upper=False)"),
    row("det", (SQUARE,), "det(a)", "tf.linalg.det(a)", "jnp.linalg.det(a)", "keras.ops.det(a)", "torch.linalg.det(a)"),
    row("slogdet", (SQUARE,), "slogdet(a)[1]", "tf.linalg.slogdet(a)[1]", "jnp.linalg.slogdet(a)[1]", "keras.ops.slogdet(a)[1]", "torch.linalg.slogdet(a)[1]"),
    row("cholesky", (SYMMETRIC,), "cholesky(a)", "tf.linalg.cholesky(a)", "jnp.linalg.cholesky(a)", "keras.ops.cholesky(a)", "torch.linalg.cholesky(a)"),
    row("eigenvalues", (SYMMETRIC,), "eigh(a)[0]", "tf.linalg.eigh(a)[0]", "jnp.linalg.eigh(a)[0]", "keras.ops.eigh(a)[0]", "torch.linalg.eigh(a)[0]"),
    row("eigenvectors", (SYMMETRIC,), "square(ops.eigh(a)[1])", "tf.square(tf.linalg.eigh(a)[1])", "jnp.square(jnp.linalg.eigh(a)[1])", "keras.ops.square(keras.ops.eigh(a)[1])", "torch.square(torch.linalg.eigh(a)[1])"),
    row("singular values", (TALL,), "svdvals(a)", "tf.linalg.svd(a, compute_uv=False)", "jnp.linalg.svd(a, compute_uv=False)", "keras.ops.svd(a, compute_uv=False)", "torch.linalg.svdvals(a)"),
    row("singular vectors", (SQUARE,), "square(ops.svd(a)[0])", "tf.square(tf.linalg.svd(a)[1])", "jnp.square(jnp.linalg.svd(a)[0])", "keras.ops.square(keras.ops.svd(a)[0])", "torch.square(torch.linalg.svd(a)[0])"),
    row("qr", (TALL,), "qr(a)[1]", "tf.linalg.qr(a)[1]", "jnp.linalg.qr(a)[1]", "keras.ops.qr(a)[1]", "torch.linalg.qr(a)[1]"),
    row("pinv", (TALL,), "pinv(a)", "tf.linalg.pinv(a)", "jnp.linalg.pinv(a)", "", "torch.linalg.pinv(a)"),
    row("matrix_power", (SQUARE,), "matrix_power(a, 3)", "a @ a @ a", "jnp.linalg.matrix_power(a, 3)", "", "torch.linalg.matrix_power(a, 3)"),
    # Neural networks.
    row("leaky_relu", (X,), "leaky_relu(a)", "tf.nn.leaky_relu(a)", "jax.nn.leaky_relu(a, 0.2)", "keras.ops.leaky_relu(a)", "F.leaky_relu(a, 0.2)"),
    row("gelu", (X,), "gelu(a)", "tf.nn.gelu(a)", "jax.nn.gelu(a, approximate=False)", "keras.ops.gelu(a, approximate=False)", "F.gelu(a)"),
    row("gelu by tanh", (X,), "gelu(a, True)", "tf.nn.gelu(a, approximate=True)", "jax.nn.gelu(a)", "keras.ops.gelu(a)", "F.gelu(a, approximate='tanh')"),
    row("softmax", (X,), "softmax(a)", "tf.nn.softmax(a)", "jax.nn.softmax(a)", "keras.ops.softmax(a)", "torch.softmax(a, -1)"),
    row("softmax of columns", (X,), "softmax(a, 0)", "tf.nn.softmax(a, 0)", "jax.nn.softmax(a, 0)", "keras.ops.softmax(a, 0)", "torch.softmax(a, 0)"),
    row("log_softmax", (X,), "log_softmax(a)", "tf.nn.log_softmax(a)", "jax.nn.log_softmax(a)", "keras.ops.log_softmax(a)", "torch.log_softmax(a, -1)"),
    row("sigmoid_cross_entropy", (X,), "sigmoid_cross_entropy(a, 0.3)", "tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(a) * 0.3, a)", "", "", "F.binary_cross_entropy_with_logits(a, torch.ones_like(a) * 0.3, reduction='none')"),
    row("softmax_cross_entropy", (X,), "softmax_cross_entropy(a, np.array([2, 0]))", "tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], a)", "", "keras.ops.sparse_categorical_crossentropy(np.array([2, 0]), a, from_logits=True)", "F.cross_entropy(a, torch.tensor([2, 0]), reduction='none')"),
    row("conv", (IMAGE, KERNEL), "conv(a, b)", "tf.nn.conv2d(a, b, 1, 'VALID')", "jax.lax.conv_general_dilated(a, b, (1, 1), 'VALID', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))", "keras.ops.conv(a, b, data_format='channels_last')", "F.conv2d(a.permute(0, 3, 1, 2), b.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)"),
    row("conv same, strides", (IMAGE, KERNEL), "conv(a, b, 2, 'same')", "tf.nn.conv2d(a, b, 2, 'SAME')", "jax.lax.conv_general_dilated(a, b, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))", "keras.ops.conv(a, b, 2, 'same', data_format='channels_last')"),
    row("conv dilated", (IMAGE, KERNEL), "conv(a, b, 1, 'valid', 2)", "tf.nn.convolution(a, b, 1, 'VALID', dilations=2)", "jax.lax.conv_general_dilated(a, b, (1, 1), 'VALID', rhs_dilation=(2, 2), dimension_numbers=('NHWC', 'HWIO', 'NHWC'))", "keras.ops.conv(a, b, 1, 'valid', 'channels_last', 2)", "F.conv2d(a.permute(0, 3, 1, 2), b.permute(3, 2, 0, 1), dilation=2).permute(0, 2, 3, 1)"),
    row("max_pool", (IMAGE,), "max_pool(a, 2)", "tf.nn.max_pool2d(a, 2, 2, 'VALID')", "", "keras.ops.max_pool(a, 2, 2, data_format='channels_last')", "F.max_pool2d(a.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)"),
    row("avg_pool", (IMAGE,), "avg_pool(a, 3, 2, 'same')", "tf.nn.avg_pool2d(a, 3, 2, 'SAME')", "", "keras.ops.average_pool(a, 3, 2, 'same', data_format='channels_last')"),
    row("layer_norm", (X,), "square(ops.layer_norm(a, epsilon=1e-2))", "", "jnp.square(jax.nn.standardize(a, epsilon=1e-2))", "", "torch.square(F.layer_norm(a, (3,), eps=1e-2))"),
    row("embedding", (X,), "embedding(a, [0, 1, 1])", "tf.nn.embedding_lookup(a, [0, 1, 1])", "", "", "F.embedding(torch.tensor([0, 1, 1]), a)"),
    # Awkward points.
    row("maximum at a tie", (1.0, 1.0), "maximum(a, b)", "tf.maximum(a, b)", "jnp.maximum(a, b)", "keras.ops.maximum(a, b)", "torch.maximum(a, b)"),
    row("max with a tie", ([1.0, 2.0, 2.0],), "max(a)", "tf.reduce_max(a)", "jnp.max(a)", "keras.ops.max(a)", "torch.amax(a)"),
    row("relu at 0", (0.0,), "relu(a)", "tf.nn.relu(a)", "jax.nn.relu(a)", "keras.ops.relu(a)", "torch.relu(a)"),
    row("abs at 0", (0.0,), "absolute(a)", "tf.abs(a)", "jnp.abs(a)", "keras.ops.abs(a)", "torch.abs(a)"),
    row("sqrt at 0", (0.0,), "sqrt(a)", "tf.sqrt(a)", "jnp.sqrt(a)", "keras.ops.sqrt(a)", "torch.sqrt(a)"),
    row("0**0", (0.0, 0.0), "power(a, b)", "tf.pow(a, b)", "jnp.power(a, b)", "keras.ops.power(a, b)", "torch.pow(a, b)"),
    row("0**2", (0.0, 2.0), "power(a, b)", "tf.pow(a, b)", "jnp.power(a, b)", "keras.ops.power(a, b)", "torch.pow(a, b)"),
    row("norm at 0", ([0.0, 0.0],), "norm(a)", "tf.norm(a)", "jnp.linalg.norm(a)", "keras.ops.norm(a)", "torch.linalg.norm(a)"),
    row("prod with a zero", ([0.0, 2.0, 3.0],), "prod(a)", "tf.reduce_prod(a)", "jnp.prod(a)", "keras.ops.prod(a)", "torch.prod(a)"),
    row("cumprod with a zero", ([2.0, 0.0, 3.0],), "cumprod(a, 0)", "tf.math.cumprod(a)", "jnp.cumprod(a)", "keras.ops.cumprod(a)", "torch.cumprod(a, 0)"),
    row("clip at the bounds", ([-1.0, 0.0, 0.5, 1.0, 2.0],), "clip(a, 0.0, 1.0)", "tf.clip_by_value(a, 0.0, 1.0)", "jnp.clip(a, 0.0, 1.0)", "keras.ops.clip(a, 0.0, 1.0)", "torch.clamp(a, 0.0, 1.0)"),
    row("std of equal numbers", ([1.0, 1.0],), "std(a)", "tf.math.reduce_std(a)", "jnp.std(a)", "keras.ops.std(a)", "torch.std(a, correction=0)"),
    row("median of four", ([1.0, 2.0, 3.0, 4.0],), "median(a)", "", "jnp.median(a)", "keras.ops.median(a)"),
    row("arctan2 at the origin", (0.0, 0.0), "arctan2(a, b)", "tf.math.atan2(a, b)", "jnp.arctan2(a, b)", "keras.ops.arctan2(a, b)", "torch.atan2(a, b)"),
    row("logaddexp of -inf", (-INF, -INF), "logaddexp(a, b)", "", "jnp.logaddexp(a, b)", "keras.ops.logaddexp(a, b)", "torch.logaddexp(a, b)"),
    row("logsumexp of -inf", ([-INF, -INF],), "logsumexp(a)", "tf.reduce_logsumexp(a)", "jax.scipy.special.logsumexp(a)", "keras.ops.logsumexp(a)", "torch.logsumexp(a, 0)"),
    row("softplus of a large number", (1000.0,), "softplus(a)", "tf.math.softplus(a)", "jax.nn.softplus(a)", "keras.ops.softplus(a)", "F.softplus(a)"),
    row("xlogy at 0", (0.0, 2.0), "xlogy(a, b)", "tf.math.xlogy(a, b)", "jax.scipy.special.xlogy(a, b)", "", "torch.special.xlogy(a, b)"),
    row("det of a singular matrix", (SINGULAR,), "det(a)", "", "jnp.linalg.det(a)", "keras.ops.det(a)", "torch.linalg.det(a)"),
    row("max_pool with ties", ([[[[1.0], [1.0]], [[1.0], [1.0]]]],), "max_pool(a, 2)", "tf.nn.max_pool2d(a, 2, 2, 'VALID')", "", "", "F.max_pool2d(a.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)"),
    row("where, log behind it", (0.0,), "where(a > 0, ops.log(a), 0.0)", "tf.where(a > 0, tf.math.log(a), tf.zeros_like(a))", "jnp.where(a > 0, jnp.log(a), 0.0)", "keras.ops.where(a > 0, keras.ops.log(a), 0.0)", "torch.where(a > 0, torch.log(a), 0.0)"),
    row("sort with a tie", ([1.0, 1.0, 0.0],), "sort(a) * np.array([1.0, 2.0, 3.0])", "tf.sort(a) * np.array([1.0, 2.0, 3.0])", "jnp.sort(a) * np.array([1.0, 2.0, 3.0])", "keras.ops.sort(a) * np.array([1.0, 2.0, 3.0])", "torch.sort(a, stable=True)[0] * torch.tensor([1.0, 2.0, 3.0])"),
]  # fmt: skip


def alike(framework, prefix):
    """Rows for what is spelled in minigrad as in the framework, from (arguments, expressions)."""
    for args, expressions in ALIKE[framework]:
        for expression in expressions:
            yield f"{framework} {expression}", args, expression.removeprefix(prefix), {framework: expression}


PROBABILITIES = [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1]]
ALIKE = {
    "tensorflow": [
        ((X,), ["tf.math.l2_normalize(a, 1)", "tf.nn.l2_normalize(a)", "tf.math.segment_sum(a, [1, 1])",
                "tf.math.unsorted_segment_sum(a, [2, -1], 3)", "tf.linalg.band_part(a, 0, 1)",
                "tf.linalg.band_part(a, -1, 0)", "tf.slice(a, [0, 1], [2, -1])", "tf.cond(True, lambda a=a: 2.0 * a, lambda a=a: a)",
                "tf.map_fn(lambda row: tf.reduce_prod(row), a)", "tf.vectorized_map(lambda row: row[0] * row, a)",
                "tf.debugging.check_numerics(a, 'a')", "tf.function(tf.math.exp)(a)", "tf.where(a > 0, a, 2.0 * a)",
                "tf.nn.selu(a)", "tf.nn.softsign(a)", "tf.nn.relu6(3.0 * a)", "tf.boolean_mask(a, a > 0)",
                "tf.scatter_nd([[1], [1]], a, [3, 3])"]),
        ((X, ROW), ["tf.nn.bias_add(a, b)", "tf.nn.bias_add(a, b, 'NCHW')"]),
        (([X, X], [1.0, 2.0]), ["tf.nn.bias_add(a, b, 'NCHW')"]),
        ((POSITIVE,), ["tf.math.digamma(a)"]),
    ],
    "keras": [
        ((X,), ["keras.ops.average(a)", "keras.ops.average(a, 0)", "keras.ops.hstack([a, a])", "keras.ops.vstack([a, a])",
                "keras.ops.append(a, a)", "keras.ops.append(a, a, 1)", "keras.ops.hard_sigmoid(a)",
                "keras.ops.selu(a)", "keras.ops.softsign(a)", "keras.ops.relu6(3.0 * a)",
                "keras.ops.vectorized_map(lambda row: row[0] * row, a)", "keras.ops.map(lambda row: row[0] * row, a)",
                "keras.ops.slice(a, [0, 1], [2, 2])", "keras.ops.cond(True, lambda a=a: 2.0 * a, lambda a=a: a)",
                "keras.ops.segment_sum(a, np.array([2, 0]), 3)",
                "keras.ops.sparse_categorical_crossentropy([2, 0], a, from_logits=True)"]),
        ((X, ROW), ["keras.ops.average(a, 1, b)"]),
        ((PROBABILITIES,), ["keras.ops.sparse_categorical_crossentropy([2, 0], 2.0 * a)"]),
        ((PROBABILITIES, PROBABILITIES[::-1]), ["keras.ops.categorical_crossentropy(a, b)",
                "keras.ops.binary_crossentropy(a, b)", "keras.ops.binary_crossentropy(a, b, from_logits=True)"]),
    ],
}  # fmt: skip

ROWS = [*declared(), *reductions(), *EXPLICIT, *alike("tensorflow", ""), *alike("keras", "keras.")]
