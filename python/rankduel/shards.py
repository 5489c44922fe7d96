"""Parts of a long command, done anywhere and in any order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from rankduel.commands import command
from rankduel.progress import Progress
from rankduel.settings import SHARE, PartDoneError, count, whole

P = ParamSpec("P")
T = TypeVar("T")


def play_shard(share: str, study: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
    """Do a share of a study, for Dask, Ray, joblib or jobs of a cluster; `merge_shards` puts all shares together.

    All shards write into the folder ``OUT.shards`` beside the study's ``out``, which all machines must share. A shard that is
    done already returns immediately, one that was interrupted continues, and shards of the command line with the same
    settings are shards of the same study.

    Parameters
    ----------
    share
        Which share of how many, e.g. ``"3/64"`` (of 0 to 63), or ``"auto/64"`` in a job array; ``"prepare"`` does what all
        shards need.
    study
        What does the whole, e.g. ``site.live`` or `rankduel.bandit`.
    *args, **kwargs
        Its arguments, with ``out``.

    Raises
    ------
    ValueError
        For wrong usage, e.g. a shard of other settings than those in the folder.

    Examples
    --------
    >>> import tempfile, rankduel as rd
    >>> out = tempfile.mkdtemp() + "/study"
    >>> for share in ["1/2", "0/2"]:
    ...     rd.play_shard(share, rd.bandit, "btl:k=5", "random", steps=100, runs=4, out=out)
    >>> rd.merge_shards(rd.bandit, "btl:k=5", "random", steps=100, runs=4, out=out).labels
    ['random']
    """
    token = SHARE.set(share)
    try:
        study(*args, **kwargs)
    except PartDoneError:
        return
    finally:
        SHARE.reset(token)
    raise TypeError(f"{getattr(study, '__name__', study)!r} is not a study that can be shared out")


def merge_shards(study: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Put the shares of a study together: the files are, byte for byte, those that one process writes.

    Parameters
    ----------
    study
        What does the whole, e.g. ``site.live``.
    *args, **kwargs
        The arguments of all shares.

    Returns
    -------
    object
        What the study returns.

    Raises
    ------
    ValueError
        If a share is missing, damaged, or of other settings or another version: by its name, before anything is written.
    """
    token = SHARE.set("merge")
    try:
        return study(*args, **kwargs)
    finally:
        SHARE.reset(token)


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
