"""Every docstring example, every block of the README and the pages, and every notebook runs.

A block under the comment `<!-- needs: name -->` runs where the module, or the file in the folder
DAGDECOR_DATA, is there.
"""

import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer

import dagdecor
from dagdecor.cli import app

ROOT = Path(__file__).parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(dagdecor.__path__, "dagdecor.")
    if not module.name.endswith("__main__")
]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("name", ["dagdecor", *MODULES])
def test_docstring_examples_hold(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


NEEDS = r"(?:^<!-- needs: (?P<needs>[^>\n]+?) -->\n)?"


def blocks(page, language):
    """(source, what it needs) of each block; a comment above a block may name what it needs."""
    text = page.read_text(encoding="utf-8")
    pattern = NEEDS + rf"^```{language}\n(?P<source>.*?)^```"
    for found in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield found["source"], (found["needs"] or "").split()


def absent(needs):
    """Modules that are not installed, and files that are not in the folder DAGDECOR_DATA."""
    folder = os.environ.get("DAGDECOR_DATA")
    for need in needs:
        if "/" in need:
            place = Path(folder or "absent") / Path(need).name
            if not place.exists():
                yield f"{need} (set DAGDECOR_DATA to its folder)"
        elif importlib.util.find_spec(need) is None:
            yield f"the package {need} (make test-interop)"


def kept(page, language, folder):
    """The blocks that can run here, with the files they need in place, and what others lack."""
    sources, lacking = [], set()
    for source, needs in blocks(page, language):
        missing = set(absent(needs))
        lacking |= missing
        if missing:
            continue
        sources.append(source)
        for need in needs:
            if "/" in need and not (folder / need).exists():
                (folder / need).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(os.environ["DAGDECOR_DATA"]) / Path(need).name, folder / need)
    return sources, sorted(lacking)


def tell(lacking):
    if lacking:
        pytest.skip(f"the other blocks ran; some need {', '.join(lacking)}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sources, lacking = kept(page, "python", tmp_path)
    with warnings.catch_warnings():
        if any(need for _, need in blocks(page, "python")):
            warnings.simplefilter("default")  # other packages warn as they like
        exec(compile("\n".join(sources), str(page), "exec"), {"__name__": "__main__"})  # noqa: S102
    assert page.exists()
    tell(lacking)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shell_blocks_run(page, tmp_path):
    sources, _ = kept(page, "bash", tmp_path)
    # what fetches from the network is shown, not run
    lines = [
        line
        for source in sources
        for line in source.splitlines()
        if line.startswith(("dagdecor ", "printf ")) and not line.startswith("dagdecor data ")
    ]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    run = subprocess.run(
        ["/bin/bash", "-ec", "\n".join(lines)],
        cwd=tmp_path,
        env={
            "PATH": path,
            "HOME": str(Path.home()),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def shown_commands():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```(?:bash)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield from re.findall(r"^dagdecor ((?:.*\\\n)*.*)$", block, re.MULTILINE)


@pytest.mark.parametrize("line", sorted(set(shown_commands())))
def test_a_shown_command_is_one_that_there_is(line):
    words = shlex.split(line.replace("\\\n", " "), comments=True)
    words = words[: next((k for k, word in enumerate(words) if word in {"<", ">", "|"}), None)]
    name, *rest = words
    command = typer.main.get_command(app).commands[name]
    assert command.make_context(name, rest).params  # refuses what it does not know


@pytest.mark.parametrize("name", dagdecor.__all__)
def test_every_public_name_is_on_the_reference_page(name):
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert f"\n::: dagdecor.{name}\n" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_includes_are_there(page):
    named = re.findall(r'^--8<-- "(.+)"$', page.read_text(encoding="utf-8"), re.MULTILINE)
    assert all((ROOT / name).is_file() for name in named)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(path, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # outputs come from running
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the kernel's own packages
        client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}})
        client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds = {kind for output in outputs for kind in output.get("data", ())}
    assert outputs
    assert ("image/png" in kinds) == ("plot(" in path.read_text(encoding="utf-8"))
