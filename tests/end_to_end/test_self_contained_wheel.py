"""The wheel of `make wheel`: it runs on every Linux of its tag and carries the collectors inside the package."""

import platform
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import local_mpi
import pytest

pytestmark = [pytest.mark.rebuilds, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
TAG = f"manylinux_2_34_{platform.machine()}"
LARGEST_BYTES = 60_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([ROOT / "tools" / "wheel", folder], check=True)
    (path,) = folder.glob("hopscope-*.whl")
    return path


def test_its_tag_is_what_its_files_need(wheel: Path) -> None:
    assert wheel.stem.endswith(f"-{TAG}")
    words = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert f'consistent with the following platform tag: "{TAG}"' in " ".join(shown.split())


def test_it_has_the_files_for_every_mpi_library_and_no_links(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel).infolist()
    modes = {file.filename: file.external_attr >> 16 for file in files}
    prebuilt = {Path(name).name: mode for name, mode in modes.items() if name.startswith("hopscope/prebuilt/")}
    releases = [mpi.release for mpi in local_mpi.find_all()]
    programs = {"hopscope-assemble", *(f"hopscope-probe-{release}" for release in releases)}
    libraries = {"libhopscope-assemble.so", "libhopscope-python.so"}
    assert programs | libraries | {f"libhopscope-{release}.so" for release in releases} <= prebuilt.keys()
    assert all(prebuilt[name] & stat.S_IXUSR for name in programs)
    assert not [name for name, mode in modes.items() if stat.S_ISLNK(mode)]
    # auditwheel would put a shared library that a file needs into hopscope.libs/.
    folders = {name.partition("/")[0] for name in modes}
    assert {name for name in folders if not name.endswith(".dist-info")} == {"hopscope", "hopscope_dashboard"}
    assert wheel.stat().st_size <= LARGEST_BYTES
