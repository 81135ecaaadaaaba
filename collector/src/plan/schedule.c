/* Adds steps and their dependencies to a schedule, for all algorithms. */
#include "plan/schedule.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **array, int *capacity, int count, size_t size) {
    if (count <= *capacity)
        return true;
    int larger = *capacity ? *capacity : 64;
    while (larger < count)
        larger *= 2;
    void *memory = realloc(*array, (size_t)larger * size);
    if (!memory)
        return false;
    *array = memory;
    *capacity = larger;
    return true;
}

int schedule_add(struct schedule *s, struct step step) {
    step.unmet = step.waiting = 0;
    step.first_edge = step.last_edge = -1;
    if (s->on_step) {
        s->on_step(s->on_step_context, &step);
        return 0;
    }
    void *steps = s->steps;
    if (!grow(&steps, &s->step_capacity, s->step_count + 1, sizeof *s->steps))
        return -1;
    s->steps = steps;
    s->steps[s->step_count] = step;
    return s->step_count++;
}

bool schedule_after(struct schedule *s, int step, int predecessor) {
    if (predecessor < 0 || s->on_step)
        return true;
    int *last = &s->steps[predecessor].last_edge;
    if (*last >= 0 && s->edges[*last].step == step)
        return true;
    void *edges = s->edges;
    if (!grow(&edges, &s->edge_capacity, s->edge_count + 1, sizeof *s->edges))
        return false;
    s->edges = edges;
    int edge = s->edge_count++;
    s->edges[edge] = (struct edge){step, -1};
    if (*last < 0)
        s->steps[predecessor].first_edge = edge;
    else
        s->edges[*last].next = edge;
    *last = edge;
    s->steps[step].waiting = ++s->steps[step].unmet;
    return true;
}

void schedule_begin(struct schedule *s) {
    s->step_count = s->edge_count = s->ready_count = 0;
    s->most_messages = 0;
    s->slot_count = SLOT_OTHER;
    s->ring_units = 0;
    s->own_ring = false;
}

bool schedule_end(struct schedule *s) {
    void *ready = s->ready;
    if (s->on_step)
        return true;
    if (!grow(&ready, &s->ready_capacity, s->step_count, sizeof *s->ready))
        return false;
    s->ready = ready;
    for (int is_receive = 1; is_receive >= 0; is_receive--)
        for (int i = 0; i < s->step_count; i++)
            if (s->steps[i].unmet == 0 && (s->steps[i].kind == STEP_RECEIVE) == is_receive)
                s->ready[s->ready_count++] = i;
    return true;
}

void schedule_clear(struct schedule *s) {
    free(s->steps);
    free(s->edges);
    free(s->ready);
    memset(s, 0, sizeof *s);
}

struct segmentation segmentation_of(int64_t units, int64_t unit_bytes, uint64_t segment_bytes) {
    const int64_t most_bytes = SCHEDULE_MOST_BYTES;
    struct segmentation cut = {units, units, 1, 1};
    if (units <= 0 || unit_bytes <= 0)
        return (struct segmentation){0, 0, 1, 1};
    int64_t bytes = segment_bytes == 0 || segment_bytes > (uint64_t)most_bytes ? most_bytes : (int64_t)segment_bytes;
    cut.segment_units = bytes / unit_bytes > 0 ? bytes / unit_bytes : 1;
    if (cut.segment_units > units)
        cut.segment_units = units;
    int64_t segments = (units + cut.segment_units - 1) / cut.segment_units;
    if (segments > SCHEDULE_MOST_SEGMENTS && (segment_bytes != 0 && segment_bytes < (uint64_t)most_bytes)) {
        cut.segment_units = (units + SCHEDULE_MOST_SEGMENTS - 1) / SCHEDULE_MOST_SEGMENTS;
        segments = (units + cut.segment_units - 1) / cut.segment_units;
    }
    cut.segments = (int)segments;
    cut.window = cut.segments < SCHEDULE_WINDOW ? cut.segments : SCHEDULE_WINDOW;
    return cut;
}
