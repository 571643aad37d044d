"""dagdecor identify: a graph in, what a covariance can tell about it out."""

from __future__ import annotations

from dagdecor.cli.inputs import fit_or_graph
from dagdecor.cli.options import AsJson, Result
from dagdecor.cli.progress import waiting


def identify(
    graph: Result,
    as_json: AsJson = False,
) -> None:
    """Say what a covariance can tell about the parameters of a graph, with a witness on a no."""
    import json

    from dagdecor.fit import Fit
    from dagdecor.identify import identifiability
    from dagdecor.report import verdict

    found = fit_or_graph(graph)
    with waiting("looking at the graph"):
        if isinstance(found, Fit):
            answer = identifiability(found.graph, found.weights, found.noise_covariance)
        else:
            answer = identifiability(found)
    print(json.dumps(answer.to_dict(), indent=1) if as_json else verdict(answer))
