#include "profiler/capture/range_recorder.h"

#include "engine/base/toolkit_library.h"
#include "engine/base/version.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

namespace profiler {

using namespace engine;

namespace {

constexpr const char* kVariable = "NVTX_INJECTION64_PATH";

} // namespace

Result<RangeRecorder> RangeRecorder::start(StreamNamed named)
{
    const std::string file = pluginFile(kNvtxLibrary);
    if (file.empty())
        return fail(Error::Code::Unsupported,
                    "this build has no {}, so NVTX ranges of libraries are not recorded",
                    kNvtxLibrary);
    if (const char* other = std::getenv(kVariable); other != nullptr && file != other)
        return fail(
            Error::Code::Unsupported,
            "NVTX ranges of libraries are not recorded, because {} receives them ({} is set)",
            other, kVariable);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto take = library == nullptr
        ? nullptr
        : reinterpret_cast<TakeRanges>(dlsym(library, kTakeRanges)); // NOLINT: POSIX defines this
    RecordedRanges before;
    const std::string build(buildId());
    if (take == nullptr || take(build.c_str(), &before, named) != build)
        return fail(Error::Code::Unsupported, "{} is from another build: install both together",
                    file);
    setenv(kVariable, file.c_str(), 0);
    return RangeRecorder(take, named);
}

void RangeRecorder::addTo(GpuTrace& trace)
{
    RecordedRanges recorded;
    m_take(std::string(buildId()).c_str(), &recorded, m_named);
    trace.health.dropped += recorded.dropped;
    if (recorded.ranges.empty())
        return;
    const std::uint32_t first = trace.strings.size();
    std::ranges::move(recorded.strings, std::back_inserter(trace.strings));
    for (GpuRange& range : recorded.ranges) {
        range.text += first;
        range.domain += first;
        trace.ranges.push_back(range);
    }
    std::ranges::stable_sort(trace.ranges, {}, [](const GpuRange& r) { return r.window.begin; });
}

void linkRanges(std::span<GpuRange> ranges, std::span<const GpuOpLaunch> launches)
{
    std::map<std::pair<std::uint32_t, std::int64_t>, const GpuOpLaunch*> byBegin;
    for (const GpuOpLaunch& launch : launches)
        byBegin[{launch.thread, launch.window.begin}] = &launch;
    for (GpuRange& range : ranges) {
        const auto after = byBegin.upper_bound({range.thread, range.window.begin});
        if (after == byBegin.begin())
            continue;
        const GpuOpLaunch& launch = *std::prev(after)->second;
        if (launch.thread == range.thread && range.window.end <= launch.window.end)
            range.of = launch.of;
    }
}

} // namespace profiler
