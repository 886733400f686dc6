#include "profiler/capture/capture.h"
#include "profiler/capture/cupti/cupti_capture.h"

#include <array>

namespace profiler {

namespace {
constexpr engine::EnumArray<TraceLevel, std::string_view, 4> kLevels{"off", "ops", "kernels",
                                                                     "all"};
}

std::string_view traceLevelName(TraceLevel level)
{
    return kLevels[level];
}

engine::Result<std::unique_ptr<Capture>> startCapture(TraceLevel level)
{
    return loadCupti().and_then(
        [&](const CuptiApi& api) { return CuptiCapture::start(api, level); });
}

} // namespace profiler
