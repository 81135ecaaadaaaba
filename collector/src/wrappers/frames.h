/* The calls of this library on the running thread's stack. */
#ifndef HOPSCOPE_FRAMES_H
#define HOPSCOPE_FRAMES_H

#include <stdint.h>

enum frames { FRAMES_UNKNOWN, FRAMES_THERE, FRAMES_LEFT };

/* Call it inside a wrapper. Tells if the wrapper with a frame at this address is still on this stack (FRAMES_THERE) or
 * has been left. Unknown if the stack cannot be walked up to that address. Takes some microseconds. */
enum frames frames_find(uintptr_t address);

#endif
