"""Short names for the arrays that compiled code takes, so that its signatures can be read."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Ints8: TypeAlias = NDArray[np.int8]
Seeds: TypeAlias = NDArray[np.uint64]
Truths: TypeAlias = NDArray[np.bool_]
