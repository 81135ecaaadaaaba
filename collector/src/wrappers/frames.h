/* Finds wrappers on the stack of the running thread. */
#ifndef HOPSCOPE_FRAMES_H
#define HOPSCOPE_FRAMES_H

#include <stdint.h>

enum frames { FRAMES_UNKNOWN, FRAMES_THERE, FRAMES_LEFT };

/* Call it inside a wrapper. Returns FRAMES_THERE if the other wrapper with a frame at this address is still on the
 * stack, FRAMES_LEFT if it is not, and FRAMES_UNKNOWN if the stack cannot be walked up to the address. Takes some
 * microseconds. */
enum frames frames_find(uintptr_t address);

#endif
