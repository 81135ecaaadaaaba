/* Stores every string of the tables once; rows hold only its number. All tables of a conversion share one Words. */
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "comms.h"
#include "definitions.h"
#include "ranks.h"
#include "ref_table.h"

namespace hopscope {

/* The numbers of a region's words, and its kind. */
struct RegionWords {
    int32_t name;
    int32_t call_site; /* -1 if unknown */
    RegionKind region_kind;
};

class Words {
  public:
    Words() = default;
    Words(const Definitions &definitions, const Comms &comms, const Ranks &ranks);

    int32_t number(const std::string &word);
    /* The number of a word; -1 if it was never numbered. */
    int32_t find(const std::string &word) const {
        auto place = numbers_.find(word);
        return place == numbers_.end() ? -1 : place->second;
    }
    /* The numbers of the words of a vocabulary (schemas/words.h), in its order. */
    template <size_t N> std::array<int32_t, N> numbers(const char *const (&vocabulary)[N]) const {
        std::array<int32_t, N> codes{};
        for (size_t i = 0; i < N && vocabulary[i]; i++)
            codes[i] = find(vocabulary[i]);
        return codes;
    }
    /* The number of a string of the archive; -1 if it is undefined or empty. */
    int32_t of_string(OTF2_StringRef ref) const {
        const int32_t *word = strings_.find(ref);
        return word ? *word : -1;
    }
    const std::string &operator[](int32_t number) const {
        return words_[static_cast<size_t>(number)];
    }
    size_t size() const {
        return words_.size();
    }
    const RegionWords &region(OTF2_RegionRef ref) const {
        const RegionWords *words = regions_.find(ref);
        return words ? *words : unknown_;
    }

  private:
    std::deque<std::string> words_; /* a deque, because references to words must stay valid */
    std::unordered_map<std::string, int32_t> numbers_;
    RefTable<RegionWords> regions_;
    RefTable<int32_t> strings_;
    RegionWords unknown_{};
};

} // namespace hopscope
