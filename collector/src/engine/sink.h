/* Receives messages for which a rank has no memory: any number of bytes, all into the same 64 KiB.
 *
 * The standard defines what happens if a message is longer than its receive. But Open MPI 4.1 then writes the whole
 * message, beyond the end of the buffer.
 */
#ifndef HOPSCOPE_SINK_H
#define HOPSCOPE_SINK_H

#include <stdint.h>

#include "mpi/mpi_table.h"

/* Call it once, before the first communicator is created. False if MPI cannot create the datatype. */
bool sink_open(void);
void sink_close(void);

/* A buffer, datatype and count that receive at least this many bytes. The content is meaningless. */
struct sink {
    void *buffer;
    MPI_Datatype datatype;
    int count;
};
struct sink sink_for(int64_t bytes);

#endif
