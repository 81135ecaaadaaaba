/* The functions that change the table behind comm_find. Only registry.c calls them, one at a time. */
#ifndef HOPSCOPE_COMM_TABLE_H
#define HOPSCOPE_COMM_TABLE_H

#include "comm/comm.h"
#include "mpi/mpi_table.h"

bool comm_table_add(struct comm *comm);
struct comm *comm_table_remove(uint64_t bits);
void comm_table_each(void (*visit)(struct comm *comm));
const struct comm *comm_table_of_local(MPI_Comm local);
void comm_table_clear(void);

#endif
