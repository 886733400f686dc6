#include "engine/schedule/csv.h"
#include "engine/schedule/csv_columns.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace engine {
namespace {

// Weight versions are written where the scheme has them: any but the first.
bool hasVersions(const Schedule& schedule)
{
    return std::ranges::any_of(schedule.program, [](const auto& ops) {
        return std::ranges::any_of(ops, [](const Op& op) { return op.version != 0; });
    });
}

bool usesWeights(OpKind kind)
{
    return isCompute(kind) && kind != OpKind::OptimizerStep;
}

} // namespace

std::string writeCsv(const Schedule& schedule)
{
    std::string text(kCsvHeader);
    text += '\n';
    const bool versions = hasVersions(schedule);
    const auto out = std::back_inserter(text);
    for (std::size_t d = 0; d < schedule.program.size(); ++d)
        for (std::size_t i = 0; i < schedule.program[d].size(); ++i) {
            const Op& op = schedule.program[d][i];
            fmt::format_to(out, "{},{},{},{},{},", d, i, kindShortName(op.kind), op.stage.value,
                           op.stage.value / schedule.shape.devices);
            if (op.microBatch.isValid())
                fmt::format_to(out, "{}", op.microBatch.value);
            fmt::format_to(out, ",{},", op.replica);
            if (op.slice != Op::kWhole)
                fmt::format_to(out, "{}", op.slice);
            fmt::format_to(out, ",{},", op.flags == OpFlag::JointWithNext ? 1 : 0);
            if (versions && usesWeights(op.kind))
                fmt::format_to(out, "{}", op.version);
            text += '\n';
        }
    return text;
}

} // namespace engine
