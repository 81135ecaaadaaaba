/* The nonblocking forms with large counts: see collective_forms.h. */
#include "mpi/mpi_table.h"
#if HOPSCOPE_MPI_LARGE_COUNTS
#define NONBLOCKING
#define LARGE_COUNT
#include "wrappers/collectives.c"
#include "wrappers/neighborhoods.c"
#endif
