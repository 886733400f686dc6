#include "profiler/analysis/metrics.h"
#include "profiler/import/import.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE(
    "forward ops and checkpoint frames within a backward are its recomputation, of their time")
{
    for (const char* scheme : {"1f1b", "zb-h1"}) {
        CAPTURE(scheme);
        const TemporaryFolder folder;
        TorchTraceOptions options;
        options.recomputes = true;
        const Run run = simulatedRun(scheme, 2, 4);
        writeTorchTraces(folder.path(), run, options);
        const ImportedRun result = imported(folder);
        const auto wanted = metrics(run, 1), got = metrics(result.run, 1);
        REQUIRE(got);
        CHECK(got->duration == 1000 * wanted->duration);
        CHECK(got->bubbleRatio == Approx(wanted->bubbleRatio));
        for (const DeviceId d : got->devices.ids()) {
            const auto& before = wanted->devices[d].byKind;
            const auto& after = got->devices[d].byKind;
            const OpKind kind
                = scheme == std::string("1f1b") ? OpKind::Backward : OpKind::BackwardInput;
            CHECK(after[OpKind::Recompute] == Approx(1000 * before[kind] / 3.0).epsilon(1e-3));
            CHECK(after[kind] == Approx(2000 * before[kind] / 3.0).epsilon(1e-3));
            CHECK(after[OpKind::Forward] == 1000 * before[OpKind::Forward]);
        }
        const auto& rules = result.run.info.import->rules;
        CHECK(std::ranges::count(rules, std::string("recompute"), &ImportReport::Rule::name) == 1);
        CHECK(result.run.info.import->classified() == Approx(1));
        CHECK(std::abs(result.run.info.import->replayError.value()) < 0.001);
    }
}

TEST_CASE("kernels launched by forward ops within a backward are those of its recomputation")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.recomputes = options.onGpu = true;
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 2, 4), options);
    const ImportedRun result = imported(folder);
    std::int64_t recomputing = 0, backwards = 0;
    const OpIndex index(result.run.schedule);
    for (const GpuKernel& kernel : result.gpu.kernels) {
        REQUIRE(kernel.of.isKnown());
        const OpKind kind = opAt(result.run.schedule, index, kernel.of.op).kind;
        recomputing += kind == OpKind::Recompute ? 1 : 0;
        backwards += isBackward(kind) ? 1 : 0;
    }
    CHECK(recomputing > 0);
    CHECK(recomputing == backwards); // one kernel of each
    const auto numbers = metrics(result.run, 1);
    CHECK(numbers->devices[DeviceId{0}].byKind[OpKind::Recompute] > 0);
}
