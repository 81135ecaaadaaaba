/* Tests which ranks take part in a measurement, and which commands are refused. A wrong command would hang the job: a
 * rank would wait for one that does not take part. Needs no MPI. */
#include "probe/command.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool is_right, const char *line, const char *message) {
    if (!is_right) {
        fprintf(stderr, "%s: %s\n", line, message);
        failures++;
    }
}

static void refuses(const char *line, const char *reason) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", line);
    struct probe_command command = probe_command_of(copy);
    const char *fault = probe_check(&command, 4);
    expect(reason ? fault && strcmp(fault, reason) == 0 : !fault, line, fault ? fault : "was taken");
}

static void takes_part(const char *line, const char *roles) {
    char copy[256], actual_roles[5] = "";
    snprintf(copy, sizeof copy, "%s", line);
    struct probe_command command = probe_command_of(copy);
    for (int rank = 0; rank < 4; rank++)
        actual_roles[rank] = probe_measures(&command, rank) ? 'M' : probe_takes_part(&command, rank) ? 'p' : '-';
    expect(strcmp(actual_roles, roles) == 0, line, actual_roles);
}

int main(void) {
    refuses("pingpong 8 10 1000 0:1 2:3\n", NULL);
    refuses("combine 8 10 MPI_SUM MPI_INT 3", NULL);
    refuses("collective 8 10 bcast 0:1,2,3", NULL);
    refuses("", "there is no such measurement");
    refuses("ping 8 10 1000 0:1", "there is no such measurement");
    refuses("pingpong 8 10 1000", "it names no ranks");
    refuses("pingpong 8 10 1000 0:4", "it names ranks that do not exist");
    refuses("pingpong 8 10 1000 -1:0", "it names ranks that do not exist");
    refuses("pingpong 8 10 1000 0:x", "it names ranks that do not exist");
    refuses("pingpong 8 10 1000 0:1,", "it names ranks that do not exist");
    refuses("pingpong 8 10 1000 2:2", "it names a rank twice");
    refuses("gap 8 10 1000 0:1,2 3:1", "it names a rank twice");
    takes_part("gap 8 10 2 2:0,3", "p-Mp");
    takes_part("collective 8 10 bcast 0:1,2", "Mpp-");
    takes_part("pingpong 8 10 1000 1:0 2:3", "pMMp");
    takes_part("combine 8 10 MPI_SUM MPI_INT 3", "---M");
    return failures ? 1 : 0;
}
