"""Capstones of hw16: four right ones, and 58 with one thing changed, each with its marks before `why` is read.

A capstone is a source and what is replaced in it; 18 marks are given without a reader.
"""

A = """def capstone(labels):
    @mg.custom_gradient
    def loss(z):
        T = np.zeros(z.shape)
        for i, l in enumerate(labels):
            if l >= 0: T[i, l] = 1.0
        counted = (np.array(labels) >= 0)[:, None] * 1.0
        n = max(counted.sum(), 1.0)
        m = mg.stop_gradient(mg.max(z, axis=1, keepdims=True))
        e = mg.exp(z - m)
        total = mg.sum(e, axis=1, keepdims=True)
        value = mg.sum((mg.log(total) + m - mg.sum(z * T, axis=1, keepdims=True)) * counted) / n
        return value, lambda upstream: upstream * (e / total - T) * counted / n
    return loss
"""
B = """def capstone(codes):
    @mg.custom_gradient
    def quantize(z):
        d = mg.sum((mg.expand_dims(z, 1) - codes) ** 2, axis=2)
        hot = mg.one_hot(mg.argmin(d, axis=1), codes.shape[0], dtype=z.dtype)
        def grad(upstream, variables=None):
            return upstream, [mg.transpose(hot) @ upstream]
        return hot @ codes, grad
    return quantize
"""
C = """def capstone(W, b):
    @mg.custom_gradient
    def layer(x):
        y = mg.zeros_like(x)
        for _ in range(40):
            y = mg.tanh(x + y @ W + b)
        def grad(upstream, variables=None):
            s, v = 1 - y * y, upstream
            for _ in range(40):
                v = upstream + (v * s) @ mg.transpose(W)
            m = v * s
            return m, [mg.transpose(y) @ m if w is W else mg.sum(m, axis=0) for w in variables]
        return y, grad
    return layer
"""
D = """from itertools import count
clock = count()
def fit(u, shape):
    while u.ndim > len(shape): u = u.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1: u = u.sum(axis=axis, keepdims=True)
    return u
class Array:
    def __init__(self, value, parents=(), rule=None):
        self.value, self.parents, self.rule, self.birth = np.asarray(value, float), parents, rule, next(clock)
    def __add__(self, other):
        other = array(other)
        return Array(self.value + other.value, (self, other),
                     lambda u: (fit(u, self.value.shape), fit(u, other.value.shape)))
    def __mul__(self, other):
        other = array(other)
        return Array(self.value * other.value, (self, other),
                     lambda u: (fit(u * other.value, self.value.shape), fit(u * self.value, other.value.shape)))
    def __matmul__(self, other):
        return Array(self.value @ other.value, (self, other), lambda u: (u @ other.value.T, self.value.T @ u))
    def __getitem__(self, key):
        def rule(u):
            g = np.zeros_like(self.value)
            g[key] += u
            return (g,)
        return Array(self.value[key], (self,), rule)
def array(x):
    return x if isinstance(x, Array) else Array(x)
def concatenate(a, b):
    n = len(a.value)
    return Array(np.concatenate([a.value, b.value]), (a, b), lambda u: (u[:n], u[n:]))
def gradients(y, inputs):
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    gradient = {node: np.zeros_like(node.value) for node in found}
    gradient[y] = np.ones_like(y.value)
    for node in sorted(found, key=lambda node: -node.birth):
        if node.parents:
            for parent, message in zip(node.parents, node.rule(gradient[node])):
                gradient[parent] = gradient[parent] + message
    return [gradient.get(node, np.zeros_like(node.value)) for node in inputs]
def capstone():
    return Array, concatenate, gradients
"""
RIGHT = {"a": A, "b": B, "c": C, "d": D}

ADDED = ("gradient[parent] = gradient[parent] + message", "gradient[parent] = message")
PICKED = ("return Array(self.value[key], (self,), rule)", "return Array(self.value[key])")
SPLIT = ("(u[:n], u[n:])", "(u[:n - 1], u[n:])")
PLUS = ("lambda u: (fit(u, self.value.shape), fit(u, other.value.shape))", "lambda u: (u, u)")
TIMES = (
    "lambda u: (fit(u * other.value, self.value.shape), fit(u * self.value, other.value.shape))",
    "lambda u: (u * other.value, u * self.value)",
)
CODES = "[mg.transpose(hot) @ upstream]"
HOT = "hot = mg.one_hot(mg.argmin(d, axis=1), codes.shape[0], dtype=z.dtype)"
WEIGHTS = "[mg.transpose(y) @ m if w is W else mg.sum(m, axis=0) for w in variables]"
LOOP = "        for _ in range(40):\n            y = mg.tanh(x + y @ W + b)\n"
BACK = "            for _ in range(40):\n                v = upstream + (v * s) @ mg.transpose(W)\n"
WALK = (
    "    found, stack = {y}, [y]\n    while stack:\n        for parent in stack.pop().parents:\n"
    "            if parent not in found:\n                found.add(parent)\n                stack.append(parent)\n"
)

#: For each rule: what is wrong, the marks it gets, and what is replaced in the right one (or a source of its own).
WRONG = {
    "a": [
        ("the largest is not taken off", 15, [("mg.exp(z - m)", "mg.exp(z)"), ("mg.log(total) + m", "mg.log(total)")]),
        ("0 / 0 where no row counts", 15, [("n = max(counted.sum(), 1.0)", "n = counted.sum()")]),
        ("rows that do not count are in n", 15, [("n = max(counted.sum(), 1.0)", "n = len(labels)")]),
        ("three classes only", 15, [("np.zeros(z.shape)", "np.zeros((len(labels), 3))")]),
        ("the rule stops the second derivative", 14, [("(e / total - T)", "(mg.stop_gradient(e / total) - T)")]),
        ("rows that do not count get a gradient", 13, [("- T) * counted / n", "- T) / n")]),
        ("no upstream gradient", 4, [("upstream * (e", "(e")]),
        ("the size of the upstream gradient", 4, [("upstream * (e", "mg.abs(upstream) * (e")]),
        ("softmax over the rows", 4, [("(e / total - T)", "(e / mg.sum(e, axis=0) - T)")]),
        ("the sign", 4, [("(e / total - T)", "(T - e / total)")]),
        ("an op of the library, no rule", 3,
         "def capstone(labels):\n    def loss(z):\n        T = np.eye(z.shape[1])[np.array(labels)]\n"
         "        return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))\n    return loss"),
        ("the sum, not the mean", 1, [(" * counted) / n", " * counted)"), (" * counted / n", " * counted")]),
        ("right: the label -1 as the last class", 18, [("if l >= 0: T[i, l] = 1.0", "T[i, l] = 1.0")]),
    ],
    "b": [
        ("the last of several nearest", 15,
         [("mg.argmin(d, axis=1)", "codes.shape[0] - 1 - mg.argmin(d[:, ::-1], axis=1)")]),
        ("two columns only", 15, [("return upstream, [", "return upstream[:, :2], [")]),
        ("the upstream gradient is detached", 14, [("return upstream, [", "return mg.stop_gradient(upstream), [")]),
        ("nothing for the codes", 11, [(CODES, "[None]")]),
        ("the mean for the codes", 11, [(CODES, CODES[:-1] + " / len(upstream)]")]),
        ("z - code for the codes", 11, [(CODES, "[mg.transpose(hot) @ (hot @ codes - z)]")]),
        ("the farthest code", 8, [("argmin", "argmax")]),
        ("a distance without the square", 8, [(" ** 2, axis=2", ", axis=2")]),
        ("a soft choice", 8, [(HOT, "hot = mg.softmax(-d)")]),
        ("nothing for z", 4, [("return upstream, [", "return None, [")]),
        ("stop_gradient, no rule", 3,
         "def capstone(codes):\n    def q(z):\n        d = mg.sum((mg.expand_dims(z, 1) - codes) ** 2, axis=2)\n"
         f"        {HOT}\n        return hot @ codes + (z - mg.stop_gradient(z))\n    return q"),
        ("chosen with NumPy", 1, [(HOT, "hot = np.eye(codes.shape[0])[np.argmin(d.numpy(), axis=1)]")]),
        ("no variables", 0, [("(upstream, variables=None)", "(upstream)")]),
    ],
    "c": [
        ("gradients in the order W, b", 15, [(WEIGHTS, "[mg.transpose(y) @ m, mg.sum(m, axis=0)]")]),
        ("s is a constant", 14, [("s, v = 1 - y * y", "s, v = mg.stop_gradient(1 - y * y)")]),
        ("x for y", 11, [("mg.transpose(y) @ m", "mg.transpose(x) @ m")]),
        ("nothing for the weights", 11, [(WEIGHTS, "[None for w in variables]")]),
        ("one step from the answer", 4, [(BACK, "")]),
        ("W is not transposed", 4, [("@ mg.transpose(W)\n", "@ W\n")]),
        ("without the slope of tanh", 4, [("m = v * s", "m = v")]),
        ("the upstream gradient is left out of the loop", 4, [("v = upstream + (v * s)", "v = (v * s)")]),
        ("the gradient of b is not added up", 3, [("mg.sum(m, axis=0)", "m")]),
        ("through the loop, no rule", 3,
         "def capstone(W, b):\n    def layer(x):\n        y = mg.zeros_like(x)\n"
         f"{LOOP}        return y\n    return layer"),
        ("three steps forward", 1, [("range(40):\n            y =", "range(3):\n            y =")]),
        ("the loop in NumPy", 1,
         [("        y = mg.zeros_like(x)\n" + LOOP,
           "        y = np.zeros(x.shape)\n        for _ in range(40):\n"
           "            y = np.tanh(x.numpy() + y @ W.numpy() + b.numpy())\n"
           "        y = mg.constant(y) + 0.0 * (mg.sum(W) + mg.sum(b))\n")]),
    ],
    "d": [
        ("kept in the nodes", 15,
         [("gradient = {node: np.zeros_like(node.value) for node in found}\n    gradient[y] = np.ones_like(y.value)",
           "gradient = {node: node.__dict__.setdefault('g', np.zeros_like(node.value)) for node in found}\n"
           "    gradient[y] = y.g = y.g + 1.0"),
          (ADDED[0], "gradient[parent] = parent.g = parent.g + message")]),
        ("recursion", 15,
         [(WALK,
           "    found = set()\n    def visit(node):\n        if node not in found:\n            found.add(node)\n"
           "            for parent in node.parents: visit(parent)\n    visit(y)\n")]),
        ("broadcasting in add only", 10, [TIMES]),
        ("an axis of 1 is lost", 10, [("keepdims=True)\n    return u", "keepdims=False)\n    return u")]),
        ("a picked entry sends ones", 8, [("g[key] += u", "g[key] = 1.0")]),
        ("matmul is not transposed", 7, [("other.value.T, self.value.T @ u)", "other.value, self.value.T @ u)")]),
        ("only the adding up repaired", 4, [PICKED, SPLIT, PLUS, TIMES]),
        ("only the picked entry repaired", 5, [ADDED, SPLIT, PLUS, TIMES]),
        ("only concatenate repaired", 3, [ADDED, PICKED, PLUS, TIMES]),
        ("only broadcasting repaired", 3, [ADDED, PICKED, SPLIT]),
        ("as handed out", 1, [ADDED, PICKED, SPLIT, PLUS, TIMES]),
        ("the first row for all, in concatenate", 10,
         [("(u[:n], u[n:])", "(u[:1] + 0 * a.value, u[n:n + 1] + 0 * b.value)")]),
        ("the rows of concatenate, sorted", 10, [("(u[:n], u[n:])", "(np.sort(u[:n], axis=0), u[n:])")]),
        ("the mean for the sum, in concatenate", 10, [("(u[:n], u[n:])", "(u[:n] * 0 + u[:n].mean(), u[n:])")]),
        ("the parts of concatenate, turned round", 10, [("(u[:n], u[n:])", "(u[:n][::-1], u[n:])")]),
        ("the first row for all, in a picked entry", 8, [("g[key] += u", "g[key] += u.flat[0]")]),
        ("no upstream gradient in multiply", 3,
         [("fit(u * other.value", "fit(u * 0 + other.value"),
          ("fit(u * self.value", "fit(u * 0 + self.value")]),
        ("no upstream gradient in matmul", 7,
         [("(u @ other.value.T, self.value.T @ u)",
           "(u * 0 + 1) @ other.value.T, self.value.T @ (u * 0 + 1)")]),
        ("the first row for all, in an addition", 7,
         [("(fit(u, self.value.shape), fit(u,", "(fit(u[:1] + 0 * u, self.value.shape), fit(u,")]),
        ("right: += in place, on fresh zeros", 18, [(ADDED[0], "gradient[parent] += message")]),
    ],
}  # fmt: skip

DRAWN = {
    "a": "capstone([1, 0])(mg.constant([[1.0, 2.0, 0.5], [0.0, 1.0, 2.0]]))",
    "b": "capstone(mg.Variable([[0.0, 0.0], [1.0, 1.0]], name='codes'))(mg.constant([[0.9, 0.8]]))",
    "c": "capstone(mg.Variable([[0.3, -0.4], [0.2, 0.1]], name='W'), mg.Variable([0.1, -0.2], name='b'))"
    "(mg.constant([[1.0, -1.0]]))",
    "d": "mg.constant([[1.0, 2.0], [3.0, 4.0]]) @ mg.constant([[1.0, 2.0], [3.0, 4.0]])",
}


def source(chosen, change):
    """A capstone with replacements made; each must occur in it."""
    if isinstance(change, str):
        return change
    code = RIGHT[chosen]
    for old, new in change:
        assert old in code, old
        code = code.replace(old, new)
    return code
