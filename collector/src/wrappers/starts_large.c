/* The large-count forms of starts.c: see forms.h. */
#include <mpi.h>
#if MPI_VERSION >= 4
#define LARGE_COUNT
#include "wrappers/starts.c"
#endif
