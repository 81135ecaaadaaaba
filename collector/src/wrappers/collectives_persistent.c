/* The persistent forms of all collectives: see collective_forms.h. */
#include "mpi/mpi_table.h"
#if HOPSCOPE_MPI_4 || HOPSCOPE_MPIX_PERSISTENT
#define PERSISTENT
#include "wrappers/collectives.c"
#include "wrappers/neighborhoods.c"
#endif
