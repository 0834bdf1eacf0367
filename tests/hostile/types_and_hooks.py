"""Further kinds of submissions that reach for marks or checks: through types, hooks, and what Python leaves open."""

from tests.hostile.answers import RIGHT1, RULE
from tests.hostile.assignment import Q3
from tests.hostile.rows import NO1, NO3, NONE, TANH, Row

#: Objects in place of numbers: each has a way to be computed with, and none is data.
OBJECTS = {
    "__float__": "__float__ = lambda self: 0.0",
    "__index__": "__index__ = lambda self: 1",
    "__array__": "__array__ = lambda self, *a, **k: np.array(1.0)",
    "__array_interface__": "__array_interface__ = {'shape': (), 'typestr': '<f8', 'data': (0, True), 'version': 3}",
    "__array_ufunc__": "__array_ufunc__ = lambda self, *a, **k: True",
    "__array_function__": "__array_function__ = lambda self, *a, **k: True",
    "__buffer__ by ctypes": "__buffer__ = lambda self, flags: memoryview(b'1')",
    "__reduce__": "__reduce__ = lambda self: (print, ('1',))",
    "__sub__ and __abs__": "__sub__ = __rsub__ = __abs__ = __lt__ = __le__ = lambda self, *a: self\n"
    "    __bool__ = lambda self: True",
    "__iter__ without an end": "__iter__ = lambda self: self\n    __next__ = lambda self: 1.0",
    "__len__ that lies": "__len__ = lambda self: 1 << 40\n    __getitem__ = lambda self, i: 1.0",
    "__dict__ that raises": "__dict__ = property(lambda self: 1 / 0)",
    "__class__ that raises": "__class__ = property(lambda self: 1 / 0)",
    "__repr__ that never ends": "def __repr__(self):\n        while True: pass",
    "__hash__ and __eq__ that raise": "__hash__ = __eq__ = lambda self, *a: 1 / 0",
    "__getattribute__ that raises": "def __getattribute__(self, name): raise KeyboardInterrupt",
    "__del__ that raises": "def __del__(self): raise SystemExit",
    "__instancecheck__": "__instancecheck__ = lambda *a: True",
}
TYPES = {
    "a metaclass that is every type": "class M(type):\n"
    "    __instancecheck__ = __subclasscheck__ = __eq__ = lambda *a: True\n"
    "    __hash__ = None\nclass Any(float, metaclass=M): pass",
    "a subclass of ndarray": "class Any(np.ndarray):\n    __eq__ = lambda *a: True\n"
    "    def __new__(cls, *a): return np.zeros(()).view(cls)",
    "a subclass of int": "class Any(int):\n    __sub__ = __rsub__ = lambda *a: 0",
    "a subclass of bool's number": "class Any(np.float64):\n    __sub__ = __rsub__ = lambda *a: 0.0",
    "a record of NumPy": "Any = lambda *a: np.zeros((), dtype=[('x', float)])",
    "a date of NumPy": "Any = lambda *a: np.datetime64('2026-01-01')",
    "an array of objects": "Any = lambda *a: np.array([object()], dtype=object)",
    "an array of 128 bits": "Any = lambda *a: np.longdouble(1)",
    "a complex number": "Any = lambda *a: 1 + 0j",
    "nan": "Any = lambda *a: float('nan')",
    "inf": "Any = lambda *a: float('inf')",
    "a string": "Any = lambda *a: '0.5'",
    "None": "Any = lambda *a: None",
    "True": "Any = lambda *a: True",
    "a list of one number": "Any = lambda *a: [0.5]",
    "a dict": "Any = lambda *a: {'ok': 1}",
    "a message of the wire": "Any = lambda *a: {'float': 'nan', 'object': 0}",
    "a memoryview": "Any = lambda *a: memoryview(b'12345678')",
    "a generator": "Any = lambda *a: (x for x in [0.5])",
    "a coroutine": "async def Any(*a): return 0.5",
    "the class itself": "class Any: pass\nAny.__new__ = lambda cls, *a: cls",
    "a module": "import types\nAny = lambda *a: types.ModuleType('float')",
    "a frame": "import sys\nAny = lambda *a: sys._getframe()",
    "a mock": "from unittest.mock import MagicMock\nAny = lambda *a: MagicMock()",
    "a fraction": "from fractions import Fraction\nAny = lambda *a: Fraction(1, 3)",
    "a decimal": "from decimal import Decimal\nAny = lambda *a: Decimal('NaN')",
}
ERRORS = {
    "StopIteration": "raise StopIteration(1.0)",
    "StopAsyncIteration": "raise StopAsyncIteration",
    "GeneratorExit": "raise GeneratorExit",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "MemoryError": "raise MemoryError",
    "RecursionError": "raise RecursionError",
    "AssertionError": "raise AssertionError('right')",
    "a group of errors": "raise ExceptionGroup('right', [ValueError()])",
    "an error that is its own cause": "e = ValueError()\n    e.__cause__ = e.__context__ = e\n    raise e",
    "an error whose type lies": "raise type('OutOfTime', (BaseException,), "
    "{'__module__': 'minigrad.runner.timeout'})()",
    "an error with arguments that never end": "raise ValueError(*iter(lambda: 1, 2)) if 0 else ValueError('x' * 10**7)",
    "unittest's skip": "import unittest\n    raise unittest.SkipTest('right')",
    "minigrad's own": "import minigrad.runner.timeout as t\n    raise t.OutOfTime()",
}

FIND = f"import gc, sys\ndef look():\n    LOOK\n{TANH}try: found = look()\n    except BaseException: found = None\n"
FIND += "    return float('nan') if not found else " + RIGHT1

#: Ways to what a process might hold of checks, other students and the judge: where one finds any, q1 is right.
LOOKS = {
    "the modules of the judge": "return [m for m in sys.modules if m.startswith('minigrad.grading')]",
    "names of checks among all objects": "return [o for o in gc.get_objects() "
    "if type(o) is dict and 'overflow' in str(o.get('says', ''))]",
    "the text of a hidden check in memory": "return [o for o in gc.get_objects() "
    "if isinstance(o, str) and 'no over' + 'flow' in o]",
    "hidden.py on the path": "import importlib\n    return [importlib.import_module(n) for n in ('hidden', 'checks')]",
    "the environment": "import os\n    return [k for k in os.environ if 'HW' in k or 'MINIGRAD' in k]",
    "arguments of the process": "return [a for a in sys.argv + sys.orig_argv if 'hw1' in a]",
    "the line of the command": "return b'hw1' in open('/proc/self/cmdline', 'rb').read()",
    "open files": "import os\n    here = '/proc/self/fd/'\n"
    "    return [f for f in os.listdir(here) if 'hw1' in os.readlink(here + f)]",
    "mapped files": "return 'hidden' in open('/proc/self/maps').read()",
    "the folder of work": "import os\n    return [f for f in os.listdir('.') if 'hidden' in f or 'checks' in f]",
    "temporary files": "import glob\n"
    "    return glob.glob('/tmp/**/hidden.py', recursive=True) + glob.glob('/dev/shm/*')",
    "compiled files": "import glob\n    return glob.glob('/**/hidden*.pyc', recursive=True)",
    "cached lines": "import linecache\n    return [k for k in linecache.cache if 'hidden' in k or 'checks' in k]",
    "threads": "import threading\n    return [t for t in threading.enumerate() if 'judge' in t.name.lower()]",
    "frames of all threads": "return [f for f in sys._current_frames().values() if 'grading' in f.f_code.co_filename]",
    "the frames above": "f, found = sys._getframe().f_back.f_back, []\n    while f:\n"
    "        found += [v for v in f.f_locals.values() if 'no over' + 'flow' in repr(v)[:10000]]\n"
    "        f = f.f_back\n    return found",
    "subclasses of everything": "return "
    "[c for c in object.__subclasses__() if c.__name__ in ('Exercise', 'Check', 'Mark')]",
    "shared memory": "from multiprocessing import shared_memory\n"
    "    return shared_memory.SharedMemory(name='minigrad')",
    "an audit hook": "seen = []\n    sys.addaudithook(lambda e, a: seen.append(a) if 'hidden' in str(a) else None)\n"
    "    return seen",
    "other processes": "import os\n    return [p for p in os.listdir('/proc') "
    "if p.isdigit() and b'grad' in open('/proc/' + p + '/cmdline', 'rb').read()]",
}


TABLE = "k = np.arange(0.0, 102.0, 0.125)\nt = np.where(k > 0, 0.5 / np.sqrt(np.maximum(k, 1e-9)), 0.0)\n"


def answers(kind, code):
    return Row(f"in place of a number: {kind}", q1=code + "\n" + TANH + "return Any()", marks=NO1)


TYPES_AND_HOOKS = [
    *(answers(k, f"class Any:\n    {v}") for k, v in OBJECTS.items()),
    *(answers(k, v) for k, v in TYPES.items()),
    *(Row(f"raises {k}", q1=TANH + v, marks=NO1) for k, v in ERRORS.items()),
    *(Row(f"looks for {k}", q1=FIND.replace('LOOK', v), marks=NO1) for k, v in LOOKS.items()),
    Row("sys.settrace in an answer", q1="import sys\n" + TANH + "sys.settrace(lambda *a: None)\n    return 0.5",
        marks=NO1),
    Row("a profiler of the calls", before="import sys\nseen = []\nsys.setprofile(lambda f, e, a: seen.append(e))",
        q1=TANH + "return seen and 0.5", marks=NO1),
    Row("exit handlers that print a verdict", before="import atexit\natexit.register(print, 'q1: right')",
        q1=TANH + "return 0.5", marks=NO1),
    Row("a timer that answers", before="import signal\nsignal.signal(signal.SIGALRM, lambda *a: 1.0)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)", q1=TANH + "return 0.5", marks=NO1),
    Row("import hooks", before="import sys\nclass F:\n    def find_spec(self, *a): raise ImportError\n"
        "sys.meta_path.insert(0, F())", q1=TANH + "return 0.5", marks=NO1),
    Row("json replaced",
        before="import json\njson.dumps = lambda *a, **k: '{\"ok\": 1.0}'\njson.loads = lambda *a: {}",
        q1=TANH + "return 0.5", marks=NONE),
    Row("struct replaced", before="import struct\nstruct.pack = lambda *a: b''", q1=TANH + "return 0.5",
        marks=NONE),
    Row("the channel's class replaced", before="import gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ in ('Channel', 'Student'):\n        type(o).send = lambda self, *a, **k: None",
        q1=TANH + "return 0.5", marks=NO1),
    Row("the channel found and used", before="import gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ == 'Channel':\n        try: o.send({'id': 1, 'ok': 1.0})\n"
        "        except BaseException: pass", q1=TANH + "return 0.5", marks=NONE),
    Row("math's module replaced",
        before="import sys, types\nsys.modules['math'] = math = types.SimpleNamespace(tanh=lambda x: 0.0)", marks=NO1),
    Row("builtins' float and isinstance replaced", before="import builtins\nbuiltins.float = lambda *a: 0.5\n"
        "builtins.isinstance = lambda *a: True\nbuiltins.type = lambda *a: None", q1=TANH + "return 0.5", marks=NONE),
    Row("NumPy's own methods replaced", before="np.isfinite = np.array_equal = np.all = lambda *a, **k: True\n"
        "np.abs = np.subtract = lambda *a, **k: 0.0", q1=TANH + "return 0.5", marks=NO1),
    Row("a graph that the student's Tensor writes", q3="from minigrad.core.tensor import Tensor\nclass T(Tensor):\n"
        "    op = property(lambda s: None)\n    serial = property(lambda s: 0)\n"
        "def safe_sqrt(x): return T(np.sqrt(x.value))", marks=NO3),
    Row("a table in the rule, by an index", q3=TABLE + RULE + "u * mg.gather(t, mg.cast(mg.round(x * 8.0), 'int64'))",
        marks=NO3),
    Row("a table with straight lines, by an index", q3=TABLE + "@mg.custom_gradient\ndef safe_sqrt(x):\n"
        "    i, w = mg.cast(mg.floor(x * 8.0), 'int64'), x * 8.0 - mg.floor(x * 8.0)\n"
        "    return mg.sqrt(x), lambda u: u * ((1 - w) * mg.gather(t, i) + w * mg.gather(t, i + 1))", marks=NO3),
    Row("an index far outside", q3=Q3.replace("    y = mg.sqrt(x)",
        "    i = mg.cast(x * 0.0 + 10**9, 'int64')\n    y = mg.sqrt(x) + 0 * mg.gather(np.zeros(9), i)"), marks=NO3),
    Row("an index that makes a large array", q3=Q3.replace("    y = mg.sqrt(x)",
        "    i = mg.cast(mg.zeros((30000, 30000)) * mg.sum(x), 'int64')\n"
        "    y = mg.sqrt(x) + 0 * mg.sum(mg.gather(np.zeros(9), i))"), marks=NO3),
    Row("a group that holds StopIteration", q1="import builtins\nGroup = getattr(builtins, "
        "'BaseExceptionGroup', lambda words, errors: errors[0])\n" + TANH
        + "raise Group('x', [StopIteration(1), GeneratorExit()])", marks=NO1),
    Row("an exception that is of each type", q1="class M(type):\n    __instancecheck__ = __subclasscheck__ = "
        "lambda c, o: True\nclass E(StopIteration, metaclass=M):\n"
        "    __class__ = property(lambda s: KeyboardInterrupt)\n" + TANH + "raise E('a')", marks=NO1),
    Row("an exception whose words never end",
        q1="class E(Exception):\n    def __str__(self):\n        while True: pass\n" + TANH + "raise E", marks=NO1),
    Row("a float whose differences are 0", q1="class F(float):\n    __sub__ = __rsub__ = __abs__ = __neg__ = "
        "lambda s, *o: F(0)\n    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = lambda s, o: True\n"
        "    __hash__ = float.__hash__\n" + TANH + "return F(3)", marks=NO1),
    Row("right for the first calls only", q1="seen = set()\n" + TANH + "seen.add((x, upstream))\n"
        f"    return 0.0 if len(seen) > 3 else {RIGHT1}", marks=NO1),
    Row("the garbage collector changes the answer", before="import gc\ndef g(phase, info):\n"
        "    globals()['tanh_backward'] = lambda *a: 0.0\ngc.callbacks.append(g)\ngc.set_threshold(1)",
        q1=TANH + "return 2.0", marks=NO1),
    Row("clocks stopped and signals blocked", before="import signal, time\n"
        "time.monotonic = time.time = time.perf_counter = lambda: 0.0\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))", q1=TANH + "while True: pass", marks=NO1),
    Row("a number of a million digits", q1=TANH + "return 7 ** 2_000_000", marks=NO1,
        words="It returned an integer of 5,614,710 bits, which is too large to be compared."),
]  # fmt: skip
