/* Numbers of the MPI functions, as in records. schemas/mpi_functions.h defines them. The nonblocking and the persistent
 * form of a collective have their own numbers; the forms with large counts have none. */
#ifndef HOPSCOPE_FUNCTIONS_H
#define HOPSCOPE_FUNCTIONS_H

#include "schemas/mpi_functions.h"

enum mpi_function {
    FUNCTION_NONE = 0,
#define HOPSCOPE_NUMBER(name, ...) FUNCTION_MPI_##name,
#define HOPSCOPE_NUMBERS(name, nonblocking, ...)                                                                       \
    FUNCTION_MPI_##name, FUNCTION_MPI_##nonblocking, FUNCTION_MPI_##name##_init,
    MPI_FUNCTIONS(HOPSCOPE_NUMBER, HOPSCOPE_NUMBERS)
#undef HOPSCOPE_NUMBER
#undef HOPSCOPE_NUMBERS
        FUNCTION_COUNT
};

#endif
