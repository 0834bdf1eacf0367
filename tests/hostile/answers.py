"""Answers that look right and are not, and some that look wrong and are right."""

from tests.hostile.assignment import Q3
from tests.hostile.rows import MEAN, NO1, NO2, NO3, NONE, TANH, Row

RIGHT1 = "upstream * (1 - math.tanh(x) ** 2)"
RIGHT2 = "sum(n * n for n in numbers) / len(numbers)"
FIVE = "-math.tanh(x+2*h) + 8*math.tanh(x+h) - 8*math.tanh(x-h) + math.tanh(x-2*h)"

#: Plain numbers: what comes back is data of exact types, and the inputs are drawn for each student.
NUMBERS = [
    Row("without the upstream gradient", q1=TANH + "return 1 - math.tanh(x) ** 2", marks=NO1),
    Row("central differences",
        q1=TANH + "h = 1e-5\n    return upstream * (math.tanh(x + h) - math.tanh(x - h)) / (2 * h)", marks=NO1),
    Row("differences of five points", q1=TANH + f"h = 1e-3\n    return upstream * ({FIVE}) / (12 * h)", marks=NO1),
    Row("the complex step is an answer",
        q1="import cmath\n" + TANH + "return upstream * cmath.tanh(x + 1e-200j).imag / 1e-200"),
    Row("overflow, which only a hidden check shows", q1=TANH + "return upstream / math.cosh(x) ** 2", marks=NO1,
        words="OverflowError"),
    Row("a float that equals everything",
        q1="class Any(float):\n    __eq__ = lambda self, other: True\n    __hash__ = None\n" + TANH + "return Any(0)",
        marks=NO1),
    Row("a list that equals everything",
        q2="class Any(list):\n    __eq__ = lambda self, other: True\n    __len__ = lambda self: 1\n"
        + MEAN
        + "return Any()", marks=NO2),
    Row("an object that is everything",
        q2="class Any:\n    def __getattr__(self, name): return self\n    def __call__(self, *a): return self\n"
        "    __array__ = __float__ = __eq__ = lambda *a: 1.0\n" + MEAN + "return Any()", marks=NO2),
    Row("a class that says it is float", q2="class Any:\n    __class__ = float\n" + MEAN + "return Any()", marks=NO2),
    Row("numbers of NumPy are numbers", q1=TANH + f"return np.float64({RIGHT1})",
        q2=MEAN + "return np.mean(np.square(numbers))"),
    Row("np.allclose replaced", before="np.allclose = np.isclose = lambda *a, **k: True", q1=TANH + "return 0.0",
        marks=NO1),
    Row("math.tanh replaced", before="math.tanh = lambda x: 0.0", marks=NO1),
    Row("abs and max replaced", before="import builtins\nbuiltins.abs = builtins.max = lambda *a: 0",
        q1=TANH + "return 7.0", marks=NO1),
    Row("a masked array", q2=MEAN + "return np.ma.masked_array([0.0], mask=[True])", marks=NO2),
    Row("10**12 numbers without memory", q2=MEAN + "return np.broadcast_to(1.0, (10**6, 10**6))", marks=NO2),
    Row("keys that collide", q2=MEAN + "return {n * (2**61 - 1): 0 for n in range(30_000)}", marks=NO2),
    Row("lists that hold each other, 60 times twice",
        q2=MEAN + "found = [1.0]\n    for _ in range(60): found = [found, found]\n    return found", marks=NO2),
    Row("a million attributes",
        q2=MEAN + "found = type('O', (), {})()\n    vars(found).update({f'f{i}': i for i in range(10**6)})\n"
        "    return found", marks=NO2),
    *[
        Row(f"an endless {of}", q2=f"class E({base}):\n    {head}\n        while 1: pass\n{MEAN}return E()", marks=NO2)
        for of, base, head in [
            ("len", "list", "def __len__(self):"),
            ("class", "", "@property\n    def __class__(self):"),
            ("conversion", "", "def __array__(self, *args, **more):"),
            ("attribute", "", "def __getattr__(self, name):"),
        ]
    ],
    Row("an error that causes itself", q2=MEAN + "e, f = ValueError(1), ValueError(2)\n"
        "    e.__cause__, f.__cause__ = f, e\n    raise e", marks=NO2, words="ValueError"),
    Row("an error whose words never end", q2="class E(Exception):\n    def __str__(self):\n        while True: pass\n"
        + MEAN + "raise E()", marks=NO2),
    Row("an error with a line that is not there",
        q2=MEAN + "raise SyntaxError('<b>', ('x' * 10**6, 10**9, -(10**9), '\\u202e<b>' * 10**5))", marks=NO2),
    Row("a function that is asynchronous", q2=f"async {MEAN}return {RIGHT2}", marks=NO2),
    Row("zeros", q1=TANH + "return 0.0", q2=MEAN + "return 0.0", q3="def safe_sqrt(x):\n    return 0 * x", marks=NONE),
    Row("nan", q1=TANH + "return math.nan", q2=MEAN + "return math.nan", marks=(0, 0, 5)),
    Row("infinity", q2=MEAN + "return math.inf", marks=NO2),
    Row("text", q2=MEAN + f"return str({RIGHT2})", marks=NO2, words="a number is expected"),
    Row("nothing", q2=MEAN + f"{RIGHT2}", marks=NO2, words="ends without return"),
    Row("a list with the number", q2=MEAN + f"return [{RIGHT2}]", marks=NO2),
    Row("an array with the number", q2=MEAN + f"return np.array([{RIGHT2}])", marks=NO2),
    Row("a generator", q2=MEAN + f"yield {RIGHT2}", marks=NO2),
    Row("ten million numbers", q2=MEAN + "return [0.0] * 10**7", marks=NO2),
    Row("an array of 2 GB", q2=MEAN + "return np.zeros(1 << 27)", marks=NO2),
    Row("lists 100,000 deep", q2=MEAN + "found = []\n    for _ in range(100_000): found = [found]\n    return found",
        marks=NO2, words="nested"),
    Row("a list that holds itself", q2=MEAN + "found = []\n    found.append(found)\n    return found", marks=NO2,
        words="nested"),
    Row("an array of objects that run code",
        q2="class Evil:\n    def __reduce__(self): return exec, ('raise SystemExit',)\n"
        + MEAN
        + "return np.array([Evil()])", marks=NO2),
    Row("an integer of a million digits", q2=MEAN + "return 10 ** 10**6", marks=NO2),
    Row("changes its input", q2=MEAN + f"found = {RIGHT2}\n    numbers[0] = 9.0\n    return found", marks=NO2,
        words="changes its input"),
    Row("right the first three times",
        q2="calls = []\n" + MEAN + f"calls.append(1)\n    return {RIGHT2} if len(calls) < 4 else 0.0", marks=NO2),
    Row("right, and then an exception",
        q2="calls = []\n" + MEAN + f"calls.append(1)\n    assert len(calls) < 5\n    return {RIGHT2}", marks=NO2,
        words="AssertionError"),
    Row("remembers each input, right once",
        q2="seen = set()\n"
        + MEAN
        + f"key = tuple(numbers)\n    again, _ = key in seen, seen.add(key)\n    return -1.0 if again else {RIGHT2}",
        marks=NO2),
    Row("depends on the call before",
        q1="last = [0]\n" + TANH + f"found, last[0] = {RIGHT1} + (last[0] > 3) * 1e-3, x\n    return found", marks=NO1),
    Row("a bomb with a clock",
        q2="import time\nstart = time.monotonic()\n"
        + MEAN
        + f"return {RIGHT2} if time.monotonic() < start + 0.001 else 0.0", marks=NO2),
    Row("random errors", q2="import random\n" + MEAN + f"return {RIGHT2} * (1 + (random.random() < 0.3))", marks=NO2),
    Row("the examples looked up", q1=TANH + "return {(0.0, 1.0): 1.0}.get((x, upstream), 0.0)", marks=NO1),
    Row("a table of the simple points",
        q1="grid = {(x, u): u * (1 - math.tanh(x) ** 2) for x in [1., 0., -1., 2., -2., .5, -.5, 3., -3., -4., "
        "4.] for u in [1., 2., 3., 0., -1., -2., .5, -.5, -3., -4., 4.]}\n"
        + TANH
        + "return grid.get((x, upstream), 0.0)", marks=NO1),
    Row("the engine where it is the answer", q1=TANH + "return float(mg.grad(mg.tanh)(x).value) * upstream", marks=NO1),
    Row("the engine, imported in the answer",
        q1=TANH + "import minigrad\n    return float(minigrad.grad(minigrad.tanh)(x).value) * upstream", marks=NO1),
    Row("an exception whose words are endless",
        q2="class Evil(Exception):\n    __str__ = lambda self: 'x' * 10**7\n" + MEAN + "raise Evil", marks=NO2),
    Row("an exception whose words raise",
        q2="class Evil(BaseException):\n    def __str__(self): raise SystemExit\n" + MEAN + "raise Evil", marks=NO2),
    Row("an exception with markup", q2=MEAN + "raise ValueError('<script>alert(1)</script>')", marks=NO2,
        words="<script>"),
    Row("a name in wide letters is the same name", q2="def ｍean_square(numbers):\n    return " + RIGHT2),
    Row("a name with a Cyrillic letter is another", q2="def mеan_square(numbers):\n    return " + RIGHT2, marks=NO2),
    Row("text that runs backwards", q2='"\u202e"\n' + MEAN + "return 0.0 # \u202e" + RIGHT2, marks=NO2),
    Row("a lone surrogate", q2=MEAN + "return '\\ud800'", marks=NO2),
    Row("a lambda", q2=f"mean_square = lambda numbers: {RIGHT2}"),
    Row("a class with __call__",
        q2=f"class Mean:\n    def __call__(self, numbers): return {RIGHT2}\nmean_square = Mean()"),
    Row("a partial function", q2=f"import functools\nmean_square = functools.partial(lambda k, numbers: {RIGHT2}, 1)"),
    Row("sleeps, and is right", q2="import time\n" + MEAN + f"time.sleep(0.01)\n    return {RIGHT2}"),
    Row("sleeps until the time is used up", q2="import time\n" + MEAN + f"time.sleep(0.7)\n    return {RIGHT2}",
        marks=(2, None, 5)),
    Row("prints what could be a verdict", q2="print('{\"marks\": 10}')\n" + MEAN + "print('q2: right')\n    return 0",
        marks=NO2),
    Row("the verdict of its own check", before="check = lambda *a: True\nassert check('q1')", q1=TANH + "return 0.0",
        marks=NO1),
]  # fmt: skip

RULE = (
    "@mg.custom_gradient\ndef safe_sqrt(x):\n    y, d = mg.sqrt(x), mg.where(x > 0, x, 1.0)\n    return y, lambda u: "
)
PLAIN = "def safe_sqrt(x):\n    return mg.sqrt(x)\n"
FORGED = (
    "import minigrad.graphs\n" + Q3 + "\nminigrad.graphs.write = lambda *a, **k: "
    "{'params': [0], 'nodes': [%s], 'out': [1]}"
)


def forged(name, node, words=""):
    """A graph that the student's process writes by hand."""
    return Row(f"forged: {name}", q3=FORGED % node, marks=NO3, words=words)


#: Derivatives: the judge has the graph, and nothing else.
DERIVATIVES = [
    Row("the library's function", q3=PLAIN, marks=NO3),
    Row("gradients replaced by one that repairs inf",
        q3="import sys\nold = mg.gradients\nnew = lambda *a, **k: [mg.nan_to_num(d) for d in old(*a, **k)]\n"
        "for m in list(sys.modules.values()):\n    if getattr(m, 'gradients', None) is old: m.gradients = new\n"
        + PLAIN, marks=NO3),
    Row("a rule replaced in the table of ops",
        q3="from minigrad.core.op import OPS\n"
        "object.__setattr__(OPS['sqrt'], 'vjps', (lambda g, y, x: mg.where(x > 0, g / (2 * y), 0.0),))\n" + PLAIN,
        marks=NO3),
    Row("an op's function replaced",
        q3="from minigrad.core.op import OPS\nobject.__setattr__(OPS['cbrt'], 'fn', np.sqrt)\n"
        + Q3.replace("mg.sqrt", "mg.cbrt"), marks=NO3),
    Row("division of Tensors replaced",
        q3="from minigrad.core.tensor import Tensor\nTensor.__truediv__ = lambda a, b: 0 * a\n" + Q3, marks=NO3),
    Row("NumPy's sqrt replaced", q3="np.sqrt = lambda x: x\n" + Q3),
    Row("the value as a constant",
        q3=RULE.replace("mg.sqrt(x), mg", "mg.constant(np.sqrt(x.value)) + 0 * x, mg")
        + "mg.where(x > 0, u / (2 * mg.sqrt(d)), 0.0)", marks=NO3),
    Row("the slope as a constant",
        q3=RULE + "u * np.where(x.value > 0, 0.5 / np.sqrt(np.where(x.value > 0, x.value, 1)), 0)", marks=NO3),
    *[
        Row(
            f"another rule, told apart by {name}",
            q3=before + Q3.replace("    return y", f"    if {other}: return y, lambda u: 3 * u\n    return y"),
            marks=NO3,
        )
        for name, before, other in [
            ("a new random", "import random\n", "random.getstate() != random.Random(0).getstate()"),
            ("another state of random", "import random\nold = random.getstate()\n", "random.getstate() == old"),
            ("float64", "", "x.dtype != np.float64"),
            ("the default dtype", "", "mg.constant(1.0).dtype != np.float64"),
        ]
    ],
    Row("a rule with another number in float32", q3=Q3.replace("(2 *", "((2.0 if x.dtype == np.float64 else 1.0) *"),
        marks=NO3),
    Row("a Taylor polynomial around the input",
        q3="@mg.custom_gradient\ndef safe_sqrt(x):\n    a = x.value\n    p = np.where(a > 0, a, 1)\n"
        "    s, c = np.where(a > 0, 0.5 * p**-0.5, 0), np.where(a > 0, -0.25 * p**-1.5, 0)\n"
        "    return np.sqrt(a) + (x - a) * s + (x - a) ** 2 * c / 2, lambda u: u * (s + (x - a) * c)", marks=NO3),
    Row("right for three recordings, then another graph",
        q3="calls = []\n"
        + Q3.replace("    y = ", "    calls.append(1)\n    y = 2 * mg.sqrt(x) if len(calls) > 3 else ").replace(
        "check('q3')", ""
        ), marks=NO3),
    Row("noise below what is seen",
        q3=RULE + "mg.where(x > 0, u / (2 * mg.sqrt(d)), 0.0) * (1 + 1e-13 * np.random.default_rng().normal())",
        marks=NO3),
    *[
        Row(
            f"differences of two points, {h:g} apart",
            q3=RULE + f"mg.where(x > 0, u * ((d + {h}) ** 0.5 - (d - {h}) ** 0.5) / {2 * h}, 0.0)",
            marks=NO3,
        )
        for h in (1e-6, 1e-4, 1e-3, 5e-2)
    ],
    Row("a rule of differences of five points",
        q3=RULE
        + "mg.where(x > 0, u * (-(d*1.02)**.5 + 8*(d*1.01)**.5 - 8*(d*.99)**.5 + (d*.98)**.5) / (0.12 * d), 0.0)",
        marks=NO3),
    Row("a polynomial in place of the slope", q3=RULE + "mg.where(x > 0, u * (0.9 - 0.05 * d + 0.001 * d * d), 0.0)",
        marks=NO3),
    Row("a table of 800 constants, joined by straight lines",
        q3="k = np.linspace(0, 100, 400)\ns = np.diff(np.sqrt(k), append=10) / k[1]\nw = np.diff(s, prepend=0)\n"
        "@mg.custom_gradient\ndef safe_sqrt(x):\n    y = mg.sqrt(x)\n    at = mg.reshape(x, x.shape + (1,)) > k\n"
        "    slope = mg.sum(mg.where(at, w, 0.0), axis=-1)\n    return y, lambda upstream: upstream * slope",
        marks=NO3),
    Row("a table of 4096 slopes, looked up",
        q3="k = np.linspace(0, 100, 4096)\ntable = np.where(k > 0, 0.5 / np.sqrt(np.maximum(k, 1e-9)), 0)\n"
        "@mg.custom_gradient\ndef safe_sqrt(x):\n    at = np.clip(np.rint(x.numpy() * 40.95), 0, 4095).astype(int)\n"
        "    return mg.sqrt(x), lambda upstream: upstream * table[at]", marks=NO3),
    Row("no upstream", q3=RULE + "mg.where(x > 0, 1 / (2 * mg.sqrt(d)), 0.0)", marks=NO3),
    Row("an upstream that is cut off", q3=RULE + "mg.where(x > 0, mg.clip(u, -1.0, 1.0) / (2 * mg.sqrt(d)), 0.0)",
        marks=NO3),
    Row("a Python if on the upstream", q3=RULE + "mg.where(x > 0, 0.5 * u / d**0.5, 0) * (1 + (u.value.sum() > 0))",
        marks=NO3),
    Row("a Python if on the value", q3="def safe_sqrt(x):\n    return mg.sqrt(x) if np.all(x.value > 0) else 0 * x",
        marks=NO3),
    Row("without a rule of one's own",
        q3="def safe_sqrt(x):\n    return mg.where(x > 0, mg.sqrt(mg.where(x > 0, x, 1.0)), 0.0)", marks=NO3),
    Row("an op that is not allowed", q3=Q3.replace("mg.sqrt(x)", "mg.cbrt(x) ** 1.5"), marks=NO3, words="cbrt"),
    Row("a rule of gradients that are leaves, as in the notebook",
        q3="@mg.custom_gradient\ndef safe_sqrt(x):\n    d = mg.where(x > 0, x, 1.0)\n"
        "    return mg.sqrt(x), lambda u: mg.where(x > 0, u * mg.elementwise_grad(mg.sqrt)(d), 0.0)", marks=NO3),
    Row("a rule made by the engine is an answer",
        q3="@mg.custom_gradient\ndef safe_sqrt(x):\n    d = mg.where(x > 0, x, 1.0)\n    r = mg.sqrt(d)\n"
        "    return mg.sqrt(x), lambda u: mg.where(x > 0, mg.gradients(r, d, u)[0], 0.0)",
        note="q3: its rule is computed by a backward pass of the engine"),
    Row("the square root as a power is an answer", q3=Q3.replace("mg.sqrt(x)", "x ** 0.5")),
    Row("a plain number", q3="def safe_sqrt(x):\n    return 3.0", marks=NO3),
    Row("without the decorator", q3=Q3.replace("@mg.custom_gradient\n", ""), marks=NO3),
    Row("a Tensor that lies about itself",
        q3="from minigrad.core.tensor import Tensor\nclass Liar(Tensor):\n"
        "    value = property(lambda self: np.float64(2.0))\n" + PLAIN.replace("mg.sqrt(x)", "Liar(mg.sqrt(x))"),
        marks=NO3),
    Row("right by value, wrong by graph",
        q3=Q3.replace(
        "    y = mg.sqrt(x)",
        "    import sys\n    by_value = x.dtype == np.float32\n    y = mg.sqrt(x) * (1.0 if by_value else 1.001)",
        ), marks=NO3),
    Row("never ends", q3="def safe_sqrt(x):\n    while True: pass", marks=NO3, words="did not end"),
    Row("a rule that never ends", q3=RULE + "[0 for _ in iter(int, 1)]", marks=NO3, words="did not end"),
    Row("ends the process", q3="import os\ndef safe_sqrt(x):\n    os._exit(0)", marks=NO3, words="ended the process"),
    Row("300,000 nodes", q3="def safe_sqrt(x):\n    for i in range(300_000): x = x + 1\n    return x", marks=NO3),
    Row("20 MB of constants", q3="def safe_sqrt(x):\n    return x + np.arange(2_500_000.0)", marks=NO3),
    Row("a doubling, 40 times",
        q3="def safe_sqrt(x):\n    for i in range(40): x = mg.concatenate([mg.reshape(x, (-1,))] * 2)\n    return x",
        marks=NO3),
    Row("an expectation of its own engine", before="mg.sqrt = lambda x: 2 * x", marks=NO3),
    forged("an op that does not exist", "[1, 'op', 'eval', [{'node': 0}], {}]", "not an op"),
    forged("an attribute for an op", "[1, 'op', '__class__', [{'node': 0}], {}]", "not an op"),
    forged("a list for an op", "[1, 'op', ['sqrt'], [{'node': 0}], {}]", "not an op"),
    forged("out= of a ufunc", "[1, 'op', 'sqrt', [{'node': 0}, {'node': 0}], {}]", "called wrongly"),
    forged("where= of a ufunc", "[1, 'op', 'sqrt', [{'node': 0}], {'where': False}]", "called wrongly"),
    forged("a cycle", "[1, 'op', 'add', [{'node': 1}, {'node': 0}], {}]", "does not come before"),
    forged("a number twice", "[1, 'op', 'sqrt', [{'node': 0}], {}], [1, 'op', 'sqrt', [{'node': 0}], {}]", "taken"),
    forged("a dtype of objects", "[1, 'op', 'cast', [{'node': 0}, {'dtype': 'object'}], {}]"),
    forged("an integer of 5000 digits", "[1, 'op', 'add', [{'node': 0}, 10**5000], {}]"),
    forged("a shape of minus one",
        "[1, 'op', 'add', [{'node': 0}, {'array': 'float64', 'shape': [-1], 'bytes': ''}], {}]"),
    forged("a shape of 10**9",
        "[1, 'op', 'add', [{'node': 0}, {'array': 'float64', 'shape': [10**9], 'bytes': ''}], {}]"),
    forged("3 GB in one op", "[1, 'op', 'broadcast_to', [{'node': 0}, {'tuple': [20000, 20000]}], {}]", "numbers"),
    forged("an object of the wire", "[1, 'op', 'add', [{'node': 0}, {'object': 0}], {}]"),
    forged("no nodes", ""),
]  # fmt: skip
