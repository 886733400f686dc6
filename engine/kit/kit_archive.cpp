#include "engine/base/new_file.h"
#include "engine/kit/training_kit.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <memory>
#include <string_view>

namespace engine {
namespace {

constexpr std::array<std::string_view, 3> kSuffixes{".zip", ".tar.gz", ".tgz"};

using Writer = std::unique_ptr<archive, decltype([](archive* one) { archive_write_free(one); })>;
using Entry
    = std::unique_ptr<archive_entry, decltype([](archive_entry* one) { archive_entry_free(one); })>;

la_ssize_t passOn(archive* /*writer*/, void* sink, const void* bytes, std::size_t size)
{
    (**static_cast<const TextSink**>(sink))({static_cast<const char*>(bytes), size});
    return static_cast<la_ssize_t>(size);
}

bool writeEntry(archive* writer, const std::string& name, const KitFile& file)
{
    const Entry entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.text.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.isExecutable ? 0755 : 0644);
    archive_entry_set_mtime(entry.get(), std::time(nullptr), 0);
    return archive_write_header(writer, entry.get()) == ARCHIVE_OK
        && archive_write_data(writer, file.text.data(), file.text.size())
        == static_cast<la_ssize_t>(file.text.size());
}

Result<void> writeEntries(const TrainingKit& kit, const std::filesystem::path& file,
                          const KitProgress& progress, const TextSink& sink)
{
    // Declared before the writer, whose destructor still uses it.
    const TextSink* passed = &sink;
    const Writer writer(archive_write_new());
    const auto failed = [&] {
        const char* reason = archive_error_string(writer.get());
        return fail(Error::Code::Io, "cannot write {}: {}", file.string(),
                    reason != nullptr ? reason : "libarchive cannot write this format");
    };
    const bool isZip = file.extension() == ".zip";
    if ((isZip ? archive_write_set_format_zip(writer.get())
               : archive_write_set_format_pax_restricted(writer.get()))
            != ARCHIVE_OK
        || (!isZip && archive_write_add_filter_gzip(writer.get()) != ARCHIVE_OK)
        || archive_write_open(writer.get(), &passed, nullptr, passOn, nullptr) != ARCHIVE_OK)
        return failed();
    std::size_t all = 0, done = 0;
    for (const KitFile& one : kit.files)
        all += one.text.size();
    for (const KitFile& one : kit.files) {
        if (progress && !progress(done, all))
            return fail(Error::Code::Cancelled,
                        "writing the kit was cancelled; no file was written");
        if (!writeEntry(writer.get(), *folderInArchive(file) + "/" + one.name, one))
            return failed();
        done += one.text.size();
    }
    return archive_write_close(writer.get()) == ARCHIVE_OK ? Result<void>() : failed();
}

} // namespace

std::optional<std::string> folderInArchive(const std::filesystem::path& target)
{
    const std::string name = target.filename().string();
    for (const std::string_view suffix : kSuffixes)
        if (name.size() > suffix.size() && name.ends_with(suffix))
            return name.substr(0, name.size() - suffix.size());
    return std::nullopt;
}

Result<void> refuseOtherArchive(const std::filesystem::path& target)
{
    constexpr std::array<std::string_view, 12> kOthers{".tar", ".gz",  ".bz2",  ".xz",
                                                       ".zst", ".tbz", ".tbz2", ".txz",
                                                       ".7z",  ".rar", ".zip",  ".tgz"};
    std::string ending = target.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    if (folderInArchive(target) || std::ranges::find(kOthers, ending) == kOthers.end())
        return {};
    return invalid("{}: a kit is a folder or an archive that ends in {}; choose another "
                   "name",
                   target.string(), fmt::join(kSuffixes, ", "));
}

Result<void> writeKitArchive(const TrainingKit& kit, const std::filesystem::path& file,
                             IfExists ifExists, const KitProgress& progress)
{
    return NewFile::beside(file, ifExists).and_then([&](NewFile created) {
        return saveFile(std::move(created), [&](const TextSink& sink) {
            return writeEntries(kit, file, progress, sink);
        });
    });
}

} // namespace engine
