/* What the collector says to the user: whole lines on stderr, each beginning `hopscope: `; nothing on stdout, ever. */
#ifndef HOPSCOPE_LOG_H
#define HOPSCOPE_LOG_H

/* One line, written whole so that the lines of several ranks do not mix. Keeps errno. The text names what went wrong,
 * where, and what to do next. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
