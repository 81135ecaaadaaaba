"""Networks that stay for several runs, until the user takes them down. Each belongs to a topology file and a user."""

import contextlib
import hashlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.network.holder import Network, made_network, start
from hopscope.launch.network.spec import NetworkSpec

_TOPOLOGY = "topology.json"
_NAME = "file"
_PATIENCE_SECONDS = 10


def _home() -> Path:
    """The folder of this user's networks. No other user may write in it."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / "hopscope" if runtime else Path(tempfile.gettempdir()) / f"hopscope-{os.getuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise InputError(f"{folder} belongs to somebody else; remove it, or set XDG_RUNTIME_DIR to a folder of yours")
    return folder


def _folder(file: Path) -> Path:
    return _home() / f"net-{hashlib.sha256(os.fsencode(file.resolve())).hexdigest()[:12]}"


def _keeper(folder: Path) -> int | None:
    """The process that keeps the network of a folder; None if it is gone."""
    try:
        process = int((folder / "holder").read_text().split()[0])
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError, IndexError):
        return None
    # Another process may have got the keeper's number since.
    return process if os.fsencode(folder) in words else None


def _forget(folder: Path) -> None:
    """Removes the files of a network that has ended. Raises InputError if this process runs on a host of the network,
    from where its keeper is not visible."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        if int((folder / "spaces").read_text().split()[0]) == Path("/proc/self/ns/pid").stat().st_ino:
            raise InputError("this is a host of that network; run `hopscope net` outside it")
    shutil.rmtree(folder, ignore_errors=True)


def find(spec: NetworkSpec) -> Network | None:
    """The network that is up for a topology file. Raises InputError if the file has changed since."""
    folder = _folder(spec.file)
    process = _keeper(folder)
    if process is None:
        return None
    if (folder / _TOPOLOGY).read_bytes() != spec.file.read_bytes():
        raise InputError(
            f"{spec.file} has changed since its network was made; run `hopscope net down {spec.file}`, then up again"
        )
    return Network(spec, folder, process)


def up(spec: NetworkSpec) -> Network:
    """Makes a network that stays. Raises InputError if this file's network is up already, or cannot be made."""
    if find(spec) is not None:
        raise InputError(f"the network of {spec.file} is up already; to end it: hopscope net down {spec.file}")
    folder = _folder(spec.file)
    _forget(folder)
    folder.mkdir(mode=0o700)
    shutil.copyfile(spec.file, folder / _TOPOLOGY)
    (folder / _NAME).write_text(str(spec.file))
    try:
        process = start(spec, folder, stay=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    assert process.stdin and process.stdout
    process.stdin.close()
    process.stdout.close()
    return Network(spec, folder, process.pid)


@contextlib.contextmanager
def network_for(spec: NetworkSpec) -> Generator[Network]:
    """Context with a topology file's network: the one that is up, or else a new one that ends with the block."""
    network = find(spec)
    if network is not None:
        yield network
        return
    with made_network(spec) as network:
        yield network


def down(file: Path) -> None:
    """Ends a topology file's network and all processes on its hosts. Raises InputError if none is up."""
    folder = _folder(file)
    process = _keeper(folder)
    if process is None:
        _forget(folder)
        raise InputError(f"no network of {file} is up")
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while _keeper(folder) is not None:
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


def running_networks() -> Iterator[str]:
    """The topology files whose networks are up."""
    for folder in sorted(_home().glob("net-*")):
        if _keeper(folder) is not None:
            yield (folder / _NAME).read_text()


@contextlib.contextmanager
def staying(spec: NetworkSpec) -> Generator[Network]:
    """Context with a topology file's network for several commands: the one that is up, or else one that stays until the
    end of the block."""
    network = find(spec)
    if network is not None:
        yield network
        return
    network = up(spec)
    try:
        yield network
    finally:
        down(spec.file)
