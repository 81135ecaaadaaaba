#include "record/own_stack.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

_Thread_local struct own_stack own_stack __attribute__((tls_model("initial-exec")));

void own_stack_find(void) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (own_stack.high)
        return;
    int saved_errno = errno;
    own_stack = (struct own_stack){1, 1}; /* an empty range */
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
            own_stack = (struct own_stack){(uintptr_t)low, (uintptr_t)low + bytes};
        pthread_attr_destroy(&attributes);
    }
    errno = saved_errno;
}
