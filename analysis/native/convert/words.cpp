/* The vocabulary. */
#include "words.h"

namespace hopscope {

Words::Words(const Definitions &definitions, const Comms &comms, const Ranks &ranks) {
    /* Closed lists of schemas/tables. */
    for (const char *word : {"up",   "down",       "exchange",  "self",    "shm",    "lan",     "wan",  "recv",
                             "send", "none",       "undecided", "tree",    "native", "combine", "copy", "overhead",
                             "run",  "collective", "lead",      "compute", "local",  "p2p",     "mpi",  "unrecorded"})
        number(word);
    for (const Shadow *shadow : comms.shadows())
        number(shadow->tree);
    for (const Comm &comm : comms.all())
        number(comm.name);
    for (const Rank &rank : ranks.ranks)
        for (const std::string &word : {rank.host, rank.cluster, rank.clock_host})
            number(word);
    auto words_of = [&](const Region &region) {
        return RegionWords{number(region.name), region.call_site.empty() ? -1 : number(region.call_site),
                           number(interval_kind(region.kind)), region.kind};
    };
    for (const auto &[ref, region] : definitions.regions)
        regions_.set(ref, words_of(region));
    for (const auto &[ref, string] : definitions.strings)
        if (!string.empty())
            strings_.set(ref, number(string));
    unknown_ = words_of(definitions.region(OTF2_UNDEFINED_REGION));
}

int32_t Words::number(const std::string &word) {
    auto [place, fresh] = numbers_.try_emplace(word, static_cast<int32_t>(words_.size()));
    if (fresh)
        words_.push_back(word);
    return place->second;
}

} // namespace hopscope
