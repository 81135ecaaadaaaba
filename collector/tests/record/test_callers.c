/* Tests that following the callers gives the same addresses as the compiler's own unwinder, and reads nothing outside
 * the stack, from whatever address it starts. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include "record/call_site.h"
#include "record/frame_rule.h"

enum { MOST_FRAMES = 64, SORTED = 100, SWEPT = 20000 /* addresses tried per loaded object */ };

static int steps, faults;

struct backtrace {
    uintptr_t addresses[MOST_FRAMES];
    int count;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *opaque) {
    struct backtrace *backtrace = opaque;
    if (backtrace->count < MOST_FRAMES)
        backtrace->addresses[backtrace->count++] = _Unwind_GetIP(frame);
    return _URC_NO_REASON;
}

/* Compares each caller that is found by a rule with the compiler's unwinder. */
__attribute__((noinline)) static void compare_callers(void) {
    struct backtrace backtrace = {.count = 0};
    struct frame_rule rule;
    _Unwind_Backtrace(visit_frame, &backtrace);
    struct call_position position = call_position_of(CALL_FRAME);
    int depth = 0;
    while (depth < backtrace.count && backtrace.addresses[depth] != position.address)
        depth++;
    while (++depth < backtrace.count && frame_rule_find(position.address, &rule) && rule.leads_on) {
        bool is_inside = call_position_leave(&position, rule.size, rule.saved, rule.from_frame_pointer);
        faults += !is_inside || position.address != backtrace.addresses[depth];
        steps++;
    }
}

static int order(const void *a, const void *b) {
    compare_callers();
    return *(const int *)a - *(const int *)b;
}

/* Compares callers through a frame whose size only its frame pointer shows, and through frames of the C library
 * (qsort). */
__attribute__((noinline)) static int sort_beside(size_t bytes) {
    volatile char room[bytes];
    int values[SORTED];
    room[bytes - 1] = 1;
    for (int i = 0; i < SORTED; i++)
        values[i] = i * 37 % SORTED;
    qsort(values, SORTED, sizeof *values, order);
    return room[bytes - 1] + values[0];
}

/* Compares callers from a frame that the compiler aligns. No simple rule leads out of such a frame. */
__attribute__((noinline)) static void compare_aligned(void) {
    volatile double values[8] __attribute__((aligned(64)));
    values[0] = 1;
    compare_callers();
    values[1] = values[0];
}

static int sweep(struct dl_phdr_info *object, size_t size, void *opaque) {
    (void)size;
    int *rules = opaque;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        for (size_t offset = 1; segment->p_type == PT_LOAD && offset < segment->p_memsz && offset < SWEPT; offset++) {
            struct frame_rule rule;
            *rules += frame_rule_find(begin + offset, &rule) && rule.leads_on;
        }
    }
    return 0;
}

int main(void) {
#if defined(__x86_64__)
    int rules = 0;
    own_stack_find();
    int sum = sort_beside(1) + sort_beside(5000);
    compare_aligned();
    dl_iterate_phdr(sweep, &rules);
    printf("%d steps, %d wrong; %d rules\n", steps, faults, rules);
    return sum != 2 || steps < SORTED || faults > 0 || rules < SORTED;
#else
    return 0;
#endif
}
