#include "profiler/import/import.h"

#include "engine/base/new_file.h"
#include "profiler/import/kineto.h"
#include "profiler/import/nsight_export.h"
#include "profiler/import/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

class Importer
{
public:
    Importer(const Rules& rules, const OnImportProgress& progress)
        : m_rules(rules)
        , m_onProgress(progress)
    { }

    Result<ImportedRun> run(const std::vector<fs::path>& paths);

private:
    Result<void> readAll(const std::vector<fs::path>& files);
    Result<void> read(const fs::path& file);
    Result<void> readJson(const std::string& name, const ByteSource& bytes);
    void add(std::vector<RankTrace> ranks);

    const Rules& m_rules;
    const OnImportProgress& m_onProgress;
    ImportProgress m_progress;
    std::vector<JobRank> m_ranks;
    std::vector<std::string> m_warnings;
};

// Ops are needed only by the classifier and are the largest part of a trace.
void Importer::add(std::vector<RankTrace> ranks)
{
    for (RankTrace& trace : ranks) {
        JobRank rank;
        rank.work = classify(trace, m_rules);
        trace.ops = {};
        rank.trace = std::move(trace);
        m_ranks.push_back(std::move(rank));
    }
}

Result<void> Importer::readJson(const std::string& name, const ByteSource& bytes)
{
    auto trace = readKineto(name, bytes,
                            [&](std::string_view range) { return m_rules.namesRange(range); });
    if (!trace)
        return tl::unexpected(trace.error());
    std::erase_if(trace->ranks, [](const RankTrace& rank) {
        return rank.ranges.empty() && rank.ops.empty() && rank.gpu.kernels.empty();
    });
    if (trace->ranks.empty())
        return fail(Error::Code::NotFound, name + " has no events with a time");
    if (!trace->warning.empty())
        m_warnings.push_back(trace->warning);
    add(std::move(trace->ranks));
    return {};
}

Result<void> Importer::read(const fs::path& file)
{
    if (!isSqlite(file))
        return readTraceFile(
            file,
            [this](const std::string& name, const ByteSource& bytes) {
                return readJson(name, bytes);
            },
            m_progress, m_onProgress);
    auto ranks = readNsight(file, m_progress, m_onProgress);
    if (!ranks)
        return tl::unexpected(ranks.error());
    if (ranks->empty())
        return fail(Error::Code::NotFound,
                    file.string()
                        + " has neither GPU work nor NVTX ranges; record it with "
                          "nsys profile --trace cuda,nvtx");
    add(*std::move(ranks));
    return {};
}

Result<void> Importer::readAll(const std::vector<fs::path>& files)
{
    std::vector<Error> errors;
    for (const fs::path& file : files) {
        std::error_code ignored;
        const auto size = static_cast<std::int64_t>(fs::file_size(file, ignored));
        if (auto done = read(file); !done) {
            if (done.error().code == Error::Code::Cancelled)
                return done;
            errors.push_back(done.error());
        }
        m_progress.bytes += size;
    }
    if (m_ranks.empty())
        return tl::unexpected(errors.front());
    for (const Error& error : errors)
        m_warnings.push_back(error.message);
    return {};
}

Result<ImportedRun> Importer::run(const std::vector<fs::path>& paths)
{
    const auto files = findTraceFiles(paths);
    if (!files)
        return tl::unexpected(files.error());
    for (const fs::path& file : *files) {
        std::error_code ignored;
        m_progress.allBytes += static_cast<std::int64_t>(fs::file_size(file, ignored));
    }
    if (auto done = readAll(*files); !done)
        return tl::unexpected(done.error());
    auto job = collectJob(std::move(m_ranks));
    if (!job)
        return tl::unexpected(job.error());
    job->warnings.insert(job->warnings.begin(), m_warnings.begin(), m_warnings.end());
    auto imported = buildRun(*std::move(job));
    if (imported)
        imported->run.info.import->replayError = replayError(imported->run);
    return imported;
}
} // namespace

Result<ImportedRun> importTraces(const std::vector<fs::path>& paths, const Rules& rules,
                                 const OnImportProgress& progress)
{
    return Importer(rules, progress).run(paths);
}

} // namespace profiler
