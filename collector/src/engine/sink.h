/* A place for messages that a rank has no memory for: any number of bytes, all onto the same 64 KiB.
 *
 * A receive that is too short would do by the letter of MPI, but Open MPI 4.1 copies the whole message over its end.
 */
#ifndef HOPSCOPE_SINK_H
#define HOPSCOPE_SINK_H

#include <stdint.h>

#include "mpi/mpi_table.h"

/* Once, before the first communicator; false if MPI cannot make the datatype. */
bool sink_open(void);
void sink_close(void);

/* A buffer, datatype and count that take at least this many bytes. What arrives in it is rubbish. */
struct sink {
    void *buffer;
    MPI_Datatype datatype;
    int count;
};
struct sink sink_for(int64_t bytes);

#endif
