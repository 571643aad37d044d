"""Rivals, one a file, under one protocol: a table or its moments in, a mixed graph out.

>>> import dagdecor as dd
>>> draw = dd.simulate.draw("local", seed=0)
>>> found = fit("variance-sort", draw.X)
>>> found.graph.bidirected
()
"""

from dagdecor.baselines.protocol import Baseline, Found, Setting
from dagdecor.baselines.registry import RIVALS, fit, names

__all__ = ["RIVALS", "Baseline", "Found", "Setting", "fit", "names"]
