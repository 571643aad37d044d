"""Seed to data and truth: confounded linear models of known regimes."""

from dagdecor.simulate.laws import Latents
from dagdecor.simulate.regimes import REGIMES, Regime, latent_regime
from dagdecor.simulate.sample import Draw, draw, four_node

__all__ = ["REGIMES", "Draw", "Latents", "Regime", "draw", "four_node", "latent_regime"]
