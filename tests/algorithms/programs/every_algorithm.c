/* Runs every algorithm of Open MPI's coll/tuned. For each operation, algorithm number and size of communicator, makes a
 * communicator named operation/algorithm/ranks, and calls the operation on it three times.
 *
 * A communicator takes its algorithms from the MCA parameters that are set when it is made. MPI_T can change these,
 * except that of allgatherv. With a first argument such as allgatherv/3 only this algorithm runs, and the caller must
 * set the parameter. Start it with `--mca coll_tuned_use_dynamic_rules 1`, on as many ranks as the largest size in the
 * arguments.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 15001, BLOCK = 1025, SEGMENT_BYTES = 1024, TIMES = 3 };

static int *input, *output, *counts, *places;

static int set(const char *name, int value) {
    int number, done = MPI_ERR_OTHER;
    MPI_T_cvar_get_num(&number);
    for (int i = 0; i < number && done != MPI_SUCCESS; i++) {
        char variable_name[256], description[2];
        int name_length = sizeof variable_name, length = sizeof description, verbosity, bind, scope, count;
        MPI_Datatype type;
        MPI_T_enum words;
        MPI_T_cvar_handle handle;
        MPI_T_cvar_get_info(i, variable_name, &name_length, &verbosity, &type, &words, description, &length, &bind,
                            &scope);
        if (strcmp(variable_name, name) != 0 || MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS)
            continue;
        done = MPI_T_cvar_write(handle, &value);
        MPI_T_cvar_handle_free(&handle);
    }
    return done == MPI_SUCCESS;
}

static int run(const char *operation, int n, int root, MPI_Comm comm) {
#define HAS_NAME(name) (strcmp(operation, name) == 0)
    for (int i = 0; i < n; i++) {
        counts[i] = BLOCK;
        places[i] = i * BLOCK;
    }
    if (HAS_NAME("allreduce"))
        return MPI_Allreduce(input, output, WHOLE, MPI_INT, MPI_SUM, comm);
    if (HAS_NAME("reduce"))
        return MPI_Reduce(input, output, WHOLE, MPI_INT, MPI_SUM, root, comm);
    if (HAS_NAME("bcast"))
        return MPI_Bcast(input, WHOLE, MPI_INT, root, comm);
    if (HAS_NAME("barrier"))
        return MPI_Barrier(comm);
    if (HAS_NAME("gather"))
        return MPI_Gather(input, BLOCK, MPI_INT, output, BLOCK, MPI_INT, root, comm);
    if (HAS_NAME("scatter"))
        return MPI_Scatter(input, BLOCK, MPI_INT, output, BLOCK, MPI_INT, root, comm);
    if (HAS_NAME("allgather"))
        return MPI_Allgather(input, BLOCK, MPI_INT, output, BLOCK, MPI_INT, comm);
    if (HAS_NAME("allgatherv"))
        return MPI_Allgatherv(input, BLOCK, MPI_INT, output, counts, places, MPI_INT, comm);
    if (HAS_NAME("alltoall"))
        return MPI_Alltoall(input, BLOCK, MPI_INT, output, BLOCK, MPI_INT, comm);
    if (HAS_NAME("alltoallv"))
        return MPI_Alltoallv(input, counts, places, MPI_INT, output, counts, places, MPI_INT, comm);
    if (HAS_NAME("reduce_scatter"))
        return MPI_Reduce_scatter(input, output, counts, MPI_INT, MPI_SUM, comm);
    if (HAS_NAME("reduce_scatter_block"))
        return MPI_Reduce_scatter_block(input, output, BLOCK, MPI_INT, MPI_SUM, comm);
    if (HAS_NAME("scan"))
        return MPI_Scan(input, output, WHOLE, MPI_INT, MPI_SUM, comm);
    if (HAS_NAME("exscan"))
        return MPI_Exscan(input, output, WHOLE, MPI_INT, MPI_SUM, comm);
    return MPI_ERR_OTHER;
}

static void run_on(const char *operation, int number, int n, MPI_Comm comm) {
    char name[64];
    snprintf(name, sizeof name, "%s/%d/%d", operation, number, n);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < TIMES; i++)
        if (run(operation, n, 1, comm) != MPI_SUCCESS)
            break;
}

static void run_on_all(const char *operation, int number, char **sizes) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (; *sizes; sizes++) {
        int n = atoi(*sizes);
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            run_on(operation, number, n, comm);
            MPI_Comm_free(&comm);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *operation;
        int numbers;
    } collectives[] = {{"allreduce", 6},
                       {"reduce", 7},
                       {"bcast", 9},
                       {"barrier", 6},
                       {"gather", 3},
                       {"scatter", 3},
                       {"allgather", 6},
                       {"alltoall", 5},
                       {"alltoallv", 2},
                       {"reduce_scatter", 4},
                       {"reduce_scatter_block", 4},
                       {"scan", 2},
                       {"exscan", 2}};
    int provided, size;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t room = (size_t)(size * BLOCK > WHOLE ? size * BLOCK : WHOLE);
    input = calloc(room, sizeof *input);
    output = calloc(room, sizeof *output);
    counts = calloc((size_t)size, sizeof *counts);
    places = calloc((size_t)size, sizeof *places);
    char operation[64];
    int number;
    if (argc > 1 && sscanf(argv[1], "%63[a-z_]/%d", operation, &number) == 2) {
        run_on_all(operation, number, argv + 2);
        MPI_Finalize();
        return 0;
    }
    for (size_t o = 0; o < sizeof collectives / sizeof *collectives; o++) {
        char name[128];
        snprintf(name, sizeof name, "coll_tuned_%s_algorithm_segmentsize", collectives[o].operation);
        set(name, SEGMENT_BYTES);
        snprintf(name, sizeof name, "coll_tuned_%s_algorithm", collectives[o].operation);
        for (number = 1; number <= collectives[o].numbers; number++) {
            if (!set(name, number)) {
                fprintf(stderr, "%s cannot be set to %d\n", name, number);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            run_on_all(collectives[o].operation, number, argv + 1);
            set(name, 0);
        }
    }
    MPI_Finalize();
    return 0;
}
