/* The large-count forms of windows.c, see forms.h. */
#include "mpi/mpi_table.h"
#if HOPSCOPE_MPI_LARGE_COUNTS
#define LARGE_COUNT
#include "wrappers/windows.c"
#endif
