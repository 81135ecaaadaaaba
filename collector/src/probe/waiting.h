/* Waits that yield the processor, because ranks may outnumber the cores. */
#ifndef HOPSCOPE_PROBE_WAITING_H
#define HOPSCOPE_PROBE_WAITING_H

#include "mpi/mpi_table.h"

enum probe_tag {
    PROBE_TAG_COMMAND = 1,
    PROBE_TAG_TIMES,
    PROBE_TAG_DATA,
    PROBE_TAG_STOP,
    PROBE_TAG_READY,
    PROBE_TAG_NAME,
};

int64_t probe_now_ns(void);
/* Waits until a request is complete: polls, and after a while yields between polls. */
void probe_wait(MPI_Request *request);
/* Call it between polls, with the number of polls so far. From some number on, it yields the processor. */
void probe_pause(int polls);
/* MPI_Send and MPI_Recv of bytes, but waiting with probe_wait. probe_receive returns the message's tag. */
void probe_send(void *bytes, int count, int receiver, int tag);
int probe_receive(void *bytes, int count, int sender, int tag);
/* Sleeps until a message with this tag from a rank has arrived; polls MPI only now and then. Returns the message's size
 * in bytes. */
int probe_sleep_until_message(int sender, int tag);
/* Stays outside MPI for this long, mostly asleep. */
void probe_stay_away(int64_t ns);

#endif
