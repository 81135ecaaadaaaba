/* Opens an archive and collects libotf2's error messages. */
#include "archive.h"

#include <cstdarg>
#include <cstdio>

namespace hopscope {
namespace {

thread_local std::string first_complaint;
std::mutex opening;

/* The anchor's path without .otf2. */
std::string stem_of(const std::string &anchor) {
    const std::string suffix = ".otf2";
    const bool has_suffix =
        anchor.size() > suffix.size() && anchor.compare(anchor.size() - suffix.size(), suffix.size(), suffix) == 0;
    return has_suffix ? anchor.substr(0, anchor.size() - suffix.size()) : anchor;
}

OTF2_ErrorCode keep_complaint(void *, const char *, uint64_t, const char *, OTF2_ErrorCode code, const char *format,
                              va_list arguments) {
    if (code == OTF2_DEPRECATED || code == OTF2_SUCCESS || !first_complaint.empty())
        return code;
    char text[512] = "";
    if (format)
        std::vsnprintf(text, sizeof text, format, arguments);
    first_complaint = OTF2_Error_GetDescription(code);
    if (text[0])
        first_complaint += std::string(" (") + text + ")";
    return code;
}

} // namespace

std::string readable(const std::string &text) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        size_t length = lead < 0x80                   ? 1
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
        bool valid = length > 0 && i + length <= text.size();
        for (size_t k = 1; valid && k < length; k++)
            valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
        if (valid && length > 2) { /* reject overlong forms, surrogates, and code points beyond Unicode */
            const auto next = static_cast<unsigned char>(text[i + 1]);
            valid = !(lead == 0xe0 && next < 0xa0) && !(lead == 0xed && next >= 0xa0) &&
                    !(lead == 0xf0 && next < 0x90) && !(lead == 0xf4 && next >= 0x90);
        }
        if (!valid)
            length = 1;
        result += valid ? text.substr(i, length) : "?";
        i += length;
    }
    return result;
}

void collect_otf2_errors() {
    OTF2_Error_RegisterCallback(keep_complaint, nullptr);
}

std::string take_otf2_error(const std::string &fallback) {
    std::string complaint = first_complaint.empty() ? fallback : first_complaint;
    first_complaint.clear();
    return complaint;
}

std::unique_lock<std::mutex> hold_opening() {
    return std::unique_lock<std::mutex>(opening);
}

std::string definitions_file_of(const std::string &anchor) {
    return stem_of(anchor) + ".def";
}

Archive::Archive(const std::string &anchor) : anchor_(anchor), stem_(stem_of(anchor)), reader_(nullptr) {
    const auto lock = hold_opening();
    reader_ = OTF2_Reader_Open(anchor.c_str());
    if (!reader_)
        throw ArchiveError(anchor + ": not a readable OTF2 anchor file: " + take_otf2_error("libotf2 gives no reason"));
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader_) != OTF2_SUCCESS)
        throw ArchiveError(anchor + ": " + take_otf2_error("libotf2 refuses serial reading"));
}

Archive::~Archive() {
    const auto lock = hold_opening();
    OTF2_Reader_Close(reader_);
}

bool Archive::is_plain() const {
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    return OTF2_Reader_GetCompression(reader_, &compression) == OTF2_SUCCESS && compression == OTF2_COMPRESSION_NONE;
}

std::string Archive::location_file(OTF2_LocationRef location, const std::string &extension) const {
    return stem_ + "/" + std::to_string(location) + "." + extension;
}

} // namespace hopscope
