#include "profiler/store/copy_run.h"

#include "engine/base/try.h"
#include "profiler/store/notes.h"
#include "profiler/store/open_file.h"
#include "profiler/store/trace_store.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace profiler {

using namespace engine;

namespace fs = std::filesystem;

Result<void> copyRun(const fs::path& from, const fs::path& to)
{
    auto open = TRY(openFile(from));
    auto file = TRY(engine::NewFile::beside(to, engine::IfExists::Replace, {{from}}));
    auto copy = open.database.prepare("VACUUM INTO ?");
    if (!copy || !copy->run(file.path().string()))
        return fail(Error::Code::Io, "{} cannot be written ({}): choose another folder",
                    to.string(), open.database.error().message);
    return file.publish();
}

namespace {

bool isWithin(Window part, Window whole)
{
    return whole.begin <= part.begin && part.end <= whole.end;
}

// Whether a span belongs to the part of the run in `window`: it overlaps the window, or its whole
// iteration is within the window. The second condition decides for an op without duration at an end
// of the window, which can belong to either of two iterations.
bool touches(const Timeline& timeline, Window window, const Span& span)
{
    return isWithin(timeline.iterations[span.iteration].window, window)
        || (span.begin < window.end && span.end > window.begin);
}

// For each iteration of the run, its index in the part; nullopt if it is not in the part.
using Kept = std::vector<std::optional<std::uint32_t>>;

struct Part
{
    Run run;
    Kept kept;
};

std::set<std::uint32_t> iterationsIn(const Timeline& timeline, Window window)
{
    std::set<std::uint32_t> found;
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            if (touches(timeline, window, span))
                found.insert(span.iteration);
    return found;
}

Kept addIterations(const Run& run, Window window, Run& part)
{
    Kept kept(run.timeline.iterations.size());
    part.info.plannedWarmup = part.info.plannedIterations = 0;
    if (part.info.outcome == Outcome::Running) // the part is complete
        part.info.outcome = Outcome::Finished;
    for (const std::uint32_t index : iterationsIn(run.timeline, window)) {
        kept[index] = static_cast<std::uint32_t>(part.timeline.iterations.size());
        Iteration iteration = run.timeline.iterations[index];
        if (!isWithin(iteration.window, window)) {
            iteration.window = {std::max(iteration.window.begin, window.begin),
                                std::min(iteration.window.end, window.end)};
            // The iteration is cut, so these numbers are unknown (0).
            part.info.iterationAlone = 0;
            part.info.tokensPerIteration = 0;
            part.info.flopsPerIteration = part.info.executedFlops = 0;
        }
        part.info.plannedWarmup += iteration.kind == Iteration::Kind::Warmup ? 1 : 0;
        part.info.plannedIterations += iteration.kind == Iteration::Kind::Measured ? 1 : 0;
        part.timeline.iterations.push_back(std::move(iteration));
    }
    return kept;
}

void addSpans(const Run& run, Window window, const Kept& kept, Run& part)
{
    part.timeline.kernels = run.timeline.kernels;
    for (const Track& track : run.timeline.tracks) {
        Track& copy = part.timeline.tracks.emplace_back();
        copy.device = track.device;
        copy.kind = track.kind;
        for (Span span : track.spans)
            if (touches(run.timeline, window, span)) {
                if (!isWithin(run.timeline.iterations[span.iteration].window, window)) {
                    span.begin = std::max(span.begin, window.begin);
                    span.end = std::min(span.end, window.end);
                }
                span.iteration = *kept[span.iteration];
                copy.spans.push_back(span);
            }
    }
}

// Adds the memory events within the part. Memory that was allocated earlier and not freed yet is
// allocated at the start of the part.
void addMemory(const Run& run, Run& part)
{
    const Window extent = part.timeline.extent();
    std::map<std::pair<std::uint16_t, MemoryCategory>, std::int64_t> before;
    std::vector<MemoryEvent> within;
    for (const MemoryEvent& event : run.timeline.memory)
        if (event.time < extent.begin)
            before[{event.device, event.category}] += event.bytes;
        else if (event.time <= extent.end)
            within.push_back(event);
    for (const auto& [place, bytes] : before)
        if (bytes != 0)
            part.timeline.memory.push_back(
                {extent.begin, bytes, MemoryEvent::kNoOp, place.first, place.second});
    part.timeline.memory.insert(part.timeline.memory.end(), within.begin(), within.end());
}

void keepMatches(const Kept& kept, Window window, ImportReport& report)
{
    std::erase_if(report.matches, [&](const ImportReport::Match& match) {
        const auto iteration = static_cast<std::size_t>(match.iteration.value_or(0));
        return !match.window.intersects(window)
            || (match.iteration && (iteration >= kept.size() || !kept[iteration]));
    });
    for (ImportReport::Match& match : report.matches)
        if (match.iteration)
            match.iteration = static_cast<int>(*kept[static_cast<std::size_t>(*match.iteration)]);
}

Result<Part> partOf(const Run& run, Window window)
{
    Part part{{run.info, run.schedule, {}}, {}};
    part.kept = addIterations(run, window, part.run);
    if (part.run.timeline.iterations.empty())
        return fail(Error::Code::NotFound,
                    "the selection has no op; select a range in which a device computes");
    addSpans(run, window, part.kept, part.run);
    addMemory(run, part.run);
    if (part.run.info.import)
        keepMatches(part.kept, window, *part.run.info.import);
    return part;
}

// Replaces the iteration indices of the records by those of the part. Work of iterations outside
// the part loses its op.
GpuTrace renumbered(GpuTrace gpu, const Kept& kept)
{
    const auto all = [&kept](auto& rows) {
        for (auto& row : rows) {
            const bool isKept
                = row.of.isKnown() && row.of.iteration < kept.size() && kept[row.of.iteration];
            row.of = isKept ? OpOfIteration{row.of.op, *kept[row.of.iteration]} : OpOfIteration{};
        }
    };
    all(gpu.kernels);
    all(gpu.copies);
    all(gpu.memsets);
    all(gpu.calls);
    all(gpu.ranges);
    all(gpu.launches);
    std::erase_if(gpu.launches, [](const GpuOpLaunch& launch) { return !launch.of.isKnown(); });
    return gpu;
}

Result<std::vector<Note>> notesOf(const std::filesystem::path& from, Window window,
                                  const Kept& kept)
{
    return readNotes(from).map([&](std::vector<Note> notes) {
        std::erase_if(notes, [&](const Note& note) {
            return !note.window.intersects(window)
                || (note.iteration >= 0
                    && (note.iteration >= std::ssize(kept) || !kept[note.iteration]));
        });
        for (Note& note : notes)
            if (note.iteration >= 0)
                note.iteration = static_cast<int>(*kept[note.iteration]);
        return notes;
    });
}

} // namespace

Result<Run> partOfRun(const Run& run, Window window)
{
    return partOf(run, window).map([](Part&& part) { return std::move(part.run); });
}

Result<void> writePart(NewFile file, const Run& run, Window window,
                       const std::filesystem::path& from)
{
    auto part = TRY(partOf(run, window));
    auto gpu = TRY(readGpuTrace(from, window));
    const auto notes = TRY(notesOf(from, window, part.kept));
    const std::filesystem::path target = file.target();
    auto written = writeRun(std::move(file), part.run, renumbered(std::move(gpu), part.kept));
    for (const Note& note : notes)
        written = written.and_then([&] { return putNote(target, note); });
    return written;
}

} // namespace profiler
