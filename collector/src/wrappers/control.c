/* MPI_Pcontrol: the application stops the recording and lets it go on.
 *
 * 0 stops it in this process, 1 and more let it go on; what is recorded is on disk at once, so there is nothing else
 * that a level 2 (which MPI has for flushing) could ask for. Negative levels mean nothing here. Whatever more arguments
 * there are belong to another tool; MPI libraries look at none of them.
 *
 * What the members of a communicator must do alike goes on without recording: collectives are counted, the engine runs
 * what it would have run.
 */
#include "wrappers/call.h"

WRAPPER int MPI_Pcontrol(const int level, ...) {
    struct call call;
    /* The call belongs to what is recorded before and after the gap, and says where the program asked for it. */
    if (level > 0)
        record_hold(false);
    bool recorded = call_enter(&call, FUNCTION_MPI_Pcontrol, CALLER);
    call.error = pmpi.Pcontrol(level);
    if (recorded)
        call_leave(&call);
    if (level == 0)
        record_hold(true);
    if (level == 0 && recorded)
        record_follow();
    return call.error;
}
