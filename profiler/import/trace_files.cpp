#include "profiler/import/trace_files.h"

#include "engine/base/try.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {
constexpr std::size_t kMostFiles = 10000;

constexpr std::array<std::string_view, 4> kCompressed{".gz", ".xz", ".bz2", ".zst"};
// A file may expand to kSmall bytes or to kMostTimes times its size, whichever is more. All bytes
// count: the traces, compressed traces in an archive, and files that are skipped.
constexpr std::int64_t kSmall = 256 << 20, kMostTimes = 200;

std::string_view withoutCompression(std::string_view name)
{
    for (const std::string_view suffix : kCompressed)
        if (name.ends_with(suffix))
            return name.substr(0, name.size() - suffix.size());
    return name;
}

// A kind of file that other profilers write.
struct OtherKind
{
    std::string_view suffix, head; // "": unknown
    std::string_view what;
};
constexpr std::string_view kNsysReport
    = "a report of Nsight Systems: export it with nsys export --type sqlite and import the .sqlite";
constexpr std::string_view kNsysStream = "a recording of Nsight Systems that was not processed: "
                                         "open it in nsys-ui, save the .nsys-rep and run nsys "
                                         "export --type sqlite on it";
constexpr std::string_view kNsysTable
    = "not the export of Nsight Systems that can be imported: run nsys export --type sqlite on the "
      ".nsys-rep and import the .sqlite";
constexpr std::string_view kRocprofOther
    = "an output of rocprofv3 that cannot be imported: record with --output-format rocpd or json";
constexpr std::string_view kPerfetto = "a trace of Perfetto: convert it with traceconv json FILE "
                                       "FILE.json (get.perfetto.dev/traceconv)";
constexpr std::string_view kPlane
    = "a profile of TensorFlow or JAX: import the .trace.json.gz beside it";
constexpr std::array kOtherKinds{
    OtherKind{".nsys-rep", "", kNsysReport},
    OtherKind{".qdrep", "", kNsysReport},
    OtherKind{".qdstrm", "", kNsysStream},
    OtherKind{".parquet", "", kNsysTable},
    OtherKind{".arrow", "", kNsysTable},
    OtherKind{".h5", "", kNsysTable},
    OtherKind{"_trace.csv", "", kRocprofOther},
    OtherKind{".otf2", "", kRocprofOther},
    OtherKind{".ncu-rep", "",
              "a report of Nsight Compute, which has no time line: record with nsys profile"},
    OtherKind{".xplane.pb", "", kPlane},
    OtherKind{".pftrace", "", kPerfetto},
    OtherKind{".perfetto-trace", "", kPerfetto},
    // The first packet of a trace is the field 1 of a message of Protocol Buffers.
    OtherKind{"", "\x0A", kPerfetto},
};

bool looksLikeTrace(const fs::path& file)
{
    static constexpr std::array<std::string_view, 6> kTraces{".json", ".sqlite", ".db",
                                                             ".zip",  ".tar",    ".tgz"};
    const std::string whole = file.filename().string();
    if (whole.starts_with('.'))
        return false;
    const std::string_view name = withoutCompression(whole);
    // Other pickles are data of Python programs.
    const bool isSnapshot = (name.ends_with(".pickle") || name.ends_with(".pkl"))
        && (name.find("mem") < name.size() || name.find("snapshot") < name.size());
    return isSnapshot || std::ranges::any_of(kTraces, [&](std::string_view suffix) {
               return name.ends_with(suffix);
           });
}

// Sets `wrong` to a file of another kind, if the folder has one.
Result<void> addFolder(const fs::path& folder, std::vector<fs::path>& files, fs::path& wrong)
{
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator each(folder, options, error), end; !error && each != end;
         each.increment(error)) {
        if (each->is_regular_file(error) && looksLikeTrace(each->path()))
            files.push_back(each->path());
        else if (!wrongKind(each->path().filename().string(), {}).empty())
            wrong = each->path();
        if (files.size() > kMostFiles)
            return invalid("{} has more than {} traces; give the folder of one job",
                           folder.string(), kMostFiles);
    }
    return error ? fail(Error::Code::Io, "{} cannot be read: {}", folder.string(), error.message())
                 : Result<void>();
}

struct FreeArchive
{
    void operator()(archive* handle) const { archive_read_free(handle); }
};
using Archive = std::unique_ptr<archive, FreeArchive>;

// Enables the filters that libarchive decodes itself; others start programs.
Archive newDecoder()
{
    Archive handle(archive_read_new());
    archive_read_support_filter_gzip(handle.get());
    archive_read_support_filter_xz(handle.get());
    archive_read_support_filter_bzip2(handle.get());
    archive_read_support_filter_zstd(handle.get());
    return handle;
}

Archive newArchive()
{
    Archive handle = newDecoder();
    archive_read_support_format_zip(handle.get());
    archive_read_support_format_tar(handle.get());
    archive_read_support_format_empty(handle.get());
    archive_read_support_format_raw(handle.get());
    return handle;
}

// Compares the check sum of gzip (RFC 1952), which libarchive does not.
class GzipCheck
{
public:
    void add(std::span<const char> bytes)
    {
        m_sum = crc32_z(m_sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        m_size += static_cast<std::uint32_t>(bytes.size());
    }
    // Whether the bytes are those of the file, which ends with their check sum and their number. A
    // file of several members has these for each member and is not checked.
    bool matches(const fs::path& file) const
    {
        std::ifstream in(file, std::ios::binary);
        std::array<unsigned char, 8> end{};
        in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
        in.read(reinterpret_cast<char*>(end.data()), end.size());
        const auto number = [&](std::size_t at) {
            return end[at] | end[at + 1] << 8U | end[at + 2] << 16U
                | static_cast<std::uint32_t>(end[at + 3]) << 24U;
        };
        return !in || (number(0) == m_sum && number(4) == m_size) || hasSeveralMembers(in);
    }

private:
    // Looks for a second header: 1F 8B 08, flags, 4 bytes of time, compression, system.
    static bool hasSeveralMembers(std::ifstream& in)
    {
        in.seekg(1);
        std::array<unsigned char, 10> header{};
        for (int byte = in.get(); byte >= 0; byte = in.get()) {
            std::rotate(header.begin(), header.begin() + 1, header.end());
            header.back() = static_cast<unsigned char>(byte);
            const auto [one, two, method, flags, t0, t1, t2, t3, level, system] = header;
            if (one == 0x1F && two == 0x8B && method == 8 && flags < 0x20
                && (level == 0 || level == 2 || level == 4) && (system <= 13 || system == 255))
                return true;
        }
        return false;
    }

    uLong m_sum = crc32_z(0, nullptr, 0);
    std::uint32_t m_size = 0;
};

class ArchiveReader
{
public:
    ArchiveReader(fs::path file, ImportProgress before, const OnImportProgress& progress)
        : m_archive(newArchive())
        , m_file(std::move(file))
        , m_progress(std::move(before))
        , m_before(m_progress.bytes)
        , m_onProgress(progress)
    { }

    Result<void> open()
    {
        constexpr std::size_t kBlock = 1 << 18;
        return archive_read_open_filename(m_archive.get(), m_file.c_str(), kBlock) == ARCHIVE_OK
            ? Result<void>()
            : failure();
    }

    // Moves to the next regular file. Returns its name, "" at the end.
    Result<std::string> next()
    {
        for (;;) {
            TRY(skipRest());
            archive_entry* entry = nullptr;
            const int code = archive_read_next_header(m_archive.get(), &entry);
            if (code == ARCHIVE_EOF)
                return std::string();
            if (code < ARCHIVE_WARN)
                return failure();
            m_hasEntry = true;
            const bool isWhole = archive_format(m_archive.get()) == ARCHIVE_FORMAT_RAW;
            if (isWhole)
                return m_file.string();
            const char* const name = archive_entry_pathname_utf8(entry);
            if (archive_entry_filetype(entry) == AE_IFREG && name != nullptr
                && looksLikeTrace(name))
                return fmt::format("{}/{}", m_file.string(), name);
        }
    }

    Result<std::size_t> read(std::span<char> bytes)
    {
        const la_ssize_t count = archive_read_data(m_archive.get(), bytes.data(), bytes.size());
        if (count < 0)
            return failure();
        TRY(addExpanded(count));
        const bool isGzip = archive_filter_code(m_archive.get(), 0) == ARCHIVE_FILTER_GZIP
            && archive_format(m_archive.get()) == ARCHIVE_FORMAT_RAW;
        if (isGzip && count > 0)
            m_check.add(bytes.first(static_cast<std::size_t>(count)));
        else if (isGzip && !m_check.matches(m_file))
            return fail(Error::Code::Corrupt,
                        "{} is damaged: its check sum or its length differs; copy it "
                        "again",
                        m_file.string());
        return static_cast<std::size_t>(count);
    }

    // Must be called for all bytes that were decompressed from the file. Reports progress.
    Result<void> addExpanded(std::int64_t bytes)
    {
        m_bytes += bytes;
        const std::int64_t onDisk = archive_filter_bytes(m_archive.get(), -1);
        if (m_bytes > std::max(kSmall, kMostTimes * onDisk))
            return fail(Error::Code::Corrupt,
                        "{} expands to more than {} times its size; decompress it and import "
                        "the trace itself",
                        m_file.string(), kMostTimes);
        m_progress.bytes = m_before + onDisk;
        if (m_onProgress && !m_onProgress(m_progress))
            return fail(Error::Code::Cancelled, "the import was cancelled");
        return {};
    }

private:
    // Reads the rest of the current file if libarchive would decompress it to find the next one.
    Result<void> skipRest()
    {
        if (!m_hasEntry)
            return {};
        TRY(addExpanded(0));
        if (archive_filter_code(m_archive.get(), 0) == ARCHIVE_FILTER_NONE
            || archive_format(m_archive.get()) == ARCHIVE_FORMAT_RAW)
            return {};
        for (;;) {
            const void* data = nullptr;
            std::size_t size = 0;
            la_int64_t offset = 0;
            const int code = archive_read_data_block(m_archive.get(), &data, &size, &offset);
            if (code == ARCHIVE_EOF)
                return {};
            if (code < ARCHIVE_WARN)
                return failure();
            TRY(addExpanded(static_cast<std::int64_t>(size)));
        }
    }

    tl::unexpected<Error> failure() const
    {
        const char* const reason = archive_error_string(m_archive.get());
        return fail(Error::Code::Corrupt, "{} cannot be read: {}", m_file.string(),
                    reason != nullptr ? reason : "unknown reason");
    }

    Archive m_archive;
    fs::path m_file;
    ImportProgress m_progress;
    GzipCheck m_check;
    std::int64_t m_before = 0, m_bytes = 0;
    bool m_hasEntry = false;
    const OnImportProgress& m_onProgress;
};

// Decompresses a file of an archive.
class MemberReader
{
public:
    MemberReader(std::string name, ArchiveReader& source)
        : m_archive(newDecoder())
        , m_name(std::move(name))
        , m_source(source)
        , m_buffer(std::size_t{1} << 18)
    {
        archive_read_support_format_empty(m_archive.get());
        archive_read_support_format_raw(m_archive.get());
    }

    Result<void> open()
    {
        const auto read = [](archive*, void* self, const void** data) -> la_ssize_t {
            return static_cast<MemberReader*>(self)->refill(data);
        };
        archive_entry* entry = nullptr;
        if (archive_read_open(m_archive.get(), this, nullptr, read, nullptr) != ARCHIVE_OK
            || archive_read_next_header(m_archive.get(), &entry) != ARCHIVE_OK)
            return failure();
        return {};
    }

    Result<std::size_t> read(std::span<char> bytes)
    {
        const la_ssize_t count = archive_read_data(m_archive.get(), bytes.data(), bytes.size());
        if (count < 0)
            return failure();
        TRY(m_source.addExpanded(count));
        return static_cast<std::size_t>(count);
    }

private:
    la_ssize_t refill(const void** data)
    {
        const auto count = m_source.read({m_buffer.data(), m_buffer.size()});
        if (!count) {
            m_error = count.error();
            return -1;
        }
        *data = m_buffer.data();
        return static_cast<la_ssize_t>(*count);
    }

    tl::unexpected<Error> failure() const
    {
        if (m_error)
            return tl::unexpected(*m_error);
        const char* const reason = archive_error_string(m_archive.get());
        return fail(Error::Code::Corrupt, "{} cannot be read: {}", m_name,
                    reason != nullptr ? reason : "unknown reason");
    }

    Archive m_archive;
    std::string m_name;
    ArchiveReader& m_source;
    std::vector<char> m_buffer;
    std::optional<Error> m_error; // error of the source
};

using Visit = std::function<Result<void>(const std::string&, const ByteSource&)>;

// Visits a file of an archive. The file may itself be compressed; the archive is already
// decompressed.
Result<void> visitMember(const std::string& name, ArchiveReader& archive, const fs::path& file,
                         const Visit& visit)
{
    const bool isCompressed = name != file.string()
        && std::ranges::any_of(kCompressed, [&](auto suffix) { return name.ends_with(suffix); });
    if (!isCompressed)
        return visit(name, [&](std::span<char> part) { return archive.read(part); });
    MemberReader member(name, archive);
    TRY(member.open());
    return visit(name, [&](std::span<char> part) { return member.read(part); });
}
} // namespace

std::string wrongKind(std::string_view name, std::string_view head)
{
    const std::string_view plain = withoutCompression(name);
    // A text may begin with a line break, which is also the tag of a field.
    const bool isText = head.size() > 1 && static_cast<unsigned char>(head[0]) == 0x0A
        && head.substr(1).find_first_not_of(" \t\r\n") != std::string_view::npos
        && std::string_view("{[").find(head[head.find_first_not_of(" \t\r\n")]) < 2;
    for (const OtherKind& kind : kOtherKinds)
        if (kind.head.empty() ? plain.ends_with(kind.suffix)
                              : !isText && head.starts_with(kind.head))
            return std::string(kind.what);
    return {};
}

Result<std::vector<fs::path>> findTraceFiles(const std::vector<fs::path>& paths)
{
    std::vector<fs::path> files;
    fs::path wrong;
    for (const fs::path& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status))
            return fail(Error::Code::NotFound, path.string() + " does not exist: check the name");
        if (fs::is_directory(status)) {
            TRY(addFolder(path, files, wrong));
        } else if (fs::is_regular_file(status)) {
            files.push_back(path);
        } else {
            return invalid(path.string() + " is not a file; give a trace or a folder of traces");
        }
    }
    if (files.empty() && !wrong.empty())
        return fail(Error::Code::Unsupported, "{} is {}", wrong.string(),
                    wrongKind(wrong.string(), {}));
    if (files.empty())
        return fail(Error::Code::NotFound,
                    "{} has no traces; they end in .json, .json.gz, .sqlite, .db, .zip or "
                    ".tar.gz",
                    paths.empty() ? "" : paths.front().string());
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

Result<void>
readTraceFile(const fs::path& file,
              const std::function<Result<void>(const std::string&, const ByteSource&)>& visit,
              ImportProgress before, const OnImportProgress& progress)
{
    before.file = file.string();
    ArchiveReader reader(file, std::move(before), progress);
    TRY(reader.open());
    for (int files = 0;; ++files) {
        const auto name = TRY(reader.next());
        if (name.empty())
            return files > 0 ? Result<void>()
                             : fail(Error::Code::NotFound, file.string() + " has no traces");
        TRY(visitMember(name, reader, file, visit));
    }
}

} // namespace profiler
