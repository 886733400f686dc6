#include "app/cli/text/kernel_text.h"

#include "app/cli/text/table.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace cli {

using namespace engine;
using namespace profiler;
using nlohmann::ordered_json;

namespace {
// Shortens names of templates, which can have hundreds of characters. --json prints full names.
std::string shortened(const std::string& label)
{
    constexpr std::size_t kMost = 72;
    return label.size() <= kMost ? label : label.substr(0, kMost - 3) + "...";
}

std::string microseconds(double nanoseconds)
{
    return fmt::format("{:.1f}", nanoseconds / 1e3);
}

std::string microseconds(std::int64_t nanoseconds)
{
    return microseconds(static_cast<double>(nanoseconds));
}

std::string opTable(const KernelTable& table)
{
    Table text(
        {{"op", Table::Align::Left}, {"executions"}, {"launches"}, {"time"}, {"busy"}, {"gaps %"}});
    for (const OpKindWork& op : table.ops)
        text.add({std::string(kindShortName(op.op)), std::to_string(op.executions),
                  std::to_string(op.works), microseconds(op.time), microseconds(op.busy),
                  fmt::format("{:.1f}", 100 * op.gapShare())});
    return text.text();
}

std::string rowTable(const GpuActivity& activity, const KernelTable& table)
{
    Table text({{"op", Table::Align::Left},
                {"kernel", Table::Align::Left},
                {"kind", Table::Align::Left},
                {"count"},
                {"total"},
                {"mean"},
                {"min"},
                {"max"},
                {"% of op"}});
    for (const KernelRow& row : table.rows) {
        const KernelName& name = activity.names()[row.name];
        text.add({std::string(kindShortName(row.op)), shortened(name.label),
                  std::string(kernelKindName(name.kind)), std::to_string(row.count),
                  microseconds(row.total), microseconds(row.mean()), microseconds(row.shortest),
                  microseconds(row.longest), fmt::format("{:.1f}", 100 * row.share)});
    }
    return text.text();
}

} // namespace

std::string kernelText(const GpuActivity& activity, const KernelTable& table)
{
    return "\nkernels, times in µs, by op type:\n" + opTable(table) + "\n"
        + rowTable(activity, table);
}

void addKernels(ordered_json& json, const GpuActivity& activity, const KernelTable& table)
{
    json["op_kinds"] = json["kernels"] = ordered_json::array();
    for (const OpKindWork& op : table.ops)
        json["op_kinds"].push_back({{"op", kindShortName(op.op)},
                                    {"executions", op.executions},
                                    {"launches", op.works},
                                    {"time", op.time},
                                    {"busy", op.busy},
                                    {"gap_share", op.gapShare()}});
    for (const KernelRow& row : table.rows) {
        const KernelName& name = activity.names()[row.name];
        json["kernels"].push_back({{"op", kindShortName(row.op)},
                                   {"kernel", name.label},
                                   {"name", name.full},
                                   {"kind", kernelKindName(name.kind)},
                                   {"count", row.count},
                                   {"total", row.total},
                                   {"mean", row.mean()},
                                   {"min", row.shortest},
                                   {"max", row.longest},
                                   {"share", row.share}});
    }
}

} // namespace cli
