/* Numbers the words of the schemas and the names in the archive. */
#include "words.h"

#include "schemas/words.h"

namespace hopscope {

Words::Words(const Definitions &definitions, const Comms &comms, const Ranks &ranks) {
#define NUMBERS(name, list)                                                                                            \
    for (const char *word : name##_words)                                                                              \
        number(word);
    VOCABULARIES(NUMBERS)
#undef NUMBERS
    for (int i = 0; i < LINK_CLASS_COUNT; i++)
        number(link_words[i]);
    for (const Shadow *shadow : comms.shadows())
        number(shadow->tree);
    for (const Comm &comm : comms.list())
        number(comm.name);
    for (const Rank &rank : ranks.ranks)
        for (const std::string &word : {rank.host, rank.cluster, rank.clock_host})
            number(word);
    auto words_of = [&](const Region &region) {
        const RegionKind kind = region.by_tool ? RegionKind::Tool : region.kind;
        return RegionWords{number(region.name), region.call_site.empty() ? -1 : number(region.call_site), kind};
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
