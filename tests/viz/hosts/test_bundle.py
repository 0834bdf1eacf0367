"""The JavaScript in pages: its parts, and the error if it cannot be built."""

import json
import shutil

import pytest

from tests.helpers.node import run_js
from viz import bundle
from viz.hosts.html import COMPARED, INSTRUCTIONS, code_of_player, module


def test_the_bundle_is_that_of_the_files():
    assert bundle.changed() == [], "viz/static changed: python -m viz.bundle"


def test_a_file_that_changes_comes_or_goes_is_seen(monkeypatch, tmp_path):
    (tmp_path / "kept.js").write_text("const a = 1;")
    (tmp_path / "edited.js").write_text("const b = 2;")
    (tmp_path / "new.js").write_text("const c = 3;")
    known = {"kept": "const a = 1;", "edited": "const b = 1;", "gone": "const d = 4;"}
    (tmp_path / "bundle.json").write_text(json.dumps({n: {"source": bundle.hashed(s)} for n, s in known.items()}))
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    monkeypatch.setattr(bundle, "BUNDLE", tmp_path / "bundle.json")
    assert bundle.changed() == ["edited", "gone", "new"]


def test_without_esbuild_and_node_it_says_what_is_needed(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="made by esbuild, or by Node"):
        bundle.bundle()


def test_the_code_of_the_player_is_small_and_runs():
    parts = (*COMPARED, *INSTRUCTIONS, "predict", "ask", "cells")
    small, widget = code_of_player(parts), module(parts).replace("export default", "return")
    sources = "".join(path.read_text(encoding="utf-8") for path in bundle.STATIC.glob("*.js"))
    assert len(small) < 0.6 * len(sources) and "\n//" not in small
    assert run_js([], "return data.map((code) => typeof new Function('el', 'd', code))", [small, widget]) == [
        "function",
        "function",
    ]


NAMES = ("inner", "outer", "method")


def test_a_name_stays_reachable_if_another_file_uses_it():
    sources = {
        "scene": "const { abs } = Math;\nconst FAR = 2;\n" + "".join(f"function {n}() {{}}\n" for n in NAMES),
        "view": "// inner\nshow(abs(1), ...outer(), other.method());\n",
    }
    assert bundle.enclosed("scene", sources).startswith("const { abs, outer } = (() => {\n")
