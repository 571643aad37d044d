"""The estimator that users meet, in scikit-learn's manner."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from dagdecor.confidence import Confidence, Plan, confidence
from dagdecor.course import Course
from dagdecor.data import Table, rows, table
from dagdecor.errors import NotConverged, OptionError
from dagdecor.estimator import Settings, estimate
from dagdecor.fit import Fit
from dagdecor.graph import MixedGraph
from dagdecor.inference import TotalEffects, errors_of, total_effects
from dagdecor.knowledge import Knowledge
from dagdecor.moments import Moments
from dagdecor.tune import PenaltyPath, path

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]


class Decor(BaseEstimator):  # type: ignore[misc]
    """Learn a mixed graph and its parameters from a table with hidden common causes.

    The model is x = x B + e, e ~ N(0, Omega): B holds the direct effects (B[i, j] is i -> j), the
    off-diagonal of Omega what hidden common causes leave behind. B is acyclic, no pair carries
    both an edge and a bidirected edge (unless `bow="none"`), Omega is positive definite with exact
    zeros off the graph.

    Parameters
    ----------
    search : bool
        Search over graphs by a score (likelihood and extended BIC) that knows hidden causes; the
        default, for up to 300 columns and at least twice as many rows. Otherwise, and with
        False, the paper's continuous estimator: graph step and noise step by turns. The options
        from `route` to `noise_start` are that estimator's.
    noise_model : {"auto", "latent", "sparse"}
        Of the search. "latent": explicit hidden causes and one error variance; "sparse": a
        sparse noise covariance with free variances; "auto": the one with more evidence.
    route : {"precision", "covariance"}
        The noise step: graphical lasso on Theta = Omega^-1, or a sparse Omega.
    rounds : int
        Graph step and noise step are taken in turns this often; 1 is the paper's two stages.
        Ends early when the objective stalls.
    lambda_directed : float or "auto"
        Weight of |B|_1 beside tr(S (I-B) Theta (I-B)'). "auto" is a multiple of
        sqrt(log p / n), in units of the noise and of each column. With
        `noise_start="diagonal"` a number weighs |B_ij| sd_i / sd_j instead, so that the start
        does not depend on the columns' units.
    lambda_noise : float or "auto"
        Weight of the off-diagonal |Theta|_1 or |Omega|_1; "auto" as above.
    lambda_bow : float
        Weight of (|B_ij| + |B_ji|) |Omega_ij| when `bow="penalty"`.
    threshold_directed, threshold_noise : float or "auto"
        Smallest |B_ij| and |Omega_ij| that become edges. "auto" is the correlation that pays
        the price of an edge in the extended BIC; with fewer rows than columns that of effects is
        lower by what the penalty has shrunk them.
    bow : {"reconcile", "penalty", "none"}
        How pairs with two channels are treated: the weaker one is dropped afterwards; they are
        penalised during the rounds (covariance route) and what remains is dropped; they stay.
    bow_ratio : float
        An edge wins over a bidirected one when its standardised coefficient is at least this
        multiple of the noise correlation.
    acyclicity : {"logdet", "expm"}
        Smooth measure of cycles that leads the graph step to an order.
    noise_start : {"scaled-identity", "diagonal"}
        Omega of the first graph step: one common variance, which keeps the columns' scale as
        evidence for the direction, or the columns' own variances, which discards it.
    refit : bool
        Return maximum likelihood on the selected graph rather than the penalised values.
    max_seconds : float or None
        The search, or the rounds, end soon after this many seconds with the best so far; the
        fit's certificate "search" then says how much was left undone.
    random_state : int or None
        Seed of the search and of `sample`; None is 0 for the search. The same seed gives the
        same fit.
    knowledge : Knowledge or None
        Marks that are required or forbidden, tiers, columns without hidden or without direct
        causes; every fit obeys them exactly.
    missing : {"error", "drop", "em"}
        Empty cells of the table are refused, their rows left out, or mean and covariance are
        those of maximum likelihood given the cells that are there.
    device : {"cpu", "cuda", "torch-cpu"}
        Where the continuous estimator computes its graph step and the precision route's noise
        step: by compiled kernels, or as dense work by torch, on a GPU or (for comparison)
        without one. The score search, the covariance route's noise step and the refit stay on
        the processor.

    Attributes
    ----------
    fit_ : Fit
        The whole result as one frozen value.
    graph_ : MixedGraph
    weights_, noise_covariance_, noise_precision_ : ndarray of shape (p, p)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, when X had string column names

    Examples
    --------
    >>> import dagdecor as dd
    >>> draw = dd.simulate.draw("four-node", seed=1)
    >>> model = dd.Decor().fit(draw.X)
    >>> sorted(model.graph_.names)
    ['A', 'B', 'C', 'D']
    """

    def __init__(
        self,
        route: str = "precision",
        *,
        search: bool = True,
        noise_model: str = "auto",
        rounds: int = 5,
        lambda_directed: float | str = "auto",
        lambda_noise: float | str = "auto",
        lambda_bow: float = 1.0,
        threshold_directed: float | str = "auto",
        threshold_noise: float | str = "auto",
        bow: str = "reconcile",
        bow_ratio: float = 1.0,
        acyclicity: str = "logdet",
        noise_start: str = "scaled-identity",
        refit: bool = True,
        max_seconds: float | None = None,
        random_state: int | None = None,
        knowledge: Knowledge | None = None,
        missing: str = "error",
        device: str = "cpu",
    ) -> None:
        self.search = search
        self.noise_model = noise_model
        self.route = route
        self.rounds = rounds
        self.lambda_directed = lambda_directed
        self.lambda_noise = lambda_noise
        self.lambda_bow = lambda_bow
        self.threshold_directed = threshold_directed
        self.threshold_noise = threshold_noise
        self.bow = bow
        self.bow_ratio = bow_ratio
        self.acyclicity = acyclicity
        self.noise_start = noise_start
        self.refit = refit
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.knowledge = knowledge
        self.missing = missing
        self.device = device

    @classmethod
    def paper(
        cls,
        route: str = "precision",
        confounding_density: float | None = None,
        **options: Any,
    ) -> Decor:
        """Settings of the paper's DECOR-2S, adaptive when a confounding density is given.

        lambda_directed .1, loss 1/n, diagonal start, threshold .3, no refit; lambda_noise .1, or
        10^(-5 density), which is the paper's {1, .1, .01, .001, .0001} at {0, .2, .4, .6, .8}.
        """
        if confounding_density is not None and not 0 <= confounding_density <= 1:
            raise OptionError("confounding_density", confounding_density, "a number in [0, 1]")
        adaptive = 0.1 if confounding_density is None else 10.0 ** (-5 * confounding_density)
        settings: dict[str, Any] = {
            "route": route,
            "search": False,
            "rounds": 1,
            "lambda_directed": 0.1,
            "lambda_noise": adaptive,
            "threshold_directed": 0.3,
            "threshold_noise": 0.05,
            "acyclicity": "expm",
            "noise_start": "diagonal",
            "refit": False,
        }
        return cls(**{**settings, **options})

    def fit(self, X: pd.DataFrame | npt.ArrayLike | Moments, y: object = None) -> Decor:
        """Learn from a table, or from its `Moments`.

        Parameters
        ----------
        X : DataFrame, array of shape (n, p), or Moments
        y : ignored
            Present for scikit-learn's sake.
        """
        del y
        settings = Settings(**self.get_params())
        if isinstance(X, Moments):
            moments = X
            self.n_features_in_ = moments.p
        else:
            moments = Moments.from_data(X, missing=self.missing)
            validate_data(self, _labelled(X), skip_check_array=True)
        self.fit_: Fit = estimate(moments, settings, course=Course.here(settings.max_seconds))
        for step, certificate in self.fit_.certificates.items():
            if not certificate.converged:
                warnings.warn(f"{step} {certificate}", NotConverged, stacklevel=2)
        return self

    @property
    def graph_(self) -> MixedGraph:
        """The learned graph."""
        return self._fitted().graph

    @property
    def weights_(self) -> Array:
        """(p, p) B; [i, j] is the direct effect of i on j."""
        return self._fitted().weights

    @property
    def noise_covariance_(self) -> Array:
        """(p, p) Omega."""
        return self._fitted().noise_covariance

    @property
    def noise_precision_(self) -> Array:
        """(p, p) Theta = inv(Omega)."""
        return self._fitted().noise_precision

    def score(self, X: pd.DataFrame | npt.ArrayLike | Moments, y: object = None) -> float:
        """Mean log-likelihood of a row of X under the fitted law; higher is better."""
        del y
        fit = self._fitted()
        if isinstance(X, Moments):
            return fit.log_likelihood(X)
        checked = rows(X)
        validate_data(self, _labelled(X), reset=False, skip_check_array=True)
        return fit.log_likelihood(Moments.from_rows(checked))

    def sample(self, n: int = 1, random_state: int | None = None) -> pd.DataFrame:
        """n rows drawn from the fitted law, with the columns' names."""
        import pandas as pd

        fit = self._fitted()
        seed = self.random_state if random_state is None else random_state
        rng = np.random.default_rng(seed)
        rows: pd.DataFrame = pd.DataFrame(fit.sample(n, rng), columns=list(fit.graph.names))
        return rows

    def plot(self, what: str = "graph", out: str | Path | None = None) -> Any:
        """A matplotlib Figure of the "graph", its "matrix" or the "confidence" (see `plot.draw`).

        With `out`, a file name that ends in .svg, .png or .pdf, it is written as well.
        """
        from dagdecor import plot

        if out is not None:
            plot.save(self._fitted(), out, what)
        return plot.draw(self._fitted(), what)

    def report(self, out: str | Path, *, force: bool = False) -> Path:
        """Write the interactive report, one html file that needs no network, and return its path.

        A file that is there is refused unless `force`.
        """
        from dagdecor.report import content, write_report

        fit = self._fitted()
        told = content(fit, errors=errors_of(fit))
        return write_report(told, Path(out), force=force)

    def confidence(
        self,
        X: pd.DataFrame | npt.ArrayLike | Moments | Table,
        draws: int = 200,
        *,
        method: str = "bootstrap",
        effort: float = 0.25,
        n_jobs: int = -1,
        random_state: int = 0,
        max_seconds: float | None = None,
        checkpoint: str | Path | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Confidence:
        """How often each mark comes back when the table is drawn again; needs no fit before.

        Parameters
        ----------
        X : DataFrame, array of shape (n, p), or Moments
            Empty cells are drawn with their rows, and each draw obeys `missing`.
        draws : int
            Resampled tables. A draw depends on its number and the seed only, so that a larger
            number later adds to the same ones.
        method : {"bootstrap", "stability"}
            n rows with replacement (a Wishart draw of S with `Moments`), or half of the rows,
            both halves of one split in turn.
        effort : float
            Share of the search's iterations that a draw spends, at most 1.
        n_jobs : int
            Processes, -1 for one a core; changes nothing but the time.
        max_seconds : float or None
            No draw is counted that ends later, except the first. `max_seconds` of the
            model itself does not apply to draws.
        checkpoint : path or None
            A file that finished draws are appended to, and read from by the next call with the
            same table and options.
        progress : callable or None
            Called as progress(done, draws) after each draw.
        """
        plan = Plan(draws, method, effort, n_jobs, random_state, max_seconds, checkpoint)
        source = X if isinstance(X, Moments | Table) else table(X, gaps=self.missing != "error")
        return confidence(source, Settings(**self.get_params()), plan, progress)

    def path(
        self,
        X: pd.DataFrame | npt.ArrayLike | Moments | Table,
        factors: Sequence[float] | None = None,
        *,
        folds: int | None = None,
        random_state: int = 0,
        progress: Callable[[int, int], object] | None = None,
    ) -> PenaltyPath:
        """Fits of the continuous estimator over multiples of its penalties; needs no fit before.

        Parameters
        ----------
        X : DataFrame, array of shape (n, p), or Moments
        factors : numbers > 0 or None
            Multiples of `lambda_directed` and `lambda_noise`; None for 11 from 4 down to 1/8.
            Each fit starts from the B of the one with the next stronger penalty.
        folds : int or None
            Of the held-out likelihood: None for 5, or none with `Moments` and where empty cells
            are dealt with by "em"; 0 for none.
        random_state : int
            Seed of the folds.
        progress : callable or None
            Called as progress(done, fits) after each fit.
        """
        source = X if isinstance(X, Moments | Table) else table(X, gaps=self.missing != "error")
        settings = Settings(**self.get_params())
        return path(source, settings, factors, folds, random_state, progress)

    def effects(self, level: float = 0.95) -> TotalEffects:
        """Direct and total effects with intervals of that level, on the fitted graph.

        The graph is held fixed: the intervals do not account for its selection.
        """
        return total_effects(self._fitted(), level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _fitted(self) -> Fit:
        check_is_fitted(self, "fit_")
        return self.fit_


def _labelled(X: Any) -> Any:
    """X as scikit-learn may see it: a frame whose names are not all text counts as unnamed."""
    labels = getattr(X, "columns", ())
    if all(isinstance(label, str) for label in labels):
        return X
    return np.empty((len(X), len(labels)))
