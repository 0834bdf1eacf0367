"""Submissions that turn Python's own parts against a grader: errors, frames, hooks, memory, files; and honest ones."""

from tests.hostile.answers import RIGHT1, RIGHT2
from tests.hostile.assignment import Q2, Q3
from tests.hostile.rows import MEAN, NO1, NO2, NO3, TANH, Row

#: Errors whose parts run code, never end, or are no text; each is raised by a wrong answer.
ERRORS = {
    "whose class raises": "__class__ = property(lambda self: 1 / 0)",
    "whose class says AssertionError": "__class__ = AssertionError",
    "whose traceback never ends": "__traceback__ = property(lambda self: self)\n"
    "    tb_next = tb_frame = property(lambda self: self)",
    "whose notes never end": "__notes__ = property(lambda self: iter(int, 1))",
    "whose words are no text": "__str__ = __repr__ = lambda self: 7",
    "whose arguments raise": "args = property(lambda self: 1 / 0)",
    "whose attributes raise": "def __getattribute__(self, name): raise KeyboardInterrupt",
    "whose cause is made when it is read": "__cause__ = property(lambda self: type(self)())",
    "whose name is a megabyte": "pass\nE.__name__ = E.__qualname__ = 'right' * 200_000\nE.__module__ = 'builtins'",
    "that ends when it is deleted": "__del__ = lambda self: exit(0)",
}

#: What is done before a wrong q1, in the same process.
FRAMES = {
    "the frames above are overwritten": "f = sys._getframe()\n    while f := f.f_back:\n"
    "        try: f.f_locals.update(dict.fromkeys(list(f.f_locals), 1.0))\n        except Exception: pass",
    "who refers to the arguments": "import gc\n    for held in gc.get_referrers(x, upstream):\n"
    "        if type(held) is list: held[:] = [0.0] * len(held)",
    "its code is another after each call": "tanh_backward.__code__ = (lambda x, upstream: 0.5).__code__",
    "its globals lose Python's functions": "globals()['__builtins__'] = {}",
    "its globals are emptied": "globals().clear()",
    "modules are removed": "sys.modules.clear()",
    "the main module is another": "sys.modules['__main__'] = sys.modules[__name__] = None",
    "standard output is closed": "sys.stdout.close(); sys.stderr.close()",
    "what is printed raises": "sys.stdout = sys.stderr = type('W', (), {'write': lambda *a: 1 / 0, 'flush': exit})()",
    "an unraisable error": "sys.unraisablehook = sys.excepthook = lambda *a: exit(0)\n"
    "    type('D', (), {'__del__': lambda self: 1 / 0})()",
    "a weak reference that calls back": "import weakref\n    held = type('H', (), {})()\n"
    "    weakref.finalize(held, exit)\n    weakref.ref(held, lambda r: exit(0))",
    "text is decoded by others": "import codecs\n    codecs.register_error('strict', lambda e: ('1.0', e.end))",
    "classes are built by others": "import builtins\n    builtins.__build_class__ = lambda *a, **k: 1.0",
    "imports give what was never written": "import builtins\n    from unittest.mock import MagicMock\n"
    "    builtins.__import__ = lambda *a, **k: MagicMock()",
    "clocks stand still": "import time\n    time.monotonic = time.perf_counter = time.process_time = lambda: 0.0",
    "other threads never run": "sys.setswitchinterval(1e9)",
}
JUDGES = "import importlib\nfor name in ('grading.judge', 'grading.judge_exercise', 'classroom.compared_values'):\n"
JUDGES += "    try: m = importlib.import_module('minigrad.' + name)\n    except Exception: continue\n"
JUDGES += "    for k, v in list(vars(m).items()):\n        if callable(v): setattr(m, k, lambda *a, **k: True)"

INSIDES = [
    *(Row(f"an error {k}", q1=f"class E(Exception):\n    {v}\n{TANH}raise E()", marks=NO1) for k, v in ERRORS.items()),
    *(Row(k, before="import sys", q1=f"{TANH}{v}\n    return 0.5", marks=NO1) for k, v in FRAMES.items()),
    Row("a float that is written as another", q1="class F(float):\n    __repr__ = __str__ = lambda self: '1.0'\n"
        "    hex = lambda self: '0x1p+0'\n    as_integer_ratio = lambda self: (1, 1)\n" + TANH + "return F(7)",
        marks=NO1),
    Row("an array whose pieces tell on it", q2="class A(np.ndarray):\n    def __array_finalize__(self, of): exit(0)\n"
        "    __array_priority__ = 1e9\n    __array_wrap__ = lambda self, *a: 1.0\n" + MEAN
        + "return np.zeros(()).view(A)", marks=NO2),
    Row("an array that lies outside memory", q2=MEAN
        + "return np.lib.stride_tricks.as_strided(np.zeros(1), (1000,), (1 << 30,))", marks=NO2),
    Row("a package that differentiates", q1="import mpmath\n" + TANH + "return upstream * mpmath.diff(mpmath.tanh, x)",
        marks=NO1),
    Row("memory at 0", q2="import ctypes\n" + MEAN + "return ctypes.string_at(0)", marks=NO2),
    Row("an endless loop in C", q2="import collections, itertools\n" + MEAN
        + "return collections.deque(itertools.repeat(0), maxlen=0)", marks=NO2, words="did not end"),
    Row("an endless loop that keeps every interrupt", q2=MEAN + "while True:\n        try:\n"
        "            while True: pass\n        except BaseException: pass", marks=NO2, words="did not end"),
    Row("signals that are held back", before="import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))",
        q2=MEAN + "while True: pass", marks=NO2, words="did not end"),
    Row("an error of another thread", q1="import ctypes, threading as th, time\nme = th.main_thread().ident\n"
        "def throw():\n    while True:\n        time.sleep(0.002)\n        ctypes.pythonapi.PyThreadState_SetAsyncExc("
        "ctypes.c_ulong(me), ctypes.py_object(StopIteration))\n" + TANH
        + "th.Thread(target=throw, daemon=True).start()\n    time.sleep(0.05)\n    return 0.5", marks=NO1),
    Row("a thread that changes the answer", q2="import threading, time\nright = True\ndef flip():\n    global right\n"
        "    while True: right = not right; time.sleep(1e-4)\nthreading.Thread(target=flip, daemon=True).start()\n"
        + MEAN + f"time.sleep(1e-3)\n    return {RIGHT2} if right else 0.0", marks=NO2),
    Row("every descriptor is /dev/null", after="import os\nnull = os.open('/dev/null', 2)\nfor n in range(3, 256):\n"
        "    try: os.dup2(null, n)\n    except OSError: pass", marks=NO1, q1=TANH + "return 0.5"),
    Row("the judge's functions all say True", before=JUDGES, q1=TANH + "return 0.5", marks=NO1),
    Row("a signature that lies", q1=TANH + "return 0.5\ntanh_backward.__signature__ = 7\n"
        "tanh_backward.__wrapped__ = tanh_backward", marks=NO1),
    Row("lines that are nowhere", q1="exec(compile('def tanh_backward(x, upstream):\\n raise KeyError(1)',"
        " '/etc/passwd', 'exec'))\ntanh_backward.__code__ = tanh_backward.__code__.replace(co_firstlineno=2**31 - 1,"
        " co_linetable=b'')", marks=NO1),
    Row("a file that is imported by the next", after="for name in ('numpy', 'json', 'sitecustomize'):\n"
        "    open(OUTSIDE + f'/{name}.py', 'w').write('raise SystemExit')", note="Cell 5", needs="landlock"),
    Row("a pipe with a name", after="import os\nos.mkfifo(OUTSIDE + '/pipe')", note="Cell 5", needs="landlock"),
    Row("a second name of a file", after="import os\nos.link(OUTSIDE + '/gradebook', OUTSIDE + '/gradebook2')",
        note="Cell 5", needs="landlock"),
    Row("custom_gradient replaced", before="mg.custom_gradient = lambda f: f", marks=NO3),
    Row("Tensors that compare and hash alike", q3="from minigrad.core.tensor import Tensor\n"
        "Tensor.__eq__ = lambda a, b: True\nTensor.__hash__ = lambda a: 1\n"
        + Q3.replace("(2 * safe)", "(3 * safe)"), marks=NO3),
    Row("the class of x is another", q3="from minigrad.core.tensor import Tensor\nclass L(Tensor):\n"
        "    __slots__ = ()\n    value = property(lambda self: np.float64(4.0))\ndef safe_sqrt(x):\n"
        "    x.__class__ = L\n    return mg.sqrt(x)", marks=NO3),
    Row("the rule changes after it was recorded", q3="n = [0]\n" + Q3.replace("lambda upstream: ",
        "lambda upstream: n.append(1) or (1 + 1e-7 * len(n)) * "), marks=NO3),
    Row("a rule that counts by a file", q3="import os\nn = os.memfd_create('n')\n" + Q3.replace("lambda upstream: ",
        "lambda upstream: (os.write(n, b'x') + os.fstat(n).st_size % 2) * "), marks=NO3),
]  # fmt: skip

#: q1, q2 and q3 in other words, each worth all marks.
HONEST = [
    Row("honest: SciPy, which looks for imported libraries", q1="from scipy.special import logsumexp\n" + TANH
        + "t = math.tanh(x + 0 * logsumexp([x, 1.0]))\n    return upstream * (1 - t * t)"),
    Row("honest: factors", q1=TANH + "t = math.tanh(x)\n    return (1 - t) * (1 + t) * upstream",
        q2=MEAN + "return math.fsum(n**2 for n in numbers) / len(numbers)"),
    Row("honest: cached", q1="import functools\n@functools.lru_cache(maxsize=None)\n" + TANH + f"return {RIGHT1}",
        q2=MEAN + "return float(np.dot(numbers, numbers)) / len(numbers)"),
    Row("honest: annotated, with a default", q1="def tanh_backward(x: float, upstream: float = 1.0) -> float:\n"
        f'    """The slope."""\n    return {RIGHT1}', q2=MEAN + "return (np.asarray(numbers) ** 2).mean()"),
    Row("honest: any arguments", q1=f"def tanh_backward(*args):\n    x, upstream = args\n    return {RIGHT1}",
        q2="def mean_square(numbers, *_, power=2, **__):\n    return sum(n**power for n in numbers) / len(numbers)"),
    Row("honest: a closure", q1="def of(f, slope):\n    return lambda x, upstream: upstream * slope(f(x))\n"
        "tanh_backward = of(math.tanh, lambda y: 1 - y * y)",
        q2="from statistics import fmean\nmean_square = lambda numbers: fmean(n * n for n in numbers)"),
    Row("honest: a bound method", q1="class Tanh:\n    def backward(self, x, upstream):\n        return "
        + RIGHT1 + "\ntanh_backward = Tanh().backward",
        q2="from functools import reduce as fold\n" + MEAN
        + "return fold(lambda s, n: s + n * n, numbers, 0) / len(numbers)"),
    Row("honest: a decorator of one's own", q1="import functools\ndef logged(f):\n    @functools.wraps(f)\n"
        "    def wrapper(*a): print(f.__name__, *a); return f(*a)\n    return wrapper\n@logged\n" + TANH
        + f"return {RIGHT1}",
        q2="def square(n): yield n * n\n" + MEAN + "return sum(s for n in numbers for s in square(n)) / len(numbers)"),
    Row("honest: by cosh, cut off", q1=TANH + "return upstream / math.cosh(max(-300.0, min(x, 300.0))) ** 2",
        q2=MEAN + "total = 0\n    for n, each in enumerate(numbers, 1): total += each * each\n    return total / n"),
    Row("honest: NumPy complains", before="import warnings\nwarnings.simplefilter('error')",
        q1=TANH + "return upstream * (1 - np.tanh(x) ** 2)", q2=MEAN + "return np.average(np.power(numbers, 2.0))"),
    Row("honest: seeds and other settings", before="import random, sys, gc\nrandom.seed(0); np.random.seed(0)\n"
        "np.set_printoptions(precision=2); sys.setrecursionlimit(5000); gc.disable()"),
    Row("honest: the upstream first", q1=TANH + "return upstream - upstream * math.tanh(x) * math.tanh(x)",
        q3=Q3.replace("upstream / (2 * safe)", "0.5 * upstream / safe")),
    Row("honest: a class for the rule", q3="class Rule:\n    def __init__(self, x, y): self.x, self.y = x, y\n"
        "    def __call__(self, upstream):\n        safe = mg.where(self.x > 0, self.y, 1.0)\n"
        "        return mg.where(self.x > 0, upstream / (2 * safe), 0.0)\n"
        "@mg.custom_gradient\ndef safe_sqrt(x):\n    y = mg.sqrt(x)\n    return y, Rule(x, y)"),
    Row("honest: the choice before", q3="def root(x):\n    good = x > 0\n    safe = mg.where(good, x, 1.0)\n"
        "    return mg.sqrt(x), lambda g: mg.where(good, 0.5 * g * mg.rsqrt(safe), 0.0)\n"
        "safe_sqrt = mg.custom_gradient(root)"),
    Row("honest: a mask of numbers", q3="@mg.custom_gradient\ndef safe_sqrt(x):\n    zero = mg.where(x > 0, 0.0, 1.0)\n"
        "    y = mg.sqrt(x)\n    return y, lambda u: (1 - zero) * u / (2 * (y + zero))"),
    Row("honest: names of the lesson are used again", after="x = 3.0\nupstream = 1.0\nnumbers = [1.0]\ny = mg.sqrt(x)\n"
        "print(tanh_backward(x, upstream), mean_square(numbers), safe_sqrt(mg.constant(4.0)))"),
    Row("honest: the last cell fails", after=Q2 + "\nassert mean_square([1.0]) == 2.0, 'not what I expected'",
        note="AssertionError"),
]  # fmt: skip
