// Makes, writes and maps files without a name.
#include "scratch.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace hopscope::paths {
namespace {

[[noreturn]] void fail(int code, const char *message) {
    throw std::system_error(code, std::generic_category(), message);
}

} // namespace

int Scratch::open_file() const {
    std::string name = directory_ + "/.scratch-XXXXXX";
    const int descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0)
        fail(errno, "cannot create a scratch file");
    unlink(name.c_str());
    return descriptor;
}

ScratchFile::~ScratchFile() {
    if (mapping_)
        munmap(mapping_, bytes_);
    close(descriptor_);
}

void ScratchFile::write_at(size_t offset, const void *data, size_t bytes) {
    const auto *next = static_cast<const uint8_t *>(data);
    bytes_ = std::max(bytes_, offset + bytes);
    while (bytes > 0) {
        const ssize_t written = pwrite(descriptor_, next, bytes, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(errno, "cannot write a scratch file");
        next += written;
        offset += static_cast<size_t>(written);
        bytes -= static_cast<size_t>(written);
    }
}

void *ScratchFile::map() {
    if (mapping_ || bytes_ == 0)
        return mapping_;
    void *mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (mapping == MAP_FAILED)
        fail(errno, "cannot map a scratch file");
    return mapping_ = mapping;
}

void ScratchFile::trim() const {
    if (mapping_)
        madvise(mapping_, bytes_, MADV_DONTNEED);
}

} // namespace hopscope::paths
