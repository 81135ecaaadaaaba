/* The way from a function's frame to its caller's, as the compiler describes it in the object's unwind table. Most
 * programs are compiled without frame pointers, so nothing else leads there. */
#ifndef HOPSCOPE_FRAME_RULE_H
#define HOPSCOPE_FRAME_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* The rule at a return address. The frame ends at base + size, where base is the stack pointer after the return or,
 * with from_frame_pointer, the frame pointer. The word below the end is the return address into the caller. */
struct frame_rule {
    int32_t size;
    int16_t saved; /* from the frame's end to the caller's frame pointer; 0: the register still has it */
    bool from_frame_pointer;
    bool leads_on; /* false: the caller cannot be found by such a rule */
    bool in_program;
    uintptr_t function; /* its first instruction */
    uintptr_t object;   /* the load address of the program or library */
};

/* Finds the rule at a return address. False: no object's unwind table covers it. Takes the loader's lock. */
bool frame_rule_find(uintptr_t return_address, struct frame_rule *rule);

#endif
