"""Tables made to break a fit, and the judge who says whether it broke.

A `Recipe` is a table in a few plain values, drawn by Hypothesis in the suite and by a generator of
random numbers in `make fuzz`. `outcome` fits it: the name of what came of it, or `Broken`.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from dagdecor import Decor
from dagdecor.certificate import Status
from dagdecor.errors import DagdecorError, NotConverged
from dagdecor.fit import Fit

DTYPES = ("float64", "float32", "float16", "int64", "int8", "uint8", "bool", "object", "longdouble")
HOLDERS = (
    "array", "fortran", "read-only", "strided", "big-endian", "list", "frame", "nullable frame",
    "arrow frame", "multiindex frame",
)  # fmt: skip
NAMES = ("plain", "numbers", "mixed", "long", "hostile", "empty", "same when printed", "repeated")
HOSTILE = ("=1+1", "a\nb", "\x1b[31m", "\ud800", "-", "'", '"', "\u202e", "a,b", "{}", "%s", "NaN")
CHOICES: dict[str, tuple[Any, ...]] = {
    "route": ("precision", "covariance"),
    "rounds": (1, 2, 5),
    "lambda_directed": ("auto", "auto", 0, 1e-6, 0.1, 1e6),
    "lambda_noise": ("auto", "auto", 0, 1e-6, 0.1, 1e6),
    "threshold_directed": ("auto", "auto", 0, 0.3),
    "threshold_noise": ("auto", "auto", 0, 0.05),
    "bow": ("reconcile", "reconcile", "penalty", "none"),
    "acyclicity": ("logdet", "expm"),
    "noise_start": ("scaled-identity", "diagonal"),
    "refit": (True, True, False),
    "missing": ("error", "drop", "em"),
}


class Broken(AssertionError):
    """Neither a sound fit nor a refusal of ours."""


@dataclass(frozen=True)
class Recipe:
    """A table and how to fit it; `str` of it is enough to make it again."""

    seed: int = 0
    n: int = 10
    p: int = 3
    kind: str = "normal"
    power: int = 0  # every cell is multiplied by ten to it
    dtype: str = "float64"
    holder: str = "array"
    names: str = "plain"
    search: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def table(self) -> Any:
        """The table, in its holder."""
        cells = as_dtype(cells_of(self), self.dtype)
        return held(cells, self.holder, labels(self.names, self.p))

    def model(self) -> Decor:
        """The estimator; impossible pairs of options are part of the game."""
        return Decor(search=self.search, random_state=0, **self.options)


def drawn(rng: np.random.Generator, search: float = 0.0, large: float = 0.03) -> Recipe:
    """A random recipe; `large` and `search`: shares with many columns, with the score search."""
    searched = bool(rng.random() < search)
    many = rng.random() < large and not searched

    def often(usual: str, others: tuple[str, ...]) -> str:
        return usual if rng.random() < 0.4 else str(rng.choice(others))

    return Recipe(
        seed=int(rng.integers(2**31)),
        n=int(rng.integers(0, 4)) if rng.random() < 0.1 else int(rng.integers(2, 60)),
        p=int(rng.integers(7, 30)) if many else int(rng.integers(1, 4 if searched else 7)),
        kind=str(rng.choice(KINDS)),
        power=int(rng.integers(-12, 13)) if rng.random() < 0.5 else 0,
        dtype=often("float64", DTYPES),
        holder=often("array", HOLDERS),
        names=often("plain", NAMES),
        search=searched,
        options={
            option: values[int(rng.integers(len(values)))]
            for option, values in CHOICES.items()
            if rng.random() < 0.4
        },
    )


def cells_of(recipe: Recipe) -> np.ndarray:
    """(n, p) doubles of the recipe's kind and power."""
    rng = np.random.default_rng(recipe.seed)
    X = rng.standard_normal((recipe.n, recipe.p))
    return CELLS[recipe.kind](X, rng) * 10.0**recipe.power


def with_column(X: np.ndarray, rng: np.random.Generator, column: Any) -> np.ndarray:
    """X with a random column replaced by column(the sum of the others, itself)."""
    j = int(rng.integers(X.shape[1]))
    X[:, j] = column(X[:, np.arange(X.shape[1]) != j].sum(axis=1), X[:, j])
    return X


def with_cell(X: np.ndarray, rng: np.random.Generator, value: float) -> np.ndarray:
    """X with one random cell replaced."""
    if len(X):
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = value
    return X


def effects(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A chain of strong effects in column order."""
    p = X.shape[1]
    return X @ np.linalg.inv(np.eye(p) - np.triu(rng.uniform(-2, 2, (p, p)), 1))


CELLS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "normal": lambda X, rng: X,
    "effects": effects,
    "hidden": lambda X, rng: X + rng.standard_normal((len(X), 1)) * rng.uniform(-3, 3, X.shape[1]),
    "nearly singular": lambda X, rng: with_column(
        X, rng, lambda rest, own: rest + 10.0 ** -rng.uniform(0, 14) * own
    ),
    "copy": lambda X, rng: with_column(X, rng, lambda rest, own: -3 * X[:, 0]),
    "sum": lambda X, rng: with_column(X, rng, lambda rest, own: rest),
    "duplicated rows": lambda X, rng: X[rng.integers(max(1, len(X) // 4), size=len(X))],
    "cauchy": lambda X, rng: np.tan(np.pi * (rng.random(X.shape) - 0.5)) ** 3,
    "all zero": lambda X, rng: np.zeros(X.shape),
    "constant column": lambda X, rng: with_column(X, rng, lambda rest, own: 7.1),
    "whole": lambda X, rng: rng.integers(-3, 4, X.shape).astype(float),
    "boolean": lambda X, rng: rng.integers(0, 2, X.shape).astype(float),
    "two values": lambda X, rng: rng.integers(0, 2, X.shape) + 0.1,
    "far from zero": lambda X, rng: X + 10.0 ** rng.uniform(0, 16, X.shape[1]),
    "columns of any scale": lambda X, rng: X * 10.0 ** rng.uniform(-12, 12, X.shape[1]),
    "huge cell": lambda X, rng: with_cell(X, rng, 10.0 ** rng.uniform(10, 160)),
    "denormal": lambda X, rng: X * 10.0 ** -rng.uniform(140, 320),
    "empty cells": lambda X, rng: np.where(rng.random(X.shape) < rng.uniform(0, 0.6), np.nan, X),
    "empty column": lambda X, rng: with_column(X, rng, lambda rest, own: np.nan),
    "infinite cell": lambda X, rng: with_cell(X, rng, rng.choice([np.inf, -np.inf])),
}
KINDS = tuple(CELLS)


def as_dtype(X: np.ndarray, dtype: str) -> np.ndarray:
    """X as numbers of another kind, wrapped around or rounded as numpy does."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(X, dtype=dtype)


def labels(kind: str, p: int) -> list[Any]:
    """Names of columns that a frame may have."""
    return {
        "plain": [f"v{j}" for j in range(p)],
        "numbers": list(range(p)),
        "mixed": [(None, 1.5, "v", True, b"x")[j % 5] if j < 5 else j for j in range(p)],
        "long": ["n" * 10_000 + str(j) for j in range(p)],
        "hostile": [HOSTILE[j] if j < len(HOSTILE) else f"h{j}" for j in range(p)],
        "empty": ["" if j == 0 else " " * j for j in range(p)],
        "same when printed": [(1, "1")[j] if j < 2 else j for j in range(p)],
        "repeated": ["v"] * p,
    }[kind]


def held(X: np.ndarray, holder: str, names: list[Any]) -> Any:
    """X in a container that people use; the names go where there are names."""
    if holder.endswith("frame"):
        return framed(X, holder, names)
    arrays: dict[str, Callable[[], Any]] = {
        "array": lambda: X,
        "fortran": lambda: np.asfortranarray(X),
        "read-only": lambda: read_only(X),
        "strided": lambda: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::-2, ::3],
        "big-endian": lambda: X.astype(X.dtype.newbyteorder(">")),
        "list": X.tolist,
    }
    return arrays[holder]()


def read_only(X: np.ndarray) -> np.ndarray:
    """X, locked."""
    X.flags.writeable = False
    return X


def framed(X: np.ndarray, holder: str, names: list[Any]) -> pd.DataFrame:
    """A DataFrame; pandas' own types know neither long doubles nor halves."""
    plain = X.astype(float) if X.dtype in {np.dtype("longdouble"), np.dtype("float16")} else X
    if holder == "multiindex frame":
        tuples = [(str(name).replace("\ud800", "?"), place) for place, name in enumerate(names)]
        return pd.DataFrame(plain, columns=pd.MultiIndex.from_tuples(tuples))
    frame = pd.DataFrame(plain, columns=pd.Index(names, dtype=object))
    if holder == "nullable frame":
        return frame.convert_dtypes()
    return frame.convert_dtypes(dtype_backend="pyarrow") if holder == "arrow frame" else frame


def outcome(recipe: Recipe, again: bool = True) -> str:
    """ "fit", or the name of our refusal; `Broken` for all else. `again` fits twice."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit, word = fitted(recipe, again), "fit"
        except DagdecorError as error:
            word = type(error).__name__
            if not str(error).strip() or len(str(error)) > 4000:
                raise Broken(f"{word} says {len(str(error))} characters: {recipe}") from error
        except Broken:
            raise
        except Exception as error:
            raise Broken(f"{type(error).__name__}: {error}: {recipe}") from error
    odd = [w for w in caught if not issubclass(w.category, NotConverged)]
    if odd:
        raise Broken(f"warned {odd[0].category.__name__} {odd[0].message}: {recipe}")
    if word == "fit" and not all(proof.converged for proof in fit.certificates.values()):
        word = "fit, not converged and said so"
        if not caught:
            raise Broken(f"did not converge in silence: {recipe}")
    return word


def fitted(recipe: Recipe, again: bool) -> Fit:
    """The fit, sound and the same when repeated; the table unchanged."""
    X = recipe.table()
    before = X.copy() if hasattr(X, "copy") else list(X)
    fit = recipe.model().fit(X).fit_
    sound(fit, recipe)
    if not same(X, before):
        raise Broken(f"the table was changed: {recipe}")
    if again:
        repeated = recipe.model().fit(X).fit_
        if repeated.to_json() != fit.to_json():
            raise Broken(f"fitted again, another fit: {recipe}")
        if Fit.from_json(fit.to_json()).to_json() != fit.to_json():
            raise Broken(f"its document does not come back: {recipe}")
    return fit


def same(X: Any, before: Any) -> bool:
    """Whether the caller's table is what it was."""
    if isinstance(X, pd.DataFrame):
        return X.equals(before)
    return np.asarray(X, dtype=object).tolist() == np.asarray(before, dtype=object).tolist() or (
        np.array_equal(np.asarray(X, dtype=float), np.asarray(before, dtype=float), equal_nan=True)
    )


def sound(fit: Fit, recipe: Recipe) -> None:
    """Acyclic, bow-free, finite, zero off the graph, Omega symmetric and positive definite."""
    graph, B, Omega = fit.graph, fit.weights, fit.noise_covariance
    claims = {
        "acyclic": len(graph.order) == len(graph.names),
        "bow-free": graph.is_bow_free or recipe.options.get("bow") == "none",
        "finite": bool(np.isfinite(B).all() and np.isfinite(Omega).all()),
        "B on the graph": not B[~graph.directed_matrix].any(),
        "Omega on the graph": not Omega[
            ~graph.bidirected_matrix & ~np.eye(len(B), dtype=bool)
        ].any(),
        "Omega symmetric": np.array_equal(Omega, Omega.T),
        "Omega positive definite": positive_definite(Omega),
        "honest": all(
            proof.status is not Status.CONVERGED or proof.residual <= proof.tolerance
            for proof in fit.certificates.values()
        ),
    }
    wrong = [claim for claim, holds in claims.items() if not holds]
    if wrong:
        raise Broken(f"not {', '.join(wrong)}: {recipe}")


def positive_definite(Omega: np.ndarray) -> bool:
    """By Cholesky, in units of each column."""
    diagonal = np.diag(Omega)
    if not (np.isfinite(diagonal).all() and (diagonal > 0).all()):
        return False
    scale = np.sqrt(diagonal)
    try:
        np.linalg.cholesky(Omega / scale / scale[:, None])
    except np.linalg.LinAlgError:
        return False
    return True
