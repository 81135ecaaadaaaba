/* Which operations the engine may combine with. */
#ifndef HOPSCOPE_OPERATORS_H
#define HOPSCOPE_OPERATORS_H

#include "mpi/mpi_table.h"

/* True if the MPI library combines this datatype, which it takes, with this operation. What it refuses it shall refuse
 * itself, natively. */
bool operator_fits(MPI_Op op, MPI_Datatype datatype);
/* True if both are predefined, so that their handles always mean the same. */
bool operator_is_lasting(MPI_Op op, MPI_Datatype datatype);
/* Of one that fits. */
bool operator_commutes(MPI_Op op);

#endif
