"""What a freshly installed dagdecor must do; run in an environment that has nothing else."""

import subprocess
import sys
import tempfile
from importlib.metadata import requires
from pathlib import Path

import dagdecor


def main() -> None:
    """Import, command line, files, data files; the first failure ends it."""
    package = Path(dagdecor.__file__).parent
    if "site-packages" not in package.parts:
        sys.exit(f"this is not an installed dagdecor: {package}")
    for name in ("py.typed", "schemas/graph-1.json", "schemas/fit-1.json"):
        if not (package / name).exists():
            sys.exit(f"the distribution lacks {name}")
    command = [str(Path(sys.executable).parent / "dagdecor")]
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (
            ["--version"],
            ["simulate", "four-node", "--out", "data.csv", "--truth", "truth.json"],
            ["check", "data.csv"],
            ["fit", "data.csv", "--no-search", "--out", "result"],
            ["identify", "result/fit.json"],
            ["compare", "truth.json", "result/graph.json"],
        ):
            subprocess.run([*command, *arguments], cwd=folder, check=True, capture_output=True)
        fit = dagdecor.Fit.from_json((Path(folder) / "result" / "fit.json").read_text())
    needs = [need for need in requires("dagdecor") or () if "extra ==" not in need]
    print(
        f"dagdecor {dagdecor.__version__} on Python {sys.version.split()[0]}: "
        f"{len(fit.graph.names)} columns fitted, {len(needs)} dependencies"
    )


if __name__ == "__main__":
    main()
