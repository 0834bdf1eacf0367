"""Names that are imported when they are first used, used for the first time inside a function that is compiled."""

import subprocess
import sys

import numpy as np

import minigrad as mg

#: A function that uses a name, for those that can be a part of a program.
USES = {
    "numpy": "mg.numpy.sum(mg.numpy.exp(x))",
    "scipy": "mg.scipy.special.logsumexp(x)",
    "ops": "mg.ops.relu(x)",
    "hessian": "mg.hessian(lambda z: mg.sum(z**3))(x)",
    "jacobian": "mg.jacobian(mg.sin)(x)",
    "hvp": "mg.hvp(lambda z: mg.sum(z**3))(x, x)",
    "jvp": "mg.jvp(mg.sin, (x,), (x,))[1]",
    "vjp": "mg.vjp(mg.sin, x)[1](x)[0]",
    "recompute_grad": "mg.grad(mg.recompute_grad(lambda z: mg.sum(mg.sin(z))))(x)",
    "grad_pass_through": "mg.grad(lambda z: mg.sum(mg.grad_pass_through(mg.round)(z)))(x)",
    "scope": "[mg.scope('layer'), mg.sin(x)][1]",
    "optim": "x * (mg.optim.SGD is not None)",
}
SCRIPT = """
import sys
import numpy as np
import minigrad as mg

X = np.array([0.5, 1.0])
first = eval("lambda x: " + sys.argv[1])
door = {"compile": lambda f: mg.compile(f)(X), "source": lambda f: mg.source(f, X)(X)}[sys.argv[2]]
found = door(first)
plain = first(X)
assert repr(found) == repr(plain), (found, plain)
"""


def test_a_name_is_used_for_the_first_time_in_a_compiled_function(sampled, subtests):
    touched = {name: f"(mg.{name}, x * 2.0)[1]" for name in {*mg._MODULE_OF, *mg._MODULES} - {*USES}}
    uses = sorted((USES | touched).items())
    for name, use in sampled(uses, 6, name=lambda pair: pair[0]):
        for door in ("compile", "source"):
            with subtests.test(f"{name}, {door}"):
                done = subprocess.run(
                    [sys.executable, "-c", SCRIPT, use, door], capture_output=True, text=True, timeout=60
                )
                assert done.returncode == 0, done.stderr[-2000:]


def test_a_wrapped_module_of_numpy_is_no_obstacle():
    mnp = mg.numpy
    f = mg.compile(lambda x: mnp.sum(3 * x))
    assert f(np.ones(2)) == 6.0 and mg.source(lambda x: mnp.sum(3 * x), np.ones(2))() == 6.0
