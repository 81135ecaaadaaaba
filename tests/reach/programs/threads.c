/* Ranks whose second threads communicate. Rank 1 works three times as long as rank 0 before each Allreduce.
 *   first   the first thread makes all calls
 *   joined  a second thread makes them, and the first one waits for it between two barriers
 *   alone   a second thread makes all calls except MPI_Init and MPI_Finalize
 *   tasks   a new thread for each round
 *   polled  the first thread works while a second one waits in MPI_Recv
 * Work is sleep, so that a busy machine changes little. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40, SHORT_MS = 4 };

static int rank;
static MPI_Comm second;

static void work(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void exchange(MPI_Comm comm) {
    double summand = 1, sum = 0;
    MPI_Allreduce(&summand, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void *round_of_work(void *unused) {
    (void)unused;
    work(rank == 1 ? 3 * SHORT_MS : SHORT_MS);
    exchange(MPI_COMM_WORLD);
    return NULL;
}

static void *all_rounds(void *unused) {
    for (int i = 0; i < ROUNDS; i++)
        round_of_work(unused);
    return NULL;
}

static void *receive(void *unused) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, 1 - rank, 1, second, MPI_STATUS_IGNORE);
    return unused;
}

static void with_thread(void *(*routine)(void *), void (*main_work)(void)) {
    pthread_t thread;
    pthread_create(&thread, NULL, routine, NULL);
    if (main_work)
        main_work();
    pthread_join(thread, NULL);
}

static void rounds_and_send(void) {
    all_rounds(NULL);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, second);
}

int main(int count, char **arguments) {
    const char *form = count > 1 ? arguments[1] : "first";
    int provided;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return 3;
    if (strcmp(form, "alone") == 0) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        with_thread(all_rounds, NULL);
    } else {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        MPI_Barrier(MPI_COMM_WORLD);
        if (strcmp(form, "joined") == 0)
            with_thread(all_rounds, NULL);
        else if (strcmp(form, "polled") == 0)
            with_thread(receive, rounds_and_send);
        else if (strcmp(form, "tasks") == 0)
            for (int i = 0; i < ROUNDS; i++)
                with_thread(round_of_work, NULL);
        else
            all_rounds(NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&second);
    }
    MPI_Finalize();
    return 0;
}
