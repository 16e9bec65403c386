"""Units on other processes and machines, through Dask: the extra ``wslib[cluster]``.

``results(units, experiment, on=...)`` takes a scheduler's address, a ``distributed.Client``, or a cluster object such
as ``LocalCluster`` or ``dask_jobqueue.SLURMCluster``. The file store alone carries the truth: a worker computes a unit,
stores it and returns its id; a unit that is stored already is not computed again, so that what Dask repeats after it
has lost a worker costs nothing, and after the loss of the scheduler the same call goes on.

A Dask scheduler runs whatever code it is sent by anybody who reaches it, and so does a worker. So its address must be a
loopback address, where all of them listen; or the connection must be TLS, where both sides show a certificate.
"""

import ipaddress
import logging
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from wslib.parameters import ParameterError
from wslib.study.engine.provenance import needs_gpu
from wslib.study.engine.units import Unit, stored_unit
from wslib.workers import Failed, More, WorkerLost

RETRIES = 3
"""How often a unit is tried again when an attempt has failed with its worker."""
AHEAD = 3
"""Units that a scheduler is given for each thread of its workers."""
PATIENCE = "20s"
"""How long to wait for a scheduler that does not answer."""


class SchedulerLost(WorkerLost):
    """The scheduler has gone, or never was there."""


def check_address(address: str) -> None:
    """Refuse a scheduler's address that others could reach and that is not TLS.

    >>> check_address("tcp://127.0.0.1:8786")
    >>> check_address("tls://10.1.2.3:8786")
    """
    match = re.fullmatch(r"(?:(?P<protocol>tcp|tls)://(?P<host>\[[^]]+\]|[^:/]*):[0-9]{1,5}|inproc://.+)", address)
    if not match:
        raise ParameterError(
            f"{address!r} is not a scheduler's address: it should be like tcp://127.0.0.1:8786 or tls://host:8786"
        )
    if match["protocol"] == "tcp" and not _is_loopback(match["host"].strip("[]")):
        raise ParameterError(
            f"{address!r} is refused: a Dask scheduler runs the code of anybody who reaches it, so outside this "
            "machine the address should begin with tls:// (or be a tunnel's end at 127.0.0.1)"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def as_ready_on(more: More, on: Any, failed: Failed) -> Iterator[tuple[int, str]]:
    """Yield ``(index, id)`` as units are stored by the workers of ``on``; ``failed`` is told of those that are not.

    ``more`` gives the next task, what :func:`stored_unit` takes, or None while none is ready; so that the first ones
    come first, the scheduler never has many.
    """
    try:
        from distributed import Client, Future, as_completed
        from distributed.client import FutureCancelledError
    except ImportError:
        raise ParameterError(
            "computing on a cluster needs Dask: 'make env' installs it, and so does 'pip install -e .[cluster]'"
        ) from None
    # What is to be said of a lost scheduler is said here, in one sentence.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    client, ours = _client(on, Client)
    try:
        if client.dashboard_link:
            _tell_once(f"Dask's dashboard: {client.dashboard_link}")
        futures: dict[Future, int] = {}
        number, ended = 0, as_completed(loop=client.loop)
        while True:
            most = AHEAD * max(sum(client.nthreads().values()), 1)
            while len(futures) < most and (task := more()) is not None:
                future = _submitted(client, *task)
                futures[future], number = number, number + 1
                ended.add(future)
            if not futures:
                return
            future = next(ended)
            index = futures.pop(future)
            try:
                name = future.result()
            except FutureCancelledError:
                address = client.scheduler.address if client.scheduler else on
                raise SchedulerLost(
                    f"the scheduler at {address} was lost; what was finished is stored, and the same command goes on "
                    "from there"
                ) from None
            except Exception as error:
                failed(index, _plain(error))
            else:
                yield index, name
    finally:
        if ours:
            client.close(timeout=2)


def _submitted(client: Any, unit: Unit, root: Path, again: bool) -> Any:
    # Workers with GPUs say so by ``--resources GPU=1``; which of them each takes it finds out by itself.
    key, resources = f"{unit.kind}-{unit.id}", {"GPU": 1} if needs_gpu(unit) else None
    return client.submit(
        stored_unit, unit, root.resolve(), again, key=key, pure=False, retries=RETRIES, resources=resources
    )


def _client(on: Any, kind: Any) -> tuple[Any, bool]:
    """A client of whatever was given, and whether it is ours to close."""
    if isinstance(on, str):
        check_address(on)
        if on.startswith("tls:"):
            _check_certificates(on)
        try:
            client = kind(on, timeout=PATIENCE, set_as_default=False)
        except OSError as error:
            raise SchedulerLost(
                f"no scheduler answers at {on}: 'dask scheduler --host 127.0.0.1 --dashboard-address 127.0.0.1:8787' "
                "starts one"
            ) from error
    elif hasattr(on, "scheduler_address"):
        check_address(on.scheduler_address)
        client = kind(on, set_as_default=False)
    elif isinstance(on, kind):
        check_address(on.scheduler.address)
        return _checked(on), False
    else:
        raise ParameterError(
            f"on = {on!r:.60} is not allowed: it should be an address, a Dask client or a Dask cluster"
        )
    return _checked(client), True


def _check_certificates(address: str) -> None:
    """Refuse to knock at a TLS address without the files that both sides show; Dask would only wait."""
    from distributed.security import Security

    try:
        missing = Security().get_connection_args("client").get("ssl_context") is None
    except (OSError, ValueError) as error:
        raise ParameterError(f"the certificates for {address} cannot be read: {error}") from None
    if missing:
        raise ParameterError(
            f"{address!r} needs certificates: Dask's configuration (distributed.comm.tls) should name ca-file, and "
            "the client's cert and key, as in DASK_DISTRIBUTED__COMM__TLS__CA_FILE=dask.pem"
        )


def _ears(dask_scheduler: Any = None, dask_worker: Any = None) -> tuple[str, str]:
    """Where the scheduler or worker that this is run by listens, and its dashboard (nothing: it has none)."""
    server = dask_scheduler or dask_worker
    return server.listen_address, getattr(getattr(server, "http_server", None), "address", "")


def _check_ears(client: Any) -> None:
    """Refuse a scheduler or a worker that others can send code to; say so of a dashboard that others can look at."""
    told = [client.run_on_scheduler(_ears), *client.run(_ears, on_error="ignore").values()]
    for address, _ in told:
        match = re.fullmatch(r"tcp://(.*):[0-9]+", address)
        if match and not _is_loopback(match[1].strip("[]")):
            raise ParameterError(
                f"a scheduler or worker listens at {address}, and runs the code of anybody who reaches it: it should "
                "be started with --host 127.0.0.1 (or by TLS)"
            )
    for _, dashboard in told:
        if dashboard and not _is_loopback(dashboard):
            _tell_once(
                f"A dashboard of Dask listens at {dashboard}, where others may look at it without a login: "
                "--dashboard-address 127.0.0.1:8787 (or dashboard_address=...) keeps it here"
            )


def _checked(client: Any) -> Any:
    """A client of a cluster that nobody else commands, and whose workers have one thread each.

    Units set the threads of their process, and share its caches.
    """
    _check_ears(client)
    threads = {worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()}
    if threads - {1}:
        raise ParameterError(
            f"these workers have {max(threads)} threads each: they should have one, as by 'dask worker --nthreads 1' "
            "or LocalCluster(threads_per_worker=1)"
        )
    return client


@cache
def _tell_once(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _plain(error: Exception) -> Exception:
    """Dask's error for a unit whose workers died, in our words."""
    if type(error).__name__ == "KilledWorker":
        return WorkerLost("the Dask workers that worked on it were killed, several times over")
    return error
