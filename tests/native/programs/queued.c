/* One rank comes to each of 10 broadcasts after all others have left it. By then each of them has also sent it three
 * messages of the application, before the broadcast's message. It receives them afterwards. The ranks report their
 * progress in a file in memory, so that this needs neither MPI messages nor times. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, LATE_RANK = 3, MESSAGES = 3 };

struct progress {
    atomic_int left;   /* broadcasts that the other ranks have left, except the late one */
    atomic_int rounds; /* rounds that the late rank has ended */
};

static struct progress *shared_progress(void) {
    const char *path = getenv("PROGRESS_FILE");
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof(struct progress)) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    void *memory = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return memory;
}

static void wait_for(atomic_int *count, int minimum) {
    while (atomic_load(count) < minimum)
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

int main(int argc, char **argv) {
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct progress *progress = shared_progress();
    for (int i = 0; i < ROUNDS; i++) {
        for (int m = 0; m < MESSAGES && rank != LATE_RANK; m++)
            MPI_Send(&value, 1, MPI_INT, LATE_RANK, m, MPI_COMM_WORLD);
        if (rank == LATE_RANK)
            wait_for(&progress->left, (i + 1) * (size - 1));
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank != LATE_RANK) {
            atomic_fetch_add(&progress->left, 1);
            wait_for(&progress->rounds, i + 1);
            continue;
        }
        for (int sender = 0; sender < size; sender++)
            for (int m = 0; m < MESSAGES && sender != LATE_RANK; m++)
                MPI_Recv(&value, 1, MPI_INT, sender, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        atomic_fetch_add(&progress->rounds, 1);
    }
    MPI_Finalize();
    return 0;
}
