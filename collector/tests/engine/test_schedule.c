/* Tests the building blocks of schedules, and properties of the schedule of a tree. test_algorithms.c tests the results
 * of schedules. */
#include "expect.h"
#include "plan/algorithm.h"

static void messages_are_cut_as_asked(void) {
    struct segmentation cut = segmentation_of(10, 8, 24);
    EXPECT(cut.segments == 4 && cut.segment_units == 3, "%d of %lld", cut.segments, (long long)cut.segment_units);
    cut = segmentation_of(10, 8, 5);
    EXPECT(cut.segments == 10 && cut.segment_units == 1, "an element is never cut");
    cut = segmentation_of(10, 8, 0);
    EXPECT(cut.segments == 1 && cut.segment_units == 10, "whole");
    cut = segmentation_of(0, 0, 100);
    EXPECT(cut.segments == 1 && cut.segment_units == 0, "empty");
    cut = segmentation_of(1 << 23, 1, 1);
    EXPECT(cut.segments == SCHEDULE_MOST_SEGMENTS && cut.window == SCHEDULE_WINDOW, "bounded");
    cut = segmentation_of(INT64_C(3) << 30, 1, 0);
    EXPECT(cut.segments == 3, "no segment is longer than MPI can count");
}

static void a_barrier_moves_no_data(void) {
    int children[] = {1, 2};
    struct tree_position position = {-1, 2, children};
    struct schedule s = {0};
    struct schedule_request request = {
        .cut = segmentation_of(0, 0, 0), .up = &position, .down = &position, .empty = true};
    EXPECT(algorithm_schedule(&algorithms[0], &s, &request), "memory");
    for (int i = 0; i < s.step_count; i++)
        EXPECT(s.steps[i].kind != STEP_COMBINE && s.steps[i].kind != STEP_COPY && s.steps[i].length == 0, "step %d", i);
    schedule_clear(&s);
}

/* Regression: a schedule that stored its edges in reverse order sent to the smallest subtree first. */
static void children_are_served_in_the_order_of_the_tree(void) {
    int up_children[] = {1, 2, 4}, down_children[] = {4, 2, 1}, served = 0;
    struct tree_position up = {-1, 3, up_children}, down = {-1, 3, down_children};
    struct schedule s = {0};
    struct schedule_request request = {.cut = segmentation_of(5, 8, 0), .up = &up, .down = &down};
    EXPECT(algorithm_schedule(&algorithms[0], &s, &request), "memory");
    for (int i = 0; i < s.step_count; i++)
        for (int edge = s.steps[i].first_edge; edge >= 0 && s.steps[i].kind == STEP_JOIN; edge = s.edges[edge].next)
            if (s.steps[s.edges[edge].step].kind == STEP_SEND) {
                int peer = s.steps[s.edges[edge].step].peer;
                EXPECT(served < 3 && peer == down_children[served], "%d is served at place %d", peer, served);
                served++;
            }
    EXPECT(served == 3, "%d served", served);
    schedule_clear(&s);
}

int main(void) {
    children_are_served_in_the_order_of_the_tree();
    messages_are_cut_as_asked();
    a_barrier_moves_no_data();
    return expect_failures != 0;
}
