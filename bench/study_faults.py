"""A study that is killed over and over, and begun again each time: no row lost, none twice.

python bench/study_faults.py --kills 20 --rows 500
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import study_methods as made

from dagdecor import study
from dagdecor.study import rows as rows_file

TESTS = Path(made.__file__).parent
PLAN = study.named_study("paper")
RUN = """
import sys
sys.path[:0] = [{bench!r}, {tests!r}]
from study_faults import campaign
campaign({folder!r}, {rows}).run(jobs=2)
"""


def campaign(folder: str, rows: int) -> study.Campaign:
    """The paper's designs by a method that takes .15 s a fit."""
    return study.Campaign(PLAN, folder, (made.SLOW,), draws=rows // len(PLAN.designs))


def lines(path: Path) -> int:
    """Whole lines of the file."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def killed(folder: str, rows: int, more: int, wait: float) -> int:
    """Start the study, kill it `wait` seconds after `more` new rows; the rows then."""
    source = RUN.format(
        bench=str(Path(__file__).parent), tests=str(TESTS), folder=folder, rows=rows
    )
    path = Path(folder) / rows_file.FILE
    before = lines(path)
    process = subprocess.Popen([sys.executable, "-c", source])
    while lines(path) < min(before + more, rows) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return lines(path)


def main() -> None:
    """Print the rows after each kill and at the end; exit code 1 when one is lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        share = options.rows // (options.kills + 2)  # some rows are left for the last run
        seen = []
        for number in range(options.kills):
            # Every fifth is killed while it starts.
            more = 0 if number % 5 == 4 else moments.randint(1, share)
            seen.append(killed(folder, options.rows, more, moments.uniform(0, 0.4)))
        repeated: list[object] = []
        rows = campaign(folder, options.rows).run(jobs=2, watch=repeated.append)
        text = (Path(folder) / rows_file.FILE).read_text()
        on_disk = Counter(rows_file.key(json.loads(line)) for line in text.splitlines())
        twice = on_disk.total() - len(on_disk)
    print(f"rows after each of {options.kills} kills: {seen}")
    print(f"at the end {len(rows)} rows, {on_disk.total()} lines, {twice} twice;", end=" ")
    print(f"the last run fitted {len(repeated)}")
    whole = len(rows) == on_disk.total() == options.rows and not twice
    sys.exit(0 if whole and len(repeated) == options.rows - seen[-1] else 1)


if __name__ == "__main__":
    main()
