/* Messages to the user: whole lines on stderr, each beginning `hopscope: `; never anything on stdout. */
#ifndef HOPSCOPE_LOG_H
#define HOPSCOPE_LOG_H

/* One line in a single write, so that lines of several ranks do not mix. Keeps errno. The text names what went wrong,
 * where, and what to do next. Control characters, which names may contain, appear as \x1b and the like. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
