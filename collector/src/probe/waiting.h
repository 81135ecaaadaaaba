/* Waiting that lets others have the processor: ranks may outnumber the cores. */
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
/* Until a request is complete: polls, and after a while yields between polls. */
void probe_wait(MPI_Request *request);
/* Between polls, of which there were so many: yields after a while. */
void probe_pause(int polls);
/* MPI_Send and MPI_Recv in bytes that wait so. Returns the message's tag. */
void probe_send(void *bytes, int count, int to, int tag);
int probe_receive(void *bytes, int count, int from, int tag);
/* Sleeps until a message from a rank with this tag is there, and asks MPI only now and then. Returns its bytes. */
int probe_sleep_until_message(int from, int tag);
/* Not in MPI for this long; sleeps for most of it. */
void probe_stay_away(int64_t ns);

#endif
