/* Begins and ends user regions around calls, between calls, and while recording is off. Prints a line at the end. */
#include <hopscope/region.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void *in_a_thread(void *unused) {
    hopscope_region_begin("thread");
    hopscope_region_begin("inner");
    hopscope_region_end("thread"); /* also ends the region inside this one */
    return unused;
}

static void in_an_operation(void *operand, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    hopscope_region_begin("never");
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)operand)[i];
    hopscope_region_end("never");
}

int main(int argc, char **argv) {
    int rank, contribution = 1, sum = 0;
    hopscope_region_begin("whole program");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "step %d", i);
        hopscope_region_begin(name);
        MPI_Barrier(MPI_COMM_WORLD);
        hopscope_region_begin("inner");
        hopscope_region_end(NULL);
        hopscope_region_end(name);
    }
    hopscope_region_begin("");
    hopscope_region_begin(NULL);
    hopscope_region_end(NULL);
    hopscope_region_end("");
    hopscope_region_begin("begun before");
    MPI_Pcontrol(0);
    hopscope_region_begin("inside");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    hopscope_region_end("inside");
    hopscope_region_end("begun before");
    hopscope_region_begin("begun inside");
    MPI_Pcontrol(1);
    MPI_Pcontrol(-3);
    MPI_Pcontrol(2, "whatever", 7);
    hopscope_region_end("begun inside");
    hopscope_region_end("not begun");
    hopscope_region_end("not begun");
    MPI_Op op;
    MPI_Op_create(in_an_operation, 1, &op);
    MPI_Allreduce(&contribution, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, NULL);
    pthread_join(thread, NULL);
    hopscope_region_begin("to the end");
    printf("%d sum %d\n", rank, sum);
    MPI_Finalize();
    hopscope_region_end("to the end");
    hopscope_region_end("whole program");
    hopscope_region_end(NULL);
    return 0;
}
