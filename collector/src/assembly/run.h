/* A run as its spool directory describes it, before it becomes an archive.
 *
 * read_run.c (definitions) and spool_file.c (records) read it; clock_map.c, merge_comms.c and survey.c complete it;
 * archive.c, write_definitions.c, write_events.c and run_json.c write the archive from it. */
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

/* One thread's records, mapped into memory. */
struct spool_file {
    uint32_t thread;
    void *mapping;
    size_t mapped_bytes, file_bytes;   /* size of the mapping, of which file_bytes are the file's and the rest a copy */
    const struct spool_record *stored; /* the stored records, which stored.h expands */
    struct spool_record *sorted;       /* a copy in time order; NULL if the file is in time order */
    size_t count, records;             /* number of stored records, and of records after expansion (stored.h) */
    enum spool_state state;
    char stop_reason[256];
    /* Set by survey.c: */
    struct index_list open_enters; /* ascending: positions of ENTER records of calls never left */
    struct index_list refused;     /* ascending: positions of collectives that MPI refused */
    struct id_table waited;        /* ids of the requests whose hop ended a wait when it was complete */
    uint64_t events_written;       /* set by write_events.c */
};

struct comm_definition {      /* its index in the array is id - 1; key 0: no definition has this id */
    uint64_t key, parent_key; /* unique within this process's world */
    char *name;
    int size, rank;
    bool inter, self, world; /* self, world: MPI_COMM_SELF, MPI_COMM_WORLD, even if the program renamed it */
    int *members, *remote;   /* trace-wide ranks once `joined` is set; NULL if this process did not write them */
    int member_count, remote_count;
    /* Meaningful only if the communicator has processes of other worlds (comm/registry.h of the collector): */
    bool foreign;
    uint64_t origin, salt, nth; /* origin: a hash of the word in the .defs file */
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
    uint64_t begin_ticks, end_ticks, place_hash; /* set if this process is a leader */
    uint32_t peer;                               /* id of this process's definition of the peer communicator; 0: none */
    int peer_rank;
    uint32_t side; /* index into join_worlds.c's sides, or NO_ID */
    /* Set by join_worlds.c: */
    bool joined;                        /* common_key and common_parent are known */
    uint64_t common_key, common_parent; /* equal on all members */
    uint32_t merged;                    /* index into run.comms, or NO_ID */
};

enum { MOST_CALLERS = 2 };

/* A call site, or one of its callers. */
struct site_definition {
    char *module, *symbol;          /* symbol: the function, NULL: unknown */
    uint64_t offset, begin;         /* begin: of the function; UINT64_MAX: unknown */
    uint32_t callers[MOST_CALLERS]; /* ids of frames, the nearest first */
    size_t caller_count;            /* merge_sites reduces it to the callers that tell call sites apart */
    char *file;                     /* Python file, with a line, instead of module and offset; NULL: machine code */
    int64_t line;
    uint32_t merged; /* index into run.sites */
};

static inline bool is_known_site(const struct site_definition *site) {
    return site->module || site->file;
}

/* A module, that is a program or library, in which call sites lie. */
struct module_definition {
    char *name, *path, *build_id; /* NULL: unknown */
};

struct name_definition {
    char *text;
    uint32_t merged; /* index into run.trees or run.user_regions; not used for other names */
};

struct setting_definition { /* NULL: unknown; see hopscope/spool.h */
    char *name, *request, *value, *source, *text;
};

struct clock_pair_definition {
    uint64_t ticks, monotonic_ns;
};

struct round_trip {
    uint64_t ref_send, here_recv, here_send, ref_recv;
    char *ref_host;
    double spread_ns;
};

/* X(name) for each reason why messages inside the MPI library were not recorded as hops. unseen: the collective's call
 * was not recorded; internal: they belong to no collective; thinned: the collective was not selected for recording;
 * unknown: their collective is unknown; lost: there was no room for them. */
#define NATIVE_COUNTS_LIST(X) X(unseen) X(internal) X(thinned) X(unknown) X(lost)
enum {
#define NATIVE_COUNT(name) NATIVE_##name,
    NATIVE_COUNTS_LIST(NATIVE_COUNT)
#undef NATIVE_COUNT
        NATIVE_COUNTS
};
extern const char *const native_count_names[NATIVE_COUNTS];
struct run;
/* The number of messages that were not recorded for this reason, over all ranks. */
uint64_t run_native_count(const struct run *run, int kind);

/* A process's report about its recording of messages inside the MPI library. */
struct native_messages {
    bool is_reported;
    char *failure; /* why no message was recorded; NULL: some were */
    uint64_t counts[NATIVE_COUNTS];
};

/* A process's report about its reading of Python lines. */
struct python_lines {
    bool is_reported;
    char *version, *failure; /* failure: why no line was read; NULL: some were */
};

struct process {
    bool present, has_ended, spawned, thread_multiple;
    int rank; /* trace-wide */
    int world_rank;
    uint32_t world; /* index into run.worlds */
    int64_t world_size, pid, core, memory /* 0: unknown */, started_ns, thread_level, parent_rank;
    int64_t busy_threads /* 0: unknown, like the next two */, cpu_ns, queued_ns;
    int64_t computing_ns /* 0: unknown, like the next three */, computing_on_core_ns, computing_queued_ns,
        computing_cpu_ns;
    char *cores /* NULL: unknown */, *job, *boot, *clock_host, *host, *cluster, *command, *mpi_library, *mode,
        *tick_source, *presence, *tree_file, *topology_file, *end_how, *record;
    struct native_messages native;
    struct python_lines python;
    char *finalize_goes_to; /* the object of another tool whose MPI_Finalize precedes the collector's */
    bool has_later_session; /* a session began after all earlier ones had ended; such a session is not recorded */
    bool has_event_cost;
    double event_cost_ns;
    struct comm_definition *comms;
    size_t comm_count;
    struct site_definition *sites, *frames;
    size_t site_count, frame_count;
    struct module_definition *modules;
    size_t module_count;
    struct name_definition *trees, *reasons, *algorithms, *user_regions;
    size_t tree_count, reason_count, algorithm_count, user_region_count;
    struct setting_definition *settings;
    size_t setting_count;
    struct clock_pair_definition *pairs;
    size_t pair_count;
    struct round_trip *round_trips;
    size_t round_trip_count;
    struct spool_file *spools; /* the process's spools, in the order of their threads */
    size_t spool_count;
    uint32_t machine; /* index into run.machines, NO_ID if not present */
};

struct clock_measurement {
    int64_t at_ns; /* time on this machine's own clock */
    int64_t offset_ns, error_ns, bound_ns;
};

/* One MPI_COMM_WORLD (or mpi://WORLD): the job's own, or one that MPI_Comm_spawn created. Its trace-wide ranks begin at
 * `first`. */
struct world {
    char *directory;           /* the folder of its spool/ */
    uint32_t family;           /* number of the run to which the world belongs, if several runs were joined */
    struct process *processes; /* these move to run.processes in number_ranks */
    int first, size;
};

/* A machine with a clock of its own. */
struct machine {
    char name[160];                /* unique */
    const char *clock_name, *boot; /* clock_name: its name in the first world that used it; boot NULL: unknown */
    bool is_tsc;
    uint64_t base_ticks, base_ns;
    double ns_per_tick;
    bool is_reference;
    uint64_t first_ns, last_ns;             /* first and last event on its own clock, set by survey.c */
    struct clock_measurement *measurements; /* in time order */
    size_t measurement_count;
};

/* A communicator of the application. Its OTF2 id is its index. */
struct comm {
    uint64_t key, parent_key;
    const char *name;
    char *own_name; /* a name that the assembly made up, if none of the definitions has one */
    bool inter, self, world;
    int size;
    int *members;        /* trace-wide ranks in order; an intercommunicator's first group, then its second */
    int first_group;     /* size of an intercommunicator's first group; 0 if the groups are unknown */
    uint32_t first_id;   /* lowest definition id in any process; gives the order of creation */
    uint32_t generation; /* number of ancestors, including itself */
    uint32_t parent;     /* index, or NO_ID */
    uint32_t group;      /* index into the archive's groups */
    /* If this is a window or file with transfers: its OTF2 id, set by survey.c; else NO_ID. */
    uint32_t window, file;
};

/* The hops of one communicator under one tree. OTF2 id: comm_count + index. */
struct shadow {
    uint32_t comm, tree;
};

struct site { /* merged call site */
    const struct site_definition *place;
    const struct site_definition *callers[MOST_CALLERS];
    size_t caller_count;
};

/* A region: a function with its call site. OTF2 id: its index. */
struct region {
    uint16_t function;     /* enum mpi_function */
    bool refused;          /* a collective that the MPI library refused */
    uint32_t site;         /* NO_ID: unknown */
    const char *user_name; /* a region that the program defined; NULL: an MPI function */
};

/* Regions for the collector's own activities. Their OTF2 ids follow those of the MPI functions: region_count + this
 * number. */
enum own_region { OWN_HOP_WAIT, OWN_COMBINE, OWN_COPY, OWN_OVERHEAD, OWN_IDLE, OWN_JOIN, OWN_REGION_COUNT };

struct run {
    const char *directory;
    struct process *processes; /* the index is the trace-wide rank */
    int rank_count;            /* number of ranks in all worlds, including ranks that were not found */
    struct world *worlds;
    size_t world_count;
    size_t spawns_without_world; /* MPI_Comm_spawn calls whose worlds are missing or ambiguous */
    struct machine *machines;
    size_t machine_count;
    struct comm *comms;
    size_t comm_count;
    struct shadow *shadows;
    size_t shadow_count;
    struct site *sites;
    size_t site_count;
    char **trees, **user_regions; /* distinct names; the processes own the texts */
    size_t tree_count, user_region_count;
    struct region *regions;
    size_t region_count;
    struct id_table region_ids, shadow_ids;
    /* Set by survey.c. first_ns and last_ns are corrected to the reference machine's clock. */
    uint64_t stored_count, first_ns, last_ns, overhead_ns; /* stored_count: number of stored records (stored.h) */
    size_t threads;                                        /* spools with records */
    uint64_t records_unknown, records_without_comm, records_unjoined, records_ungrouped; /* omitted records */
    uint64_t leaves_without_enter;
    /* Set by write_events.c: */
    uint64_t events;
    struct sentences missing;
};

/* Reads DIR/spool and the spools of the worlds beneath it: DIR/spawned-<job>/spool, and DIR/joined-<name>/spool for
 * runs that were joined to it, with the worlds beneath those. Returns false with a message if there is nothing to make
 * an archive from. */
bool run_read(struct run *run, const char *directory, char *message, size_t capacity);
/* Reads the processes of one world. Returns false if memory runs out or the directory cannot be read; *error is then an
 * errno. */
bool world_read(struct world *world, struct sentences *missing, int *error);
void run_free(struct run *run);

/* Maps DIR/spool/<name> of this rank and thread into *file. False with a reason if the spool is unusable. */
bool spool_file_open(struct spool_file *file, const char *path, uint32_t world_rank, uint32_t thread, char *reason,
                     size_t capacity);
void spool_file_close(struct spool_file *file);
/* Gives the memory of a spool's pages back to the system after a pass over the records. They can be read again. */
void spool_file_rest(const struct spool_file *file);

/* A rank's name in a sentence: "3", or "3 (1 of world 2)" if there are several worlds. */
const char *rank_name(const struct run *run, int rank, char *text, size_t capacity);

/* Fits each machine's map from ticks to ns and computes the offsets between machines. */
bool clock_map_make(struct run *run);
/* Gets the current time, corrected to the reference machine's clock. False if this program does not run on that
 * machine, or the machine has rebooted. */
bool clock_map_now(const struct machine *machine, uint64_t *now_ns);
/* Selects each machine's measurements, reports machines whose clock offset is unknown, and sets first_ns and last_ns of
 * the run. Call it after survey. */
bool clock_map_finish(struct run *run);

/* Translates members to trace-wide ranks, and keys to keys that are equal on all members, even if these are in
 * different worlds. Reports how many communicators cannot be joined. Call it after clock_map_make. */
bool join_worlds(struct run *run);
/* Finds the definitions of different processes that mean the same communicator. Call it after join_worlds. */
bool merge_comms(struct run *run);
/* Finds the definitions of different processes that mean the same call site, and the callers that tell it apart. */
bool merge_sites(struct run *run);
/* Adds the text of a call site: the file for a line of Python; otherwise module+0xoffset, also for each caller. */
void text_add_place(struct text *output, const struct site *site);
/* Adds the name of the function that contains the call site; for a line of Python, also of its callers. */
void text_add_function(struct text *output, const struct site *site);

/* Passes over all records once: sorts them if needed, and finds their time span, regions, shadow communicators and
 * calls that never returned. */
bool survey(struct run *run);
/* The functions from here on return OTF2 ids; NO_ID if the record refers to something unknown. region_of: the region
 * that this record begins. */
uint32_t region_of(const struct run *run, const struct process *process, const struct spool_record *begin,
                   bool refused);
uint32_t comm_of(const struct process *process, uint32_t id);
/* The communicator of a transfer's window or file. For one of a single process, which has none, it is MPI_COMM_SELF. */
uint32_t comm_of_transfer(const struct run *run, const struct process *process, const struct spool_record *transfer);
/* True for a transfer of a file, false for a one-sided one. */
static inline bool is_of_file(const struct spool_record *transfer) {
    return (uint32_t)transfer->a >= SPOOL_READ;
}
/* The index of a hop's peer in the list of the communicator's members. For an intercommunicator the list has both
 * groups. NO_ID: unknown. */
uint32_t hop_peer_of(const struct run *run, const struct process *process, const struct spool_record *hop);
/* True if the communicator has processes of other worlds that were not found. */
bool is_unjoined(const struct process *process, uint32_t id);
uint32_t shadow_of(const struct run *run, const struct process *process, const struct spool_record *hop);
/* Finds the begin record that `leave` ends in the stack of open records (indices into the file). Returns the depth of
 * the stack after it and everything above it are removed; SIZE_MAX if no open record matches. */
size_t depth_after(const struct spool_file *file, const struct index_list *open, const struct spool_record *leave);

#endif
