/* The reduction operations that the engine may use. */
#ifndef HOPSCOPE_OPERATORS_H
#define HOPSCOPE_OPERATORS_H

#include "mpi/mpi_table.h"

/* True if the MPI library combines this valid datatype with this operation. If not, the call goes native, so that the
 * error is the library's own. */
bool operator_fits(MPI_Op op, MPI_Datatype datatype);
/* True if both are predefined. The handle of any other operation or datatype may later stand for another one. */
bool operator_is_lasting(MPI_Op op, MPI_Datatype datatype);
/* True if the operation commutes. Call it only for an operation for which operator_fits is true. */
bool operator_commutes(MPI_Op op);

#endif
