"""Settings of the whole suite."""

import signal

from hypothesis import settings

# A suite that a script started in the background ignores Ctrl-C, and so would the commands that it
# starts to see how they take one.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Kernels compile on their first call, so no single example has a time limit; examples are fixed.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("suite")
