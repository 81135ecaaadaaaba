#include "wrappers/call.h"

_Thread_local struct call_thread call_thread __attribute__((tls_model("initial-exec")));
