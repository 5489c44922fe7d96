"""Parts of a long command, done anywhere and in any order."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rankduel.commands import command
from rankduel.progress import Progress
from rankduel.settings import count, whole


def run_shard(
    shard: int,
    shards: int,
    words: Sequence[str | os.PathLike[str]],
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> str:
    """Do one of several shards of a command: what ``--shard`` does, as a function for Dask, Ray, joblib or multiprocessing.

    All shards write into the folder ``OUT.shards`` beside the command's ``--out``, which all machines must share. A shard that
    is done already returns immediately, so that any can be done again; `merge` then writes what one process would have.

    Parameters
    ----------
    shard
        Which, from 0.
    shards
        How many there are.
    words
        The command, with ``--out``: e.g. ``["bandit", "--problem", "btl:k=100", "--runs", "640", "--out", "results/btl"]``.
    threads
        Threads; all cores by default.
    progress
        `True` for bars of tqdm, or a function.

    Returns
    -------
    str
        What the command line prints.

    Raises
    ------
    ValueError
        For wrong usage, e.g. a shard of other settings than those in the folder.

    Examples
    --------
    >>> import tempfile, rankduel as rd
    >>> out = tempfile.mkdtemp() + "/study"
    >>> words = ["bandit", "--problem", "btl:k=5", "--algorithms", "random", "--steps", "100", "--runs", "4", "--out", out]
    >>> for shard in [1, 0]:
    ...     _ = rd.run_shard(shard, 2, words)
    >>> "random" in rd.merge(out)
    True
    """
    shard, shards = whole("shard", shard), count("shards", shards)
    if not 0 <= shard < shards:
        raise ValueError(f"expected a shard from 0 to {shards - 1}, found {shard}")
    return command(*words, "--shard", f"{shard}/{shards}", "--quiet", threads=threads, progress=progress)


def merge(folder: str | os.PathLike[str], *, threads: int | None = None) -> str:
    """Put the shards of a command together: byte for byte what one process writes.

    Parameters
    ----------
    folder
        The ``--out`` of the command.
    threads
        Threads; all cores by default.

    Returns
    -------
    str
        What the command prints.

    Raises
    ------
    RuntimeError
        If a shard is missing, damaged, or of other settings or another version: by its name, before anything is written.
    """
    return command("merge", folder, "--quiet", threads=threads)
