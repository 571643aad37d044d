"""Bytes at every reader, led by what they reach (atheris); counts what came of them.

python bench/fuzz_readers.py --minutes 5

The first byte of an input chooses the reader, the rest is the file. A reader gives a value whose
own text can be read again, or one of our refusals in a sentence, within seconds.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dagdecor"]):
    from dagdecor.confidence import Confidence
    from dagdecor.data import read_table
    from dagdecor.errors import DagdecorError
    from dagdecor.fit import Fit
    from dagdecor.graph import MixedGraph
    from dagdecor.interop import TEXTS
    from dagdecor.knowledge import read_knowledge

SLOW = 10.0  # seconds
FOLDER = Path(tempfile.mkdtemp())


def of_text(read, write=None):
    """A reader of text; what it gives, written and read again, is the same."""

    def tried(content):
        text = content.decode("utf-8", "surrogateescape")
        found = read(text)
        if write is not None and write(read(write(found))) != write(found):
            raise AssertionError("read again, it is another")

    return tried


def of_file(read, ending):
    """A reader of a file."""

    def tried(content):
        place = FOLDER / f"any{ending}"
        place.write_bytes(content)
        read(place)

    return tried


def graph_reader(name):
    """The reader of another tool's format; the graph, written in that format, comes back."""
    form = TEXTS[name]

    def tried(content):
        graph = MixedGraph.from_parts(form.read(content.decode("utf-8", "surrogateescape")))
        again = MixedGraph.from_parts(form.read(form.write(graph)))
        if marks(again) != marks(graph) and not (name == "pcalg" and "\r" in "".join(graph.names)):
            raise AssertionError("written and read again, it is another")

    return tried


def marks(graph):
    """What a graph says, whatever the order of its columns."""
    return set(graph.names), set(graph.directed), {frozenset(pair) for pair in graph.bidirected}


READERS = {
    "csv": of_file(read_table, ".csv"),
    "tsv": of_file(read_table, ".tsv"),
    "knowledge, yaml": of_file(read_knowledge, ".yaml"),
    "knowledge, json": of_file(read_knowledge, ".json"),
    "graph": of_text(MixedGraph.from_json, MixedGraph.to_json),
    "fit": of_text(Fit.from_json, Fit.to_json),
    "confidence": of_text(Confidence.from_json, Confidence.to_json),
    **{name: graph_reader(name) for name in TEXTS},
}
NAMES = list(READERS)
COUNTS: Counter[str] = Counter()
FOUND: dict[str, str] = {}


def one(data: bytes) -> None:
    """Try one input; what is neither value nor refusal is kept with its place in the source."""
    if not data:
        return
    name = NAMES[data[0] % len(NAMES)]
    started = time.process_time()
    try:
        READERS[name](data[1:])
        word = "read"
    except DagdecorError as refusal:
        word = "refused" if 0 < len(str(refusal)) < 4000 else "OTHER"
        keep(refusal, data, word)
    except Exception as error:  # noqa: BLE001 - whatever comes is what we look for
        word = "OTHER"
        keep(error, data, word)
    if time.process_time() - started > SLOW:
        word = "OTHER"
        FOUND.setdefault(f"{name}: slow", repr(data[:300]))
    COUNTS[f"{name}, {word}"] += 1


def keep(error: Exception, data: bytes, word: str) -> None:
    """The first input of each place and kind."""
    if word == "OTHER":
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
        FOUND.setdefault(f"{NAMES[data[0] % len(NAMES)]}: {place}: {error}"[:400], repr(data[:300]))


# In a process of its own: numba does not compile kernels that are instrumented.
DRAWN = """
import json, warnings
import dagdecor
warnings.simplefilter("ignore")
drawn = dagdecor.simulate.draw("four-node", seed=0)
model = dagdecor.Decor(search=False).fit(drawn.X)
texts = [drawn.X.iloc[:4].to_csv(index=False), model.fit_.to_json()]
print(json.dumps([*texts, model.confidence(drawn.X, draws=2).to_json()]))
"""


def seeds() -> dict[str, list[bytes]]:
    """Whole files of each kind, to start from."""
    run = subprocess.run([sys.executable, "-c", DRAWN], check=True, capture_output=True)
    table, fit, confidence = json.loads(run.stdout)
    graph = Fit.from_json(fit).graph
    knowledge = '{"required": [["A", "->", "B"]], "tiers": [["A"], ["B"]], "exogenous": ["A"]}'
    files = {
        "csv": [table, '"a","b"\n1,2\n,3\n'],
        "tsv": [table.replace(",", "\t")],
        "knowledge, yaml": [knowledge, "required:\n- a -> b\ntiers: &t [[a], [b]]\nother: *t\n"],
        "knowledge, json": [knowledge],
        "graph": [graph.to_json()],
        "fit": [fit],
        "confidence": [confidence],
        **{name: [form.write(graph)] for name, form in TEXTS.items()},
    }
    return {name: [text.encode() for text in texts] for name, texts in files.items()}


def report(seconds: float) -> None:
    """What was tried and what came of it."""
    outcomes = ("read", "refused", "OTHER")
    print(f"\n{COUNTS.total()} inputs in {seconds:.0f} s\n")
    print("| reader | " + " | ".join(outcomes) + " |\n|---|---:|---:|---:|")
    for name in NAMES:
        row = [str(COUNTS[f"{name}, {word}"]) for word in outcomes]
        print(f"| {name} | " + " | ".join(row) + " |")
    for place, data in FOUND.items():
        print(f"{place}\n    {data}")


def main() -> None:
    """Inputs until the time is over; exit code 1 when one was neither read nor refused."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    for name, files in seeds().items():
        for place, content in enumerate(files):
            choice = bytes([NAMES.index(name)])
            (corpus / f"{NAMES.index(name)}-{place}").write_bytes(choice + content)
    started = time.monotonic()

    def until(data: bytes) -> None:
        one(data)
        if time.monotonic() - started > 60 * options.minutes:
            report(time.monotonic() - started)
            sys.stdout.flush()
            os._exit(1 if FOUND else 0)

    quiet = ["-verbosity=0", "-max_len=4096", f"-seed={options.seed}", "-timeout=120"]
    atheris.Setup([sys.argv[0], *quiet, str(corpus)], until)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
