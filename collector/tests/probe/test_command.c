/* Who takes part in a measurement, and which commands are refused: a rank that waited for one that was never asked
 * would hang the job. No MPI. */
#include "probe/command.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool right, const char *line, const char *what) {
    if (!right) {
        fprintf(stderr, "%s: %s\n", line, what);
        failures++;
    }
}

static void refuses(const char *line, const char *why) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", line);
    struct probe_command command = probe_command_of(copy);
    const char *said = probe_check(&command, 4);
    expect(why ? said && strcmp(said, why) == 0 : !said, line, said ? said : "was taken");
}

static void takes_part(const char *line, const char *roles) {
    char copy[256], found[5] = "";
    snprintf(copy, sizeof copy, "%s", line);
    struct probe_command command = probe_command_of(copy);
    for (int rank = 0; rank < 4; rank++)
        found[rank] = probe_measures(&command, rank) ? 'M' : probe_takes_part(&command, rank) ? 'p' : '-';
    expect(strcmp(found, roles) == 0, line, found);
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
