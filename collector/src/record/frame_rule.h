/* Finds the rule by which one gets from a function's frame to that of its caller. Compilers write these rules into the
 * unwind table of a program or library. Most programs are compiled without frame pointers, so there is no other way. */
#ifndef HOPSCOPE_FRAME_RULE_H
#define HOPSCOPE_FRAME_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* The rule that holds at a return address. The frame ends at base + size. base: the stack pointer after the return or,
 * if from_frame_pointer is set, the frame pointer. The word below the end is the return address into the caller. */
struct frame_rule {
    int32_t size;
    int16_t saved; /* distance from the frame's end to the saved frame pointer; 0: the register still has it */
    bool from_frame_pointer;
    bool leads_on; /* false: no rule of this form leads to the caller */
    bool in_program;
    uintptr_t function; /* address of the function's first instruction */
    uintptr_t object;   /* load address of the program or library that contains the function */
};

/* Finds the rule that holds at a return address. False if no unwind table covers the address. Takes the loader's lock.
 */
bool frame_rule_find(uintptr_t return_address, struct frame_rule *rule);

#endif
