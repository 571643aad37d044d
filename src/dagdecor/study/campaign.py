"""A study with its methods, draws and folder: run it, go on with it, report it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagdecor.baselines import Baseline
from dagdecor.errors import BadRows, OptionError
from dagdecor.parallel import cores
from dagdecor.study import rows as rows_file
from dagdecor.study.fitting import versions
from dagdecor.study.methods import chosen
from dagdecor.study.rows import KEY, Row, Rows
from dagdecor.study.seat import Task
from dagdecor.study.spread import here, on_cluster
from dagdecor.study.studies import Study

if TYPE_CHECKING:
    from distributed import Client

DRAWS, LIMIT = 10, 120.0
Watch = Callable[[Row], object]


@dataclass(frozen=True)
class Campaign:
    """Every method on every draw of every design of a study, one row each, in one folder.

    Parameters
    ----------
    study
        What varies; see `named_study`.
    folder
        Where rows, tables and figures go. Rows that are there already are not computed again.
    methods
        `Baseline`s; by default our own and every rival whose package is installed.
    draws, seed
        Draws have the seeds seed, seed + 1, ...; every method gets the same tables.
    limit
        Seconds that a fit may take; one that takes longer is ended, and its row says so.

    Examples
    --------
    >>> import tempfile
    >>> import dagdecor as dd
    >>> small = dd.study.named_study("paper").at([0.4])
    >>> methods = dd.study.chosen(["variance-sort"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = dd.study.Campaign(small, folder, methods, draws=2).run(jobs=1)
    >>> [(row["method"], row["draw"], row["status"]) for row in found]
    [('variance-sort', 0, 'done'), ('variance-sort', 1, 'done')]
    """

    study: Study
    folder: Path
    methods: Sequence[Baseline] = field(default_factory=chosen)
    draws: int = DRAWS
    seed: int = 0
    limit: float = LIMIT

    def __post_init__(self) -> None:
        for option, least in (("draws", 1), ("seed", 0)):
            value = getattr(self, option)
            if not isinstance(value, int) or value < least:
                raise OptionError(option, value, f"a whole number >= {least}")
        if not 0 < self.limit < 1e7:
            raise OptionError("limit", self.limit, "seconds, more than 0 and less than 1e7")
        object.__setattr__(self, "folder", Path(self.folder))
        object.__setattr__(self, "methods", tuple(self.methods))

    def keys(self) -> list[rows_file.Key]:
        """Keys of all rows that belong here, in the order of the work: draw by draw."""
        return [
            (self.study.name, design.name, self.seed + place, method.name)
            for place in range(self.draws)
            for design in self.study.designs
            if design.most_draws is None or place < design.most_draws
            for method in self.methods
        ]

    def rows(self) -> list[Row]:
        """The rows that are there, of the fits that belong here."""
        wanted = set(self.keys())
        found = rows_file.read(self.folder / rows_file.FILE)
        return [row for row in found if rows_file.key(row) in wanted]

    def all_rows(self) -> list[Row]:
        """Also those of other methods on the same draws, from runs in another environment."""
        wanted = {key[:3] for key in self.keys()}
        found = rows_file.read(self.folder / rows_file.FILE)
        return [row for row in found if rows_file.key(row)[:3] in wanted]

    def left(self) -> int:
        """How many fits have no row yet."""
        return len(self.keys()) - len(self.rows())

    def run(
        self,
        jobs: int | None = None,
        *,
        cluster: Client | None = None,
        watch: Watch | None = None,
    ) -> list[Row]:
        """Do what is left; returns all rows.

        Parameters
        ----------
        jobs
            Fits at a time on this machine; None for one a core.
        cluster
            A `distributed.Client`: its workers fit instead, each thread one at a time.
        watch
            Called with each row when it is on disk.
        """
        count = cores() if jobs is None else jobs
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise OptionError("jobs", jobs, "None or a whole number >= 1")
        with Rows(self.folder / rows_file.FILE) as file:
            self._check(file)
            done = file.done(self.limit)
            left = [key for key in self.keys() if key not in done]
            tasks = list(self._tasks(left))
            if tasks:
                finished = here(tasks, count) if cluster is None else on_cluster(tasks, cluster)
                for row in finished:
                    file.add(row)
                    if watch is not None:
                        watch(row)
        return self.rows()

    def _check(self, file: Rows) -> None:
        """Refuse a folder with the rows of another study, whose tables would mix the two."""
        for line, row in enumerate(file.present, start=1):
            if row["study"] != self.study.name:
                raise BadRows(self.folder / rows_file.FILE, line)

    def _tasks(self, keys: list[rows_file.Key]) -> Iterator[Task]:
        designs = {design.name: design for design in self.study.designs}
        methods = {method.name: method for method in self.methods}
        makes = {name: _pickled(design.make) for name, design in designs.items()}
        fits = {name: _pickled(method) for name, method in methods.items()}
        for key in keys:
            design, method = designs[key[1]], methods[key[3]]
            row = {
                **dict(zip(KEY, key, strict=True)),
                "facet": design.facet,
                "axis": design.axis,
                **_facts(method),
                "limit": self.limit,
                "versions": dict(versions(method.packages)),
            }
            yield Task(row, key[2], self.limit, makes[design.name], fits[method.name])


def _facts(method: Baseline) -> Mapping[str, Any]:
    """What a table must say about the method beside its scores."""
    return {**asdict(method.setting), "told": ", ".join(method.told), "latent": method.latent}


def _pickled(thing: Any) -> bytes:
    """By value where the code is the user's own, so that any machine can read it."""
    import cloudpickle

    own = [module for module in _modules(thing) if _is_own(module)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(thing))
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def _modules(thing: Any) -> set[Any]:
    """Modules that the thing, and the method inside it, are defined in."""
    import sys

    names = {
        getattr(one, "__module__", None)
        for one in (thing, type(thing), getattr(thing, "method", None))
    }
    return {sys.modules[name] for name in names if name in sys.modules and name != "__main__"}


def _is_own(module: Any) -> bool:
    """Neither dagdecor nor an installed package nor part of Python."""
    import sysconfig

    place = getattr(module, "__file__", None)
    if place is None or module.__name__.partition(".")[0] == "dagdecor":
        return False
    kept = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return not any(Path(place).is_relative_to(folder) for folder in kept)
