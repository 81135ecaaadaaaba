/* Deliberately wrong clocks, for tests on hosts that are namespaces of one machine and share its true clock. */
#ifndef HOPSCOPE_CLOCK_SKEW_H
#define HOPSCOPE_CLOCK_SKEW_H

#include "run/machines.h"

/* skew: HOPSCOPE_CLOCK_SKEW, "host:offset_ns:ppm,..."; NULL: none. Every host then counts as a machine with its own
 * clock. A named host's clock is off by offset_ns now and gains ppm. A malformed text is ignored as a whole, with a
 * line on stderr if `speak`. */
void clock_skew_apply(const char *skew, struct machines *machines, bool speak);

/* Once all hosts are known: reports those in the text that are not in the job. */
void clock_skew_tell_unknown(const char *skew, const struct machines *machines);

#endif
