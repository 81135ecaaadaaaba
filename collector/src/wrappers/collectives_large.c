/* The large-count forms of collectives.c: see forms.h. */
#include <mpi.h>
#if MPI_VERSION >= 4
#define LARGE_COUNT
#include "wrappers/collectives.c"
#endif
