"""The terms of the objective: value, gradient, prox, violation; no loops, no tolerances."""
