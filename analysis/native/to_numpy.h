// Turns a vector into a numpy array without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace hopscope {

template <typename T, typename Allocator> nanobind::object to_numpy(std::vector<T, Allocator> &&values) {
    namespace nb = nanobind;
    using Vector = std::vector<T, Allocator>;
    auto *vector = new Vector(std::move(values));
    nb::capsule owner(vector, [](void *p) noexcept { delete static_cast<Vector *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(vector->data(), {vector->size()}, owner));
}

} // namespace hopscope
