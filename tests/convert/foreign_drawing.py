"""Archives as other tools might write them, drawn with the otf2 package: OpenMP threads, GPU streams, metrics, Fortran
names, missing records."""

from pathlib import Path
from typing import Any

import otf2
from archive_drawing import Drawing, Place
from otf2 import events
from otf2.enums import (
    CollectiveOp,
    LocationGroupType,
    LocationType,
    MetricOccurrence,
    MetricScope,
    MetricType,
    Paradigm,
    RegionRole,
)

RANKS = 2


def mpi_program(path: Path, **options: Any) -> Drawing:
    """A program of two ranks that call MPI_Init, MPI_Allreduce once, at 2000, and MPI_Finalize at 9000."""
    drawing = Drawing(path, [Place("h0"), Place("h1")], by_hopscope=False, **options)
    for rank in range(RANKS):
        drawing.span(rank, 0, 100, "MPI_Init")
        drawing.collective(rank, 2000 + rank, 2100, "MPI_Allreduce")
        drawing.span(rank, 9000, 9100, "MPI_Finalize")
    return drawing


def no_mpi(path: Path) -> Drawing:
    """One process with two threads, without MPI."""
    drawing = Drawing(path, [Place("h0")], by_hopscope=False, rank_names="process {}")
    worker = drawing.thread(0, "worker")
    drawing.span(0, 0, 1000, "main")
    drawing.span(0, 10, 500, "solve")
    drawing.span(worker, 20, 300, "work")
    return drawing


def region(drawing: Drawing, name: str, paradigm: Any, role: Any = RegionRole.FUNCTION) -> Any:
    """A region of a paradigm."""
    return drawing.definitions.region(
        name, canonical_name=name, region_role=role, paradigm=paradigm, source_file="", begin_line_number=0
    )


def add_location(drawing: Drawing, name: str, kind: Any, group: Any) -> Any:
    """Adds a location that is not a thread of the CPU."""
    location = drawing.definitions.location(name, type=kind, group=group)
    drawing._events[location] = []
    drawing._offsets[location] = []
    return location


def add_gpu(drawing: Drawing, rank: int, kernels: int) -> None:
    """Adds a CUDA context that the rank drives, with a stream that runs kernels of 50 ns from 1000 on."""
    context = drawing.definitions.location_group(
        f"CUDA context of rank {rank}",
        location_group_type=LocationGroupType.ACCELERATOR,
        system_tree_parent=drawing.groups[rank].system_tree_parent,
        creating_location_group=drawing.groups[rank],
    )
    stream = add_location(drawing, "CUDA stream", LocationType.ACCELERATOR_STREAM, context)
    kernel = region(drawing, "kernel<float>(int)", Paradigm.CUDA)
    for i in range(kernels):
        drawing.add(stream, events.Enter(1000 + 100 * i, kernel))
        drawing.add(stream, events.Leave(1050 + 100 * i, kernel))


def add_openmp(drawing: Drawing, rank: int) -> None:
    """Adds a parallel region of two threads from 200 to 500."""
    worker = drawing.thread(rank, "OMP thread 1")
    parallel = region(drawing, "!$omp parallel @x.c:1", Paradigm.OPENMP, RegionRole.PARALLEL)
    drawing.add(rank, events.ThreadFork(200, Paradigm.OPENMP, 2))
    drawing.add(rank, events.Enter(200, parallel))
    drawing.add(worker, events.Enter(210, parallel))
    drawing.add(worker, events.Leave(400, parallel))
    drawing.add_last(rank, events.Leave(500, parallel))
    drawing.add_last(rank, events.ThreadJoin(500, Paradigm.OPENMP))


def add_metrics(drawing: Drawing, rank: int, readings: int) -> None:
    """Adds a location that only holds readings of a sensor."""
    d = drawing.definitions
    sensor = add_location(drawing, "sensor", LocationType.METRIC, drawing.groups[rank])
    watts = d.metric_member("watts", metric_type=MetricType.OTHER)
    kind = d.metric_class([watts], occurrence=MetricOccurrence.ASYNCHRONOUS)
    group = drawing.groups[rank]
    metric = d.metric_instance(kind, recorder=sensor, metric_scope=MetricScope.LOCATION_GROUP, scope=group)
    for i in range(readings):
        drawing.add(sensor, events.Metric(i * 1000, metric, (i,)))


def add_allreduce(drawing: Drawing, rank: int, begin: int, name: str) -> None:
    """Adds an Allreduce of 60 ns in a region with this name."""
    function = region(drawing, name, Paradigm.MPI)
    no_root = otf2.enums.CollectiveRoot.NONE
    drawing.add(rank, events.Enter(begin, function))
    drawing.add(rank, events.MpiCollectiveBegin(begin + 1))
    drawing.add(rank, events.MpiCollectiveEnd(begin + 50, CollectiveOp.ALLREDUCE, drawing.world, no_root, 8, 8))
    drawing.add(rank, events.Leave(begin + 60, function))
