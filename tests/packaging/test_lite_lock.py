"""The lock file of the course in the browser: which packages are downloaded, and which Pyodide brings."""

import zipfile

import pytest

pytest.importorskip("packaging")
from docs import lite_lock

CDN = "https://example.org/full/"


def wheel(folder, name, requires=()):
    """A wheel with nothing but its metadata."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {r}" for r in requires)]
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(lines) + "\n")
    return path


def entry(name, depends=()):
    return {"name": name, "version": "2.0", "file_name": f"{name}.whl", "depends": list(depends)}


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """The lock made from a distribution that has all but `comm`; and the names of what was downloaded."""
    here, beside = tmp_path / "here", tmp_path / "beside"
    here.mkdir()
    beside.mkdir()
    downloaded = []

    def download(wanted, into):
        downloaded.append(wanted)
        return wheel(into, wanted.partition("=")[0], ["Cartopy", 'colorama; sys_platform == "win32"'])

    monkeypatch.setattr(lite_lock, "_download", download)
    names = ("numpy", "micropip", "jedi", "ipython", "ipywidgets", "ipykernel", "traitlets")
    theirs = {name: entry(name) for name in names}
    # Keys are canonical, names are as their authors write them; a dependency of Pyodide's own is Pyodide's to resolve.
    theirs |= {"cartopy": entry("Cartopy", ["nowhere"]), "cartopy-tests": entry("Cartopy-tests", ["nowhere"])}
    kernel = [wheel(here, "piplite"), wheel(here, "pyodide_kernel")]
    lock = lite_lock.lock(
        {"packages": theirs, "info": {}}, wheel(here, "minigrad_kit"), ["numpy"], kernel, beside, CDN, None
    )
    return lock["packages"], downloaded, beside


def test_only_what_pyodide_does_not_have_is_downloaded(locked):
    packages, downloaded, _ = locked
    assert downloaded == ["comm"]
    assert packages["cartopy"]["file_name"] == CDN + "Cartopy.whl" and packages["cartopy"]["depends"] == ["nowhere"]


def test_with_wheels_for_pyodide_nothing_is_loaded_from_elsewhere(tmp_path, monkeypatch):
    here, beside, own = tmp_path / "here", tmp_path / "beside", tmp_path / "own"
    for folder in (here, beside, own):
        folder.mkdir()
    wheel(own, "numpy")
    wheel(own, "matplotlib", ["numpy", "pillow"])
    monkeypatch.setattr(lite_lock, "_download", lambda wanted, into: wheel(into, wanted.partition("=")[0]))
    kernel = [wheel(here, "piplite"), wheel(here, "pyodide_kernel")]
    theirs = {"packages": {name: entry(name) for name in ("numpy", "matplotlib", "pillow", "scipy")}}
    packages = lite_lock.lock(theirs, wheel(here, "minigrad_kit"), ["numpy", "matplotlib"], kernel, beside, CDN, own)[
        "packages"
    ]
    assert packages["minigrad-kit"]["depends"] == ["numpy", "matplotlib"]
    assert packages["matplotlib"]["depends"] == ["numpy", "pillow"]
    assert "scipy" not in packages
    assert all((beside / one["file_name"]).is_file() for one in packages.values())


def test_each_entry_of_ours_lies_beside_the_site_and_needs_what_the_lock_has(locked):
    packages, _, beside = locked
    ours = {key: e for key, e in packages.items() if not e["file_name"].startswith(CDN)}
    assert sorted(ours) == ["comm", "minigrad-kit", "piplite", "pyodide-kernel"]
    for key, one in ours.items():
        assert (beside / one["file_name"]).is_file(), key
        assert set(one["depends"]) <= set(packages), key
    assert packages["comm"]["depends"] == ["cartopy"], "a marker for another system is no need"
