#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/registry.h"
#include "config/config.h"
#include "hopscope/functions.h"
#include "log/log.h"
#include "mpi/mpi_table.h"
#include "presence/job.h"
#include "presence/presence.h"
#include "python/site.h"
#include "record/definitions.h"
#include "record/hold.h"
#include "record/record.h"
#include "run/assemble.h"
#include "run/beside_tools.h"
#include "run/clock_exchange.h"
#include "run/clock_watch.h"
#include "run/command_line.h"
#include "run/core_samples.h"
#include "run/cores.h"
#include "run/machines.h"
#include "run/plan_request.h"
#include "run/settings.h"
#include "topology/own_memory.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "engine/engine.h"
#include "topology/topology.h"
#endif

static struct {
    struct config config;
    struct run_terms terms;
    enum presence presence;
    int rank, size;
    char directory[PATH_MAX]; /* an absolute path, because the application may change its working directory */
    char job[200];
    bool job_is_of_world; /* true: no other world has the same job name */
    bool in_session;      /* the program uses sessions and has not called MPI_Init, so there is no MPI_COMM_WORLD */
    MPI_Group world;      /* the processes of a program that uses only sessions */
    bool spawned;         /* MPI_Comm_spawn created this world */
    MPI_Comm parent;      /* the intercommunicator to the spawning processes; MPI_COMM_NULL: none */
    char root[PATH_MAX];  /* the trace directory of all worlds; a spawned world records beneath it */
    MPI_Comm comm;        /* the collector's communicator of all ranks; MPI_COMM_NULL if a rank lacks the collector */
    struct machines machines;
    struct topology *topology; /* used by the engine while it runs */
} run;

static void name_directory(void) {
    char relative[PATH_MAX], working_directory[PATH_MAX];
    if (run.config.directory)
        snprintf(relative, sizeof relative, "%s", run.config.directory);
    else
        snprintf(relative, sizeof relative, "hopscope-%s", run.job);
    bool absolute = relative[0] == '/' || !getcwd(working_directory, sizeof working_directory);
    int length = absolute ? snprintf(run.directory, sizeof run.directory, "%s", relative)
                          : snprintf(run.directory, sizeof run.directory, "%s/%s", working_directory, relative);
    if (length >= (int)sizeof run.directory)
        log_line("the name of the trace directory is too long: %s", relative);
    memcpy(run.root, run.directory, sizeof run.root);
}

/* The thread level of the process. In a program with sessions each session has its own level, so this returns the
 * highest level, which is safe for all. */
static int thread_level(void) {
    int level = MPI_THREAD_MULTIPLE;
    if (!run.in_session)
        pmpi.Query_thread(&level);
    return level;
}

static void define_process(void) {
    char command[4096], library[MPI_MAX_LIBRARY_VERSION_STRING] = "", cores[1024];
    int length = 0;
    read_command_line(command, sizeof command);
    cores_allowed(cores, sizeof cores);
    pmpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (char *c = library; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    struct timespec wall_time;
    clock_gettime(CLOCK_REALTIME, &wall_time);
    struct line line;
    line_begin(&line, "process");
    line_number(&line, "world_rank", run.rank);
    line_number(&line, "world_size", run.size);
    line_text(&line, "job", run.job);
    line_boolean(&line, "spawned", run.spawned);
    if (run.spawned)
        line_number(&line, "parent_rank", job_parent_rank());
    line_number(&line, "pid", getpid());
    line_number(&line, "core", sched_getcpu());
    line_text(&line, "cores", cores);
    line_text(&line, "clock_host", run.machines.own_host);
    line_text(&line, "boot", run.machines.own_boot);
    line_number(&line, "memory", (int64_t)own_memory());
    line_text(&line, "command", command);
    line_text(&line, "mpi_library", library);
    line_number(&line, "started_ns", (int64_t)wall_time.tv_sec * 1000000000 + wall_time.tv_nsec);
    line_number(&line, "thread_level", thread_level());
    line_boolean(&line, "thread_multiple", thread_level() == MPI_THREAD_MULTIPLE);
    line_text(&line, "mode", "observe");
    line_text(&line, "record", run.config.messages ? "all" : "collectives");
    line_text(&line, "tick_source", clock_is_tsc ? "tsc" : "clock_monotonic");
    line_text(&line, "presence", run.presence == PRESENCE_COMPLETE ? "complete" : "incomplete");
    line_real(&line, "event_cost_ns", record_measure_cost_ns());
    const char *ending = beside_tools_ending();
    if (ending)
        line_text(&line, "finalize_goes_to", ending);
    line_end(&line);
}

/* Repeats the process's definition with the fields that only messages from other ranks can provide. */
static void define_process_again(const struct plan_request *request) {
    struct line line;
    line_begin(&line, "process");
    line_text(&line, "clock_host", machines_clock_host(&run.machines, run.rank));
#ifdef HOPSCOPE_HAVE_ENGINE
    int host = request->topology->host_of_rank[run.rank];
    line_text(&line, "host", request->topology->host_names[host]);
    line_text(&line, "cluster", request->topology->cluster_names[request->topology->cluster_of_host[host]]);
#endif
    line_text(&line, "mode", request->tree.text ? "tree" : "observe");
    if (run.rank == 0 && request->tree.text)
        line_text(&line, "tree_file", request->tree.text);
    if (run.rank == 0 && request->topology_file.text)
        line_text(&line, "topology_file", request->topology_file.text);
    line_end(&line);
}

/* Writes into the process's definition how its threads have used the cores so far. */
static void define_core_use(void) {
    struct core_use use;
    struct core_sums sums;
    if (!cores_used(&use))
        return;
    struct line line;
    line_begin(&line, "process");
    line_number(&line, "busy_threads", use.busy_threads);
    line_number(&line, "cpu_ns", use.cpu_ns);
    line_number(&line, "queued_ns", use.queued_ns);
    if (core_samples_read(&sums)) {
        line_number(&line, "computing_ns", sums.computing_ns);
        line_number(&line, "computing_on_core_ns", sums.on_core_ns);
        line_number(&line, "computing_queued_ns", sums.queued_ns);
        line_number(&line, "computing_cpu_ns", sums.cpu_ns);
    }
    line_end(&line);
}

/* Aborts the job and never returns. MPICH 5 may return from MPI_Abort before its launcher has ended the process, so
 * this then waits. */
static _Noreturn void end_job(void) {
    pmpi.Abort(MPI_COMM_WORLD, 2);
    _exit(2);
}

/* Ends the job because a tree or topology file is wrong. All ranks have the same texts and so get here with the same
 * error: one rank reports it and ends the job, and the others wait for the end. */
static _Noreturn void end_for_wrong_input(const char *message) {
    record_finish("wrong input");
    pmpi.Barrier(run.comm);
    if (run.rank == 0) {
        log_line("%s", message);
        presence_withdraw(run.directory);
        end_job();
    }
    pmpi.Barrier(run.comm);
    end_job();
}

static void create_collector_comm(void) {
#if HOPSCOPE_MPI_4
    if (run.in_session) {
        if (pmpi.Comm_create_from_group(run.world, "org.hopscope.collector", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                        &run.comm) != MPI_SUCCESS)
            run.comm = MPI_COMM_NULL;
        return;
    }
#endif
    int error =
        pmpi.Comm_split(MPI_COMM_WORLD, 0, run.rank, &run.comm); /* on an error, the default handler ends the job */
    if (error != MPI_SUCCESS) {
        log_line("MPI could not create the collector's communicator (error %d), so the job ends before it has begun",
                 error);
        end_job();
    }
    pmpi.Comm_set_errhandler(run.comm, MPI_ERRORS_RETURN);
}

/* Runs some collectives on the collector's communicator, so that MPICH 5 creates its shared memory for them now: it
 * does so after the first five collectives (MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD). Otherwise that would happen in
 * MPI_Finalize. A program that had limited the size of its files by then was killed by SIGXFSZ. */
static void exhaust_first_collectives(void) {
#ifndef OMPI_MPI_H
    enum { FIRST = 6 };
    for (int i = 0; i < FIRST; i++)
        pmpi.Barrier(run.comm);
#endif
}

static void start_together(void) {
    char message[800] = "out of memory at the start of the collector";
    struct plan_request request;
    create_collector_comm();
    exhaust_first_collectives();
    if (!machines_gather(&run.machines, run.comm, run.rank, run.size) ||
        !plan_request_read(&request, &run.config, run.comm, run.rank, &run.machines, message, sizeof message))
        end_for_wrong_input(message);
    run.topology = request.topology;
    define_process_again(&request);
    clock_exchange(run.comm, run.rank, run.size, &run.machines);
    comm_find(MPI_COMM_WORLD)->checkpoint =
        clock_watch_start(run.comm, run.rank, &run.machines, run.config.clock_seconds);
#ifdef HOPSCOPE_HAVE_ENGINE
    comm_registry_tell_of_lost(engine_comm_abandon);
    if (!engine_start(request.tree.text, request.tree.length, request.topology, run.config.transport, run.spawned,
                      run.comm, message, sizeof message)) {
        char located_message[PATH_MAX + sizeof message];
        snprintf(located_message, sizeof located_message, "%s:%s", request.tree.name, message);
        end_for_wrong_input(located_message);
    }
#endif
    if (run.rank == 0)
        plan_request_keep(&request, run.directory);
    plan_request_free(&request);
}

/* Chooses the trace directory of this group of processes. Spawned processes record in a subdirectory of the spawning
 * job's directory, if that is known. Returns false if the group has no name that its parents or other groups do not
 * have too, because it would then overwrite their spools. All processes of the group get the same result. */
static bool choose_directory(void) {
    if (run.in_session || pmpi.Comm_get_parent(&run.parent) != MPI_SUCCESS)
        run.parent = MPI_COMM_NULL;
    run.spawned = run.in_session ? job_was_spawned() : run.parent != MPI_COMM_NULL;
    if (!run.spawned)
        return true;
    if (!run.job_is_of_world) {
        if (run.rank == 0)
            log_line("the %d processes started by MPI_Comm_spawn are not recorded, because this launcher gives them "
                     "nothing that tells them from their parents",
                     run.size);
        return false;
    }
    size_t length = strlen(run.directory);
    if (run.config.directory)
        snprintf(run.directory + length, sizeof run.directory - length, "/spawned-%s", run.job);
    return true;
}

/* The part of the start that needs messages between ranks, for a program without MPI_Init. Sends none unless every rank
 * has the collector. */
static void start_in_session(void) {
    if (run.config.tree)
        run.terms.refusal = record_define_reason("MPI by sessions without MPI_Init");
    if (run.presence != PRESENCE_COMPLETE)
        return;
    create_collector_comm();
    if (run.comm == MPI_COMM_NULL)
        return;
    if (machines_gather(&run.machines, run.comm, run.rank, run.size))
        clock_exchange(run.comm, run.rank, run.size, &run.machines);
    pmpi.Comm_free(&run.comm);
    run.comm = MPI_COMM_NULL;
}

/* Starts the collector. init_ticks: the time at which MPI_Init was entered. */
static bool start(uint64_t init_ticks) {
    bool is_reporter = run.rank == 0 && !job_was_spawned();
    run.config = config_read(is_reporter);
    run.job_is_of_world = job_token(run.job, sizeof run.job, !run.in_session);
    if (run.in_session) /* ranks inside MPI_Init must not take this process for one of theirs */
        strncat(run.job, "-sessions", sizeof run.job - strlen(run.job) - 1);
    name_directory();
    if (!choose_directory())
        return false;
    machines_own(&run.machines);
    if (is_reporter)
        beside_tools_tell(&run.config);
    struct presence_question question = {
        .directory = run.directory,
        .job = run.job,
        .host = run.machines.own_host,
        .rank = run.rank,
        .size = run.size,
        .timeout_seconds = run.config.presence_seconds,
    };
    run.presence = presence_prove(&question);
    bool serving = run.presence == PRESENCE_COMPLETE || run.presence == PRESENCE_INCOMPLETE;
    if (serving && !(run.in_session ? comm_registry_start_from(run.world) : comm_registry_start())) {
        log_line("rank %d is out of memory for the collector's tables", run.rank);
        end_job();
    }
    if (serving && run.config.record && record_start(run.directory, run.rank, run.config.chunk_bytes)) {
        define_process();
        core_samples_begin();
        if (run.rank == 0)
            settings_define();
        comm_registry_define_all();
        python_sites_begin(run.config.reports_python ? PYTHON_SITES_REPORTED
                           : run.config.python       ? PYTHON_SITES_QUIETLY
                                                     : PYTHON_SITES_OFF);
        if (run.config.paused)
            record_hold(true);
    }
    if (serving && run.parent != MPI_COMM_NULL)
        comm_registry_add_parent(run.parent, init_ticks);
    run.terms.records_messages = run.config.messages;
    run.terms.native_every = run.config.native_every;
    run.terms.rank = run.rank;
    run.terms.processes = run.size;
    run.terms.many_threads = thread_level() == MPI_THREAD_MULTIPLE;
    if (run.in_session)
        start_in_session();
    else if (run.presence == PRESENCE_COMPLETE)
        start_together();
    else if (serving && run.config.tree)
        run.terms.refusal = record_define_reason("collector not on every rank");
    return serving;
}

struct run_terms run_start(uint64_t init_ticks) {
    int saved_errno = errno;
    run.comm = run.parent = MPI_COMM_NULL;
    pmpi.Comm_rank(MPI_COMM_WORLD, &run.rank);
    pmpi.Comm_size(MPI_COMM_WORLD, &run.size);
    run.terms.serves = start(init_ticks);
    errno = saved_errno;
    return run.terms;
}

void run_add_world(uint64_t init_ticks) {
    comm_registry_add_world();
    if (pmpi.Comm_get_parent(&run.parent) == MPI_SUCCESS && run.parent != MPI_COMM_NULL)
        comm_registry_add_parent(run.parent, init_ticks);
}

void run_checkpoint(int function, uint64_t seq, bool has_data) {
    /* No rank leaves these collectives before all have entered. */
    bool is_synchronizing = function == FUNCTION_MPI_Barrier || (function == FUNCTION_MPI_Allreduce && has_data);
    struct comm *world = comm_find(MPI_COMM_WORLD);
    if (!is_synchronizing || !world || run.comm == MPI_COMM_NULL)
        return;
    int saved_errno = errno;
    record_append(clock_now(), SPOOL_OVERHEAD_BEGIN, 0, 0, 0, 0, 0);
    world->checkpoint = clock_watch_check(run.comm, run.rank, run.size, &run.machines, seq);
    record_append(clock_now(), SPOOL_OVERHEAD_END, 0, 0, 0, 0, 0);
    errno = saved_errno;
}

void run_finish(void) {
    int saved_errno = errno;
    bool is_complete = run.comm != MPI_COMM_NULL;
    define_core_use();
    if (is_complete) {
        clock_exchange(run.comm, run.rank, run.size, &run.machines);
#ifdef HOPSCOPE_HAVE_ENGINE
        comm_registry_each(engine_comm_abandon);
        engine_stop();
        topology_free(run.topology);
        run.topology = NULL;
#endif
    }
    record_append(clock_now(), SPOOL_LEAVE, FUNCTION_MPI_Finalize, 0, 0, 0, 0);
    record_finish("finalize");
    if (is_complete) {
        /* After this barrier, the spools of all ranks are complete. */
        pmpi.Barrier(run.comm);
        pmpi.Comm_free(&run.comm);
    }
    comm_registry_stop();
    machines_free(&run.machines);
    errno = saved_errno;
}

#if HOPSCOPE_MPI_4
static MPI_Session world_session; /* keeps the world's group alive */

struct run_terms run_start_in_session(void) {
    int saved_errno = errno;
    run.comm = run.parent = MPI_COMM_NULL;
    run.in_session = true;
    bool serving = false;
    if (pmpi.Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &world_session) == MPI_SUCCESS) {
        serving = pmpi.Group_from_session_pset(world_session, "mpi://WORLD", &run.world) == MPI_SUCCESS &&
                  pmpi.Group_rank(run.world, &run.rank) == MPI_SUCCESS &&
                  pmpi.Group_size(run.world, &run.size) == MPI_SUCCESS && start(0);
        if (!serving)
            pmpi.Session_finalize(&world_session);
    }
    run.in_session = run.terms.serves = serving;
    errno = saved_errno;
    return run.terms;
}

void run_finish_in_session(int function) {
    int saved_errno = errno;
    define_core_use();
    record_append(clock_now(), SPOOL_LEAVE, (uint16_t)function, 0, 0, 0, 0);
    record_finish("finalize");
    comm_registry_stop();
    machines_free(&run.machines);
    pmpi.Session_finalize(&world_session);
    errno = saved_errno;
}

void run_tell_of_late_session(void) {
    int saved_errno = errno;
    struct line line;
    definitions_reopen(run.directory, run.rank);
    line_begin(&line, "process");
    line_boolean(&line, "began_again", true);
    line_end(&line);
    definitions_close();
    if (run.rank == 0)
        log_line("an MPI session was opened after all earlier ones had closed. It and later sessions are not recorded; "
                 "keep one session open to the end, and all are");
    errno = saved_errno;
}
#endif

void run_assemble(void) {
    /* The assembly runs after PMPI_Finalize, so that no other rank waits for it. If there are several worlds, the last
     * one to end assembles. If some ranks lack the collector, no process knows when the last spool is complete. Then
     * the launcher, `hopscope recover` or the first analysis assembles later. */
    if (run.presence == PRESENCE_COMPLETE && run.rank == 0 && !run.config.record)
        presence_withdraw(run.directory);
    if (run.presence != PRESENCE_COMPLETE || run.rank != 0 || !run.config.assemble || !run.config.record)
        return;
    int saved_errno = errno;
    if (assemble(run.root) && !run.config.directory)
        log_line("the trace is in %s", run.root);
    errno = saved_errno;
}

void run_abort(void) {
    record_finish("abort");
}
