/* MPI_Pcontrol: the application pauses and resumes recording.
 *
 * Level 0 pauses recording in this process, levels 1 and above resume it. MPI suggests level 2 for flushing, which is
 * not necessary here, because records are on disk at once. Negative levels have no effect. Further arguments belong to
 * other tools; MPI libraries ignore them.
 *
 * What the members of a communicator must do alike continues without recording: collectives are counted, and the engine
 * runs the same collectives. */
#include "wrappers/call.h"

WRAPPER int MPI_Pcontrol(const int level, ...) {
    struct call call;
    /* The call is recorded before and after the gap, which shows the call site in the program. */
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
