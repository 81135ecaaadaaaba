/* Calls collectives by addresses that it looks up itself, so that no call of them passes a preload: blocking ones,
 * nonblocking ones, or persistent ones that MPI_Start begins. `named` calls them by name. The last rank comes late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 50 };

typedef int blocking_function(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int nonblocking_function(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
typedef int persistent_function(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);

/* A function of the MPI library, and never a preload's. No preload has MPI_Get_version. */
static void *look_up(const char *name, const char *second_name) {
    Dl_info library;
    void *handle = dladdr((void *)MPI_Get_version, &library) ? dlopen(library.dli_fname, RTLD_NOW) : NULL;
    void *function = handle ? dlsym(handle, name) : NULL;
    function = handle && !function ? dlsym(handle, second_name) : function;
    if (!function)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return function;
}

int main(int argc, char **argv) {
    const char *form = argc > 1 ? argv[1] : "named";
    double own = 1, sum = 0;
    int rank, size;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    blocking_function *allreduce = MPI_Allreduce;
    nonblocking_function *iallreduce = MPI_Iallreduce;
    if (strcmp(form, "blocking") == 0)
        allreduce = (blocking_function *)look_up("MPI_Allreduce", "");
    if (strcmp(form, "nonblocking") == 0)
        iallreduce = (nonblocking_function *)look_up("MPI_Iallreduce", "");
    if (strcmp(form, "persistent") == 0)
        ((persistent_function *)look_up("MPI_Allreduce_init", "MPIX_Allreduce_init"))(
            &own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < TIMES; i++) {
        if (rank == size - 1)
            usleep(1000);
        if (request != MPI_REQUEST_NULL) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (i % 2 == 0) {
            allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else {
            MPI_Request each;
            iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &each);
            MPI_Wait(&each, MPI_STATUS_IGNORE);
        }
        if (sum != size)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
