/* Messages to the user: whole lines on stderr, each beginning `hopscope: `, and nothing on stdout. */
#ifndef HOPSCOPE_LOG_H
#define HOPSCOPE_LOG_H

/* Prints one line in a single write, so that lines of several ranks do not mix. Keeps errno. The text should name the
 * error, its location and the next step. Control characters, which names may contain, appear as \x1b and so on. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
