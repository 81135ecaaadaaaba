/* Leaves MPI calls by a longjmp out of the error handler. Then makes further calls: from the same call site, from a
 * caller further up the stack, and from deeper functions whose frames overwrite that of the abandoned call. Prints the
 * number of jumps. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf return_point;
static int jumps;

static void jump(MPI_Comm *comm, int *error, ...) {
    int rank;
    (void)error;
    jumps++;
    /* This call is inside the call that failed, so it is not recorded. */
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_rank(*comm, &rank);
    longjmp(return_point, 1);
}

static void fail(void) {
    int value = 1;
    if (setjmp(return_point) == 0)
        MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void call_below(int levels, void (*function)(void)) {
    volatile char written_over[2000];
    memset((char *)written_over, 0x55, sizeof written_over);
    if (levels > 0)
        call_below(levels - 1, function);
    else
        function();
    written_over[0] = 1;
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 3; i++)
        fail();
    barrier();
    call_below(3, fail);
    barrier();
    fail();
    call_below(3, barrier);
    MPI_Errhandler_free(&handler);
    printf("%d jumps\n", jumps);
    MPI_Finalize();
    return 0;
}
