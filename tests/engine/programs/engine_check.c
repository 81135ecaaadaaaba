/* Compares the collector's collectives with those of the MPI library below it, in one process.
 *
 *   engine_check MODE SEED TURNS SERVED [MODE SEED TURNS SERVED]...
 *
 * Runs one mode after another. Missing arguments at the end have defaults. If nothing differs, rank 0 prints `same` and
 * the program returns 0. Otherwise it prints the differences on stderr.
 */
#include "check.h"

#include <stdbool.h>
#include <string.h>

int check_rank, check_size, check_failures;
unsigned check_served = ~0u;

enum { WORDS = 4 };

static void run(const char *mode, uint64_t number, int turns, bool several_threads) {
    uint64_t seed = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    if (strcmp(mode, "pairs") == 0)
        check_pairs(seed);
    else if (strcmp(mode, "random") == 0)
        check_random(seed, turns);
    else if (strcmp(mode, "derived") == 0)
        check_derived(seed, turns);
    else if (strcmp(mode, "pairs-more") == 0)
        check_pairs_more(seed);
    else if (strcmp(mode, "random-more") == 0)
        check_random_more(seed, turns);
    else if (strcmp(mode, "derived-more") == 0)
        check_derived_more(seed, turns);
    else if (strcmp(mode, "blocks") == 0)
        check_blocks(seed, turns);
    else if (strcmp(mode, "sums") == 0)
        check_sums(seed);
    else if (strcmp(mode, "errors") == 0)
        check_errors();
    else if (strcmp(mode, "truncation") == 0)
        check_truncation();
    else if (strcmp(mode, "lengths") == 0)
        check_lengths(turns);
    else if (strcmp(mode, "handlers") == 0 && several_threads)
        check_handlers(turns);
    else if (strcmp(mode, "lifetimes") == 0)
        check_lifetimes(turns);
    else if (strcmp(mode, "many") == 0)
        check_many(turns);
    else if (strcmp(mode, "threads") == 0 && several_threads)
        check_threads(turns);
    else if (strcmp(mode, "turnover") == 0 && several_threads)
        check_turnover(turns);
    else if (strcmp(mode, "late") == 0)
        check_late(turns);
    else if (strcmp(mode, "large") == 0)
        check_large(number ? (int)number : 1 << 20);
    else if (strcmp(mode, "memory") == 0)
        check_memory();
    else if (strcmp(mode, "shared") == 0)
        check_shared(number);
    else
        CHECK(0, "mode %s cannot run (several threads: %d)", mode, several_threads);
}

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "random";
    bool threads = strcmp(first, "threads") == 0 || strcmp(first, "turnover") == 0 || strcmp(first, "handlers") == 0;
    int provided, failures = 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    for (int word = 1; word == 1 || word < argc; word += WORDS) {
        const char *mode = word < argc ? argv[word] : first;
        check_served = word + 3 < argc ? (unsigned)strtoul(argv[word + 3], NULL, 10) : ~0u;
        run(mode, word + 1 < argc ? strtoull(argv[word + 1], NULL, 10) : 0, word + 2 < argc ? atoi(argv[word + 2]) : 50,
            provided == MPI_THREAD_MULTIPLE);
    }
    PMPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (check_rank == 0 && failures == 0)
        printf("same\n");
    return failures != 0;
}
