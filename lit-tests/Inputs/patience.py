# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How tests wait for what must happen, however slow or busy the machine is."""
import sys
import time

# Seconds after which it is taken for a fault that something has not happened.
PATIENCE = 1800


def until(condition, what):
    """Waits until condition() holds, and returns its value. The program ends with WHAT if it never does."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > end:
            sys.exit(f"never: {what() if callable(what) else what}")
        time.sleep(0.01)
    return value
