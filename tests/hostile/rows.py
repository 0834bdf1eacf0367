"""Hostile and broken submissions: the code that replaces or surrounds an answer, the marks deserved, and the words of
the report."""

from dataclasses import dataclass

from tests.hostile.assignment import Q1, Q2, Q3


@dataclass(frozen=True)
class Row:
    """A submission. q1, q2, q3 : answers in place of the right ones; before, after : further cells.

    marks : deserved, for each question. note : a part of a note of the report. words : a part of what is said of the
    first question that is not right. needs : a layer without which it is not tried.
    """

    name: str
    q1: str = Q1
    q2: str = Q2
    q3: str = Q3
    before: str = ""
    after: str = ""
    marks: tuple = (2, 3, 5)
    note: str = ""
    words: str = ""
    needs: str = ""


FOREVER = "while True:\n    pass"
MEAN = "def mean_square(numbers):\n    "
TANH = "def tanh_backward(x, upstream):\n    "
NO1, NO2, NO3, NONE = (0, 3, 5), (2, 0, 5), (2, 3, 0), (0, 0, 0)

#: Submissions that fail without intention, or load the machine: only the guilty part is lost.
BREAKING = [
    Row("nothing hostile"),
    Row("never ends in a function", q2=MEAN + "while True: pass", marks=NO2, words="It did not end within"),
    Row("never ends below the answer", q2=Q2 + "\n" + FOREVER,
        note="Statement 3 of cell 3 did not end and was left out"),
    Row("a loop that catches every interruption",
        q2=Q2 + "\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass",
        note="did not end and was left out"),
    Row("sys.exit in a cell", q2="import sys\n" + Q2 + "\nsys.exit(0)", note="SystemExit"),
    Row("os._exit in a cell", q2="import os\n" + Q2 + "\nos._exit(0)", note="Statement 4 of cell 3 ended the process"),
    Row("os._exit in a function", q2="import os\n" + MEAN + "os._exit(0)", marks=NO2, words="it ended the process"),
    Row("sys.exit in a function", q2="import sys\n" + MEAN + "sys.exit()", marks=NO2, words="SystemExit"),
    Row("too much memory in a function", q2=MEAN + "return bytearray(3 << 30)", marks=NO2, words="MemoryError"),
    Row("too much memory in a cell", after="x = bytearray(3 << 30)", note="MemoryError"),
    Row("a list that grows for ever", q2=MEAN + "found = [0]\n    while True: found += found", marks=NO2),
    Row("prints 60 MB", q2="for _ in range(600): print('x' * 100_000)\n" + Q2,
        note="printed more than 65,536 characters"),
    Row("prints in a function",
        q2=MEAN + "print('x' * 1_000_000)\n    return sum(n * n for n in numbers) / len(numbers)"),
    Row("writes past sys.stdout", before="import os, sys\nos.write(1, b'x' * 100_000)\nsys.__stdout__.write('x')"),
    Row("input in a cell", before="name = input()", note="input() cannot be used"),
    Row("input in a function", q2=MEAN + "return float(input())", marks=NO2, words="input() cannot be used"),
    Row("a crash", q2="import ctypes\n" + MEAN + "ctypes.string_at(0)", marks=NO2, words="a crash"),
    Row("a crash in a cell", after="import ctypes\nctypes.string_at(0)", note="ended the process and was left out"),
    Row("calls itself for ever", q2=MEAN + "return mean_square(numbers)", marks=NO2, words="calls itself again"),
    Row("raises the limit of recursion",
        q2="import sys\nsys.setrecursionlimit(10**9)\n" + MEAN + "return mean_square(numbers)", marks=NO2),
    Row("a syntax error", q2=MEAN + "return sum(", marks=NO2, note="SyntaxError"),
    Row("an exception in a cell", after="1 / 0", note="Cell 5, line 1: ZeroDivisionError"),
    Row("an exception in a function", q2=MEAN + "return 1 / 0", marks=NO2, words="ZeroDivisionError"),
    Row("a package that is not there", before="import torch_of_tomorrow", note="No module named"),
    Row("magics", before="%matplotlib inline\n!ls\n%pip install torch", q2="%%time\n" + Q2, note="'!ls' was left out"),
    Row("IPython's own functions", before="get_ipython().ast_transformers.append(1)\ndisplay(3)", note="get_ipython"),
    Row("a NUL in a cell", q2=Q2 + "\0", marks=NO2, note="Cell 3"),
    Row("parentheses 100,000 deep", q2="(" * 100_000, marks=NO2, note="Cell 3"),
    Row("a line of a megabyte", before="x = '" + "y" * 1_000_000 + "'"),
    Row("a regular expression without end", after="import re\nre.match('(a*)*b', 'a' * 40)", note="did not end"),
    Row("a number of a hundred million digits", after="x = str(3 ** 10**9)", note="was left out"),
    Row("an archive that unpacks to 4 GB", after="import zlib\nzlib.decompress(b'', bufsize=1 << 32)", note="Cell 5"),
    Row("many files open", after="found = [open('/dev/null') for _ in range(5000)]", note="Too many open files"),
    Row("threads that never end",
        q2="import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()\n" + Q2),
    Row("3000 sleeping threads",
        after="import threading, time\n"
        "for _ in range(3000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"),
    Row("a function at the end of the process", after="import atexit\natexit.register(print)"),
    Row("an end that never ends", after="import atexit, time\natexit.register(time.sleep, 9999)\nclass D:\n"
        "    def __del__(self): time.sleep(9999)\nkept = D()"),
    Row("stops itself", after="import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", note="ell 5"),
    Row("a collector of garbage that never ends", q2="import gc\n" + MEAN + "def run(*args):\n        while 1: pass\n"
        "    gc.callbacks.append(run)\n    gc.collect()", marks=NO2),
    Row("memory in a file of memory",
        after="import os\nf = os.memfd_create('x')\nfor _ in range(99): os.write(f, b'x' << 20)", note="Cell 5"),
    Row("nothing answered", q1="", q2="", q3="", marks=NONE, note="Nothing is answered"),
    Row("as it was handed out", q1=TANH + "...", q2=MEAN + "raise NotImplementedError",
        q3="def safe_sqrt(x):\n    ...", marks=NONE),
    Row("a value where a function belongs", q2="mean_square = 3.0", marks=NO2, words="should be a function"),
    Row("the function deleted again", after="del mean_square", marks=NO2),
    Row("defined twice, the last counts", q2=MEAN + "return 0", after=Q2),
    Row("a builtin replaced", before="import builtins\nbuiltins.sum = lambda x: 0", marks=NO2),
    Row("text that UTF-8 cannot write", before="print(chr(0xD800))",
        q2=MEAN + "print(chr(0xD800))\n    raise ValueError(chr(0xDFFF))", after="raise ValueError(chr(0xD800))",
        marks=NO2, words="ValueError", note="ValueError"),
    Row("text that UTF-8 cannot write, as an answer", q2=MEAN + "return chr(0xD800)", marks=NO2),
    Row("a name that UTF-8 cannot write", q2=MEAN + "pass\nmean_square.__name__ = chr(0xD800)", marks=NO2),
]  # fmt: skip

#: Submissions that reach beyond their process.
REACHING = [
    Row("forks", after="import os, time\nfor _ in range(40):\n    if not os.fork(): time.sleep(60); os._exit(0)"),
    Row("forks in an answer",
        q2="import os, time\n" + MEAN + "pid = os.fork()\n    if not pid: time.sleep(60); os._exit(0)\n"
        "    return sum(n * n for n in numbers) / len(numbers)", marks=NO2, needs="filters"),
    Row("a daemon",
        after="import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork(): time.sleep(60)\n"
        "    os._exit(0)"),
    Row("a program", after="import subprocess\nsubprocess.run(['/bin/sleep', '60'])", note="Cell 5", needs="filters"),
    Row("becomes a shell", after="import os\nos.execv('/bin/sh', ['sh', '-c', 'exit'])", note="Cell 5",
        needs="filters"),
    Row("signals to all", after="import os\nif os.getpid() == 1: os.kill(-1, 9)", needs="namespaces"),
    Row("a signal to its parent", after="import os\nif os.getppid() == 0: os.kill(os.getppid(), 9)",
        needs="namespaces"),
    Row("signals of its own", before="import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.alarm(1)",
        q2=MEAN + "while True: pass", marks=NO2),
    Row("raises its limits", before="import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
        note="Cell 1"),
    Row("writes a file", after="open(OUTSIDE + '/written', 'w').write('x')", note="Cell 5", needs="landlock"),
    Row("fills the disk", after="f = open(OUTSIDE + '/large', 'wb')\nfor _ in range(3000): f.write(b'x' * 1_000_000)",
        note="Cell 5", needs="landlock"),
    Row("makes a folder", after="import os\nos.mkdir(OUTSIDE + '/folder')", note="Cell 5", needs="landlock"),
    Row("a symbolic link", after="import os\nos.symlink('/etc/passwd', OUTSIDE + '/link')", note="Cell 5",
        needs="landlock"),
    Row("deletes a file", after="import os\nos.remove(OUTSIDE + '/gradebook')", note="Cell 5", needs="landlock"),
    Row("changes a file", after="open(OUTSIDE + '/gradebook', 'r+').write('100')", note="Cell 5", needs="landlock"),
    Row("changes who may use a file", after="import os\nos.chmod(OUTSIDE + '/gradebook', 0)", note="Cell 5",
        needs="filters"),
    Row("changes the time of a file", after="import os\nos.utime(np.__file__, (11, 11))", note="Cell 5",
        needs="filters"),
    Row("changes the attributes of a file", after="import os\nos.setxattr(np.__file__, 'user.kept', b'11')",
        note="Cell 5", needs="filters"),
    Row("moves its parent to one processor", after="import os\nos.sched_setaffinity(os.getppid(), {0})",
        note="Cell 5", needs="filters"),
    Row("reads the tests", after="x = open(HOMEWORK + '/hidden.py').read()", note="Cell 5", needs="landlock"),
    Row("looks for the tests", after="import os\nx = [os.listdir(HOMEWORK)]", note="Cell 5", needs="landlock"),
    Row("reads of other processes", after="import os\nx = open(f'/proc/{os.getppid()}/environ').read()", note="Cell 5",
        needs="landlock"),
    Row("memory of the judge", after="import os\nx = open(f'/proc/{os.getppid()}/mem', 'rb').read(1)", note="Cell 5",
        needs="landlock"),
    Row("the network", q2="import socket\n" + MEAN + "return socket.create_connection(('127.0.0.1', 9), 1)", marks=NO2),
    Row("a server", after="import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()", note="Cell 5",
        needs="filters"),
    Row("looks for tests in memory",
        q1="import gc, sys\ntests = [x for x in gc.get_objects() if type(x).__name__ in ('Exercise', 'Check', "
        "'Collector')]\n" + TANH + "return len(tests)", marks=NO1),
    Row("looks for tests in frames",
        q1="import sys\n" + TANH + "f, n = sys._getframe(), 0\n    while f:\n"
        "        n += any('check' in k.lower() for k in f.f_locals)\n        f = f.f_back\n    return n - 7",
        marks=NO1),
    Row("closes all files", after="import os\nos.closerange(0, 4096)", note="ended the process and was left out"),
    Row("messages without a request", after="""import os, struct
text = b'{"id": 1, "ok": {"tanh_backward": 1}}'
for n in range(3, 256):
    try: os.write(n, struct.pack('>I', len(text)) + text)
    except OSError: pass""", marks=NONE, note="without a request"),
    Row("garbage on every descriptor",
        after="import os\nfor n in range(3, 256):\n    try: os.write(n, b'\\xff' * 64)\n    except OSError: pass",
        marks=NONE, note="The process was ended"),
    Row("answers in advance, from a thread", after="""import os, threading, time, struct
def flood():
    text = b'{"id": 9, "ok": 0}'
    while True:
        time.sleep(0.01)
        for n in range(60, 64):
            try: os.write(n, struct.pack('>I', len(text)) + text)
            except OSError: pass
threading.Thread(target=flood, daemon=True).start()
time.sleep(0.2)""", marks=NONE, note="The process was ended"),
    Row("five bytes a second",
        q2="import os, time\n"
        + MEAN
        + "while True:\n        for n in range(3, 256):\n            try: os.write(n, b'\\0')\n"
        "            except OSError: pass\n        time.sleep(0.2)", marks=(2, 0, 5)),
    Row("the judge's side of the wire",
        before="import sys\nfor name, m in list(sys.modules.items()):\n    if name.startswith('runner'):\n"
        "        for k in list(vars(m)): vars(m)[k] = None", note="ended the process and was left out"),
]  # fmt: skip
