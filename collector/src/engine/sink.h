/* Receives messages for which a rank has no memory: any number of bytes, all into the same 64 KiB.
 *
 * By the standard a too-short receive would do, but Open MPI 4.1 then writes the whole message past its end.
 */
#ifndef HOPSCOPE_SINK_H
#define HOPSCOPE_SINK_H

#include <stdint.h>

#include "mpi/mpi_table.h"

/* Once, before the first communicator; false if MPI cannot make the datatype. */
bool sink_open(void);
void sink_close(void);

/* A buffer, datatype and count that take at least this many bytes. Received content is garbage. */
struct sink {
    void *buffer;
    MPI_Datatype datatype;
    int count;
};
struct sink sink_for(int64_t bytes);

#endif
