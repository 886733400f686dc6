#pragma once

#include "profiler/export/exporters.h"

#include <string>

namespace tests {

inline std::string textOf(decltype(profiler::Exporter::write) write, const engine::Run& run)
{
    std::string text;
    write(run, [&](std::string_view piece) { text += piece; });
    return text;
}

} // namespace tests
