/* MPI_Pcontrol: the application pauses and resumes recording.
 *
 * Level 0 pauses recording in this process, levels 1 and above resume it. The MPI standard suggests level 2 for
 * flushing buffers; this is not necessary here, because records are in the file at once. Negative levels have no
 * effect. Further arguments belong to other tools; MPI libraries ignore them.
 *
 * During a pause, the collector still does everything that all members of a communicator must do in the same way: it
 * counts collectives, and the engine runs the same collectives. */
#include "wrappers/call.h"

WRAPPER int MPI_Pcontrol(const int level, ...) {
    struct call call;
    /* Both the call that pauses and the call that resumes are recorded, so that the trace shows their call sites. */
    if (level > 0)
        record_hold(false);
    call_enter(&call, FUNCTION_MPI_Pcontrol, CALLER);
    call.error = pmpi.Pcontrol(level);
    call_leave(&call);
    if (level == 0)
        record_hold(true);
    if (level == 0 && !call_passed_on(&call))
        record_follow();
    return call.error;
}
