"""Tensors that become plain numbers while a function is differentiated, and results that depend on no input."""

import copy
import logging
import math
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad.transforms.lost import LostGradient
from tests.helpers.tables import over

V = np.array([0.5, 2.0])


def written_into_an_array(v):
    h = np.zeros(2)
    h[0] = v[0]
    return h[0]


def added_to_an_array(v):
    h = np.zeros(2)
    h[:] = v
    return h[0]


LOSSES = {
    "float": lambda v: float(v[0]),
    "int": lambda v: int(v[0]),
    "complex": lambda v: complex(v[0]).real,
    "math.sin": lambda v: math.sin(v[0]),
    "math.floor": lambda v: float(math.floor(v[0])),
    "math.fsum": lambda v: math.fsum([v[0], v[1]]),
    "np.asarray": lambda v: np.asarray(v).sum(),
    "np.array of parts": lambda v: np.array([v[0], v[1]]).sum(),
    "np.array as object": lambda v: np.array(v, dtype=object).sum(),
    "np.float64": lambda v: np.float64(v[0]),
    "np.fromiter": lambda v: np.fromiter(v, float).sum(),
    "ndarray.fill": lambda v: np.zeros(2).fill(v[0]),
    "ndarray.dot": lambda v: np.ones(2).dot(v),
    "np.vectorize": lambda v: np.vectorize(lambda a: a * a)(v).sum(),
    "element": written_into_an_array,
    "slice": added_to_an_array,
    "pickle": lambda v: mg.sum(pickle.loads(pickle.dumps(v))),
    "constant": lambda v: mg.sum(mg.constant(v)),
    "constant of parts": lambda v: mg.sum(mg.constant([[v[0]], [v[1]]])),
    "after ops": lambda v: float(mg.stop_gradient(v[0]) * mg.exp(v[1] * 2.0)),
    "behind many outputs": lambda v: float(mg.split(v, 2)[1][0]),
    "behind a custom gradient": lambda v: float(mg.grad_pass_through(mg.round)(v)[0]),
}
TRANSFORMS = {
    "grad": lambda f: mg.grad(f)(V),
    "value_and_grad": lambda f: mg.value_and_grad(f)(V),
    "value_and_grad with aux": lambda f: mg.value_and_grad(lambda v: (f(v), 1), has_aux=True)(V),
    "elementwise_grad": lambda f: mg.elementwise_grad(f)(V),
    "vjp": lambda f: mg.vjp(f, V),
    "jvp": lambda f: mg.jvp(f, (V,), (V,)),
    "jacobian": lambda f: mg.jacobian(f)(V),
    "hessian": lambda f: mg.hessian(f)(V),
    "hvp": lambda f: mg.hvp(f)(V, V),
    "nested": lambda f: mg.grad(lambda u: mg.grad(lambda w: f(u) * w)(3.0))(V),
}


@over(LOSSES)
def test_a_followed_tensor_that_becomes_a_plain_number_is_an_error(loss):
    with pytest.raises(LostGradient, match=r"test_following\.py:\d+ \(.*while .* is differentiated.*on purpose"):
        mg.grad(loss)(V)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_every_transform_says_so(transform):
    with pytest.raises(LostGradient, match="the result of getitem became a plain number"):
        TRANSFORMS[transform](LOSSES["math.sin"])


@pytest.mark.parametrize(("loss", "advice"), [
    ("math.sin", r"mg\.sin for math\.sin; x\.item\(\)"), ("element", r"mg\.index_set"),
    ("np.array of parts", r"mg\.stack"), ("np.asarray", r"x\.numpy\(\) leaves the graph on purpose"),
    ("constant", r"mg\.stop_gradient\(x\)"),
])  # fmt: skip
def test_the_error_says_what_to_write(loss, advice):
    with pytest.raises(LostGradient, match=advice):
        mg.grad(LOSSES[loss])(V)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_looking_at_a_value_and_leaving_on_purpose_are_free(transform):
    def f(v):
        x = v[0]
        texts = [f"{x:.2f}", "%.2f %d" % (x, x), f"{x!s} {x!r} {v}", format(x, ".1f")]  # noqa: UP031
        logging.getLogger("silent").warning("%.3f", x)
        assert len(texts) == 4
        assert x.item() == x.value
        assert v.numpy().shape == (2,)
        assert x > 0 and x == x and not np.isnan(x)
        assert np.allclose(v, v.value)
        np.testing.assert_allclose(v, v.value)
        assert max(x, v[1]) is not None
        assert sum([x, x]).shape == ()
        assert copy.copy(x) is x
        assert copy.deepcopy({"x": x})["x"] is x
        assert V[mg.argmax(v)] == V[int(mg.argmax(v))]
        assert [10, 20][mg.astype(x, "int32")] == 10
        return mg.sum(copy.deepcopy(v) ** 2)

    logging.getLogger("silent").addHandler(logging.NullHandler())
    logging.getLogger("silent").propagate = False
    TRANSFORMS[transform](f)
    np.testing.assert_allclose(mg.grad(f)(V), 2 * V)


def isnan(x):
    return math.isnan(x)


TESTED = {
    "isnan": lambda x: math.isnan(x),
    "isinf": lambda x: x if not math.isinf(2.0 * x) else 0.0,
    "isfinite": lambda x: math.isfinite(mg.sum([x if x > 0 else -x])),
    "isclose": lambda x: [math.isclose(x, 1.0, rel_tol=0.1), "é", math.isclose(1.0, b=x)],
    "a local name": lambda x, test=math.isnan: test(x),
}


@pytest.mark.parametrize("case", TESTED)
def test_tests_of_python_only_look_at_a_value_where_python_knows_the_call(case):
    f = lambda x: (TESTED[case](x), x * x)[1]
    if hasattr(f.__code__, "co_positions"):
        assert float(mg.grad(f)(3.0)) == 6.0
    else:
        with pytest.raises(LostGradient, match=r"x\.item\(\) leaves the graph on purpose"):
            mg.grad(f)(3.0)


@pytest.mark.parametrize("f", [
    lambda x: float(x) if not math.isnan(1.0) else x,
    lambda x: float(x) if not mg.isnan(x) and not math.isnan(x.item()) else x,
    lambda x: math.isnan(float(x)) or x, lambda x: isnan(math.sqrt(x)) or x,
    lambda x: math.isnan(np.zeros(1).fill(x) or 0.0) or x, lambda x: math.fsum([x, math.isnan(2.0)]),
])  # fmt: skip
def test_a_number_made_beside_a_test_is_still_an_error(f):
    with pytest.raises(LostGradient):
        mg.grad(f)(3.0)


def test_no_gradient_is_lost_behind_a_sign():
    assert float(mg.grad(lambda x: x * float(mg.sign(x)))(-3.0)) == -1.0
    assert float(mg.grad(lambda x: x * float(2.0 * mg.sign(x) + mg.exp(mg.sign(x * x))))(3.0)) == pytest.approx(
        4.7182818
    )
    with pytest.raises(LostGradient, match="the result of multiply"):
        mg.grad(lambda x: float(mg.sign(x) * x))(3.0)


def test_approx_of_pytest_looks_at_a_value():
    def f(v):
        assert v[0] == pytest.approx(0.5) and pytest.approx(0.5) == v[0]
        assert v == pytest.approx(V) and pytest.approx([0.5, 2.0]) == v
        return mg.sum(v * v)

    np.testing.assert_allclose(mg.grad(f)(V), 2 * V)


def test_plotting_looks_at_a_value(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")

    def f(v):
        figure, axes = plt.subplots()
        axes.plot(v, v)
        axes.bar(v, v)
        figure.savefig(tmp_path / "v.svg")
        plt.close(figure)
        return mg.sum(v * v)

    np.testing.assert_allclose(mg.grad(f)(V), 2 * V)


def test_what_does_not_depend_on_an_input_is_free():
    c, w = mg.constant(3.0), mg.Variable(2.0)

    def f(v):
        return mg.sum(v) * float(c) * float(w) * float(mg.stop_gradient(v)[1]) * float(mg.exp(mg.constant(0.0)))

    np.testing.assert_allclose(mg.grad(f)(V), [12.0, 12.0])
    np.testing.assert_allclose(mg.grad(lambda u, v: mg.sum(u) * float(v[1]))(V, mg.constant(V)), [2.0, 2.0])


def test_the_inputs_of_an_enclosing_transform_are_followed_too():
    inner = lambda x: mg.grad(lambda y: y * float(x))(1.0)
    assert float(mg.constant(inner(mg.constant(3.0)))) == 3.0
    with pytest.raises(LostGradient, match="is differentiated"):
        mg.grad(inner)(3.0)


@mg.custom_gradient
def cube(x):
    value = float(x) ** 3  # the body may compute with anything, because it has its own rule

    def grad(dy):
        return dy * 3.0 * np.asarray(x) ** 2

    return mg.constant(value), grad


def test_a_custom_gradient_may_compute_with_plain_numbers_but_its_rule_must_be_differentiable():
    assert float(mg.grad(cube)(2.0)) == 12.0
    with pytest.raises(LostGradient, match=r"np\.asarray\(x\)"):
        mg.grad(mg.grad(cube))(2.0)
    x = mg.constant(2.0)
    assert float(mg.gradients(cube(x), x)[0]) == 12.0


def test_a_transform_in_the_body_of_a_custom_gradient_follows_its_own_inputs():
    @mg.custom_gradient
    def f(x):
        with pytest.raises(LostGradient):
            mg.grad(lambda z: z * float(z))(x)
        return x * float(x), lambda dy: dy

    assert float(mg.grad(f)(2.0)) == 1.0


def test_a_recomputed_function_is_followed():
    f = mg.recompute_grad(lambda x, c: x * float(c))
    assert float(mg.grad(lambda x: f(x, mg.constant(3.0)))(2.0)) == 3.0
    with pytest.raises(LostGradient):
        mg.grad(lambda x: f(x, x * x))(2.0)
    with mg.GradientTape() as tape, pytest.warns(UserWarning, match="while a tape records"):
        x = mg.constant(2.0)
        tape.watch(x)
        f(x, x)


def test_other_threads_follow_too_and_do_not_disturb():
    caught = []

    def convert(v):
        try:
            float(v)
        except LostGradient as error:
            caught.append(error)

    def f(v):
        thread = threading.Thread(target=convert, args=(v,))
        thread.start()
        thread.join()
        thread = threading.Thread(target=lambda: caught.append(float(mg.constant(1.0) * 2.0)))
        thread.start()
        thread.join()
        return v * v

    mg.grad(f)(3.0)
    assert [type(c) for c in caught] == [LostGradient, float]


def test_after_a_transform_everything_is_free_again():
    kept = []
    mg.grad(lambda x: kept.append(x * 2.0) or x)(1.0)
    assert float(kept[0]) == 2.0
    with pytest.raises(LostGradient):
        mg.grad(lambda x: float(x))(1.0)
    assert float(kept[0]) == 2.0
    _, pull_back = mg.vjp(lambda x: kept.append(x) or x * x, 3.0)
    assert float(kept[-1]) == 3.0
    assert float(pull_back(1.0)[0]) == 6.0


def test_under_a_tape_a_conversion_warns_once_per_line():
    x = mg.constant(2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            for _ in range(3):
                float(y)
            np.asarray(y)
            y.item(), y.numpy(), f"{y:.1f}", float(mg.constant(1.0))
        float(y)
    assert [w.category for w in caught] == [UserWarning, UserWarning]
    assert caught[0].filename == __file__
    assert "the result of multiply became a plain number at test_following.py" in str(caught[0].message)
    assert float(tape.gradient(y, x)) == 4.0


def test_a_variable_under_a_tape_warns_like_a_tensor():
    w, frozen = mg.Variable(2.0), mg.Variable(3.0, trainable=False)
    with mg.GradientTape(), pytest.warns(UserWarning, match="became a plain number"):
        float(w)
    with mg.GradientTape() as tape:
        float(frozen)
        with tape.stop_recording():
            float(w)
        w.assign_add(1.0)
        assert copy.deepcopy(w) is not w


# Results that depend on no input.

ZEROS = {
    "a constant": (lambda v: mg.constant(3.0), "the result does not depend on v"),
    "a number": (lambda v: 3.0, "the result does not depend on v"),
    "cut": (lambda v: mg.sum(mg.stop_gradient(v)), "the connection ends at stop_gradient"),
    "rounded": (lambda v: mg.sum(mg.round(v)), "the connection ends at round"),
    "integers": (lambda v: mg.sum(mg.astype(mg.astype(v, "int32"), "float64")), "ends at astype, which returns int32"),
    "left": (lambda v: mg.sum(v.numpy()), "v left the graph as a plain number at test_following.py"),
    "None": (lambda v: silent(v), "returned None for x, which leads to v"),
}


@mg.custom_gradient
def silent(x):
    return mg.sum(x), lambda dy: None


@pytest.mark.parametrize("case", ZEROS)
def test_the_gradient_of_what_depends_on_no_input_is_zero_with_a_reason(case):
    f, words = ZEROS[case]
    for run in (mg.grad(f), mg.jacobian(f), lambda v: mg.vjp(f, v)[1](f(mg.constant(v)))[0]):
        with pytest.warns(UserWarning, match=f"the gradient of .*is 0: .*{words}"):
            np.testing.assert_array_equal(run(V), [0.0, 0.0])
    with pytest.warns(UserWarning, match=words):
        assert float(mg.jvp(f, (V,), (V,))[1]) == 0.0


def test_the_warning_names_the_input_as_the_function_does():
    with pytest.warns(UserWarning, match=r"p\['b'\] left the graph"):
        mg.grad(lambda p: p["b"].item() * 2.0)({"b": 2.0})


@pytest.mark.parametrize("silent_zero", [
    lambda: mg.grad(lambda a, b: a * 2.0, (0, 1))(1.0, 2.0),
    lambda: mg.grad(lambda p: p["a"] * 2.0)({"a": 1.0, "b": 2.0}),
    lambda: mg.grad(mg.grad(lambda x: 3.0 * x))(1.0), lambda: mg.grad(mg.grad(mg.relu))(1.0),
    lambda: mg.grad(mg.grad(mg.grad(lambda x: x * x)))(1.0), lambda: mg.hessian(lambda v: mg.sum(3.0 * v))(V),
    lambda: mg.hvp(lambda v: mg.sum(3.0 * v))(V, V), lambda: mg.jacobian(lambda v: mg.stack([v[0], 1.0]))(V),
    lambda: mg.grad(lambda x: mg.gradients(3.0 * x, x)[0])(1.0),
    lambda: mg.grad(lambda x: mg.vjp(lambda y: 3.0 * y, x)[1](mg.constant(1.0))[0])(1.0),
    lambda: mg.grad(lambda x: mg.jvp(lambda y: 3.0 * y, (x,), (1.0,))[1])(1.0),
    lambda: mg.grad(lambda x: mg.where(x > 0, x, 1.0))(-1.0),
])  # fmt: skip
def test_a_part_that_does_not_matter_and_a_constant_slope_are_silent(silent_zero):
    silent_zero()


def test_an_inner_derivative_that_depends_on_the_outer_input_only_warns():
    with pytest.warns(UserWarning, match="the result does not depend on y"):
        assert float(mg.grad(lambda x: x * x + mg.grad(lambda y: x * x)(1.0))(3.0)) == 6.0


def through_a_tape(z, x):
    z = z * 1.0  # a separate Tensor, even if it equals x
    with mg.GradientTape() as tape:
        tape.watch(z)
        y = mg.sin(z) * x
    return tape.gradient(y, z)


@pytest.mark.parametrize("slope", [
    lambda z, x: mg.grad(lambda z: mg.sin(z) * x)(z), lambda z, x: mg.jacobian(lambda z: mg.sin(z) * x)(z),
    lambda z, x: mg.vjp(lambda z: mg.sin(z) * x, z)[1](1.0)[0],
    lambda z, x: mg.jvp(lambda z: mg.sin(z) * x, (z,), (1.0,))[1], through_a_tape,
])  # fmt: skip
@pytest.mark.parametrize("inside", [True, False])
def test_a_derivative_taken_in_a_thread_of_its_own_is_differentiated_on(slope, inside):
    z = mg.constant(np.float64(0.3))

    def f(x):
        found = []
        thread = threading.Thread(target=lambda: found.append(slope(x if inside else z, x)))
        thread.start()
        thread.join()
        return found[0] + x

    x = 0.7
    wanted = 1 + (-np.sin(x) * x + np.cos(x) if inside else np.cos(0.3))
    assert float(mg.grad(f)(np.float64(x))) == pytest.approx(wanted)


def test_a_derivative_in_a_thread_of_its_own_is_an_array_where_nothing_follows_it():
    kinds = []

    def f(v):
        thread = threading.Thread(target=lambda: kinds.append(type(mg.grad(lambda u: mg.sum(u * u))(V))))
        thread.start()
        thread.join()
        return mg.sum(v)

    mg.grad(f)(V)
    assert kinds == [np.ndarray]


# Variables hold plain numbers.


def made(v):
    return mg.Variable(v * 2.0, name="w")


def made_by_a_function(v):
    return mg.Variable(lambda: v * 2.0, name="w")


def assigned(v):
    return mg.Variable(np.zeros(2), name="w").assign(v * 2.0)


def added(v):
    return mg.Variable(np.zeros(2), name="w").assign_add(v * 2.0)


def subtracted(v):
    return mg.Variable(np.zeros(2), name="w").assign_sub(v * 2.0)


def assigned_in_a_list(v):
    return mg.Variable(np.zeros(2), name="w").assign([v[0] * 2.0, 1.0])


TAKEN = [made, made_by_a_function, assigned, added, subtracted, assigned_in_a_list]


def warnings_of(f):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f()
    return [str(w.message) for w in found]


@pytest.mark.parametrize("take", TAKEN)
def test_a_variable_that_is_read_after_it_took_a_followed_value_is_told(take):
    def f(v):
        w = take(v)
        return mg.sum(w * w + v)

    (message,) = warnings_of(lambda: mg.grad(f)(V))
    assert message.startswith("the Variable w is read, which took the value of the result of multiply at ")
    assert "mg.Variable(" in message  # the line that took it
    assert "while f is differentiated" in message and "Compute with the Tensor itself" in message

    def taped():
        x = mg.constant(V)
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)

    (message,) = warnings_of(taped)
    assert "while a tape records" in message


def test_a_variable_that_is_only_assigned_or_read_later_is_quiet():
    average, count = mg.Variable(np.zeros(2), trainable=False), mg.Variable(0.0)

    def f(v):
        average.assign(0.9 * average + 0.1 * v)
        count.assign_add(1.0)
        print_free = f"{average.value} {average!r}"
        assert print_free
        return mg.sum(v * v) * count

    assert warnings_of(lambda: [mg.grad(f)(V), mg.grad(f)(V), average * 2.0]) == []

    def train():
        w = mg.Variable(V)
        for _ in range(3):
            with mg.GradientTape() as tape:
                loss = mg.sum(w * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))
        mg.optim.SGD(0.1).step([w], [mg.constant(V)])
        return w

    assert warnings_of(train) == []


def test_what_was_assigned_anew_is_quiet():
    def f(v):
        w = mg.Variable(v * 2.0)
        w.assign(V)
        return mg.sum(w * v)

    assert warnings_of(lambda: mg.grad(f)(V)) == []


def test_the_body_of_a_custom_gradient_may_read_what_it_assigned():
    state = mg.Variable(np.zeros(2), trainable=False)

    @mg.custom_gradient
    def f(v):
        state.assign(v * 2.0)
        return state * 1.0 + v * 0.0, lambda dy: dy * 2.0

    assert warnings_of(lambda: mg.grad(lambda v: mg.sum(f(v)))(V)) == []


def test_the_state_that_a_variable_took_holds_no_graph():
    w = mg.Variable(np.zeros(2))
    made = []

    def f(v):
        y = v * 2.0
        made.append(weakref.ref(y))
        w.assign(y)
        return mg.sum(v)

    mg.grad(f)(V)
    assert made[0]() is None
