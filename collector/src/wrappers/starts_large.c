/* The large-count forms of starts.c, see forms.h. */
#include "mpi/mpi_table.h"
#if HOPSCOPE_MPI_LARGE_COUNTS
#define LARGE_COUNT
#include "wrappers/starts.c"
#endif
