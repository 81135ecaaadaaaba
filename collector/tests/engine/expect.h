/* Checks a condition. If it is false, reports the place and the reason, and lets the rest of the test run. */
#ifndef HOPSCOPE_EXPECT_H
#define HOPSCOPE_EXPECT_H

#include <stdio.h>

static int expect_failures;

#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            expect_failures++;                                                                                         \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                     \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)

#endif
