/* State that the checks share: rank and size, and the report of a difference. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern int check_rank, check_size, check_failures;
/* A bit for each operation that the engine runs, numbered as in the mode. The MPI library runs the others, and fails on
 * some of our datatypes. So these operations get simple datatypes. */
extern unsigned check_served;

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition) && check_failures++ < 20) {                                                                   \
            fprintf(stderr, "rank %d: %s: ", check_rank, #condition);                                                  \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
        }                                                                                                              \
    } while (0)

/* Each function is one mode of the program, with its arguments on the command line. MPI_X is the collector's, PMPI_X
 * the library's. */
void check_pairs(uint64_t seed);             /* every predefined operation on every datatype */
void check_random(uint64_t seed, int turns); /* random collectives on random communicators */
void check_derived(uint64_t seed, int turns);
void check_pairs_more(uint64_t seed); /* prefix sums and reduce-scatters */
void check_random_more(uint64_t seed, int turns);
void check_derived_more(uint64_t seed, int turns);
void check_blocks(uint64_t seed, int turns); /* operations that move data, between random datatypes */
void check_sums(uint64_t seed);              /* rounding, and repeatability */
void check_errors(void);                     /* the same error codes and handlers as without the engine */
void check_truncation(void);                 /* a message longer than its receivers' buffers */
void check_lengths(bool by_mpi);             /* counts that do not fit one another; by_mpi: over MPI's messages */
void check_handlers(int turns);              /* the application's error handlers are never replaced */
void check_lifetimes(int turns);             /* communicators made and freed in a loop, intercommunicators */
void check_many(int turns);                  /* communicators that are not freed */
void check_threads(int turns);               /* two communicators at once */
void check_turnover(int turns);              /* two threads make and free communicators of the same members */
void check_late(int turns);                  /* rank 0 comes after the others have left */
void check_large(int elements);              /* 8 MB by default, and sends that wait for a flag */
void check_shared(uint64_t seed);            /* hops through shared memory: yes, no, or not possible for rank 1 */
void check_memory(void);                     /* one rank runs out of memory */

/* A random communicator, the same on all ranks. The caller must free it unless it is MPI_COMM_WORLD. */
MPI_Comm check_some_comm(uint64_t *shared);

#endif
