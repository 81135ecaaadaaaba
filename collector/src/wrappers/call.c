#include "wrappers/call.h"

#include <stdlib.h>

#include "log/log.h"

_Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));
bool call_serving;

void call_pass_on(void) {
    char message[256];
    if (mpi_table_resolve(message, sizeof message))
        return;
    /* There is no function to pass the call on to; without the preload this program would not have come here. */
    log_line("%s", message);
    abort();
}
