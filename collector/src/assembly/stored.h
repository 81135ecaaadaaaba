/* One place in a spool holds a record or a whole call: its ENTER, what happened in it, and its LEAVE. These functions
 * return the records as if each had its own place: ENTER and LEAVE, never their short forms.
 */
#ifndef HOPSCOPE_STORED_H
#define HOPSCOPE_STORED_H

#include <stdbool.h>
#include <stddef.h>

#include "hopscope/spool.h"

enum { MOST_IN_ONE = 4 };

/* The records in time order; returns how many. */
size_t records_of(const struct spool_record *stored, struct spool_record records[MOST_IN_ONE]);
/* How many records a place of this kind holds. */
size_t count_of(uint16_t kind);
/* The first of them. A record that begins something always comes first. */
struct spool_record first_of(const struct spool_record *stored);
uint64_t last_ticks_of(const struct spool_record *stored);

#endif
