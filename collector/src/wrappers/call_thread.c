/* The state of each thread's calls. Wrappers, sleeps and Fortran entries share it, so none of them defines it. */

#include "wrappers/call.h"

_Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));
