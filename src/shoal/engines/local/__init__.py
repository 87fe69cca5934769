"""The local engine: one machine, arrays in memory, compiled kernels."""

from shoal.engines.local.engine import Local as Local
from shoal.engines.local.engine import counted as counted
from shoal.engines.local.engine import holes_of as holes_of
