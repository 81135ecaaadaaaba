/* Memory that processes of one machine share: a file in /dev/shm, which has a name only until all processes have mapped
 * it.
 *
 * As long as the file has a name, each process holds a shared lock on it. So a file with a name but without a lock is
 * left over from a killed job, and this user's next job removes it.
 */
#ifndef HOPSCOPE_SHARED_FILE_H
#define HOPSCOPE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct shared_file {
    void *memory; /* NULL: not mapped */
    size_t bytes;
    int descriptor; /* valid only while the path is set */
    char path[96];
};

/* Maps the file with this name. The first process creates it, filled with zeros. Only processes that share this memory
 * may use the name. Local. If it fails, returns false with errno. */
bool shared_file_map(struct shared_file *file, const char *name, size_t bytes);
/* Removes the file's name. Call it when all processes have mapped the file, or know that some could not do so. */
void shared_file_remove_name(struct shared_file *file);
void shared_file_unmap(struct shared_file *file);

/* Removes files left by killed jobs of this user. */
void shared_files_remove_orphans(void);

#endif
