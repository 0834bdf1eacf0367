"""Traces from JSON: what was written is read again, and each wrong field is refused by its path."""

import json
import re

import pytest

import minigrad as mg
from tests.helpers.changed_traces import VALUES, changed, documents, paths

DOCUMENTS = documents()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_was_written_is_read(name):
    text = json.dumps(DOCUMENTS[name])
    trace = mg.BackwardTrace.from_json(text)
    assert json.loads(trace.to_json()) == DOCUMENTS[name]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_changed_field_is_refused_by_its_path_or_read(name, sampled):
    """Each field of the document gets each wrong value. Most are refused; others are other true documents."""
    data = DOCUMENTS[name]
    refused = read = 0
    for path in sampled(list(paths(data)), 60):
        for value in [*VALUES, "missing"]:
            text = json.dumps(changed(data, path, value))
            try:
                trace = mg.BackwardTrace.from_json(text)
            except ValueError as error:
                refused += 1
                if path[0] != "schema":
                    said = re.match(r"(\S+) of a trace (must be .+, got |is missing)", str(error))
                    assert said, (path, value, str(error))
            else:
                read += 1
                assert mg.BackwardTrace.from_json(trace.to_json()) == trace
    assert refused > read


@pytest.mark.parametrize(
    "path, value, message",
    [
        (
            ("nodes", 0, "kind"),
            "x' onload='alert(1)",
            "nodes[0].kind of a trace must be one of leaf, const, op,",
        ),
        (("nodes", 0, "kind"), 5, "nodes[0].kind of a trace must be a text, got 5"),
        (("nodes", 1, "id"), 7, "nodes[1].id of a trace must be 1, its position, got 7"),
        (("nodes", 1, "shape"), [-1], "nodes[1].shape[0] of a trace must be the length of an axis, 0 or more, got -1"),
        (
            ("nodes", 1, "dtype"),
            "float31",
            'nodes[1].dtype of a trace must be the name of a dtype such as "float32"',
        ),
        (("nodes", 1, "value"), "many", 'nodes[1].value of a trace must be a number, "nan", "inf" or "-inf"'),
        (("nodes", 1, "ghost"), 1, "nodes[1].ghost of a trace must be true or false, got 1"),
        (("nodes", 1, "name"), None, "nodes[1].name of a trace must be a text, got null"),
        (("nodes", 1, "op"), "missing", "nodes[1].op of a trace is missing"),
        (("nodes", 1, "ghost_of"), 99, "nodes[1].ghost_of of a trace must be the id of a node of kind custom, got 99"),
        (("nodes", 1, "ghost_of"), "a", "nodes[1].ghost_of of a trace must be a whole number or null, got"),
        (("nodes", 1, "line"), 3, "nodes[1].line of a trace must be an object or null, got 3"),
        (("nodes",), {}, "nodes of a trace must be a list, got {}"),
        (("edges", 0, "src"), 99, "edges[0].src of a trace must be the id of a node, got 99"),
        (
            ("edges", 0, "dst"),
            0,
            "edges[0].src of a trace must be a node that does not depend on node 0, its dst",
        ),
        (("steps", 0, "rule"), "mine", 'steps[0].rule of a trace must be "derived" or "custom:NAME", got "mine"'),
        (
            ("steps", 0, "sends", 0, "event"),
            "?",
            "steps[0].sends[0].event of a trace must be one of first,",
        ),
        (("steps", 0, "sends", 0, "to"), 2, "steps[0].sends[0].to of a trace must be"),
        (("steps", 0, "sends", 0, "edge"), -1, "steps[0].sends[0].edge of a trace must be the id of an edge, got -1"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_expected_and_what_is_there(path, value, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        mg.BackwardTrace.from_json(json.dumps(changed(DOCUMENTS["overflow"], path, value)))


def test_a_summary_counts_no_more_than_its_elements():
    data, at = DOCUMENTS["arrays"], ("nodes", 0, "value")
    assert data["nodes"][0]["value"]["shape"] == [3]
    for name, value, message in [
        ("zeros", 4, "zeros of a trace must be a count of at most 3 elements, got 4"),
        ("sample", [1.0], "sample of a trace must be a list of 3 elements, got [1.0]"),
        ("shape", [4], "sample of a trace must be a list of 4 elements"),
        ("min", None, 'min of a trace must be a number, "nan", "inf" or "-inf", got null'),
    ]:
        with pytest.raises(ValueError, match=re.escape(f"nodes[0].value.{message}")):
            mg.BackwardTrace.from_json(json.dumps(changed(data, (*at, name), value)))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "3", "null", '"nodes"', "NaN", '{"schema": []}'])
def test_what_is_no_trace_is_refused(text):
    with pytest.raises(ValueError, match=r"expected"):
        mg.BackwardTrace.from_json(text)


def test_fields_of_a_later_version_are_ignored():
    data = changed(DOCUMENTS["overflow"], ("later",), 3)
    data["nodes"][0]["later"] = "words"
    assert mg.BackwardTrace.from_json(json.dumps(data)) == mg.BackwardTrace.from_json(json.dumps(DOCUMENTS["overflow"]))
