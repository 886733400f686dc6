#include "profiler/import/import.h"

#include "engine/base/median.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/import/classify/classify.h"
#include "profiler/import/job.h"
#include "profiler/import/readers/readers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

std::int64_t medianDuration(const Timeline& timeline)
{
    std::vector<std::int64_t> durations;
    for (const Iteration& iteration : timeline.iterations)
        durations.push_back(iteration.window.duration());
    return medianOf(durations);
}

// Simulates the schedule of an imported run with the median durations of its ops and messages.
// Returns the relative error of the simulated iteration, positive if it is longer than the measured
// median; nullopt if the schedule is not complete (engine/schedule/check/validate.h).
std::optional<double> replayError(const Run& run)
{
    const Schedule order = keepOps(run.schedule, runsMicroBatch);
    if (!whyUnknown(run.info).empty() || !validate(order).empty())
        return std::nullopt;
    const Schedule lowered = lower(order);
    const auto costs = calibratedCosts(run, lowered, {.correctsVariation = false});
    if (!costs)
        return std::nullopt;
    const auto replayed = simulate(lowered, *costs);
    const std::int64_t measured = medianDuration(run.timeline);
    if (!replayed || replayed->iterations.empty() || measured <= 0)
        return std::nullopt;
    return static_cast<double>(replayed->iterations.front().window.duration())
        / static_cast<double>(measured)
        - 1;
}

// An empty file in the folder of temporary files. If it cannot be created, its path is empty.
class TemporaryFile
{
public:
    TemporaryFile()
    {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "bubblescope-XXXXXX").string();
        if (const int handle = error ? -1 : mkstemp(pattern.data()); handle >= 0) {
            close(handle);
            m_path = pattern;
        }
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile()
    {
        std::error_code ignored;
        fs::remove(m_path, ignored);
    }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

class Importer
{
public:
    Importer(const Rules& rules, const OnImportProgress& progress)
        : m_rules(rules)
        , m_onProgress(progress)
    { }

    Result<ImportedRun> run(const std::vector<fs::path>& paths)
    {
        const auto files = TRY(findTraceFiles(paths));
        for (const fs::path& file : files) {
            std::error_code ignored;
            m_progress.allBytes += static_cast<std::int64_t>(fs::file_size(file, ignored));
        }
        TRY(readAll(files));
        auto job = TRY(collectJob(std::move(m_ranks), std::move(m_unread)));
        addSnapshots(job);
        job.warnings.insert(job.warnings.begin(), m_warnings.begin(), m_warnings.end());
        auto imported = buildRun(std::move(job));
        if (imported)
            imported->run.info.import->replayError = replayError(imported->run);
        return imported;
    }

private:
    Result<void> readAll(const std::vector<fs::path>& files)
    {
        for (const fs::path& file : files) {
            std::error_code ignored;
            const std::int64_t next
                = m_progress.bytes + static_cast<std::int64_t>(fs::file_size(file, ignored));
            if (auto done = read(file); !done) {
                if (done.error().code == Error::Code::Cancelled)
                    return done;
                m_errors.push_back(done.error());
            }
            m_progress.bytes = next;
        }
        TRY(addMegatron());
        if (m_ranks.empty() && m_errors.empty() && !m_snapshots.empty())
            return fail(Error::Code::NotFound,
                        m_snapshots.front().file
                            + " is a memory snapshot, which has no ops: import it together with "
                              "the trace that torch.profiler records at the same time");
        if (m_ranks.empty())
            return tl::unexpected(m_errors.front());
        for (const Error& error : m_errors)
            m_warnings.push_back(error.message);
        return {};
    }
    Result<void> read(const fs::path& file)
    {
        if (isSqlite(file))
            return readExport(file, file.string());
        if (const std::string kind = wrongKind(file.string(), {}); !kind.empty())
            return fail(Error::Code::Unsupported, "{} is {}", file.string(), kind);
        const auto visit
            = [this](const std::string& name, const ByteSource& bytes) -> Result<void> {
            auto done = readMember(name, bytes);
            if (done || done.error().code == Error::Code::Cancelled)
                return done;
            m_errors.push_back(done.error());
            if (const auto rank = rankNamedIn(name))
                m_unread.insert(*rank);
            return {};
        };
        const auto report = [this](const ImportProgress& now) {
            m_progress.bytes = now.bytes;
            return !m_onProgress || m_onProgress(now);
        };
        return readTraceFile(file, visit, m_progress, report);
    }
    // Reads the files of Megatron-LM, which belong together, after all others.
    Result<void> addMegatron()
    {
        const auto rank = std::ranges::find_if(
            m_megatron, [](const auto& file) { return isMegatronTrace(file.first); });
        if (rank == m_megatron.end()) { // config.json of another program
            for (const auto& [name, text] : m_megatron) {
                std::string_view rest = text;
                const auto bytes = [&](std::span<char> buffer) -> Result<std::size_t> {
                    const std::size_t count = rest.copy(buffer.data(), buffer.size());
                    rest.remove_prefix(count);
                    return count;
                };
                if (auto done = readJson(name, bytes); !done)
                    m_errors.push_back(done.error());
            }
            return {};
        }
        if (!m_ranks.empty())
            return invalid("{} and {} are of different programs; import them separately",
                           rank->first, m_ranks.front().trace.file);
        if (!m_errors.empty())
            return tl::unexpected(m_errors.front());
        auto trace = TRY(readMegatron(m_megatron));
        m_warnings.insert(m_warnings.end(), trace.warnings.begin(), trace.warnings.end());
        return add(std::move(trace.ranks));
    }
    // The number of a process; nullopt if it is unknown.
    static std::optional<int> processOf(const JobRank& rank)
    {
        const int gpus = rank.trace.gpusOfProcess;
        return rank.trace.rank ? std::optional(*rank.trace.rank / gpus)
            : gpus == 1        ? std::optional(rank.rank)
                               : std::nullopt;
    }
    // The memory of a rank is that of the snapshot that was recorded with its trace. If a process
    // uses several GPUs, each is a rank, and its snapshot has the memory of all of them.
    void addSnapshots(Job& job)
    {
        std::set<int> known; // ranks that have a snapshot
        for (MemorySnapshot& snapshot : m_snapshots) {
            std::vector<JobRank*> ranks;
            for (JobRank& rank : job.ranks)
                if (snapshot.rank ? processOf(rank) == snapshot.rank
                                  : std::ssize(job.ranks) == rank.trace.gpusOfProcess)
                    ranks.push_back(&rank);
            const auto warn = [&](const std::string& why) {
                m_warnings.push_back(fmt::format("{}: {}.", snapshot.file, why));
            };
            if (ranks.empty())
                warn(snapshot.rank ? fmt::format("rank {} has no trace, so its memory is left out",
                                                 *snapshot.rank)
                                   : "its rank is unknown, so its memory is left out; name it "
                                     "like rank3.memory.pickle");
            for (JobRank* const rank : ranks)
                if (const std::string why
                    = takeDevice(*rank, snapshot.devices, ranks.size() == 1, known);
                    !why.empty())
                    warn(why);
            for (const auto& [device, history] : snapshot.devices)
                if (!ranks.empty())
                    warn(fmt::format("{} has no work on device {}, so the memory of that device is "
                                     "left out",
                                     ranks.front()->trace.file, device));
        }
    }
    // Moves the history of the rank's GPU out of `devices`. Returns why the rank does not get it;
    // "" if it does.
    static std::string takeDevice(JobRank& rank, std::map<int, MemorySnapshot::History>& devices,
                                  bool isOnly, std::set<int>& known)
    {
        const auto& kernels = rank.trace.gpu.kernels;
        const int device = kernels.empty() ? 0 : static_cast<int>(kernels.front().place.device);
        const auto found = isOnly && devices.size() == 1 ? devices.begin() : devices.find(device);
        if (found == devices.end())
            return fmt::format("it does not have device {}, so the memory of rank {} is left out",
                               device, rank.rank);
        const MemorySnapshot::History history = std::move(found->second);
        devices.erase(found);
        if (known.contains(rank.rank))
            return fmt::format("an earlier snapshot shows the memory of rank {}, so this one is "
                               "left out",
                               rank.rank);
        std::string why = takeMemory(rank.trace, rank.work, history);
        if (why.empty())
            known.insert(rank.rank);
        else
            why += ", so its memory is left out";
        return why;
    }
    // Returns why the history does not show the memory of the trace; "" if it does.
    static std::string takeMemory(RankTrace& trace, const ClassifiedRank& work,
                                  const MemorySnapshot::History& history)
    {
        constexpr std::int64_t kLeastOverlap = 20; // a gap is at most the 20th part of the ops
        const auto& [recorded, events] = history;
        EnumArray<MemoryCategory, std::int64_t, kMemoryCategories> before{};
        Window ops{kMostTime, kLeastTime};
        for (const Work& each : work.works)
            extend(ops, each.window);
        const std::int64_t gap = ops.duration() / kLeastOverlap;
        if (recorded.end < ops.begin || recorded.begin > ops.end)
            return fmt::format("it was not recorded at the time of {}", trace.file);
        if (recorded.begin > ops.begin + gap)
            return fmt::format("it begins {:.1f} ms after the first op of {}; record with a "
                               "larger max_entries, and begin before the profiler",
                               1e-6 * static_cast<double>(recorded.begin - ops.begin), trace.file);
        if (recorded.end < ops.end - gap)
            return fmt::format("it ends {:.1f} ms before the last op of {}",
                               1e-6 * static_cast<double>(ops.end - recorded.end), trace.file);
        const auto first = std::ranges::lower_bound(events, ops.begin, {}, &MemoryEvent::time);
        for (auto event = events.begin(); event != first; ++event)
            before[event->category] += event->bytes;
        trace.memory.clear();
        for (const MemoryCategory category : before.enumerators())
            if (before[category] > 0)
                trace.memory.push_back(
                    {ops.begin, before[category], MemoryEvent::kNoOp, 0, category});
        trace.memory.insert(
            trace.memory.end(), first,
            std::ranges::upper_bound(first, events.end(), ops.end, {}, &MemoryEvent::time));
        return {};
    }
    Result<void> keepMegatron(const std::string& name, const ByteSource& bytes)
    {
        constexpr std::size_t kMost = 64 << 20; // bytes of all files
        std::string text = TRY(
            readWhole(name, bytes, kMost - m_megatronBytes, kMost, "record fewer iterations"));
        m_megatronBytes += text.size();
        m_megatron[name] = std::move(text);
        return {};
    }
    Result<void> keepSnapshot(const std::string& name, const ByteSource& bytes)
    {
        constexpr std::size_t kMost = std::size_t{1} << 30;
        const std::string whole = TRY(readWhole(
            name, bytes, kMost, kMost, "record with _record_memory_history(stacks=\"python\")"));
        m_snapshots.push_back(TRY(readMemorySnapshot(name, whole)));
        return {};
    }
    // Fails if there are more than `most` bytes; the error names `limit`.
    static Result<std::string> readWhole(const std::string& name, const ByteSource& bytes,
                                         std::size_t most, std::size_t limit,
                                         std::string_view remedy)
    {
        constexpr std::size_t kStep = 1 << 16;
        std::string whole;
        for (std::size_t count = 1; count > 0;) {
            const std::size_t size = whole.size();
            whole.resize(size + kStep);
            count = TRY(bytes({whole.data() + size, kStep}));
            whole.resize(size + count);
            if (whole.size() > most)
                return fail(Error::Code::Unsupported, "{}: files of this kind exceed {} MiB; {}",
                            name, limit >> 20, remedy);
        }
        return whole;
    }
    // Reads a file in an archive, or a compressed file.
    Result<void> readMember(const std::string& name, const ByteSource& bytes)
    {
        constexpr std::size_t kHead = 64; // number of bytes from which the format is detected
        std::string head(kHead, '\0');
        std::size_t size = 0;
        for (std::size_t more = 1; more > 0 && size < kHead; size += more)
            more = TRY(bytes({head.data() + size, kHead - size}));
        head.resize(size);
        const auto withHead = [&](std::span<char> buffer) -> Result<std::size_t> {
            if (head.empty())
                return bytes(buffer);
            const std::size_t count = std::min(head.size(), buffer.size());
            std::copy_n(head.data(), count, buffer.data());
            head.erase(0, count);
            return count;
        };
        if (head.starts_with("SQLite format 3"))
            return readUnpacked(name, withHead);
        if (const std::string kind = wrongKind(name, head); !kind.empty())
            return fail(Error::Code::Unsupported, "{} is {}", name, kind);
        if (isPickle(head))
            return keepSnapshot(name, withHead);
        if (isMegatronFile(name))
            return keepMegatron(name, withHead);
        if (isRocprofJson(head)) {
            constexpr std::size_t kMost = std::size_t{512} << 20;
            std::string json = TRY(readWhole(name, withHead, kMost, kMost,
                                             "record with rocprofv3 --output-format rocpd"));
            return add(TRY(readRocprofJson(name, std::move(json))));
        }
        return readJson(name, withHead);
    }
    // SQLite reads files only, so a compressed export is unpacked to a temporary file.
    Result<void> readUnpacked(const std::string& name, const ByteSource& bytes)
    {
        const TemporaryFile file;
        std::ofstream out(file.path(), std::ios::binary);
        std::string buffer(1 << 20, ' ');
        for (;;) {
            const auto count = TRY(bytes({buffer.data(), buffer.size()}));
            if (count == 0 || !out)
                break;
            out.write(buffer.data(), static_cast<std::streamsize>(count));
        }
        out.close();
        if (!out)
            return fail(Error::Code::Io,
                        "{} cannot be unpacked to a temporary file; set TMPDIR to a folder "
                        "with space",
                        name);
        return readExport(file.path(), name);
    }
    Result<void> readExport(const fs::path& file, const std::string& name)
    {
        ImportProgress before = m_progress;
        before.file = name;
        auto ranks = TRY(readNsight(file, std::move(before), m_onProgress));
        if (ranks.empty())
            return fail(Error::Code::NotFound,
                        name
                            + " has neither GPU work nor NVTX ranges; record it with "
                              "nsys profile --trace cuda,nvtx");
        return add(std::move(ranks));
    }
    Result<void> readJson(const std::string& name, const ByteSource& bytes)
    {
        auto trace = readKineto(name, bytes, [&](std::string_view range) {
            return m_rules.namesRange(range) || isCheckpointFrame(range);
        });
        if (!trace)
            return tl::unexpected(trace.error());
        std::erase_if(trace->ranks, [](const RankTrace& rank) {
            return rank.ranges.empty() && rank.ops.empty() && rank.gpu.kernels.empty();
        });
        if (trace->ranks.empty())
            return fail(Error::Code::NotFound,
                        trace->otherPhases.empty()
                            ? name + " has no timestamped events"
                            : fmt::format("{} has only events of the phases {}: write ops as "
                                          "complete events (X), or as begin and end (B and E, or "
                                          "b and e with an id)",
                                          name, trace->otherPhases));
        if (!trace->warning.empty())
            m_warnings.push_back(trace->warning);
        return add(std::move(trace->ranks));
    }
    // Classifies the traces. Then drops their ops, the largest part of a trace, because only the
    // classifier needs them.
    Result<void> add(std::vector<RankTrace> ranks)
    {
        for (RankTrace& of : ranks) {
            TRY(checkUnit(of));
            leaveOutImpossible(of);
            auto parts = splitGpus(std::move(of));
            for (RankTrace& trace : parts) {
                JobRank rank;
                rank.work = classify(trace, m_rules);
                splitRecompute(trace, rank.work);
                constexpr std::size_t kMany = 10;
                std::vector<std::int64_t> durations;
                for (const HostRange& op : trace.ops)
                    durations.push_back(op.window.duration());
                trace.usualOp = durations.size() < kMany ? 0 : medianOf(durations);
                trace.ops = {};
                rank.trace = std::move(trace);
                if (parts.size() > 1) // a range of the process has its work on another GPU
                    std::erase_if(rank.work.leftOut, [](const ImportReport::LeftOut& one) {
                        return one.what == kRangesWithoutWork;
                    });
                m_ranks.push_back(std::move(rank));
            }
        }
        return {};
    }

    const Rules& m_rules;
    const OnImportProgress& m_onProgress;
    ImportProgress m_progress;
    std::vector<JobRank> m_ranks;
    MegatronFiles m_megatron;
    std::size_t m_megatronBytes = 0;
    std::vector<MemorySnapshot> m_snapshots;
    std::vector<std::string> m_warnings;
    std::vector<Error> m_errors; // errors of the files that are skipped
    std::set<int> m_unread;      // ranks in the names of these files
};

} // namespace

Result<ImportedRun> importTraces(const std::vector<fs::path>& paths, const Rules& rules,
                                 const OnImportProgress& progress)
{
    return Importer(rules, progress).run(paths);
}

} // namespace profiler
