#include "presence/job.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool from_environment(char *token, size_t capacity) {
    static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID",
                                        "FLUX_JOB_ID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            snprintf(token, capacity, "%s", value);
            return true;
        }
    }
    return false;
}

/* Hydra (MPICH, Intel MPI) gives its processes nothing that names the job, but starts each host's proxy, which is our
 * parent, with the address at which the launcher listens: the same for all proxies of a job. */
static bool from_hydra(char *token, size_t capacity) {
    char path[64], arguments[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)getppid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, arguments, sizeof arguments - 1);
    close(file);
    if (length <= 0)
        return false;
    arguments[length] = '\0';
    for (const char *word = arguments; word < arguments + length; word += strlen(word) + 1) {
        const char *value = word + strlen(word) + 1;
        if (strcmp(word, "--control-port") == 0 && value < arguments + length) {
            snprintf(token, capacity, "hydra-%s", value);
            return true;
        }
    }
    return false;
}

static bool from_slurm(char *token, size_t capacity) {
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    if (!job || !step)
        return false;
    snprintf(token, capacity, "slurm-%s-%s", job, step);
    return true;
}

void job_token(char *token, size_t capacity) {
    /* Slurm's variables come last: a launcher inside a batch job inherits those of the batch step. */
    if (!from_environment(token, capacity) && !from_hydra(token, capacity) && !from_slurm(token, capacity)) {
        bool launched = getenv("PMI_RANK") != NULL;
        /* Without a launcher the process is a job by itself. */
        snprintf(token, capacity, launched ? "parent-%d" : "process-%d", (int)(launched ? getppid() : getpid()));
    }
    for (char *c = token; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '_' && *c != '-')
            *c = '_';
}

bool job_token_is_of_world(void) {
    const char *pmix = getenv("PMIX_NAMESPACE");
    return pmix && *pmix;
}

bool job_first_on_host(int rank) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                                        "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcmp(value, "0") == 0;
    }
    return rank == 0;
}
