// The Python module hopscope.native._plan: the collector's algorithms, trees and schedules (collector/src/plan).
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "schedules.h"
#include "to_numpy.h"

namespace nb = nanobind;

namespace hopscope::plan {
namespace {

enum operation operation_of(const std::string &name) {
    enum operation number = operation_named(name.c_str());
    if (number == OPERATIONS)
        throw std::invalid_argument(name + " is not an operation that the engine can run");
    return number;
}

std::vector<std::string> names_of(uint32_t operations) {
    std::vector<std::string> names;
    for (int i = 0; i < OPERATIONS; i++)
        if (operations & operation_bit(static_cast<enum operation>(i)))
            names.emplace_back(operation_name(static_cast<enum operation>(i)));
    return names;
}

// Makes a Python list of a C table's rows, up to the row without a name.
template <typename Row> nb::list rows_of(const Row *row) {
    nb::list rows;
    for (; row->name; row++)
        rows.append(nb::cast(row, nb::rv_policy::reference));
    return rows;
}

struct Operation {
    enum operation operation_id;
};

// A word for each value of operation_content.
constexpr const char *content_words[] = {"nothing", "whole", "own", "each"};
static_assert(CONTENT_NOTHING == 0 && CONTENT_EACH == std::size(content_words) - 1);

// A tree, made from its definition in a tree file.
class Tree {
  public:
    explicit Tree(const nb::bytes &definition) {
        char message[1000];
        spec_.reset(tree_spec_parse(definition.c_str(), definition.size(), message, sizeof message));
        if (!spec_)
            throw std::invalid_argument(message);
    }
    nb::tuple places(int root, bool broadcast, std::vector<int> hosts, std::vector<int> clusters) const {
        Members members(std::move(hosts), std::move(clusters));
        Places placements = places_of(*spec_, members, root, broadcast ? TREE_BROADCAST : TREE_REDUCE);
        nb::list parents, children;
        for (size_t rank = 0; rank < placements.parent.size(); rank++) {
            parents.append(placements.parent[rank]);
            nb::list ordered;
            for (int64_t i = placements.first_child[rank]; i < placements.first_child[rank + 1]; i++)
                ordered.append(placements.children[static_cast<size_t>(i)]);
            children.append(nb::tuple(ordered));
        }
        return nb::make_tuple(nb::tuple(parents), nb::tuple(children));
    }

  private:
    std::unique_ptr<tree_spec, Release> spec_;
};

class TreeFile {
  public:
    TreeFile(const nb::bytes &text, int ranks) {
        char message[1000];
        plan_.reset(tree_plan_parse(text.c_str(), text.size(), ranks, message, sizeof message));
        if (!plan_)
            throw std::invalid_argument(message);
    }
    std::string name() const {
        return plan_->name;
    }
    std::optional<int> rule(const std::string &operation, const std::vector<int> &members, uint64_t bytes) const {
        int size = static_cast<int>(members.size()),
            list_number = rank_lists_find(&plan_->members, members.data(), size);
        int rule_number = tree_plan_choose(plan_.get(), operation_of(operation), size, list_number, bytes);
        return rule_number < 0 || plan_->rules[rule_number].native ? std::nullopt : std::optional(rule_number);
    }
    nb::dict schedules(int rule, const std::string &operation, std::vector<int> hosts, std::vector<int> clusters,
                       std::vector<int64_t> lengths, std::optional<int> root, int64_t unit_bytes, bool in_place) const {
        if (rule < 0 || rule >= plan_->rule_count)
            throw std::invalid_argument("there is no rule " + std::to_string(rule));
        Collective collective{*plan_,     rule,    operation_of(operation), root.value_or(-1), std::move(lengths),
                              unit_bytes, in_place};
        Schedules columns;
        {
            nb::gil_scoped_release release;
            Members members(std::move(hosts), std::move(clusters));
            columns = schedules_of(collective, members);
        }
        nb::dict result;
        result["unit_bytes"] = unit_bytes;
        result["first_step"] = to_numpy(std::move(columns.first_step));
        result["kind"] = to_numpy(std::move(columns.kind));
        result["role"] = to_numpy(std::move(columns.role));
        result["round"] = to_numpy(std::move(columns.round));
        result["peer"] = to_numpy(std::move(columns.peer));
        result["segment"] = to_numpy(std::move(columns.segment));
        result["slot"] = to_numpy(std::move(columns.slot));
        result["operand"] = to_numpy(std::move(columns.operand));
        result["at"] = to_numpy(std::move(columns.position));
        result["operand_at"] = to_numpy(std::move(columns.operand_position));
        result["length"] = to_numpy(std::move(columns.length));
        result["unmet"] = to_numpy(std::move(columns.unmet));
        result["first_edge"] = to_numpy(std::move(columns.first_edge));
        result["edge"] = to_numpy(std::move(columns.edge));
        result["first_ready"] = to_numpy(std::move(columns.first_ready));
        result["ready"] = to_numpy(std::move(columns.ready));
        result["other_end"] = to_numpy(std::move(columns.other_end));
        result["ring_units"] = to_numpy(std::move(columns.ring_units));
        result["slots"] = to_numpy(std::move(columns.slots));
        result["most_messages"] = to_numpy(std::move(columns.most_messages));
        return result;
    }

  private:
    std::unique_ptr<tree_plan, Release> plan_;
};

// Returns the text of a tree file and the name by which messages call it. file_or_name: the file's path, or a name that
// stands for a tree file.
nb::tuple requested(const nb::bytes &file_or_name) {
    char message[1000 + PATH_MAX];
    auto request = std::make_unique<requested_text>();
    if (!requested_tree_read(request.get(), file_or_name.c_str(), "", message, sizeof message)) {
        free(request->text);
        throw std::invalid_argument(message);
    }
    nb::bytes text(request->text, request->length), name(request->name, strlen(request->name));
    free(request->text);
    return nb::make_tuple(text, name);
}

} // namespace
} // namespace hopscope::plan

NB_MODULE(_plan, m) {
    using namespace hopscope::plan;
    m.doc() = "The collector's shapes, algorithms, trees and schedules (collector/src/plan).";
    nb::class_<shape>(m, "Shape")
        .def_ro("name", &shape::name)
        .def_ro("same_as", &shape::same_as)
        .def_ro("counts", &shape::counts)
        .def_ro("meaning", &shape::meaning)
        .def_prop_ro("is_simple", [](const shape &row) { return row.kind == SHAPE_SIMPLE; });
    auto has_property = [](uint32_t property) {
        return [property](const algorithm &row) { return (row.properties & property) != 0; };
    };
    nb::class_<algorithm>(m, "Algorithm")
        .def_ro("name", &algorithm::name)
        .def_ro("meaning", &algorithm::meaning)
        .def_prop_ro("operations", [](const algorithm &row) { return names_of(row.operations); })
        .def_prop_ro("keeps_order", has_property(KEEPS_ORDER))
        .def_prop_ro("cuts", has_property(CUTS))
        .def_prop_ro("by_tree", has_property(BY_TREE))
        .def_prop_ro("in_groups", has_property(IN_GROUPS));
    nb::class_<Operation>(m, "Operation")
        .def_prop_ro("name", [](const Operation &row) { return operation_name(row.operation_id); })
        .def_prop_ro("reduces", [](const Operation &row) { return operation_reduces(row.operation_id); })
        .def_prop_ro("has_root", [](const Operation &row) { return operation_has_root(row.operation_id); })
        .def_prop_ro("hides_bytes", [](const Operation &row) { return operation_hides_bytes(row.operation_id); })
        .def_prop_ro("is_even", [](const Operation &row) { return operation_is_even(row.operation_id); })
        .def_prop_ro("input", [](const Operation &row) { return content_words[operation_input(row.operation_id)]; })
        .def_prop_ro("output", [](const Operation &row) { return content_words[operation_output(row.operation_id)]; })
        .def_prop_ro("only_up", [](const Operation &row) { return operation_only_up(row.operation_id); })
        .def_prop_ro("only_down", [](const Operation &row) { return operation_only_down(row.operation_id); });
    m.def("shapes", [] { return rows_of(shapes); }, "Every shape of a tree.");
    m.def(
        "algorithms", [] { return rows_of(algorithms); },
        "Every algorithm. An algorithm that runs operations in different ways has several rows with its name.");
    m.def(
        "operations",
        [] {
            std::vector<Operation> rows;
            for (int i = 0; i < OPERATIONS; i++)
                rows.push_back({static_cast<enum operation>(i)});
            return rows;
        },
        "Every operation that the engine can run.");
    m.def("requested", &requested, nb::arg("file_or_name"),
          "Returns the text of a tree file and the name by which messages call it. file_or_name: the file's path, or a "
          "name that stands for a tree file. Raises ValueError with the collector's message.");
    nb::class_<Tree>(m, "Tree")
        .def(nb::init<const nb::bytes &>(), nb::arg("definition"))
        .def("places", &Tree::places, nb::arg("root"), nb::arg("broadcast"), nb::arg("hosts"), nb::arg("clusters"));
    nb::class_<TreeFile>(m, "TreeFile")
        .def(nb::init<const nb::bytes &, int>(), nb::arg("text"), nb::arg("ranks") = 0)
        .def_prop_ro("name", &TreeFile::name)
        .def("rule", &TreeFile::rule, nb::arg("operation"), nb::arg("members"), nb::arg("bytes"))
        .def("schedules", &TreeFile::schedules, nb::arg("rule"), nb::arg("operation"), nb::arg("hosts"),
             nb::arg("clusters"), nb::arg("lengths"), nb::arg("root") = nb::none(), nb::arg("unit_bytes") = 1,
             nb::arg("in_place") = false);
    auto words_of = [](const char *const *words, int count) {
        return nb::tuple(nb::cast(std::vector<std::string>(words, words + count)));
    };
    m.attr("LEVELS") = words_of(groups_level_names, GROUPS_LEVELS);
    m.attr("BETWEEN") = words_of(groups_exchange_names, GROUPS_EXCHANGES);
    m.attr("RECEIVE") = static_cast<int>(STEP_RECEIVE);
    m.attr("SEND") = static_cast<int>(STEP_SEND);
    m.attr("COMBINE") = static_cast<int>(STEP_COMBINE);
    m.attr("COPY") = static_cast<int>(STEP_COPY);
    m.attr("JOIN") = static_cast<int>(STEP_JOIN);
    m.attr("UP") = static_cast<int>(ROLE_UP);
    m.attr("DOWN") = static_cast<int>(ROLE_DOWN);
    m.attr("EXCHANGE") = static_cast<int>(ROLE_EXCHANGE);
    m.attr("INPUT") = static_cast<int>(SLOT_INPUT);
    m.attr("OUTPUT") = static_cast<int>(SLOT_OUTPUT);
}
