"""The house rules: examples in docstrings, imports that point one way, and extras that hold what is imported."""

import ast
import doctest
import functools
import graphlib
import importlib
import itertools
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

import minigrad
from minigrad.core.op import OPS
from tests.helpers.tables import over

ROOT = Path(__file__).parent.parent


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for package in ("minigrad", "viz") for path in (ROOT / package).rglob("*.py")}
SORTED = sorted(FILES)


@functools.cache
def nodes(module):
    """All nodes of a file."""
    return list(ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))))


#: Files of viz that draw with a package, which need not be installed.
PLOTS = ("curves", "figure_view", "matrices", "memory", "steps")
NEEDS = dict.fromkeys((f"viz.views.{name}" for name in PLOTS), "matplotlib")
NEEDS |= dict.fromkeys(("viz.hosts.widget", "viz.views.play", "viz.views.play_widget"), "anywidget")
NEEDS |= dict.fromkeys(("viz.views.retrain", "viz.views.retrain_widget"), "ipywidgets")

#: The files that record programs of a framework, each imported only where the user's program has imported that one.
FRAMEWORKS = {"pytorch": "torch", "jax": "jax", "tensorflow": "tensorflow"}
BRIDGES = {name: FRAMEWORKS.get(re.split(r"[._]", name)[2]) for name in SORTED if name.startswith("minigrad.bridges.")}
BRIDGES = {name: package for name, package in BRIDGES.items() if package}
NEEDS |= BRIDGES


EXAMPLES = [name for name in SORTED if name != "minigrad" and not name.endswith("__main__")]  # its ops: see below


@pytest.mark.numbers
@over([name for name in EXAMPLES if find_spec(NEEDS.get(name, name))])
def test_examples_in_docstrings_are_true(name):
    minigrad.remember_lines(False)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    minigrad.remember_lines("viz.public" in sys.modules)  # which had switched it on, for later tests too
    assert failed == 0


@pytest.mark.numbers
@over([op for op in OPS.values() if ">>>" in (op.call.__doc__ or "")])
def test_examples_of_the_ops_are_true(op):
    test = doctest.DocTestParser().get_doctest(op.call.__doc__, {"mg": minigrad}, op.name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


@functools.cache
def imports(module, everywhere=False):
    """The top-level packages that a file imports when it is imported itself, or also when its functions run."""
    found = set()
    for node in nodes(module) if everywhere else nodes(module)[0].body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


#: The files that write lessons; what they import is in the extra "classroom", what the rest imports in "lab".
WRITES_LESSONS = {f"minigrad.classroom.{name}" for name in ("notebook", "release", "run_notebook")}
#: Packages that a file uses if they are installed, and that this one never installs.
WHERE_INSTALLED = {
    "minigrad.grading.exports.formgrader": {"nbgrader"},
    "minigrad.grading.dask_workers": {"distributed"},
}
#: Packages that come with a package of the extras, or that have another name there.
COMES_WITH = {
    "resvg_py": "resvg-py",
    "IPython": "ipywidgets",
    "traitlets": "ipywidgets",
    **dict.fromkeys(("zmq", "jupyter_core", "jupyter_client", "jupyter_server", "ipykernel", "tornado"), "jupyterlab"),
}


def extra(name):
    """The packages of an extra, with those of the extras that it includes."""
    try:
        import tomllib
    except ImportError:  # Python 3.10, where pytest brings this one
        import tomli as tomllib
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    packages = set()
    for line in extras[name]:
        package, _, included = re.split(r"[><=\]]", line)[0].partition("[")
        packages |= {package} if not included else set().union(*map(extra, included.split(",")))
    return packages


@pytest.mark.parametrize("name", ["lab", "classroom"])
def test_the_extra_holds_what_is_imported(name):
    own = {*sys.stdlib_module_names, "numpy", "minigrad", "viz"}
    for file in FILES if name == "classroom" else FILES.keys() - WRITES_LESSONS:
        needed = set(imports(file, everywhere=True)) - own - WHERE_INSTALLED.get(file, set()) - {BRIDGES.get(file)}
        assert {COMES_WITH.get(package, package) for package in needed} <= extra(name), file


def test_the_sentences_about_what_is_missing_name_an_extra():
    named = set()
    for file in FILES.values():
        for what in re.findall(r"pip install ([^;:,.\n]+)", file.read_text(encoding="utf-8")):
            named |= (
                {found[1]}
                if (found := re.match(r'\\?"minigrad-kit\[(\w+)\]', what))
                else {what.split()[0].strip("\"'")}
            )
    assert {"lab", "classroom"} <= named and not named & (extra("lab") | extra("classroom")), named


def test_the_autograder_installs_the_whole_extra():
    from minigrad.grading.exports.wheel import requirements

    assert {package.partition("==")[0] for package in requirements()} == {"numpy", *extra("classroom")}


def test_the_versions_of_python_are_the_same_everywhere():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', pyproject)
    oldest = named[0]
    assert named == [f"3.{minor}" for minor in range(int(oldest[2:]), int(oldest[2:]) + len(named))]
    assert f'requires-python = ">={oldest}"' in pyproject
    assert f'target-version = "py{oldest.replace(".", "")}"' in pyproject
    assert f"You need Python {oldest} or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
    start = (ROOT / "start.py").read_text(encoding="utf-8")
    assert f"OLDEST = (3, {oldest[2:]})" in start
    assert f"NEWEST = (3, {named[-1][2:]})" in start
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (tested,) = re.findall(r"python: \[(.*)\]", workflow)
    assert {oldest, named[-1]} <= set(re.findall(r"3\.\d+", tested)) <= set(named)


@over([name for name in SORTED if name.startswith("minigrad")])
def test_the_engine_imports_numpy_and_the_standard_library_only(name):
    assert set(imports(name)) - {BRIDGES.get(name)} <= {*sys.stdlib_module_names, "numpy", "minigrad"}


def test_importing_the_engine_imports_nothing_heavy():
    heavy = ("matplotlib", "ipywidgets", "jupyterlab", "viz")
    code = f"import sys, minigrad; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


#: Each room, and the rooms it may import from; a room without a dot, except minigrad and viz, is a part of minigrad. A
#: room is a package, or a single file next to packages. ENGINE is what `import minigrad as mg` offers.
ROOMS = """
    core :
    ops : core
    transforms : core ops tracing
    tracing : core
    graphs : core
    diagnostics : core tracing transforms
    bridges : core tracing diagnostics
    optim : core
    data : core
    frameworks : core ops optim
    numpy : core ops frameworks
    scipy : core ops
    programs : core ops transforms tracing frameworks
    lab : minigrad
    runner : core graphs
    classroom : core data graphs tracing diagnostics lab runner viz viz.render viz.views
    grading : core graphs lab runner classroom minigrad viz viz.views
    minigrad : ENGINE
    __main__ : minigrad lab classroom grading
    viz.model : minigrad ENGINE
    viz.drag : viz.model minigrad ENGINE
    viz.scene :
    viz.rule : viz.drag viz.model minigrad ENGINE
    viz.sentences : viz.scene viz.model minigrad ENGINE
    viz.render : viz.sentences viz.scene viz.model minigrad ENGINE
    viz.hosts : viz.render viz.model minigrad ENGINE
    viz.views : viz.rule viz.drag viz.hosts viz.render viz.sentences viz.scene viz.model minigrad ENGINE
    viz.ipython : viz.views viz.render minigrad ENGINE
    viz : viz.ipython viz.views minigrad ENGINE
""".replace("ENGINE", "core ops transforms tracing diagnostics frameworks programs bridges")
FULL = lambda room: room if room.startswith(("minigrad", "viz")) else f"minigrad.{room}"
ROOMS = {FULL(room): {FULL(other) for other in seen.split()} for room, seen in re.findall(r"(\S+) :(.*)", ROOMS)}


def room_of(module):
    """The innermost package that holds a module."""
    parts = module.split(".")
    return next(room for n in range(len(parts), 0, -1) if (room := ".".join(parts[:n])) in ROOMS)


@functools.cache
def imported(module):
    """(module, name) for each import of this project's own in a file, those inside functions included."""
    path, found = FILES[module], []
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            inner = {alias.name: f"{base}.{alias.name}" for alias in node.names}
            found += [(full, "") if full in FILES else (base, name) for name, full in inner.items()]
    return [pair for pair in found if pair[0] in FILES]


@over(SORTED)
def test_a_file_imports_only_from_the_rooms_that_its_room_may_see(module):
    room = room_of(module)
    seen = {room_of(other) for other, _ in imported(module)} - {room}
    assert seen <= ROOMS[room], f"{room} may not import from {', '.join(seen - ROOMS[room])}"


def test_the_table_of_rooms_has_no_circle():
    assert set(graphlib.TopologicalSorter(ROOMS).static_order()) == set(ROOMS)


def test_files_do_not_import_each_other_in_a_circle():
    graph = {module: {other for other, _ in imported(module)} - {module} for module in SORTED}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) >= len(SORTED)


@over(SORTED)
def test_nothing_private_is_imported_from_another_room(module):
    others = [(other, name) for other, name in imported(module) if room_of(other) != room_of(module)]
    private = [f"{other}.{name}" for other, name in others if re.match("_(?!_)", name)]
    assert private == []


@over([name for name in SORTED if FILES[name].name == "__init__.py"])
def test_no_module_bears_the_name_of_something_public_of_its_package(package):
    for module in pkgutil.iter_modules([str(FILES[package].parent)]):
        if module.name == "__main__":
            continue
        found = vars(importlib.import_module(package)).get(module.name)  # a module of a framework may not be importable
        assert getattr(found, "__name__", f"{package}.{module.name}") == f"{package}.{module.name}", module.name


#: The files of the core that are read first, in this order; its folder has no others.
READ = ["tensor", "op", "gradients", "graph", "adjoint_sums", "backward", "variable", "custom"]


def test_the_core_names_its_files_in_the_order_of_reading():
    named = lambda package: re.findall(r"(\w+) :", importlib.import_module(package).__doc__)
    files = lambda package: {m.name for m in pkgutil.iter_modules(importlib.import_module(package).__path__)}
    assert named("minigrad.core") == READ and files("minigrad.core") == {*READ, "support"}
    assert set(named("minigrad.core.support")) == files("minigrad.core.support")


def test_the_classroom_names_each_of_its_files_once_those_of_a_check_first():
    import minigrad.classroom as classroom

    way, *_ = classroom.__doc__.partition("\nThese files use")
    named = re.findall(r"(\w+) :", classroom.__doc__)
    assert sorted(named) == sorted(m.name for m in pkgutil.iter_modules(classroom.__path__))
    assert len(re.findall(r"(\w+) :", way)) <= 8


def test_one_class_name_is_one_class():
    classes = [node.name for module in FILES for node in nodes(module) if isinstance(node, ast.ClassDef)]
    names = Counter(name for name in classes if name[0] != "_")
    assert [name for name, count in names.items() if count > 1] == []


def assigned_in(function):
    """The expressions that each local name of a function was assigned from."""
    found = {}
    for node in ast.walk(function):
        pairs = [(target, node.value) for target in node.targets] if isinstance(node, ast.Assign) else []
        pairs += [(node.target, node.iter)] if isinstance(node, (ast.For, ast.comprehension)) else []
        for target, value in pairs:
            tuples = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            same = tuples and len(target.elts) == len(value.elts)
            for names, its in zip(target.elts, value.elts) if same else [(target, value)]:
                for name in [n.id for n in ast.walk(names) if isinstance(n, ast.Name)]:
                    found.setdefault(name, []).append(its)
    return found


def behind(expression, assigned, seen):
    """Each node of an expression, and of those that its names were assigned from."""
    for node in ast.walk(expression):
        yield node
        if isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            for value in assigned.get(node.id, []):
                yield from behind(value, assigned, seen)


def is_moved(node):
    """Whether a step is added or taken away, or is negative: x + h, x - h, -h."""
    added = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    return added or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Name))


def operations(tree, *kinds):
    return [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, kinds)]


def differences_divided(function, assigned):
    """The subtractions in what a function divides; those that are squared, as in a distance, are left out."""
    divided = [n.left for n in operations(function, ast.Div)]
    divided += [value for left in divided if isinstance(left, ast.Name) for value in assigned.get(left.id, [])]
    for left in divided:
        squared = [n for power in operations(left, ast.Pow) for n in operations(power, ast.Sub)]
        yield from (n for n in operations(left, ast.Sub) if n not in squared)


#: Functions whose slope nobody measures, because they count, choose or round.
COUNTING = {"floor", "int", "len", "max", "min", "range"}


def calls_behind(expression, assigned):
    found = [n for n in behind(expression, assigned, set()) if isinstance(n, ast.Call)]
    return [call for call in found if not (isinstance(call.func, ast.Name) and call.func.id in COUNTING)]


def difference_quotients(nodes):
    """The functions that divide the difference of the values of one function at two points, one of them moved."""
    found = set()
    for function in [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.Lambda))]:
        assigned = assigned_in(function)
        for node in differences_divided(function, assigned):
            left, right = (calls_behind(side, assigned) for side in (node.left, node.right))
            for a, b in itertools.product(left, right):
                same, (at, other) = ast.dump(a.func) == ast.dump(b.func), ([*map(ast.dump, c.args)] for c in (a, b))
                inner = [n for argument in (*a.args, *b.args) for n in behind(argument, assigned, set())]
                if same and at != other and any(map(is_moved, inner)):
                    found.add(getattr(function, "name", "lambda"))
    return found


#: The places where a difference of values is divided by a step. Everything that measures a slope uses the first.
QUOTIENTS = {
    "minigrad.diagnostics.finite_differences": {"_both_sides"},
    "viz.rule.measured": {"estimated"},  # the routine of a page, which is translated to JavaScript
    "viz.views.steps": {"_difference"},  # draws the error of a plain quotient, in each dtype
}


IS_ONE = [
    "return (f(x + h) - f(x)) / h",
    "return lambda h: (f(h) - f(-h)) / (2 * h)",
    "return (f.at(x, moved(x, i, x - 1e-3)) - f.at(x, x)) / -1e-3",
    "up, down = f(x + h), f(x - h)\n    return np.sum(up - down) / (2 * h)",
    "up = x + h\n    rise = f(up) - f(x)\n    return rise / h",
]
IS_NONE = ["return (len(a) - len(b)) / 2", "return (f(x) - f(y)) / h", "return f(x + h) - f(x)"]
IS_NONE += ["return (max(x + h, a) - max(x, b)) / h"]


@over([(body, body in IS_ONE) for body in IS_ONE + IS_NONE])
def test_a_difference_quotient_is_noticed_and_another_is_none(body, noticed):
    function = ast.walk(ast.parse(f"def slope(f, a, b, x, y, i, h):\n    {body}"))
    assert bool(difference_quotients(function)) is noticed


def test_one_routine_computes_slopes_from_values():
    found = {module: difference_quotients(nodes(module)) for module in SORTED}
    assert {module: where for module, where in found.items() if where} == QUOTIENTS
