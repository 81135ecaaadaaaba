/* One place in a spool holds a record, or a whole call: its ENTER, what happened in it, and its LEAVE. Whoever reads a
 * spool sees the records that it would have if each had a place of its own: ENTER and LEAVE, none of their short forms.
 */
#ifndef HOPSCOPE_STORED_H
#define HOPSCOPE_STORED_H

#include <stdbool.h>
#include <stddef.h>

#include "hopscope/spool.h"

enum { MOST_IN_ONE = 4 };

/* The records in order of time; how many. */
size_t records_of(const struct spool_record *stored, struct spool_record records[MOST_IN_ONE]);
/* How many a place of this kind holds. */
size_t count_of(uint16_t kind);
/* The first of them: what begins something is never behind another. */
struct spool_record first_of(const struct spool_record *stored);
uint64_t last_ticks_of(const struct spool_record *stored);

#endif
