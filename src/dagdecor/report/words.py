"""What a fit and a comparison say, in lines that fit a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from dagdecor.fit import Fit
from dagdecor.identify import Identifiability, Point, Witness
from dagdecor.knowledge import Knowledge
from dagdecor.report.content import EdgeRow, edge_rows

EDGES_SHOWN = 40
WIDTH = 80


def summary(fit: Fit) -> str:
    """Size, edges with their strength (strongest first), and what was proved."""
    graph = fit.graph
    edges = count(len(graph.directed), "edge")
    causes = count(len(graph.bidirected), "hidden common cause")
    lines = [
        f"{len(graph.names)} columns, {_rows(fit)}: {edges} ->, {causes} <->",
        "",
        *_edges(fit),
        "",
        *wrapped("identifiability", fit.verdict),
        *wrapped("prior knowledge", _knowledge(fit)),
        *(
            line
            for step, certificate in fit.certificates.items()
            for line in wrapped(step, str(certificate))
        ),
    ]
    return "\n".join(lines)


def verdict(answer: Identifiability) -> str:
    """The identifiability flags, the margins of a point, and the witness of a no."""
    flags = {
        "globally identifiable": _yes(answer.globally_identifiable),
        "bow-free": _yes(answer.bow_free),
        "half-trek identifiable": answer.half_trek,
        "Jacobian of full rank": _yes(answer.jacobian_full_rank),
    }
    width = max(map(len, flags))
    lines = [*textwrap.wrap(answer.sentence, WIDTH), ""]
    lines += [f"{name:<{width}}  {value}" for name, value in flags.items()]
    if answer.point is not None:
        lines += ["", *_point(answer.point)]
    if answer.witness is not None:
        lines += ["", *_witness(answer.witness)]
    return "\n".join(lines)


def _point(point: Point) -> list[str]:
    text = (
        f"at these parameters: smallest eigenvalue of the noise {point.smallest_eigenvalue:.3g}; "
        f"sufficient bound |T - I| = {point.effect_norm:.3g} < {point.bound:.3g} "
        f"{'holds' if point.bound_holds else 'does not hold'}; smallest margins by node"
    )
    least = sorted(point.margins.items(), key=lambda item: item[1])[:8]
    return [*textwrap.wrap(text, WIDTH), *(f"  {shortened(n, 40)}  {m:.3g}" for n, m in least)]


def _witness(witness: Witness) -> list[str]:
    arrows = ", ".join(f"{a} -> {b}" for a, b in witness.arborescence)
    arcs = ", ".join(f"{a} <-> {b}" for a, b in witness.tree)
    text = (
        f"two sets of parameters have the same covariance: {arrows}, all leading to "
        f"{witness.sink}, while {arcs} tie the same columns together. The effects on "
        f"{witness.sink} may be 1 or 2, its noise covariances 1/2 or -1/2 (--json prints both)."
    )
    return textwrap.wrap(shortened(text, 4000), WIDTH)


def scores(values: Mapping[str, float]) -> str:
    """One measure a line, names padded to one width."""
    width = max(len(name) for name in values)
    return "\n".join(f"{name:<{width}}  {_number(value)}" for name, value in values.items())


def _knowledge(fit: Fit) -> str:
    """The rules that the fit obeys, in the words of their statement."""
    told = fit.settings.get("knowledge")
    return str(Knowledge.from_dict(told)) if told else ""


def _rows(fit: Fit) -> str:
    """The rows of the table, and what they are worth where cells were empty."""
    if fit.missing is None:
        return f"{fit.n} rows"
    worth = "are complete" if fit.missing.method == "drop" else "is their worth"
    return f"{fit.missing.rows} rows ({fit.n} {worth})"


def _edges(fit: Fit) -> list[str]:
    rows = [(f"{row.first} {row.mark} {row.second}", _amount(row)) for row in edge_rows(fit)]
    if not rows:
        return ["no edges"]
    width = min(max(len(label) for label, _ in rows), 44)
    lines = [f"{shortened(label, width):<{width}}  {text}" for label, text in rows[:EDGES_SHOWN]]
    if len(rows) > EDGES_SHOWN:
        lines.append(f"... and {len(rows) - EDGES_SHOWN} more")
    return lines


def _amount(row: EdgeRow) -> str:
    also = f"   (as good: {', '.join(row.as_good)})" if row.as_good else ""
    if row.kind == "directed":
        return f"effect {row.value:+.3g}{also}"
    return f"noise correlation {row.strength:+.2f}{also}"


def _yes(flag: bool) -> str:  # noqa: FBT001 - the flag is the value to print
    return "yes" if flag else "no"


def shortened(label: str, width: int) -> str:
    """The label within so many letters."""
    clean = printable(label)
    return clean if len(clean) <= width else clean[: width - 3] + "..."


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)


def wrapped(label: str, text: str) -> list[str]:
    """Label: text in lines of the terminal's width, none when there is no text."""
    lines = textwrap.wrap(f"{label}: {printable(text)}", WIDTH, subsequent_indent="  ")
    return lines if text else []


def count(number: int, thing: str) -> str:
    """The number and the word, with its s."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:d}" if isinstance(value, int) else f"{value:.3f}"
