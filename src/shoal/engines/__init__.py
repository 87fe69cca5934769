"""Where data are held and how they are reached: the contract of engines, the values they speak in, and `read`."""

from shoal.engines.factory import default_engine as default_engine
from shoal.engines.factory import engine_for as engine_for
from shoal.engines.protocol import AnyEngine as AnyEngine
from shoal.engines.protocol import Engine as Engine
from shoal.engines.reading import read as read
from shoal.engines.values import Boxes as Boxes
from shoal.engines.values import Layout as Layout
from shoal.engines.values import Moments as Moments
from shoal.engines.values import Piece as Piece
from shoal.engines.values import Promise as Promise
from shoal.engines.values import Publication as Publication
from shoal.engines.values import Spans as Spans
