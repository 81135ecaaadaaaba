#include "functions.h"

#include <unordered_map>

#include "schemas/mpi_functions.h"

namespace hopscope::paths {
namespace {

// The direction of a critical path in a collective without hops, for each flow of data in MPI_FUNCTIONS.
namespace leads {
constexpr Leads all = Leads::to_last_enter;
constexpr Leads from_root = Leads::to_root;
constexpr Leads to_root = Leads::root_to_last_enter;
constexpr Leads scan = Leads::scan;
constexpr Leads exscan = Leads::exscan;
constexpr Leads neighbours = Leads::stays; // the trace does not tell which ranks are neighbours
} // namespace leads

// The flow of a function that is not a collective, for each value of `moves`. A call that all members make counts as a
// barrier; other calls have no flow.
namespace flows {
constexpr const char *sends = nullptr, *receives = nullptr, *both = nullptr, *nothing = nullptr, *members = "all";
} // namespace flows

class List {
  public:
    List() {
#define FUNCTION(name, kind, moves, since, counts) FUNCTION_##counts(name, kind, moves)
#define FUNCTION_plain(name, kind, moves)                                                                              \
    add("MPI_" #name, FunctionKind::kind, #kind, flows::moves, leads::all, #moves);
#define FUNCTION_large(name, kind, moves) FUNCTION_plain(name, kind, moves) FUNCTION_plain(name##_c, kind, moves)
#define COLLECTIVE(name, its_nonblocking, flow, operation, counts) COLLECTIVE_##counts(name, its_nonblocking, flow)
#define FORMS(its_blocking, its_nonblocking, its_persistent, flow)                                                     \
    add("MPI_" #its_blocking, FunctionKind::collective, "collective", #flow, leads::flow, nullptr);                    \
    add("MPI_" #its_nonblocking, FunctionKind::nonblocking, "nonblocking", #flow, leads::flow, nullptr);               \
    add("MPI_" #its_persistent, FunctionKind::persistent, "persistent", #flow, leads::flow, nullptr);
#define COLLECTIVE_plain(name, its_nonblocking, flow) FORMS(name, its_nonblocking, name##_init, flow)
#define COLLECTIVE_large(name, its_nonblocking, flow)                                                                  \
    COLLECTIVE_plain(name, its_nonblocking, flow) FORMS(name##_c, its_nonblocking##_c, name##_init_c, flow)
        MPI_FUNCTIONS(FUNCTION, COLLECTIVE)
        for (size_t i = 0; i < functions.size(); i++)
            by_name.emplace(functions[i].name, i);
    }

    std::vector<Function> functions;
    std::unordered_map<std::string, size_t> by_name;

  private:
    void add(const char *name, FunctionKind kind, const char *kind_word, const char *flow, Leads leads,
             const char *moves) {
        functions.push_back({name, kind, kind_word, flow, leads, moves});
    }
};

const List &list() {
    static const List instance;
    return instance;
}

} // namespace

const std::vector<Function> &functions() {
    return list().functions;
}

const Function *find_function(const std::string &name) {
    auto entry = list().by_name.find(name);
    return entry == list().by_name.end() ? nullptr : &list().functions[entry->second];
}

Leads leads_of(const std::string &function) {
    const Function *entry = find_function(function);
    return entry && entry->flow ? entry->leads : Leads::to_last_enter;
}

Category library_of(const std::string &function) {
    const Function *known = find_function(function);
    const FunctionKind kind = known ? known->kind : FunctionKind::collective;
    switch (kind) {
    case FunctionKind::comm:
        return Category::mpi;
    case FunctionKind::rma:
        return Category::rma;
    case FunctionKind::io:
        return Category::io;
    default:
        return Category::native;
    }
}

bool returns_early(const std::string &function) {
    const Function *entry = find_function(function);
    return entry && (entry->kind == FunctionKind::nonblocking || entry->kind == FunctionKind::persistent);
}

} // namespace hopscope::paths
