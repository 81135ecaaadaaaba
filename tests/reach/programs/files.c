/* Files. The first argument selects: checkpoints (collective writes, rank 1 comes late), log (shared pointers, and
 * requests), errors (all calls fail and return their class). The second one names the file. Prints the data that it
 * read. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 5, COUNT = 64 };

static int rank, ranks;
static const char *path;

static void compute(double seconds) {
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static void checkpoints(void) {
    int data[COUNT], back[COUNT], wrong = 0;
    MPI_Offset size, offset = (MPI_Offset)rank * (MPI_Offset)sizeof data;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_File file;
        for (int i = 0; i < COUNT; i++)
            data[i] = rank * 1000 + round;
        compute(rank == 1 ? 0.006 : 0.001);
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        MPI_File_set_size(file, 0);
        MPI_File_set_view(file, offset, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
        MPI_File_write_all(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at_all_begin(file, 0, back, COUNT, MPI_INT);
        MPI_File_read_at_all_end(file, back, MPI_STATUS_IGNORE);
        MPI_File_get_size(file, &size);
        wrong += memcmp(data, back, sizeof data) != 0 || size != (MPI_Offset)sizeof data * ranks;
        MPI_File_close(&file);
    }
    printf("rank %d: %d wrong\n", rank, wrong);
}

static void log_lines(void) {
    MPI_File file;
    MPI_Request requests[3];
    MPI_Status statuses[2];
    int value = rank, received = -1, back[2] = {-1, -1}, sum = 0;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_preallocate(file, (MPI_Offset)sizeof value * ranks);
    MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, &back[0], 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Reduce(&back[0], &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_File_iwrite_at(file, (MPI_Offset)sizeof value * rank, &value, 1, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, (MPI_Offset)sizeof value * rank, &back[0], 1, MPI_INT, &requests[0]);
    MPI_File_iread_at(file, (MPI_Offset)sizeof value * rank, &back[1], 1, MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Irecv(&received, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_File_iread_at(file, 0, &back[1], 1, MPI_INT, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d %d %d\n", rank, sum, back[0], back[1], received);
    MPI_File_close(&file);
}

static void print_class(const char *function, int error) {
    int class;
    MPI_Error_class(error, &class);
    printf("rank %d: %s %d\n", rank, function, class);
}

static void errors(void) {
    MPI_File file;
    int value = 0;
    print_class("open", MPI_File_open(MPI_COMM_WORLD, "/nowhere/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    print_class("mode", MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    print_class("delete", MPI_File_delete("/nowhere/file", MPI_INFO_NULL));
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    print_class("read", MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    print_class("count", MPI_File_write_at(file, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
    print_class("size", MPI_File_set_size(file, -1));
    print_class("seek", MPI_File_seek(file, 0, 99));
    MPI_File_close(&file);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    path = words[2];
    if (strcmp(words[1], "checkpoints") == 0)
        checkpoints();
    else if (strcmp(words[1], "log") == 0)
        log_lines();
    else
        errors();
    MPI_Finalize();
    return 0;
}
