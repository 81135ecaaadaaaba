/* Windows. The first argument selects: fences (rank 0 computes longer), queue (work distributed by locks), pairs (post,
 * start, complete, wait), late (pairs in which rank 1 computes before it posts), requests (transfers with requests),
 * errors (all calls fail and return their class). Prints the data that it got. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 10 };

static int rank, ranks;
static double late; /* seconds that rank 1 computes before it posts */

static void compute(double seconds) {
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static void fences(void) {
    MPI_Win window;
    int *cells, sum = 0;
    MPI_Win_allocate((MPI_Aint)sizeof *cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    MPI_Win_set_name(window, "halo");
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    for (int round = 0; round < ROUNDS; round++) {
        compute(rank == 0 ? 0.006 : 0.001);
        int value = rank * 100 + round;
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        sum += *cells;
        MPI_Win_fence(0, window);
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Win_free(&window);
}

static void queue(void) {
    MPI_Win window;
    int *next, mine = 0, one = 1, task, total = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_allocate(rank ? 0 : (MPI_Aint)sizeof *next, sizeof *next, MPI_INFO_NULL, comm, &next, &window);
    MPI_Comm_free(&comm); /* the window remains */
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        *next = 0;
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (task >= ROUNDS)
            break;
        mine++;
        compute(0.001);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Reduce(&mine, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, total);
    MPI_Win_free(&window);
}

static void pairs(void) {
    MPI_Win window;
    MPI_Group all, to, from;
    MPI_Request request;
    int *cell, sum = 0, peers[2] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
    MPI_Win_allocate((MPI_Aint)sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &peers[0], &to);
    MPI_Group_incl(all, 1, &peers[1], &from);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 1)
            compute(late);
        MPI_Win_post(from, 0, window);
        MPI_Win_start(to, 0, window);
        MPI_Put(&round, 1, MPI_INT, peers[0], 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
        if (round % 2) {
            MPI_Win_wait(window);
        } else {
            for (int flag = 0; !flag;)
                MPI_Win_test(window, &flag);
        }
        sum += *cell;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, peers[0], 0, window);
    MPI_Rput(&rank, 1, MPI_INT, peers[0], 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(peers[0], window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    printf("rank %d: %d %d\n", rank, sum, *cell);
    MPI_Win_unlock(rank, window);
    MPI_Group_free(&to), MPI_Group_free(&from), MPI_Group_free(&all);
    MPI_Win_free(&window);
}

/* Each call waits for transfers only, but the last one also for a message. */
static void requests(void) {
    enum { COUNT = 1 << 16 };
    static int cells[COUNT], data[COUNT], back[2][COUNT];
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, value = rank, received = -1, flag = 0, index;
    MPI_Win window;
    MPI_Request open[3];
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < COUNT; i++)
        data[i] = rank;
    MPI_Win_lock_all(0, window);
    MPI_Rput(data, COUNT, MPI_INT, to, 0, COUNT, MPI_INT, window, &open[0]);
    MPI_Wait(&open[0], MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Raccumulate(data, COUNT, MPI_INT, to, 0, COUNT, MPI_INT, MPI_SUM, window, &open[0]);
    while (!flag)
        MPI_Test(&open[0], &flag, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(back[0], COUNT, MPI_INT, to, 0, COUNT, MPI_INT, window, &open[0]);
    MPI_Rget_accumulate(data, COUNT, MPI_INT, back[1], COUNT, MPI_INT, from, 0, COUNT, MPI_INT, MPI_NO_OP, window,
                        &open[1]);
    MPI_Waitany(2, open, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(2, open, MPI_STATUSES_IGNORE);
    MPI_Irecv(&received, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &open[0]);
    MPI_Isend(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &open[1]);
    MPI_Rget(back[0], COUNT, MPI_INT, to, 0, COUNT, MPI_INT, window, &open[2]);
    MPI_Waitall(3, open, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);
    printf("rank %d: %d %d %d\n", rank, back[0][COUNT - 1], back[1][COUNT - 1], received);
    MPI_Win_free(&window);
}

static void print_class(const char *function, int error) {
    int class;
    MPI_Error_class(error, &class);
    printf("rank %d: %s %d\n", rank, function, class);
}

static void errors(void) {
    MPI_Win window;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int *cells, value = 1;
    print_class("create", MPI_Win_create(&value, -1, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    MPI_Win_allocate((MPI_Aint)sizeof *cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    print_class("put", MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, window));
    print_class("get", MPI_Get(&value, 1, MPI_INT, ranks, 0, 1, MPI_INT, window));
    print_class("accumulate", MPI_Accumulate(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, MPI_SUM, window));
    print_class("lock", MPI_Win_lock(99, 0, 0, window));
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int count, char **words) {
    (void)count;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(words[1], "fences") == 0)
        fences();
    else if (strcmp(words[1], "queue") == 0)
        queue();
    else if (strcmp(words[1], "pairs") == 0)
        pairs();
    else if (strcmp(words[1], "late") == 0)
        late = 0.02, pairs();
    else if (strcmp(words[1], "requests") == 0)
        requests();
    else
        errors();
    MPI_Finalize();
    return 0;
}
