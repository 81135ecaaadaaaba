/* A program that limits the size of its files once MPI is initialised, and uses SIGXFSZ itself.
 *
 *   limited_files LIMIT HOW FILE
 *
 * HOW: default, handled (a handler counts the signals), ended (its own write beyond the limit ends it) or pending (it
 * blocks the signal, and has one pending). FILE.<rank> is its own file. Returns 7 if all went as without the collector
 * (0 on ranks above 0, because a launcher then ends the others). Otherwise prints the differences on stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 3000, ODD_ERROR = 95, AS_IT_SHOULD = 7 };

static volatile sig_atomic_t signal_count;
static int wrong, rank;
static struct rlimit limit;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "limited_files: rank %d, line %d: %s\n", rank, __LINE__, #condition);                      \
            wrong = 1;                                                                                                 \
        }                                                                                                              \
    } while (0)

static void hear(int number) {
    signal_count += number == SIGXFSZ;
}

static int is_member(int (*ask)(sigset_t *)) {
    sigset_t set;
    sigemptyset(&set);
    ask(&set);
    return sigismember(&set, SIGXFSZ);
}

static int ask_blocked(sigset_t *set) {
    return pthread_sigmask(SIG_SETMASK, NULL, set);
}

/* Calls of every kind for which a recording writes something: records, communicators, call sites, names. */
static void work(int rounds) {
    for (int round = 0; round < rounds; round++) {
        int value = 1, sum = 0, ranks;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == ranks);
        errno = ODD_ERROR;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        CHECK(errno == ODD_ERROR);
        if (round % 500 == 0) {
            MPI_Comm comm;
            MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
            MPI_Comm_set_name(comm, "with a name");
            MPI_Barrier(comm);
            MPI_Comm_free(&comm);
        }
    }
}

static void *in_a_thread(void *unused) {
    int value = 1, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    CHECK(sum == 1);
    return unused;
}

/* Writes to the application's own file beyond the limit, which must give the signal. */
static void write_beyond(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    char bytes[1] = "x";
    CHECK(file >= 0);
    CHECK(pwrite(file, bytes, sizeof bytes, (off_t)limit.rlim_cur) == -1 && errno == EFBIG);
    close(file);
}

int main(int argc, char **argv) {
    const char *kind = argv[2];
    char path[4096];
    int provided;
    pthread_t thread;
    sigset_t signals;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", argv[3], rank);
    work(10);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = strtoull(argv[1], NULL, 0);
    setrlimit(RLIMIT_FSIZE, &limit);
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    if (strcmp(kind, "handled") == 0)
        sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = hear}, NULL);
    if (strcmp(kind, "pending") == 0) {
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        write_beyond(path);
    }
    work(ROUNDS);
    pthread_create(&thread, NULL, in_a_thread, NULL);
    pthread_join(thread, NULL);
    CHECK(signal_count == 0);
    if (strcmp(kind, "handled") == 0) {
        write_beyond(path);
        CHECK(signal_count == 1);
    }
    MPI_Finalize();
    CHECK(signal_count == (strcmp(kind, "handled") == 0));
    CHECK(is_member(ask_blocked) == (strcmp(kind, "pending") == 0));
    CHECK(is_member(sigpending) == (strcmp(kind, "pending") == 0));
    struct sigaction action;
    sigaction(SIGXFSZ, NULL, &action);
    CHECK(action.sa_handler == (strcmp(kind, "handled") == 0 ? hear : SIG_DFL));
    if (strcmp(kind, "ended") == 0 && rank == 0 && !wrong)
        write_beyond(path);
    return wrong ? 1 : rank == 0 ? AS_IT_SHOULD : 0;
}
