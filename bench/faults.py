"""Kill `dagdecor fit` at random moments and look at what is left; fit on a disk that is full.

python bench/faults.py --kills 40
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from dagdecor.fit import Fit
from dagdecor.report.folder import repair, write_folder

COMMAND = [sys.executable, "-m", "dagdecor"]


def state(folder: Path) -> str:
    """absent, whole or CORRUPT."""
    if not folder.exists():
        return "absent"
    try:
        fit = Fit.from_json((folder / "fit.json").read_text())
        names = {path.name for path in folder.iterdir()}
    except (OSError, ValueError):
        return "CORRUPT"
    full = {"graph.json", "graph.dot", "weights.csv", "noise_covariance.csv"} <= names
    return "whole" if full and fit.graph.names else "CORRUPT"


def kills(count: int, table: Path, place: Path, seed: int) -> Counter[str]:
    """State of the result folder after each kill, the moment spread over the whole run."""
    moments, found = random.Random(seed), Counter()
    started = time.perf_counter()
    subprocess.run([*COMMAND, "fit", table, "--no-search"], check=True, capture_output=True)
    length = time.perf_counter() - started
    for number in range(count):
        out = place / f"result{number}"
        process = subprocess.Popen(
            [*COMMAND, "fit", str(table), "--no-search", "--out", str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # Half of the kills fall near the end, where the writing is.
        time.sleep(length * (moments.uniform(0.85, 1.1) if number % 2 else moments.random()))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found[state(out)] += 1
    found["left behind, hidden"] = len(list(place.glob(".result*")))
    return found


def replacements(count: int, place: Path, seed: int) -> Counter[str]:
    """What a reader finds after a kill while files are replaced by newer ones, on and on."""
    moments, found = random.Random(seed), Counter()
    names = [f"{number}.txt" for number in range(7)]
    for number in range(count):
        folder = place / f"replaced{number}"
        write_folder(dict.fromkeys(names, "0"), folder)
        (folder / "mine.txt").write_text("mine")
        child = os.fork()
        if not child:
            turn = 0
            while True:
                turn += 1
                write_folder(dict.fromkeys(names, str(turn) * 5000), folder, force=True)
        time.sleep(moments.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        before = kinds(folder, names)
        repair(folder)
        mended = len(kinds(folder, names)) == 1 and "" not in kinds(folder, names)
        kept = (folder / "mine.txt").read_text() == "mine"
        if len(before - {""}) > 1 or not (mended and kept):
            found["MIXED"] += 1
        else:
            found["too few, then repaired" if "" in before else "whole"] += 1
    return found


def kinds(folder: Path, names: list[str]) -> set[str]:
    """The different texts of the files, empty for one that is not there."""
    return {(folder / name).read_text() if (folder / name).exists() else "" for name in names}


def full_disk(table: Path) -> Counter[str]:
    """States after fits onto tiny file systems that fill up at another place each time."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for kilobytes in range(4, 36, 4):
            size = f"size={kilobytes}k"
            mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder]
            if subprocess.run(mount, check=False, capture_output=True).returncode:
                return Counter({"not tried: no right to mount": 1})
            try:
                out = Path(folder) / "result"
                run = subprocess.run(
                    [*COMMAND, "fit", str(table), "--no-search", "--out", str(out)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                sentence = run.returncode == 0 or "No space left" in run.stderr
                found[state(out) if sentence else "OTHER"] += 1
            finally:
                subprocess.run(["umount", folder], check=True)
    return found


def main() -> None:
    """Print the counts; exit code 1 if anything was corrupt."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        table = place / "data.csv"
        subprocess.run(
            [*COMMAND, "simulate", "four-node", "--out", table], check=True, capture_output=True
        )
        killed = kills(options.kills, table, place, options.seed)
        full = full_disk(table) if os.name == "posix" else Counter()
        times = 10 * options.kills
        replaced = replacements(times, place, options.seed) if hasattr(os, "fork") else Counter()
    print(f"kill -9 during fit, {options.kills} times: {dict(killed)}")
    print(f"kill -9 while files are replaced, {times} times: {dict(replaced)}")
    print(f"fits onto full disks: {dict(full)}")
    sys.exit(1 if killed["CORRUPT"] + full["CORRUPT"] + full["OTHER"] + replaced["MIXED"] else 0)


if __name__ == "__main__":
    main()
