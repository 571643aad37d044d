"""CPU seconds of a call, and the machine they were taken on."""

import os
import platform
import time
from pathlib import Path

import numpy as np


def timed(call, repeats=1):
    """What `call` returns, and its least CPU seconds."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return result, best


def machine():
    """Processor, cores and Python, for a table's heading."""
    name = platform.processor()
    place = Path("/proc/cpuinfo")
    if place.exists():
        lines = place.read_text().splitlines()
        name = next((line.split(": ")[1] for line in lines if "model name" in line), name)
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"
