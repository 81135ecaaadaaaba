/* The words that columns of the tables may contain, in the order of their codes. For C and C++.
 * `hopscope.native._paths` exports them to Python (hopscope/vocabulary/words.py) and SQL. Words are API: never change
 * one, and append new ones. The words for link classes are in links.h.
 */
#ifndef HOPSCOPE_SCHEMAS_WORDS_H
#define HOPSCOPE_SCHEMAS_WORDS_H

/* Column hops.role, and the role in a hop's tag. X(word, meaning, NAME in C) */
#define ROLES(X)                                                                                                       \
    X(up, "to the root", ROLE_UP)                                                                                      \
    X(down, "from the root", ROLE_DOWN)                                                                                \
    X(exchange, "between peers", ROLE_EXCHANGE)

/* Column hops.source, and calls.engine, which may add a reason to `native`. X(word, meaning, NAME in C) */
#define SOURCES(X)                                                                                                     \
    X(tree, "Hopscope's engine", SOURCE_TREE)                                                                          \
    X(native, "the MPI library", SOURCE_NATIVE)

/* Columns hops.binding and messages.binding. In this list and the following ones: X(word, meaning) */
#define BINDINGS(X)                                                                                                    \
    X(recv, "the receiver waited for it")                                                                              \
    X(send, "the sender waited for the receiver")                                                                      \
    X(none, "nobody waited for it")                                                                                    \
    X(undecided, "the times do not show who waited")

/* Column path_stretches.path */
#define PATHS(X)                                                                                                       \
    X(run, "the critical path of the run")                                                                             \
    X(collective, "the critical path of a collective")                                                                 \
    X(lead, "the path from the previous collective to a collective's last arrival")

/* Column path_stretches.category */
#define CATEGORIES(X)                                                                                                  \
    X(compute, "outside all MPI: the program's own work")                                                              \
    X(local, "inside collectives, on one rank: combining, serialising, software")                                      \
    X(shm, "hops within one host")                                                                                     \
    X(lan, "hops between hosts of one cluster")                                                                        \
    X(wan, "hops between clusters")                                                                                    \
    X(native, "inside the MPI library, where no hop is known")                                                         \
    X(p2p, "the application's point-to-point messages, and waits for them")                                            \
    X(mpi, "other MPI calls: communicators, waits for no known message")                                               \
    X(unrecorded, "recording was off: nothing is known")                                                               \
    X(rma, "one-sided communication: windows, their epochs and transfers")                                             \
    X(io, "files, in MPI")                                                                                             \
    X(overhead, "the collector's own time")

/* Words that results of analyses use instead of a category, for times that occur once in a run. No table has them. */
#define ONCE(X)                                                                                                        \
    X(startup, "before the first collective or message")                                                               \
    X(shutdown, "after the last collective or message")

/* Column intervals.kind */
#define INTERVAL_KINDS(X)                                                                                              \
    X(init, "start of MPI")                                                                                            \
    X(finalize, "end of MPI")                                                                                          \
    X(p2p, "sends and receives")                                                                                       \
    X(wait, "completion, test and probe")                                                                              \
    X(comm, "communicator management")                                                                                 \
    X(io, "input and output")                                                                                          \
    X(mpi, "other MPI")                                                                                                \
    X(region, "a region that the user defined")                                                                        \
    X(overhead, "the collector's own time")                                                                            \
    X(off, "recording was off on this thread")                                                                         \
    X(rma, "one-sided communication")                                                                                  \
    X(idle, "between the end of a thread and the begin of the next one on the same location")                          \
    X(join, "waiting for the end of a thread that communicates")                                                       \
    X(tool, "calls of MPI that another tool made itself")                                                              \
    X(mixed, "a wait for requests of several kinds: messages or collectives, windows, files")

/* Column steps.kind */
#define STEP_KINDS(X)                                                                                                  \
    X(combine, "an operation on two operands")                                                                         \
    X(copy, "a copy in memory")                                                                                        \
    X(overhead, "the collector's own time")

/* Column collectives.native_reason */
#define NATIVE_REASONS(X)                                                                                              \
    X(incomplete, "a member's call or its end is missing")                                                             \
    X(unmatched, "one end of a message is missing")                                                                    \
    X(silent, "a member that took part shows no message")                                                              \
    X(undecided, "the trace does not show if a rank waited for a message")                                             \
    X(shared, "no message of the MPI library was seen, for example because it uses shared memory")

/* Column time_bins.kind */
#define BIN_KINDS(X)                                                                                                   \
    X(path, "the critical path of the run, by the rank on which it is")                                                \
    X(ranks, "the time of each rank, without its computing")

/* The list of all vocabularies above. X(name, list) */
#define VOCABULARIES(X)                                                                                                \
    X(role, ROLES)                                                                                                     \
    X(source, SOURCES)                                                                                                 \
    X(binding, BINDINGS)                                                                                               \
    X(path, PATHS)                                                                                                     \
    X(category, CATEGORIES)                                                                                            \
    X(once, ONCE)                                                                                                      \
    X(interval_kind, INTERVAL_KINDS)                                                                                   \
    X(step_kind, STEP_KINDS)                                                                                           \
    X(native_reason, NATIVE_REASONS)                                                                                   \
    X(bin_kind, BIN_KINDS)

/* Defines an array of words for each vocabulary, such as role_words[]. The index is the code. */
#define VOCABULARY_WORD(word, ...) #word,
#define VOCABULARY_WORDS(name, list) static const char *const name##_words[] = {list(VOCABULARY_WORD)};
VOCABULARIES(VOCABULARY_WORDS)
#undef VOCABULARY_WORD
#undef VOCABULARY_WORDS

#define VOCABULARY_NAME(word, meaning, name) name,
enum hop_role { ROLES(VOCABULARY_NAME) ROLE_COUNT };
enum hop_source { SOURCES(VOCABULARY_NAME) SOURCE_COUNT };
#undef VOCABULARY_NAME

#endif
