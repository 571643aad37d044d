"""Where the two steps of the rounds are computed: compiled kernels, or torch on a device."""

from dagdecor.device.steps import DEVICES, PROCESSOR, Steps, steps

__all__ = ["DEVICES", "PROCESSOR", "Steps", "steps"]
