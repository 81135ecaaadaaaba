/* Defines the state of each thread's calls. It has a file of its own because wrappers, sleeps and Fortran entries all
 * use it. */

#include "wrappers/call.h"

_Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));
