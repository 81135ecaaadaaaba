/* Expands stored records. A stored record of a spool is one record, or a whole call that stands for several: its ENTER,
 * the record of a message in it, and its LEAVE. These functions return the records as if each were stored separately,
 * with the ordinary kinds ENTER and LEAVE. */
#ifndef HOPSCOPE_STORED_H
#define HOPSCOPE_STORED_H

#include <stdbool.h>
#include <stddef.h>

#include "hopscope/spool.h"

enum { MAX_STORED_RECORDS = 4 };

/* Expands a stored record, which may be a whole call, into the records that it stands for, in time order. Returns their
 * number. */
size_t records_of(const struct spool_record *stored, struct spool_record records[MAX_STORED_RECORDS]);
/* The number of records that a stored record of this kind stands for. */
size_t count_of(uint16_t kind);
/* The first of the records that a stored record stands for. If one of them begins a call, wait or region, it is the
 * first. */
struct spool_record first_of(const struct spool_record *stored);
uint64_t last_ticks_of(const struct spool_record *stored);

#endif
