/* Memory that processes of one machine share: a file in /dev/shm, which has a name only until all have mapped it.
 *
 * Until then each process holds a shared lock on the file. So a file without a lock is left over from a killed job,
 * and this user's next job removes it.
 */
#ifndef HOPSCOPE_SHARED_FILE_H
#define HOPSCOPE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct shared_file {
    void *memory; /* NULL: not mapped */
    size_t bytes;
    int descriptor; /* valid only while there is a path */
    char path[96];
};

/* Maps the file of that name; the first process creates it, filled with zeros. Only processes that share this memory
 * may use the name. Local. False with errno if it fails. */
bool shared_file_map(struct shared_file *file, const char *name, size_t bytes);
/* Removes the file's name. Call it when all processes have mapped the file, or know that some could not. */
void shared_file_remove_name(struct shared_file *file);
void shared_file_unmap(struct shared_file *file);

/* Removes files left by killed jobs of this user. */
void shared_files_remove_orphans(void);

#endif
