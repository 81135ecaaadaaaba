/* The large-count forms of file_access.c, see forms.h. */
#include "mpi/mpi_table.h"
#if HOPSCOPE_MPI_LARGE_COUNTS
#define LARGE_COUNT
#include "wrappers/file_access.c"
#endif
