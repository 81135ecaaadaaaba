/* What the spool directory says about a run, before anything of it is an archive.
 *
 * Read by read_run.c (definitions) and spool_file.c (records); completed by clock_map.c, merge_comms.c and survey.c;
 * written by archive.c, write_definitions.c, write_events.c and run_json.c.
 */
#ifndef HOPSCOPE_ASSEMBLY_RUN_H
#define HOPSCOPE_ASSEMBLY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assembly/id_table.h"
#include "assembly/index_list.h"
#include "assembly/stored.h"
#include "assembly/text.h"
#include "hopscope/spool.h"

#define NO_ID UINT32_MAX

/* One thread's records, mapped. */
struct spool_file {
    uint32_t thread;
    void *mapping;
    size_t mapped_bytes, file_bytes;   /* the first ones can be read again from the file; behind them is a copy */
    const struct spool_record *stored; /* see stored.h */
    struct spool_record *sorted;       /* a copy in order of time, where the file is not; else NULL */
    size_t count, records;             /* of places, and of the records in them */
    enum spool_state state;
    char stop_reason[256];
    /* survey.c */
    struct index_list open_enters; /* ascending: places of ENTER records whose call never left */
    struct index_list refused;     /* ascending: those of collectives that the MPI library refused */
    uint64_t events_written;       /* write_events.c */
};

struct comm_definition {      /* index = id - 1; key 0: undefined */
    uint64_t key, parent_key; /* this process's own */
    char *name;
    int size, rank;
    bool inter, self, world; /* MPI_COMM_SELF, MPI_COMM_WORLD, whatever the program names them */
    int *members, *remote;   /* trace-wide ranks once joined is set; NULL where this process did not write them */
    int member_count, remote_count;
    /* Of one with processes of other worlds (comm/registry.h of the collector): */
    bool foreign;
    uint64_t origin, salt, nth; /* origin: a hash of the word */
    enum meeting {
        MEETS_NOT,
        MEETS_SPAWN,
        MEETS_PARENT,
        MEETS_ACCEPT,
        MEETS_CONNECT,
        MEETS_JOIN,
        MEETS_INTERCOMM
    } meets;
    bool leads;
    uint64_t began, ended, place; /* of the one that leads */
    uint32_t peer;                /* definition of this process, 0: none */
    int peer_rank;
    uint32_t side; /* join_worlds.c; NO_ID */
    /* join_worlds.c */
    bool joined;                        /* the next two are known */
    uint64_t common_key, common_parent; /* equal on all members */
    uint32_t merged;                    /* index into run.comms, NO_ID */
};

struct site_definition {
    char *module, *symbol;
    uint64_t offset;
    uint32_t merged; /* index into run.sites */
};

struct name_definition {
    char *text;
    uint32_t merged; /* index into run.trees or run.user_regions; reasons: unused */
};

struct clock_pair_definition {
    uint64_t ticks, monotonic_ns;
};

struct round_trip {
    uint64_t ref_send, here_recv, here_send, ref_recv;
    char *ref_host;
    double spread_ns;
};

/* One rank. present: its definitions were found. */
struct process {
    bool present, ended, spawned, thread_multiple;
    int rank; /* trace-wide */
    int world_rank;
    uint32_t world; /* index into run.worlds */
    int64_t world_size, pid, core, started_ns, thread_level, parent_rank;
    char *job, *boot, *clock_host, *host, *cluster, *command, *mpi_library, *mode, *tick_source, *presence, *tree_file,
        *topology_file, *end_how, *record;
    char *finalize_goes_to; /* the object of another tool that has an MPI_Finalize before the collector's */
    bool began_again;       /* a session after all had ended, of which nothing is recorded */
    bool has_event_cost;
    double event_cost_ns;
    struct comm_definition *comms;
    size_t comm_count;
    struct site_definition *sites;
    size_t site_count;
    struct name_definition *trees, *reasons, *user_regions;
    size_t tree_count, reason_count, user_region_count;
    struct clock_pair_definition *pairs;
    size_t pair_count;
    struct round_trip *round_trips;
    size_t round_trip_count;
    struct spool_file *spools; /* by thread */
    size_t spool_count;
    uint32_t machine; /* index into run.machines, NO_ID if not present */
};

struct clock_measurement {
    int64_t at_ns; /* raw, this machine's */
    int64_t offset_ns, error_ns, bound_ns;
};

/* One MPI_COMM_WORLD (or mpi://WORLD): the job's own, or one that MPI_Comm_spawn made. Its ranks are, trace-wide, those
 * from first on. */
struct world {
    char *directory;           /* where its spool/ is */
    uint32_t family;           /* of those whose directories are in one: which may have spawned one another */
    struct process *processes; /* until they are put behind one another */
    int first, size;
};

/* A machine with a clock of its own. */
struct machine {
    char name[160];                /* unlike any other's */
    const char *clock_name, *boot; /* its name in the world that was first there; boot NULL: unknown */
    bool is_tsc;
    uint64_t base_ticks, base_ns;
    double ns_per_tick;
    bool is_reference;
    uint64_t first_ns, last_ns;             /* raw times of the events here; survey.c */
    struct clock_measurement *measurements; /* by time */
    size_t measurement_count;
};

/* A communicator of the application. Its OTF2 id is its index. */
struct comm {
    uint64_t key, parent_key;
    const char *name;
    char *own_name; /* name, if it is not one of the definitions' */
    bool inter, self, world;
    int size;
    int *members;        /* trace-wide ranks in order; an intercommunicator's first group, then its second */
    int first_group;     /* an intercommunicator's: members of the first group; 0 where the groups are unknown */
    uint32_t first_id;   /* lowest definition id of a process: order of making */
    uint32_t generation; /* how far from one without a parent */
    uint32_t parent;     /* index, NO_ID */
    uint32_t group;      /* index into the archive's groups */
};

/* A communicator's hops under one tree. OTF2 id: comm_count + index. */
struct shadow {
    uint32_t comm, tree;
};

struct site { /* merged call site */
    const char *module, *symbol;
    uint64_t offset;
};

/* A region: what was called, and from where. OTF2 id: index. */
struct region {
    uint16_t function;     /* enum mpi_function */
    bool refused;          /* a collective's, by the MPI library */
    uint32_t site;         /* NO_ID: unknown */
    const char *user_name; /* of the user's own; NULL: an MPI function */
};

/* The collector's own regions, behind those of MPI functions: id = region_count + this. */
enum own_region { OWN_HOP_WAIT, OWN_COMBINE, OWN_COPY, OWN_OVERHEAD, OWN_REGION_COUNT };

struct run {
    const char *directory;
    struct process *processes; /* by trace-wide rank */
    int rank_count;            /* of all worlds, those of which nothing was found too */
    struct world *worlds;
    size_t world_count;
    size_t spawns_without_world; /* MPI_Comm_spawn made them, and they were not found, or not told apart */
    struct machine *machines;
    size_t machine_count;
    struct comm *comms;
    size_t comm_count;
    struct shadow *shadows;
    size_t shadow_count;
    struct site *sites;
    size_t site_count;
    char **trees, **user_regions; /* borrowed names */
    size_t tree_count, user_region_count;
    struct region *regions;
    size_t region_count;
    struct id_table region_ids, shadow_ids;
    /* survey.c; first and last are corrected, by the clock of the reference machine */
    uint64_t places, first_ns, last_ns, overhead_ns;                                     /* places of the spools */
    size_t threads;                                                                      /* spools with records */
    uint64_t records_unknown, records_without_comm, records_unjoined, records_ungrouped; /* left out */
    uint64_t leaves_without_enter;
    /* write_events.c */
    uint64_t events;
    struct sentences missing;
    bool out_of_memory;
};

/* Reads DIR/spool, and those of the worlds beneath: DIR/spawned-<job>/spool, and of other runs that were brought,
 * DIR/joined-<name>/spool with what is beneath that. False with a message if there is nothing to make an archive of. */
bool run_read(struct run *run, const char *directory, char *message, size_t capacity);
/* Of one world: its processes. False if memory fails, or with an errno if the directory cannot be read. */
bool world_read(struct world *world, struct sentences *missing, int *error);
void run_free(struct run *run);

/* Maps DIR/spool/<name> of this rank and thread into *file. False with a reason if it is no usable spool. */
bool spool_file_open(struct spool_file *file, const char *path, uint32_t world_rank, uint32_t thread, char *reason,
                     size_t capacity);
void spool_file_close(struct spool_file *file);
/* Lets go of the pages that a pass over the records has brought in; they can be read again. */
void spool_file_rest(const struct spool_file *file);

/* How a rank is called in a sentence: "3", or "3 (1 of world 2)" where there are several. */
const char *rank_name(const struct run *run, int rank, char *text, size_t capacity);

/* Fits a map from ticks to ns per machine and works out the offsets between machines. */
bool clock_map_make(struct run *run);
uint64_t clock_map_ns(const struct machine *machine, uint64_t ticks);
/* By the clock of the reference machine. */
uint64_t clock_map_corrected(const struct machine *machine, uint64_t raw_ns);
/* The present instant, corrected; false if this is not that machine, or it was started anew. */
bool clock_map_now(const struct machine *machine, uint64_t *now_ns);
/* After survey: what stands for each machine's measurements, sentences about clocks that nothing ties to the
 * reference's, and the run's span. */
bool clock_map_finish(struct run *run);

/* Round trips between machines become their measurements. */
bool clock_offsets_find(struct run *run);
bool clock_add_measurement(struct machine *machine, struct clock_measurement measurement);

/* Members become trace-wide ranks, keys equal on all members, over the worlds too. What cannot be joined is counted in
 * a sentence. After clock_map_make. */
bool join_worlds(struct run *run);
/* Finds out which definitions of different processes mean the same communicator. After join_worlds. */
bool merge_comms(struct run *run);

/* One pass over all records: order, span, regions, shadow communicators, calls that never left. */
bool survey(struct run *run);
/* OTF2 ids; NO_ID where the record refers to nothing known. A region's: of what begins it. */
uint32_t region_of(const struct run *run, const struct process *process, const struct spool_record *begin,
                   bool refused);
uint32_t comm_of(const struct process *process, uint32_t id);
/* Its processes of other worlds were not found. */
bool is_unjoined(const struct process *process, uint32_t id);
uint32_t shadow_of(const struct run *run, const struct process *process, const struct spool_record *hop);
/* The depth that the stack of open records (places in the file) has when `leave` has closed what it closes, and all
 * that was still open inside it; SIZE_MAX if nothing open fits. */
size_t depth_after(const struct spool_file *file, const struct index_list *open, const struct spool_record *leave);

#endif
