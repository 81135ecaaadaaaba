/* Asks the MPI library which predefined operations go with which datatypes. */
#include "engine/operators.h"

#include <pthread.h>

static bool is_predefined(MPI_Op op) {
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_LAND || op == MPI_BAND ||
           op == MPI_LOR || op == MPI_BOR || op == MPI_LXOR || op == MPI_BXOR || op == MPI_MINLOC || op == MPI_MAXLOC ||
           op == MPI_REPLACE || op == MPI_NO_OP;
}

static bool is_named(MPI_Datatype datatype) {
    int integers, addresses, datatypes, combiner = 0;
    return pmpi.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

/* MPI_Reduce_local has no communicator: its errors go to the handler of MPI_COMM_WORLD or MPI_COMM_SELF. */
static bool ask(MPI_Op op, MPI_Datatype datatype) {
    _Alignas(64) char in[64] = {0}, inout[64] = {0};
    MPI_Comm handlers_of[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler users[2];
    for (int i = 0; i < 2; i++) {
        pmpi.Comm_get_errhandler(handlers_of[i], &users[i]);
        pmpi.Comm_set_errhandler(handlers_of[i], MPI_ERRORS_RETURN);
    }
    int error = pmpi.Reduce_local(in, inout, 1, datatype, op);
    for (int i = 0; i < 2; i++) {
        pmpi.Comm_set_errhandler(handlers_of[i], users[i]);
        pmpi.Errhandler_free(&users[i]);
    }
    return error == MPI_SUCCESS;
}

bool operator_fits(struct engine_comm *e, MPI_Op op, MPI_Datatype datatype) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        MPI_Op op;
        MPI_Datatype datatype;
        bool fits;
    } asked[512];
    static int asked_count;
    if (e->any_fitted && e->fitting_op == op && e->fitting_datatype == datatype)
        return true;
    if (!is_predefined(op))
        return true;
    if (!is_named(datatype) || op == MPI_REPLACE || op == MPI_NO_OP)
        return false;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < asked_count && (asked[i].op != op || asked[i].datatype != datatype))
        i++;
    bool fits = i < asked_count ? asked[i].fits : ask(op, datatype);
    if (i == asked_count && asked_count < (int)(sizeof asked / sizeof *asked)) {
        asked[i].op = op;
        asked[i].datatype = datatype;
        asked[i].fits = fits;
        asked_count++;
    }
    pthread_mutex_unlock(&lock);
    if (fits) {
        e->fitting_op = op;
        e->fitting_datatype = datatype;
        e->any_fitted = true;
    }
    return fits;
}

bool operator_commutes(MPI_Op op) {
    int commutes = 0;
    return pmpi.Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}
