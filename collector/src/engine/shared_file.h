/* Memory that processes of one machine share: a file in /dev/shm, which has a name only until all of them have mapped
 * it.
 *
 * Until then each of them holds it (a shared lock), so that a file which nobody holds is one that a killed job has left
 * behind: the next job of this user removes it. */
#ifndef HOPSCOPE_SHARED_FILE_H
#define HOPSCOPE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct shared_file {
    void *memory; /* NULL: not mapped */
    size_t bytes;
    int held; /* the descriptor; used only while there is a path */
    char path[96];
};

/* Maps the file of that name, of zeros; whoever comes first makes it. The name is one that nobody but the processes
 * that mean this file use. Local. False if it cannot be had, and errno says why. */
bool shared_file_map(struct shared_file *file, const char *name, size_t bytes);
/* After all have mapped it, or found that some could not: its name is not needed any more. */
void shared_file_settled(struct shared_file *file);
void shared_file_unmap(struct shared_file *file);

/* Removes what killed jobs of this user have left behind. */
void shared_files_tidy(void);

#endif
