#include "engine/operators.h"

#include "engine/inquiry.h"
#include "mpi/type_bytes.h"

static bool is_predefined(MPI_Op op) {
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_LAND || op == MPI_BAND ||
           op == MPI_LOR || op == MPI_BOR || op == MPI_LXOR || op == MPI_BXOR || op == MPI_MINLOC || op == MPI_MAXLOC;
}

bool operator_fits(MPI_Op op, MPI_Datatype datatype) {
    /* MPI_REPLACE and MPI_NO_OP are for one-sided communication only. */
    return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP && inquiry_accepts_operation(op, datatype);
}

bool operator_is_lasting(MPI_Op op, MPI_Datatype datatype) {
    return is_predefined(op) && type_is_predefined(datatype);
}

bool operator_commutes(MPI_Op op) {
    int commutes = 0;
    return pmpi.Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}
