#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "tests/support/gpu_run.h"
#include "tests/support/temporary_folder.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::size_t spanCount(const Run& run)
{
    std::size_t spans = 0;
    for (const Track& track : run.timeline.tracks)
        spans += track.spans.size();
    return spans;
}

} // namespace

TEST_CASE("the part over one iteration is that iteration, at its times")
{
    const Run run = gpuRun().run;
    const Iteration second = run.timeline.iterations[1];
    const auto part = partOfRun(run, second.window);
    REQUIRE(part);
    REQUIRE(part->timeline.iterations.size() == 1);
    CHECK(part->timeline.iterations[0] == second);
    CHECK(part->info.plannedIterations == 1);
    CHECK(spanCount(*part) == spanCount(run) / 2);
    for (const Track& track : part->timeline.tracks)
        for (const Span& span : track.spans)
            CHECK(span.iteration == 0);
    CHECK(part->schedule == run.schedule);
}

// The optimizer step of the iteration before took no time and was at the begin of the selection.
TEST_CASE("ops without duration at the ends of an iteration do not bring their neighbours")
{
    Run run = gpuRun().run;
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans)
            if (opAt(run.schedule, OpIndex(run.schedule), span.op).kind == OpKind::OptimizerStep)
                span.begin = span.end = run.timeline.iterations[span.iteration].window.end;
    run.timeline.iterations[1].window.begin = run.timeline.iterations[0].window.end;
    const auto part = partOfRun(run, run.timeline.iterations[1].window);
    REQUIRE(part);
    CHECK(part->timeline.iterations.size() == 1);
    CHECK(spanCount(*part) == spanCount(run) / 2);
}

TEST_CASE("a part keeps the matches of an import within it")
{
    Run run = gpuRun().run;
    const Window first = run.timeline.iterations[0].window,
                 second = run.timeline.iterations[1].window;
    run.info.import.emplace().matches = {{"torch-pp", "a", 0, 0, 0, first},
                                         {"torch-pp", "b", 0, 0, 1, second},
                                         {"", "c", 0, {}, {}, second},
                                         {"", "d", 0, {}, {}, {second.end, second.end + 1}}};
    const auto part = partOfRun(run, second);
    REQUIRE(part);
    CHECK(part->info.import->matches
          == std::vector<ImportReport::Match>{{"torch-pp", "b", 0, 0, 0, second},
                                              {"", "c", 0, {}, {}, second}});
}

// Whole ops at the edges left other devices without the ops beside them, as false bubbles.
TEST_CASE("an iteration and its ops are cut at the ends of a part")
{
    Run run = gpuRun().run;
    run.info.tokensPerIteration = 1024;
    run.info.flopsPerIteration = run.info.executedFlops = 1e9;
    run.info.iterationAlone = 5;
    const Span op = run.timeline.track(DeviceId{0}, Track::Kind::Compute)->spans[3];
    const Window window{op.begin + 10, op.end - 10};
    const auto part = partOfRun(run, window);
    REQUIRE(part);
    const auto& spans = part->timeline.track(DeviceId{0}, Track::Kind::Compute)->spans;
    REQUIRE(spans.size() == 1);
    CHECK(spans[0].window() == window);
    CHECK(part->timeline.iterations.at(0).window == window);
    // A part of an iteration would otherwise train more tokens per second than the run.
    CHECK(part->info.tokensPerIteration == 0);
    CHECK(part->info.flopsPerIteration == 0);
    CHECK(part->info.executedFlops == 0);
    CHECK(part->info.iterationAlone == 0);
    CHECK(partOfRun(run, run.timeline.iterations[1].window)->info.tokensPerIteration == 1024);
}

TEST_CASE("memory that was allocated before a part is allocated at its begin")
{
    Run run = gpuRun().run;
    const Window second = run.timeline.iterations[1].window;
    run.timeline.memory = {{0, 100, MemoryEvent::kNoOp, 1, MemoryCategory::Weights},
                           {1, 7, 3, 1, MemoryCategory::Stash},
                           {2, -7, 3, 1, MemoryCategory::Stash},
                           {second.begin + 5, 9, 3, 1, MemoryCategory::Stash}};
    const auto part = partOfRun(run, second);
    REQUIRE(part);
    CHECK(part->timeline.memory
          == std::vector<MemoryEvent>{
              {second.begin, 100, MemoryEvent::kNoOp, 1, MemoryCategory::Weights},
              {second.begin + 5, 9, 3, 1, MemoryCategory::Stash}});
}

TEST_CASE("a part without ops is refused")
{
    const Run run = gpuRun().run;
    const std::int64_t end = run.timeline.extent().end;
    CHECK(partOfRun(run, {end + 1000, end + 2000}).error().code == Error::Code::NotFound);
}

TEST_CASE("a written part opens like a run, with its kernels under their ops and its notes")
{
    const TemporaryFolder folder;
    const GpuRun made = gpuRun();
    writeGpuRun(folder / "run.sqlite", made);
    const Window second = made.run.timeline.iterations[1].window;
    Note note;
    note.window = {second.begin, second.begin + 10};
    note.iteration = 1;
    note.text = "kept";
    for (const std::int64_t id : {1, 2}) {
        note.id = id;
        REQUIRE(putNote(folder / "run.sqlite", note));
        note.window = {0, 10};
        note.iteration = 0;
    }
    const auto run = readRun(folder / "run.sqlite");
    REQUIRE(run);
    auto file = NewFile::beside(folder / "part.sqlite", IfExists::Refuse);
    REQUIRE(file);
    REQUIRE(writePart(*std::move(file), *run, second, folder / "run.sqlite"));
    const auto part = readRun(folder / "part.sqlite");
    REQUIRE(part);
    CHECK(part->timeline == partOfRun(*run, second)->timeline);
    CHECK(part->info.machine == run->info.machine);
    const auto gpu = readGpuTrace(folder / "part.sqlite");
    REQUIRE(gpu);
    CHECK(gpu->kernels.size() == made.gpu.kernels.size() / 2);
    CHECK(std::ranges::all_of(gpu->kernels, [](const GpuKernel& kernel) {
        return kernel.of.isKnown() && kernel.of.iteration == 0;
    }));
    CHECK_FALSE(gpu->samples.empty());
    const auto notes = readNotes(folder / "part.sqlite");
    REQUIRE(notes);
    REQUIRE(notes->size() == 1);
    CHECK(notes->front().text == "kept");
    CHECK(notes->front().iteration == 0);
}
