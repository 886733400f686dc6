#pragma once

#include "profiler/export/exporters.h"

#include <string>
#include <type_traits>

namespace tests {

// `write` is one of exporters(), or a function of a run and a sink.
std::string textOf(auto write, const engine::Run& run, const profiler::GpuPieces& gpu = {})
{
    std::string text;
    const auto sink = [&](std::string_view piece) { text += piece; };
    if constexpr (std::is_invocable_v<decltype(write), const engine::Run&, engine::TextSink>)
        write(run, sink);
    else
        (void)write(run, gpu, sink);
    return text;
}

} // namespace tests
