#include "probe/command.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int numbers; /* number of words between the name and the groups */
} kinds[] = {{"pingpong", 3}, {"gap", 3}, {"overhead", 3}, {"combine", 4}, {"collective", 3}};

/* The index in `kinds` of the measurement that the command names; -1 if there is none of that name. */
static int kind_of(const struct probe_command *command) {
    for (size_t i = 0; command->words > 0 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(command->word[0], kinds[i].name) == 0)
            return (int)i;
    return -1;
}

struct probe_command probe_command_of(char *line) {
    struct probe_command command = {0};
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word && command.words < PROBE_MOST_WORDS;
         word = strtok_r(NULL, " \n", &rest))
        command.word[command.words++] = word;
    return command;
}

int probe_first_group(const struct probe_command *command) {
    int kind = kind_of(command);
    return kind < 0 ? -1 : kinds[kind].numbers + 1;
}

bool probe_group_read(const char *word, struct probe_group *group) {
    char *end;
    group->leader = (int)strtol(word, &end, 10);
    group->member_count = 0;
    bool is_valid = end != word;
    for (bool has_more = *end == ':'; is_valid && has_more; has_more = *end == ',') {
        const char *number = end + 1;
        if (group->member_count == PROBE_MOST_MEMBERS)
            return false;
        group->members[group->member_count++] = (int)strtol(number, &end, 10);
        is_valid = end != number;
    }
    return is_valid && *end == '\0';
}

bool probe_group_of(const struct probe_command *command, int rank, struct probe_group *group) {
    for (int i = probe_first_group(command); i < command->words; i++) {
        probe_group_read(command->word[i], group);
        if (group->leader == rank)
            return true;
        for (int k = 0; k < group->member_count; k++)
            if (group->members[k] == rank)
                return true;
    }
    return false;
}

/* The number of times that a command names a rank. */
static int mentions(const struct probe_command *command, int rank) {
    int count = 0;
    for (int i = probe_first_group(command); i < command->words; i++) {
        struct probe_group group;
        probe_group_read(command->word[i], &group);
        count += group.leader == rank;
        for (int k = 0; k < group.member_count; k++)
            count += group.members[k] == rank;
    }
    return count;
}

static bool exists(int rank, int ranks) {
    return rank >= 0 && rank < ranks;
}

const char *probe_check(const struct probe_command *command, int ranks) {
    int first = probe_first_group(command);
    if (first < 0)
        return "there is no such measurement";
    if (command->words <= first)
        return "it names no ranks";
    for (int i = first; i < command->words; i++) {
        struct probe_group group;
        bool is_valid = probe_group_read(command->word[i], &group) && exists(group.leader, ranks);
        for (int k = 0; is_valid && k < group.member_count; k++)
            is_valid = exists(group.members[k], ranks);
        if (!is_valid)
            return "it names ranks that do not exist";
    }
    for (int rank = 0; rank < ranks; rank++)
        if (mentions(command, rank) > 1)
            return "it names a rank twice";
    return NULL;
}

bool probe_measures(const struct probe_command *command, int rank) {
    for (int i = probe_first_group(command); i < command->words; i++) {
        struct probe_group group;
        if (probe_group_read(command->word[i], &group) && group.leader == rank)
            return true;
    }
    return false;
}

bool probe_takes_part(const struct probe_command *command, int rank) {
    struct probe_group group;
    return probe_group_of(command, rank, &group);
}
