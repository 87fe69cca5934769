"""What arrays hold, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # of any numbers: who hands it on need not know which
Positions = NDArray[np.int32]  # places on an axis, or in a list
Labels = NDArray[np.int32]  # the number of the class that each record is in
Integers = NDArray[np.int64]
Offsets = NDArray[np.int64]  # where each of several stretches begins, and where the last one ends
Floats = NDArray[np.float64]
Levels = NDArray[np.float64]  # what each class reaches of a promise
Singles = NDArray[np.float32]
Flags = NDArray[np.bool_]
Bits = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
# Positions on an axis, in ascending order, and how often each occurs.
Counts = tuple[Positions, Integers]
