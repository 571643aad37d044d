"""Mixed graphs and the questions that a graph alone answers."""

from dagdecor.graph.mixed import Edge, MixedGraph, default_names
from dagdecor.graph.projection import latent_projection
from dagdecor.graph.separation import m_separated

__all__ = ["Edge", "MixedGraph", "default_names", "latent_projection", "m_separated"]
