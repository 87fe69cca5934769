"""Parts that lie on the workers of a Spark cluster.

A handle is an RDD with one partition per part. RDDs are used, and not data frames, because work is given the parts of
one number from several handles: RDDs with equal partitions are zipped where they lie, while data frames could only be
joined, with all their rows sent across the cluster.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from shoal.engines.parts.pool import Handle, Part, Summarize
from shoal.engines.spark.accumulators import Notes
from shoal.engines.spark.failures import on_driver, on_worker
from shoal.engines.spark.jobs import followed
from shoal.engines.spark.serialization import STRETCHES, concatenated, joined, pack, stretched, unpack
from shoal.progress import along

T = TypeVar("T")
_SENT = 1 << 26  # bytes of one message between two workers
_SMALL = 1 << 22  # bytes of parts that go to the workers with their tasks
_FETCHED = 4  # parts that are brought to the driver together


def _itself(number: int) -> int:
    return number


@dataclass(eq=False)
class SparkHandle:
    """A row of parts on a cluster."""

    rdd: Any
    parts: int
    summaries: Sequence[Any] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with work as a name that stands for the parts, without them."""
        return SparkHandle, (None, self.parts)


class SparkPool:
    """Hold parts on the workers of a cluster.

    Parameters
    ----------
    session
        A Spark session.
    """

    def __init__(self, session: Any) -> None:
        self.session = session
        self._context = session.sparkContext
        self._gone: list[Any] = []
        self._notes = Notes(self._context)

    def put(self, parts: Iterable[Part], *, summarize: Summarize = None) -> SparkHandle:
        """Keep parts that are made here: small ones go to the workers with their tasks, others each by itself."""
        self._tidy()
        waiting, size, rows = list[bytes](), 0, list[Any]()
        for part in parts:
            waiting.append(bytes(pack(part)))
            size += len(waiting[-1])
            if size > _SMALL or rows:
                rows += [self._sent(len(rows) + number, one) for number, one in enumerate(waiting)]
                waiting.clear()
        if rows:  # many single partitions become one row of them, each in its place
            whole = self._context.union(rows).partitionBy(len(rows), _itself).mapPartitions(_received)
        elif waiting:
            whole = self._context.parallelize(waiting, len(waiting))
        else:
            whole = self._context.emptyRDD()
        return self.adopt(whole, len(rows) or len(waiting), summarize=summarize)

    def _sent(self, number: int, whole: bytes) -> Any:
        return self._context.parallelize([0], 1).flatMap(_read(number, self._context.broadcast(whole)))

    def map(self, work: Callable[..., Part], *handles: Handle, summarize: Summarize = None) -> SparkHandle:
        """Make a part of each."""
        count = len(handles)  # what runs on workers must not hold the handles themselves
        noted = self._notes.taker(summarize)

        def run(number: int, elements: Iterator[Any]) -> Iterator[memoryview]:
            with on_worker():
                part = work(number, *_parts(elements, count))
                if noted:
                    noted.take(number, part)
                made = pack(part)
            return stretched(made)

        return self._kept(_raw(self._zipped(handles).mapPartitionsWithIndex(run)), handles[0].parts, noted)

    def collect(self, work: Callable[..., T], *handles: Handle) -> list[T]:
        """Bring something small from each part here, in their order."""
        count = len(handles)

        def run(number: int, elements: Iterator[Any]) -> Iterator[bytes]:
            with on_worker():
                found = pickle.dumps(work(number, *_parts(elements, count)), protocol=5)
            return iter([found])

        if handles[0].parts == 0:
            return []
        with followed(self._context, handles[0].parts):
            found = self._zipped(handles).mapPartitionsWithIndex(run).collect()
        return [pickle.loads(one) for one in found]  # noqa: S301 - made by our own workers

    def shuffle(
        self, work: Callable[..., Sequence[Part]], parts: int, *handles: Handle, summarize: Summarize = None
    ) -> SparkHandle:
        """Move rows between parts."""
        count = len(handles)
        noted = self._notes.taker(summarize)

        def send(number: int, elements: Iterator[Any]) -> Iterator[tuple[int, tuple[int, int, bytes]]]:
            with on_worker():
                for target, part in enumerate(work(number, *_parts(elements, count))):
                    whole = memoryview(pack(part))
                    for at in range(0, len(whole), _SENT):
                        yield target, (number, at, bytes(whole[at : at + _SENT]))

        def receive(number: int, messages: Iterator[Any]) -> Iterator[memoryview]:
            with on_worker():
                part = _put_together(messages)
                if noted:
                    noted.take(number, part)
                made = pack(part)
            return stretched(made)

        sent = self._zipped(handles).mapPartitionsWithIndex(send).partitionBy(parts, _itself)
        return self._kept(_raw(sent.mapPartitionsWithIndex(receive)), parts, noted, handles[0].parts)

    def stream(self, handle: Handle) -> Iterator[Part]:
        """Bring the parts here, a few at a time."""
        from pyspark.util import _load_from_socket

        self._tidy()
        rdd, context = handle.rdd, self._context  # type: ignore[attr-defined]
        for first in along(range(0, handle.parts, _FETCHED)):
            some = list(range(first, min(first + _FETCHED, handle.parts)))
            with followed(
                self._context, len(some)
            ):  # by Java alone: no Python on a worker needs to see what is only passed on
                served = context._jvm.PythonRDD.runJob(context._jsc.sc(), rdd._jrdd, some)
                with _load_from_socket(served, rdd._jrdd_deserializer) as stream:
                    found = iter(list(stream))
            for _ in some:
                yield unpack(joined(list(islice(found, STRETCHES))))

    def blank(self, parts: int) -> SparkHandle:
        """Give parts that hold nothing, for work that knows by its number what to do. Nothing is done yet."""
        numbers = self._context.parallelize(range(parts), parts)
        return SparkHandle(_raw(numbers.mapPartitions(lambda _: stretched(pack({})))), parts)

    def adopt(self, rdd: Any, parts: int, *, summarize: Summarize = None) -> SparkHandle:
        """Keep what Spark holds already: an RDD whose partitions are the bytes of so many parts."""
        noted = self._notes.taker(summarize)

        def run(number: int, pieces: Iterator[Any]) -> Iterator[memoryview]:
            with on_worker():
                made = joined(list(pieces))
                if noted:
                    noted.take(number, unpack(made))
            return stretched(made)

        return self._kept(_raw(rdd.mapPartitionsWithIndex(run)), parts, noted)

    def rows(self, work: Callable[..., Iterable[Any]], *handles: Handle) -> Any:
        """Give an RDD of whatever rows work makes of each part."""
        count = len(handles)

        def run(number: int, elements: Iterator[Any]) -> Iterator[Any]:
            with on_worker():
                yield from work(number, *_parts(elements, count))

        return self._zipped(handles).mapPartitionsWithIndex(run)

    def _zipped(self, handles: Sequence[Any]) -> Any:
        self._tidy()
        rdd = handles[0].rdd
        for other in handles[1:]:
            rdd = rdd.zip(other.rdd)
        return rdd

    def _kept(self, rdd: Any, parts: int, noted: Any, senders: int = 0) -> SparkHandle:
        """Make the parts now, and keep them in memory or else on disk, as long as someone holds the handle.

        What is put off would be made inside other work: each step of such a chain holds a Python process of its own,
        and steps that wait for each other's parts can come to a standstill.
        """
        from pyspark import StorageLevel

        rdd.persist(StorageLevel.MEMORY_AND_DISK)
        if parts:
            with followed(self._context, senders + parts):
                rdd._jrdd.count()  # by Java, which makes every partition and looks at none
        handle = SparkHandle(rdd, parts, self._notes.of(noted, parts) if noted else ())
        # It is let go at the next piece of work: here, in the midst of anything, nothing may be asked of Spark.
        weakref.finalize(handle, self._gone.append, rdd).atexit = False
        return handle

    def _tidy(self) -> None:
        while self._gone:
            with on_driver():
                self._gone.pop().unpersist()


def _read(number: int, sent: Any) -> Callable[[Any], Iterator[tuple[int, tuple[int, int, bytes]]]]:
    """Give what makes the messages of a part that the driver sent."""

    def read(_: Any) -> Iterator[tuple[int, tuple[int, int, bytes]]]:
        whole = sent.value
        for at in range(0, len(whole), _SENT):
            yield number, (0, at, whole[at : at + _SENT])

    return read


def _received(messages: Iterator[tuple[int, tuple[int, int, bytes]]]) -> Iterator[bytearray]:
    with on_worker():
        made = pack(_put_together(messages))
    return iter([made])


def _put_together(messages: Iterator[tuple[int, tuple[int, int, bytes]]]) -> Part:
    """Make a part of all that was sent to it: messages come in any order, and are put into that of their senders."""
    letters: dict[int, list[tuple[int, bytes]]] = {}
    for _, (sender, at, content) in messages:
        letters.setdefault(sender, []).append((at, content))
    return concatenated(
        [unpack(joined([content for _, content in sorted(letters.pop(one))])) for one in sorted(letters)]
    )


def _parts(elements: Iterator[Any], handles: int) -> list[Part]:
    """Give the part of each handle from the zipped stretches of all."""
    rows = [_flat(element, handles) for element in elements]
    return [unpack(joined([row[j] for row in rows])) for j in range(handles)]


def _flat(element: Any, handles: int) -> list[Any]:
    """Undo the nesting of pairs that zipping makes."""
    found = []
    for _ in range(handles - 1):
        element, last = element
        found.append(last)
    return [element, *reversed(found)]


def _raw(rdd: Any) -> Any:
    """Let the elements of an RDD be bytes that nobody pickles."""
    from pyspark.serializers import NoOpSerializer

    rdd._jrdd_deserializer = NoOpSerializer()
    return rdd
