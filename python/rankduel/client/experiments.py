"""Calls about experiments as a whole: create, watch, change, export."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, TypedDict, Union

from rankduel.client.problems import Problem, unexpected
from rankduel.client.transport import Transport
from rankduel.client.wire import encoded, field, json_of, names_of, parsed, quoted, text_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ExperimentSettings(TypedDict, total=False):
    """The settings of an experiment: ``Settings`` of the server's interface (``/openapi.json``), which describes them.

    A server of another version may have others, and refuses what it does not know.
    """

    champion: Optional[str]
    policy: str
    horizon: int
    ask: str
    interleaving: str
    multileaving: str
    shown: int
    depth: int
    window: str
    keep: str
    unit_days: int
    timezone: str
    bots: Mapping[str, Any]
    level: float
    guardrails: Mapping[str, Any]
    simulated: bool
    same_lists: bool
    seed: int
    run: int
    generators: Optional[Mapping[str, Any]]
    retain: Optional[str]
    share: float
    ramp: Optional[Sequence[Sequence[Any]]]
    lane: Optional[Mapping[str, Any]]
    segments: Sequence[str]
    end_at: Optional[str]
    begin_after: Optional[str]
    outcomes: Optional[Mapping[str, str]]
    outcome_days: Optional[int]
    attribution: Optional[str]
    currency: Optional[str]
    cap: Optional[int]
    primary: Optional[str]


class Experiments:
    """The calls about experiments as a whole."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _json(self, method: str, path: str, what: str, body: Any = None, within: Optional[float] = None) -> dict[str, Any]:
        data = None if body is None else encoded(body)
        return parsed(self._transport.call(method, path, what, data, within=within))

    @staticmethod
    def _path(experiment: str) -> str:
        return f"/v1/experiments/{quoted(text_of('experiment', experiment))}"

    def create(self, name: str, rankers: Union[Sequence[str], Mapping[str, str]], **settings: Unpack[ExperimentSettings]) -> dict[str, Any]:
        """Create an experiment, which runs immediately, or once that of `begin_after` is over.

        Parameters
        ----------
        name
            Its name, of ``a-z``, ``0-9``, ``_`` and ``-``.
        rankers
            Their names, or versions by name. The first is the champion unless `champion` names another.
        **settings
            `ExperimentSettings`: ``policy``, ``depth``, ``shown``, ``window``, ``keep``, ``seed`` and all others; the server refuses unknown ones.

        Returns
        -------
        dict
            ``experiment``, ``version``, ``state`` and ``settings`` with their defaults.

        Raises
        ------
        Problem
            With status 409 if an experiment of that name exists, with 422 if ``end_at`` has passed or ``begin_after`` is not there.
        """
        if isinstance(rankers, Mapping):
            listed: list[Any] = [{"name": ranker, "version": version} for ranker, version in rankers.items()]
        else:
            listed = list(names_of("rankers", rankers))
        body = {"name": text_of("name", name), "rankers": listed, **settings}
        try:
            return self._json("POST", "/v1/experiments", "POST /v1/experiments", body)
        except Problem as problem:
            if not (problem.status == 409 and problem.may_have_happened):
                raise
            made = self._made(name, body)
            if made is None:
                raise
            return made

    def _made(self, name: str, body: Mapping[str, Any]) -> Optional[dict[str, Any]]:
        """The experiment that an earlier attempt of `create` made; None if the one of this name has other settings."""
        status = self.status(name)
        has = field(status, "settings", dict)
        if not all(_is_setting(key, value, has.get(key)) for key, value in json.loads(encoded(body)).items()):
            return None
        return {part: field(status, part, object) for part in ("experiment", "version", "state", "settings")}

    def experiments(self) -> list[dict[str, Any]]:
        """Return all experiments that the key may see: name, version, state, start, impressions and headline of each."""
        found: list[dict[str, Any]] = []
        path = "/v1/experiments"
        while True:
            # A server of an earlier version lists all of them in one answer.
            answer = self._json("GET", path, "GET /v1/experiments")
            found += field(answer, "experiments", list)
            if not answer.get("next"):
                return found
            path = f"/v1/experiments?after={quoted(field(answer, 'next', str))}"

    def status(self, experiment: str) -> dict[str, Any]:
        """Return who is winning, and what became of all impressions and clicks.

        Parameters
        ----------
        experiment
            Its name.

        Returns
        -------
        dict
            ``headline`` is the verdict in one sentence; ``pairs`` has counts, intervals and verdicts.
        """
        return self._json("GET", self._path(experiment), "GET /v1/experiments/{experiment}")

    def pause(self, experiment: str, why: str = "") -> str:
        """Give everybody the champion until `resume`; returns the state."""
        return self._change(experiment, "pause", "paused", why)

    def resume(self, experiment: str, why: str = "") -> str:
        """Mix lists again; returns the state."""
        return self._change(experiment, "resume", "running", why)

    def kill(self, experiment: str, why: str = "") -> str:
        """Give everybody the champion immediately, whatever the store does, until `resume`; returns the state."""
        return self._change(experiment, "kill", "killed", why)

    def end(self, experiment: str, why: str = "") -> str:
        """End the experiment; open impressions take clicks until their windows are over. Returns the state."""
        return self._change(experiment, "end", "ended", why)

    def raise_share(self, experiment: str, share: float, why: str = "") -> float:
        """Raise the share of units that is in the experiment. It is never lowered: who is in stays in.

        Parameters
        ----------
        experiment
            Its name.
        share
            Above 0 and at most 1.
        why
            A reason, which is recorded.

        Returns
        -------
        float
            The share from now on.

        Raises
        ------
        Problem
            With status 409 if the share is higher already.
        """
        body: dict[str, Any] = {"share": share, **({"why": why} if why else {})}
        answer = self._json("POST", f"{self._path(experiment)}/share", "POST /v1/experiments/{experiment}/share", body)
        now = field(answer, "share", object)
        if not isinstance(now, (int, float)) or isinstance(now, bool):
            raise unexpected("share")
        return float(now)

    def ship(self, experiment: str, ranker: str, why: str = "") -> str:
        """Give everybody the list of a ranker from now on: the experiment is over. Another one can be shipped later.

        Parameters
        ----------
        experiment
            Its name.
        ranker
            The ranker, by its name.
        why
            A reason, which is recorded.

        Returns
        -------
        str
            The state: ``shipped``.
        """
        return self._change(experiment, "ship", "shipped", why, ranker)

    def _change(self, experiment: str, verb: str, state: str, why: str, ranker: str | None = None) -> str:
        path = f"{self._path(experiment)}/{verb}"
        body = {name: value for name, value in (("ranker", ranker), ("why", why)) if value}
        try:
            answer = self._json("POST", path, f"POST /v1/experiments/{{experiment}}/{verb}", body)
        except Problem as problem:
            # Refused because an earlier attempt did it?
            if not (problem.status in (409, 422) and problem.may_have_happened):
                raise
            now = self.status(experiment)
            if now.get("state") != state or ranker not in (None, now.get("fallback")):
                raise
            return state
        return field(answer, "state", str)

    def delete(self, experiment: str) -> bool:
        """Delete an experiment that is over, with its log, its documents and what is known of its units.

        Parameters
        ----------
        experiment
            Its name.

        Returns
        -------
        bool
            Whether it was there.

        Raises
        ------
        Problem
            If it has not ended, or pages of it are open.
        """
        try:
            self._json("DELETE", self._path(experiment), "DELETE /v1/experiments/{experiment}")
        except Problem as problem:
            # An earlier try may have been carried out, and its answer lost.
            if problem.status == 404:
                return False
            raise
        return True

    def delete_unit(self, unit: str) -> int:
        """Delete a unit: its hash, and what it was shown. Statistics stay as they are.

        Parameters
        ----------
        unit
            The unit, as it was named to `impression`.

        Returns
        -------
        int
            How many impressions lost their unit.
        """
        answer = self._json("POST", "/v1/units/delete", "POST /v1/units/delete", {"unit": text_of("unit", unit)})
        return field(answer, "impressions", int)

    def export(self, experiment: str, what: str = "impressions") -> Iterator[dict[str, Any]]:
        """Yield the log of an experiment, line by line.

        Parameters
        ----------
        experiment
            Its name.
        what
            ``impressions`` and ``clicks`` as ``click-logs credit`` reads them, ``rules``, ``judgements`` as
            ``rankduel board`` reads them, or ``log``: every event.

        Yields
        ------
        dict
            One line.

        Raises
        ------
        Problem
            If the answer ends too early.
        """
        for line in self._export(experiment, what):
            value = json_of(line)
            if not isinstance(value, dict):
                raise unexpected("line")
            yield value

    def save_export(self, experiment: str, what: str, path: Union[str, os.PathLike[str]]) -> int:
        """Write the log of an experiment to a file. An incomplete file is never left behind.

        Parameters
        ----------
        experiment, what
            As for `export`.
        path
            The file; it replaces an existing one when it is complete.

        Returns
        -------
        int
            How many lines it has.
        """
        aside = f"{os.fspath(path)}.part-{secrets.token_hex(4)}"
        lines = 0
        try:
            with open(aside, "wb") as file:
                for line in self._export(experiment, what):
                    file.write(line + b"\n")
                    lines += 1
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, path)
        except BaseException:
            try:
                os.unlink(aside)
            except OSError:
                pass
            raise
        return lines

    def _export(self, experiment: str, what: str) -> Iterator[bytes]:
        path = f"{self._path(experiment)}/export?what={quoted(text_of('what', what))}"
        lines = self._transport.lines(path, "GET /v1/experiments/{experiment}/export")
        return (line for line in lines if line.strip())


def _is_setting(key: str, given: Any, has: Any) -> bool:
    """Whether a setting that was given became this one, in which the server has stated all defaults."""
    if given is None:
        return True
    if key == "rankers":
        return [_versioned(ranker) for ranker in given] == [_versioned(ranker) for ranker in has]
    if key == "policy":
        # Parameters are written out, and `auto` becomes a policy.
        return given == "auto" or str(given).split(":")[0] == str(has).split(":")[0]
    if key == "depth" and given == 0:
        return True
    if isinstance(given, dict) and isinstance(has, dict):
        return all(_is_setting("", value, has.get(name)) for name, value in given.items())
    return bool(given == has)


def _versioned(ranker: Any) -> tuple[Any, Any]:
    return (ranker, "") if isinstance(ranker, str) else (ranker.get("name"), ranker.get("version", ""))
