/* The two forms of a function that takes counts: MPI_Send with int, MPI_Send_c with MPI_Count.
 *
 * The wrappers of both forms are the same text, compiled twice. A file X.c gives the int forms. X_large.c defines
 * LARGE_COUNT and includes X.c, to give the large forms if the MPI library has them. Both forms are recorded as the
 * same function.
 */
#ifndef HOPSCOPE_FORMS_H
#define HOPSCOPE_FORMS_H

#include "wrappers/collective.h"
#include "wrappers/message.h"

#ifdef LARGE_COUNT
#define LARGE true
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define MPI_FORM(name) MPI_##name##_c
#define PMPI_FORM(name) pmpi.name##_c
#else
#define LARGE false
#define COUNT int
#define DISPLACEMENT int
#define MPI_FORM(name) MPI_##name
#define PMPI_FORM(name) pmpi.name
#endif

/* The packed bytes of several blocks of one datatype; 0 if unknown. */
static inline uint64_t packed_sum(const struct call *call, const COUNT counts[], int blocks, MPI_Datatype datatype) {
    uint64_t sum = 0;
    for (int i = 0; collective_counts(call) && i < blocks; i++)
        sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
    return sum ? sum * type_bytes(datatype) : 0;
}

/* Like packed_sum, with one datatype per block. */
static inline uint64_t packed_sum_w(const struct call *call, const COUNT counts[], int blocks,
                                    const MPI_Datatype datatypes[]) {
    uint64_t sum = 0;
    for (int i = 0; collective_counts(call) && i < blocks; i++)
        sum += counts[i] > 0 ? (uint64_t)counts[i] * type_bytes(datatypes[i]) : 0;
    return sum;
}

#endif
