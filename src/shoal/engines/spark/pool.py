"""Parts on the workers of a Spark cluster.

A handle is an RDD with one partition per part. RDDs are used, and not data frames, because work gets the parts with one
number of several handles: RDDs with equal partitions are zipped where they are, while data frames could only be joined,
with all their rows sent across the cluster.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from shoal.engines.parts.pool import Handle, Part, Summarize
from shoal.engines.spark.accumulators import Recorder, Summaries
from shoal.engines.spark.failures import on_driver, on_worker
from shoal.engines.spark.jobs import tracked
from shoal.engines.spark.serialization import CHUNKS, chunked, concatenated, deserialize, join_chunks, serialize
from shoal.progress import along

T = TypeVar("T")
Message = tuple[int, tuple[int, int, bytes]]  # target, sender, place among the bytes of the sender, bytes
_MESSAGE = 1 << 26  # bytes of one message between two workers
_SMALL = 1 << 22  # bytes of parts that are sent to the workers inside their tasks
_FETCHED = 4  # parts that are fetched to the driver together


def _itself(number: int) -> int:
    return number


@dataclass(eq=False)
class SparkHandle:
    """Parts on a cluster."""

    rdd: Any
    parts: int
    summaries: Sequence[Any] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with work without the parts, as a mere name for them."""
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
        self._released: list[Any] = []
        self._summaries = Summaries(self._context)

    def put(self, parts: Iterable[Part], *, summarize: Summarize = None) -> SparkHandle:
        """Store parts of the driver: small ones are sent inside tasks, others are broadcast one by one."""
        self._unpersist()
        waiting, size, sent = list[bytes](), 0, list[Any]()
        for part in parts:
            waiting.append(bytes(serialize(part)))
            size += len(waiting[-1])
            if size > _SMALL or sent:
                sent += [self._broadcast(len(sent) + number, one) for number, one in enumerate(waiting)]
                waiting.clear()
        if sent:  # many RDDs with one partition become one RDD, with each partition in its place
            whole = self._context.union(sent).partitionBy(len(sent), _itself).mapPartitions(_received)
        elif waiting:
            whole = self._context.parallelize(waiting, len(waiting))
        else:
            whole = self._context.emptyRDD()
        return self.adopt(whole, len(sent) or len(waiting), summarize=summarize)

    def _broadcast(self, number: int, whole: bytes) -> Any:
        sent = self._context.broadcast(whole)
        return self._context.parallelize([0], 1).flatMap(lambda _: _messages(number, 0, sent.value))

    def map(self, work: Callable[..., Part], *handles: Handle, summarize: Summarize = None) -> SparkHandle:
        """Compute a new part from each."""
        count = len(handles)  # what runs on workers must not hold the handles themselves
        recorder = self._summaries.recorder(summarize)

        def run(number: int, elements: Iterator[Any]) -> Iterator[memoryview]:
            with on_worker():
                return _created(recorder, number, work(number, *_parts(elements, count)))

        return self._kept(_raw(self._zipped(handles).mapPartitionsWithIndex(run)), handles[0].parts, recorder)

    def collect(self, work: Callable[..., T], *handles: Handle) -> list[T]:
        """Return a small result for each part to the driver."""
        count = len(handles)

        def run(number: int, elements: Iterator[Any]) -> Iterator[bytes]:
            with on_worker():
                found = pickle.dumps(work(number, *_parts(elements, count)), protocol=5)
            return iter([found])

        if handles[0].parts == 0:
            return []
        with tracked(self._context, handles[0].parts):
            found = self._zipped(handles).mapPartitionsWithIndex(run).collect()
        return [pickle.loads(one) for one in found]  # noqa: S301 - made by our own workers

    def shuffle(
        self, work: Callable[..., Iterable[Part]], parts: int, *handles: Handle, summarize: Summarize = None
    ) -> SparkHandle:
        """Move rows to new parts."""
        count = len(handles)
        recorder = self._summaries.recorder(summarize)

        def send(number: int, elements: Iterator[Any]) -> Iterator[Message]:
            with on_worker():
                for target, part in enumerate(work(number, *_parts(elements, count))):
                    yield from _messages(target, number, serialize(part))

        def receive(number: int, messages: Iterator[Message]) -> Iterator[memoryview]:
            with on_worker():
                return _created(recorder, number, _joined(messages))

        sent = self._zipped(handles).mapPartitionsWithIndex(send).partitionBy(parts, _itself)
        return self._kept(_raw(sent.mapPartitionsWithIndex(receive)), parts, recorder, handles[0].parts)

    def stream(self, handle: Handle) -> Iterator[Part]:
        """Return the parts to the driver, a few at a time."""
        from pyspark.util import _load_from_socket

        self._unpersist()
        rdd, context = handle.rdd, self._context  # type: ignore[attr-defined]
        for first in along(range(0, handle.parts, _FETCHED)):
            some = list(range(first, min(first + _FETCHED, handle.parts)))
            with tracked(context, len(some)):  # by Java alone: bytes that are only passed on need no Python worker
                served = context._jvm.PythonRDD.runJob(context._jsc.sc(), rdd._jrdd, some)
                with _load_from_socket(served, rdd._jrdd_deserializer) as stream:
                    found = iter(list(stream))
            for _ in some:
                yield deserialize(join_chunks(list(islice(found, CHUNKS))))

    def blank(self, parts: int) -> SparkHandle:
        """Give empty parts, for work that needs only their numbers. No job runs yet."""
        numbers = self._context.parallelize(range(parts), parts)
        return SparkHandle(_raw(numbers.mapPartitions(lambda _: chunked(serialize({})))), parts)

    def adopt(self, rdd: Any, parts: int, *, summarize: Summarize = None) -> SparkHandle:
        """Store an RDD whose partitions are the bytes of so many parts."""
        recorder = self._summaries.recorder(summarize)

        def run(number: int, pieces: Iterator[Any]) -> Iterator[memoryview]:
            with on_worker():
                made = join_chunks(list(pieces))
                recorder.record(number, deserialize(made))
            return chunked(made)

        return self._kept(_raw(rdd.mapPartitionsWithIndex(run)), parts, recorder)

    def rows(self, work: Callable[..., Iterable[Any]], *handles: Handle) -> Any:
        """Give an RDD of the rows that ``work(number, *parts)`` returns."""
        count = len(handles)

        def run(number: int, elements: Iterator[Any]) -> Iterator[Any]:
            with on_worker():
                yield from work(number, *_parts(elements, count))

        return self._zipped(handles).mapPartitionsWithIndex(run)

    def _zipped(self, handles: Sequence[Any]) -> Any:
        self._unpersist()
        rdd = handles[0].rdd
        for other in handles[1:]:
            rdd = rdd.zip(other.rdd)
        return rdd

    def _kept(self, rdd: Any, parts: int, recorder: Recorder, senders: int = 0) -> SparkHandle:
        """Compute the parts now, and persist them in memory or else on disk for the lifetime of the handle.

        Lazy parts would be computed inside later work: each step of such a chain occupies a Python process of its own,
        and steps that wait for each other's parts can deadlock.
        """
        from pyspark import StorageLevel

        rdd.persist(StorageLevel.MEMORY_AND_DISK)
        if parts:
            with tracked(self._context, senders + parts):
                rdd._jrdd.count()  # by Java, which computes every partition and looks at none
        handle = SparkHandle(rdd, parts, self._summaries.take(recorder, parts))
        # Unpersisted before the next job: a finalizer may run at any time, also in the middle of a call to Spark.
        weakref.finalize(handle, self._released.append, rdd).atexit = False
        return handle

    def _unpersist(self) -> None:
        while self._released:
            with on_driver():
                self._released.pop().unpersist()


def _created(recorder: Recorder, number: int, part: Part) -> Iterator[memoryview]:
    recorder.record(number, part)
    return chunked(serialize(part))


def _messages(target: int, sender: int, whole: bytes | bytearray) -> Iterator[Message]:
    view = memoryview(whole)
    for at in range(0, len(view), _MESSAGE):
        yield target, (sender, at, bytes(view[at : at + _MESSAGE]))


def _received(messages: Iterator[Message]) -> Iterator[bytearray]:
    with on_worker():
        return iter([serialize(_joined(messages))])


def _joined(messages: Iterator[Message]) -> Part:
    """Join the messages to a part, which arrive in any order, in the order of their senders."""
    received: dict[int, list[tuple[int, bytes]]] = {}
    for _, (sender, at, content) in messages:
        received.setdefault(sender, []).append((at, content))
    return concatenated(
        [deserialize(join_chunks([content for _, content in sorted(received.pop(one))])) for one in sorted(received)]
    )


def _parts(elements: Iterator[Any], handles: int) -> list[Part]:
    """Give the part of each handle from the zipped chunks of all."""
    rows = [_flat(element, handles) for element in elements]
    return [deserialize(join_chunks([row[j] for row in rows])) for j in range(handles)]


def _flat(element: Any, handles: int) -> list[Any]:
    """Undo the nesting of pairs that zipping makes."""
    found = []
    for _ in range(handles - 1):
        element, last = element
        found.append(last)
    return [element, *reversed(found)]


def _raw(rdd: Any) -> Any:
    """Let the elements of an RDD be bytes that are not pickled."""
    from pyspark.serializers import NoOpSerializer

    rdd._jrdd_deserializer = NoOpSerializer()
    return rdd
