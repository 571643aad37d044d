"""The size law of the house: small files, small functions, few parameters, no catch-all rooms."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "dagdecor"
FILES = sorted(SOURCE.rglob("*.py"))
FORBIDDEN = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
# scikit-learn's convention: every option of an estimator is a plain argument of __init__.
MANY_OPTIONS = {("decor.py", "__init__"), ("decor.py", "paper"), ("decor.py", "confidence")}


def functions(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(node: ast.FunctionDef) -> int:
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return node.end_lineno - first.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_keeps_the_size_law(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    assert path.stem not in FORBIDDEN
    for node in functions(path):
        assert body_lines(node) <= 60, f"{node.name} is too long"
        skin = "cli" in path.parts or (path.name, node.name) in MANY_OPTIONS
        arguments = [
            a for a in node.args.args + node.args.kwonlyargs if a.arg not in {"self", "cls"}
        ]
        assert skin or len(arguments) <= 7, f"{node.name} has too many parameters"


def test_most_files_and_functions_are_small():
    lines = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES)
    bodies = sorted(body_lines(node) for path in FILES for node in functions(path))
    assert lines[int(0.7 * len(lines))] < 200
    assert bodies[int(0.8 * len(bodies))] < 25
