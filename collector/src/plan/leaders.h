/* The steps that the generators of the algorithm `leaders` share. */
#ifndef HOPSCOPE_LEADERS_H
#define HOPSCOPE_LEADERS_H

#include "plan/groups.h"
#include "plan/team.h"

/* True if a reduction combines operands in rank order, so that the operation need not commute. Reads the request's
 * operation, size, root, groups, members and scratch. */
bool leaders_keep_order(const struct schedule_request *request);

/* The team of all leaders, as seen from this rank's group. */
struct team leaders_team(const struct groups *groups);
/* Combines this rank's operand with the sums of its children, and sends the result to its parent, if it has one. The
 * last child's sum arrives in last_slot, and the result forms there. Those of the other children arrive in the slots
 * from first_slot on. */
void leaders_gather(struct operand *o, const struct tree_position *up, int first_slot, int last_slot);
/* Combines the sums of all groups, on a leader. EXCHANGE_ALL_TO_ALL needs a spare slot for each group except the last.
 */
void leaders_combine(struct operand *o, const struct groups *groups);

#endif
