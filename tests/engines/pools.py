"""A pool in memory that is as strict as one that is spread over many machines: work and parts travel as bytes."""

import pickle
from dataclasses import dataclass

import cloudpickle
import numpy as np

LARGEST = 1 << 20  # bytes of work that is sent to parts


@dataclass(frozen=True, eq=False)
class Held:
    """Parts as bytes."""

    kept: tuple
    summaries: tuple = ()

    @property
    def parts(self):
        return len(self.kept)


def packed(part):
    assert all(isinstance(name, str) for name in part)
    assert all(isinstance(column, np.ndarray) and column.dtype != object for column in part.values())
    return pickle.dumps({name: np.ascontiguousarray(column) for name, column in part.items()})


def travelled(work):
    """Send work elsewhere, as a cluster would."""
    sent = cloudpickle.dumps(work)
    assert len(sent) < LARGEST
    return pickle.loads(sent)


class Memory:
    """Keep parts in memory, as bytes."""

    def put(self, parts, *, summarize=None):
        return self._kept(parts, summarize)

    def map(self, work, *handles, summarize=None):
        return self._kept(self._worked(work, handles), summarize)

    def collect(self, work, *handles):
        return [pickle.loads(cloudpickle.dumps(found)) for found in self._worked(work, handles)]

    def shuffle(self, work, parts, *handles, summarize=None):
        sent = [list(pieces) for pieces in self._worked(work, handles)]
        assert all(len(pieces) == parts for pieces in sent)
        names = {tuple(piece) for pieces in sent for piece in pieces}
        assert len(names) == 1
        received = (
            {name: np.concatenate([pieces[i][name] for pieces in sent]) for name in sent[0][0]} for i in range(parts)
        )
        return self._kept(received, summarize)

    def _kept(self, parts, summarize):
        kept = tuple(map(packed, parts))
        if summarize is None:
            return Held(kept)
        mine = travelled(summarize)
        summaries = (mine(number, pickle.loads(part)) for number, part in enumerate(kept))
        return Held(kept, tuple(pickle.loads(cloudpickle.dumps(found)) for found in summaries))

    def stream(self, handle):
        return map(pickle.loads, handle.kept)

    def _worked(self, work, handles):
        mine = travelled(work)
        assert len({handle.parts for handle in handles}) == 1
        # Parts may be worked on in any order, and again if someone fails.
        numbers = list(range(handles[0].parts))
        found = {}
        for number in [*reversed(numbers), *numbers[:1]]:
            found[number] = mine(number, *(pickle.loads(handle.kept[number]) for handle in handles))
        return [found[number] for number in numbers]
