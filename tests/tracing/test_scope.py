"""scope: the part of a model that ops belong to."""

import threading

import pytest

import minigrad as mg
from minigrad.core.support import observers
from minigrad.tracing.calls_and_scopes import scope_of


def scopes(y):
    return {node.op: node.scope for node in mg.backward_trace(y).nodes if node.op not in ("leaf", "const")}


def test_ops_inside_belong_to_it_and_others_do_not():
    x = mg.constant(2.0)
    with mg.scope("model"):
        y = mg.exp(x)
        with mg.scope("head"):
            y = mg.sin(y)
    assert scopes(mg.tanh(y)) == {"exp": ("model",), "sin": ("model", "head"), "tanh": ()}
    assert scope_of(x) == ()


def test_after_the_last_one_recording_costs_nothing():
    before = list(observers.created)
    with mg.scope("a"), mg.scope("b"):
        assert len(observers.created) == len(before) + 1
    assert observers.created == before


def test_it_ends_with_an_error_too():
    before = list(observers.created)
    with pytest.raises(ZeroDivisionError), mg.scope("a"):
        1 / 0  # noqa: B018
    assert observers.created == before and scope_of(mg.constant(1.0) + 1.0) == ()


def test_threads_do_not_see_each_other():
    inside, outside = threading.Event(), threading.Event()
    seen = []

    def other():
        inside.wait()
        seen.append(scope_of(mg.constant(1.0) * 2.0))
        with mg.scope("theirs"):
            seen.append(scope_of(mg.constant(1.0) * 2.0))
        outside.set()

    thread = threading.Thread(target=other)
    thread.start()
    with mg.scope("mine"):
        inside.set()
        outside.wait()
        seen.append(scope_of(mg.constant(1.0) * 2.0))
    thread.join()
    assert seen == [(), ("theirs",), ("mine",)]


@pytest.mark.parametrize("name, error", [(3, TypeError), (None, TypeError), ("", ValueError), ("  ", ValueError)])
def test_a_scope_needs_a_name(name, error):
    with pytest.raises(error, match="scope takes a name"), mg.scope(name):
        pass
