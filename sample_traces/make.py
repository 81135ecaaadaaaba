"""Makes the sample traces anew, by real runs: `python sample_traces/make.py [NAME ...]`.

With --answers, only the recorded answers are made again, from the present traces. Read the difference before you commit
it: a changed answer on an unchanged trace is a changed analysis. If only digests differ, write everything in full with
--whole, by the build before and by the build after, into a directory each, and compare these with `diff -r`.

With --again, the runs are recorded into a temporary folder and compared with the present samples. Calls, hops and
algorithms must be the same, which shows that the collector still records them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "tools"))

import drawn_sample
import hopscope
import local_mpi
import recorded
from differences import differences, summary
from samples import PLANTED, ROOT, SAMPLES, Sample

BIN = Path(sys.executable).parent
FIRST = ("chrt", "-r", "5")


def goes_first(sample: Sample) -> bool:
    """True if the sample wants real-time priority for its ranks and this machine allows it."""
    return sample.first and subprocess.run([*FIRST, "true"], check=False, capture_output=True).returncode == 0


def make(name: str, folder: Path) -> None:
    """Run the sample's jobs. Their archives replace those in the folder."""
    sample = SAMPLES[name]
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.release == sample.release)
    program = started_program(mpi, sample.program)
    settings = {**os.environ, **sample.environment}
    if sample.first:
        # A waiting rank of MPICH keeps its core; with real-time priority, no other process would ever get the core.
        settings |= mpi.patience()
    for archive, options in sample.runs.items():
        trace = folder / archive
        shutil.rmtree(trace, ignore_errors=True)
        with tempfile.TemporaryDirectory() as scratch:
            words = [str(BIN / "hopscope"), "run"]
            for number, option in enumerate(options):
                file = Path(scratch) / f"{number}.json"
                if not isinstance(option, str):
                    file.write_text(json.dumps(option))
                words.append(option if isinstance(option, str) else str(file))
            words += ["--dir", str(trace), "--", *mpi.launch(sample.ranks), *(FIRST if goes_first(sample) else ())]
            # The program's name is relative; see name_no_machine.
            words += [*interpreter(program), str(program.relative_to(ROOT)), *sample.arguments.split()]
            subprocess.run(words, check=True, cwd=ROOT, env=settings, stdout=subprocess.DEVNULL)
        if sample.program.suffix == ".f90":
            keep_debug_information(trace, program)
        name_no_machine(trace)


def started_program(mpi: local_mpi.LocalMpi, source: Path) -> Path:
    """The file that the ranks run: a script itself, a C program compiled without debug information, or a Fortran one
    with it."""
    if source.suffix == ".py":
        return source
    with_lines = ["-g", "-gno-record-gcc-switches", f"-ffile-prefix-map={ROOT}=."]
    return mpi.compile(source, *(with_lines if source.suffix == ".f90" else []))


def interpreter(program: Path) -> list[str]:
    """The words that start a script; none for a program."""
    return [str(BIN / "python")] if program.suffix == ".py" else []


def keep_debug_information(trace: Path, program: Path) -> None:
    """Put the debug information of a program beside its trace, and let the trace name it. Its build id is that of the
    program."""
    debug_file = trace.with_name(f"{program.name}.debug")
    subprocess.run(["objcopy", "--only-keep-debug", "--compress-debug-sections", program, debug_file], check=True)
    file = trace / "run.json"
    run = json.loads(file.read_text())
    for module in run["modules"]:
        if module["path"] == str(program):
            module["path"] = str(debug_file.relative_to(ROOT))
    file.write_text(json.dumps(run))


def name_no_machine(trace: Path) -> None:
    """Make the paths of the program and of Python's files in the trace relative, so that neither this checkout's folder
    nor Python's is in it. The path of a compiled program leads nowhere, so that answers do not depend on whether it was
    compiled here. The paths keep their length, on which the archive depends."""
    for file in (trace / "run.json", trace / "traces.otf2", trace / "traces.def"):
        content = file.read_bytes().replace(f"{ROOT}/build/".encode(), f"{ROOT}/built/".encode())
        for prefix in (f"{ROOT}/".encode(), f"{sys.base_prefix}/".encode()):
            content = content.replace(prefix, (b"./" * len(prefix))[: len(prefix) - 1] + b"/")
        file.write_bytes(content)


def opened(folder: Path, name: str, scratch: Path) -> dict[str, hopscope.Trace]:
    """The sample's archives in the folder, opened in copies, so that their datasets are made anew."""
    ignore = shutil.ignore_patterns("dataset")
    return {
        archive: hopscope.open(shutil.copytree(folder / archive, scratch / archive, ignore=ignore))
        for archive in SAMPLES[name].runs
    }


def answers(name: str, folder: Path, whole: bool = False) -> None:
    """Record in the folder the answers of the analyses on the sample, and the contents of its datasets."""
    with tempfile.TemporaryDirectory() as scratch:
        traces = opened(FOLDER / name, name, Path(scratch))
        if "trace" in traces:
            recorded.record(folder, traces["trace"], whole=whole)
        else:
            recorded.record(folder, traces["new"], traces["base"], whole=whole)
            for archive, trace in traces.items():
                recorded.record(folder / archive, trace, whole=whole)


def record_again(name: str) -> bool:
    """Record the sample into a temporary folder and print its differences from the present one. True if there are
    none."""
    with tempfile.TemporaryDirectory() as scratch:
        new, copies = Path(scratch) / "new", Path(scratch) / "copies"
        make(name, new)
        old_traces, new_traces = (
            opened(folder, name, copies / side) for side, folder in (("old", FOLDER / name), ("new", new))
        )
        lines = [
            f"  {archive}: {line}"
            for archive in old_traces
            for line in differences(old_traces[archive], new_traces[archive])
        ]
        summaries = "; ".join(map(summary, new_traces.values()))
    print(f"{name}: {'DIFFERS' if lines else 'the same'}: {summaries}", *lines, sep="\n", flush=True)
    return not lines


def main() -> int:
    """Make the named samples, or all."""
    local_mpi.share_cores()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SAMPLES, []], help="samples; default: all", metavar="NAME")
    parser.add_argument("--answers", action="store_true", help="only record the answers again")
    parser.add_argument("--whole", type=Path, metavar="DIR", help="only write every answer and table in full into DIR")
    parser.add_argument("--again", action="store_true", help="only record elsewhere and compare; status 1 if different")
    drawn_sample.add_options(parser)
    options = parser.parse_args()
    names = drawn_sample.drawn_items(options.names or [*SAMPLES], options)
    if options.again:
        matches = [record_again(name) for name in names]
        return 0 if all(matches) else 1
    for name in names:
        if options.whole:
            answers(name, options.whole / name, whole=True)
            continue
        if not options.answers:
            make(name, FOLDER / name)
        if not name.startswith(PLANTED):
            shutil.rmtree(FOLDER / name / "answers", ignore_errors=True)
            answers(name, FOLDER / name / "answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
