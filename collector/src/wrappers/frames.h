/* Which calls of this library are on the running thread's stack. */
#ifndef HOPSCOPE_FRAMES_H
#define HOPSCOPE_FRAMES_H

#include <stdint.h>

enum frames { FRAMES_UNKNOWN, FRAMES_THERE, FRAMES_LEFT };

/* Asked from inside a wrapper: is the wrapper in whose frame that address lay, further up this stack, one that the
 * running one was called from inside, or has it been left? Unknown where the stack cannot be walked up to there. Takes
 * some microseconds. */
enum frames frames_find(uintptr_t address);

#endif
