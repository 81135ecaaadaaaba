#include "presence/job.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "presence/hydra.h"

static bool read_environment(char *token, size_t capacity) {
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

static bool read_slurm(char *token, size_t capacity) {
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    if (!job || !step)
        return false;
    snprintf(token, capacity, "slurm-%s-%s", job, step);
    return true;
}

bool job_token(char *token, size_t capacity, bool in_init) {
    const char *pmix = getenv("PMIX_NAMESPACE");
    bool is_world_token = pmix && *pmix;
    if (!is_world_token && in_init && hydra_name_of_spawned_world(token, capacity)) {
        is_world_token = true;
    } else if (!read_environment(token, capacity) && !hydra_name_of_job(token, capacity) &&
               !read_slurm(token, capacity)) {
        /* Slurm's variables are tried last, because a launcher inside a batch job inherits those of the batch step. */
        bool has_launcher = getenv("PMI_RANK") != NULL;
        /* Without a launcher, each process is a job of its own. */
        snprintf(token, capacity, has_launcher ? "parent-%d" : "process-%d",
                 (int)(has_launcher ? getppid() : getpid()));
    }
    for (char *c = token; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '_' && *c != '-')
            *c = '_';
    return is_world_token;
}

bool job_was_spawned(void) {
    const char *hydra = getenv("PMI_SPAWNED");
    return (hydra && strcmp(hydra, "1") == 0) || getenv("OMPI_PARENT_PORT");
}

int job_parent_rank(void) {
    /* The port's form is <namespace>.<rank>:<number>. */
    const char *port = getenv("OMPI_PARENT_PORT"), *rank = port ? strrchr(port, '.') : NULL;
    int number, used = 0;
    return rank && sscanf(rank, ".%9d:%n", &number, &used) == 1 && used > 0 ? number : -1;
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
