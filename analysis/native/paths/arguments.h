// Takes numpy arrays out of a Python dict. Throws TypeError, which names the array, if its type or length is wrong.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>

#include "columns.h"
#include "to_numpy.h"

namespace hopscope::paths {

namespace nb = nanobind;

class Arguments {
  public:
    explicit Arguments(const nb::dict &arrays) : arrays_(arrays) {}
    template <typename T> Column<T> column(const std::string &name) const {
        using Array = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        if (!arrays_.contains(name.c_str()))
            throw nb::type_error(("no array " + name).c_str());
        Array array;
        if (!nb::try_cast<Array>(arrays_[name.c_str()], array, false))
            throw nb::type_error((name + ": not a contiguous array of the type in columns.h").c_str());
        return {array.data(), array.size()};
    }
    static void same_length(const std::string &table, std::initializer_list<size_t> lengths) {
        for (size_t length : lengths)
            if (length != *lengths.begin())
                throw nb::type_error((table + ": arrays of different lengths").c_str());
    }

    // Checks a column of row numbers of another table: throws ValueError if one is outside [minimum, end).
    template <typename T>
    static void rows_of(const char *name, const Column<T> &column, int64_t end, int64_t minimum = 0) {
        for (size_t i = 0; i < column.size; i++)
            if (column[i] < minimum || column[i] >= end)
                throw nb::value_error((std::string(name) + ": row " + std::to_string(i) + " names " +
                                       std::to_string(column[i]) + ", which is not there")
                                          .c_str());
    }

  private:
    const nb::dict &arrays_; // keeps the arrays alive
};

} // namespace hopscope::paths
