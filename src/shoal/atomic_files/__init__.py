"""Writing several files together: all of them or none, and never over something that is still needed.

What a run writes it writes as drafts, in a folder that only it uses, and moves them into place when all are complete.
A run that is ended at whatever moment leaves what was there before or what was to come, never some of both: the next
one that comes to the same folder finds a note of what was to be moved, and finishes it.
"""

from shoal.atomic_files.drafts import OutputFile, all_or_none, put, writing
from shoal.atomic_files.overwriting import ReadsFiles, files_read_by, refuse_overwriting
from shoal.atomic_files.recovering import recover

__all__ = [
    "OutputFile",
    "ReadsFiles",
    "all_or_none",
    "files_read_by",
    "put",
    "recover",
    "refuse_overwriting",
    "writing",
]
