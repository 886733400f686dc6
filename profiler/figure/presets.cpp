#include "profiler/figure/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;

constexpr FigurePreset kPresets[] = {
    {"acm-column", "ACM, USENIX column", 3.33, 5.5, "\\columnwidth"},
    {"acm-text", "ACM, USENIX text", 7.0, 7, "\\textwidth"},
    {"icml", "ICML column", 3.25, 5.5, "\\columnwidth"},
    {"ieee-column", "IEEE column", 3.5, 5.5, "\\columnwidth"},
    {"ieee-text", "IEEE text", 7.16, 7, "\\textwidth"},
    {"neurips", "NeurIPS, ICLR text", 5.5, 6.5, "\\textwidth"},
    {"slide", "Slide, 16 : 9", 13.33, 15, "\\textwidth", 13.33 * 9 / 16},
};

} // namespace

std::span<const FigurePreset> figurePresets()
{
    return kPresets;
}

engine::Result<FigurePreset> findFigurePreset(std::string_view name)
{
    const auto* found = std::ranges::find(kPresets, name, &FigurePreset::name);
    if (found != std::end(kPresets))
        return *found;
    std::vector<std::string_view> names;
    for (const auto& preset : kPresets)
        names.push_back(preset.name);
    return fail(Error::Code::NotFound,
                fmt::format("unknown preset '{}'; use one of {}", name, fmt::join(names, ", ")));
}

} // namespace profiler
