/* What the generators of the algorithm `leaders` share. */
#ifndef HOPSCOPE_LEADERS_H
#define HOPSCOPE_LEADERS_H

#include "plan/groups.h"
#include "plan/team.h"

/* Whether a reduction combines operands in rank order, so that the operation need not commute. Looks at the request's
 * operation, size, root, groups, members and scratch. */
bool leaders_keep_order(const struct schedule_request *request);

/* The leaders, of whom this rank is one. */
struct team leaders_team(const struct groups *groups);
/* Combines what comes from below with o, and sends the sum up. The last child's arrives, and the sum forms, in the slot
 * `last`; the others' arrive in the slots from `received` on. */
void leaders_gather(struct operand *o, const struct tree_place *up, int received, int last);
/* Combines the sums of all groups. The exchange with all uses a spare slot for each group but the last. */
void leaders_combine(struct operand *o, const struct groups *groups);

#endif
