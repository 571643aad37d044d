"""Methods that misbehave, for tests of the study: they are sent to other processes by value."""

import os
import sys
import time

import numpy as np

from dagdecor.baselines import Baseline, Found, Setting
from dagdecor.graph import MixedGraph

SETTING = Setting("none", "none")


def empty(moments):
    """No edges."""
    return Found(MixedGraph(moments.names), np.zeros_like(moments.S))


def slow(moments):
    """No edges, after a while."""
    time.sleep(0.15)
    return empty(moments)


def refuse(moments):
    raise ValueError("this table\nis not to my taste")


def hang(moments):
    while True:
        time.sleep(0.1)


def hang_in_the_kernel(moments):
    """Hold the interpreter's lock for ever, where no signal handler and no thread can run."""
    import ctypes

    ctypes.PyDLL(None).pause()


def crash(moments):
    os.kill(os.getpid(), 9)


def chatter(moments):
    sys.stdout.write("noise on the stream that carries the rows")
    os.write(1, b"more of it")
    return empty(moments)


def alien(moments):
    return Found(MixedGraph(["other", "columns"]))


def drawn(moments, random_state):
    """One random edge: the same for the same seed, also from numpy's own state."""
    first, second = np.random.permutation(len(moments.names))[:2]  # noqa: NPY002
    names = moments.names
    return Found(MixedGraph(names, [(names[first], names[second])]), statement=str(random_state))


def method(name, fit, **facts):
    return Baseline(name, "a test's", fit, SETTING, **facts)


EMPTY = method("empty", empty)
SLOW = method("slow", slow)
