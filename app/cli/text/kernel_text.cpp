#include "app/cli/text/kernel_text.h"

#include "engine/schedule/notation.h"

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

// Shortens names of templates, which can have hundreds of characters. --json prints full names.
std::string shortened(const std::string& label)
{
    constexpr std::size_t kMost = 72;
    return label.size() <= kMost ? label : label.substr(0, kMost - 3) + "...";
}

using O = OpKindWork;
constexpr std::array kOps{
    Measure<O>({"op", "op", Unit::None, kColumn}, [](const O& o) { return kindShortName(o.op); }),
    Measure<O>({"executions", "executions", Unit::None, kColumn}, Of<&O::executions>()),
    Measure<O>({"launches", "launches", Unit::None, kColumn}, Of<&O::works>()),
    Measure<O>({"time", "time", Unit::Microseconds, kColumn}, Of<&O::time>()),
    Measure<O>({"busy", "busy", Unit::Microseconds, kColumn}, Of<&O::busy>()),
    Measure<O>({"gap_share", "gaps", Unit::Share, kColumn}, Of<&O::gapShare>()),
};

struct NamedRow
{
    const KernelName& name;
    const KernelRow& row;
};

template<auto Member>
Reading of(const NamedRow& kernel)
{
    return std::invoke(Member, kernel.row);
}

using K = NamedRow;
constexpr std::array kKernels{
    Measure<K>({"op", "op", Unit::None, kColumn},
               [](const K& k) { return kindShortName(k.row.op); }),
    Measure<K>({"kernel"}, [](const K& k) { return k.name.label; }),
    Measure<K>({"", "kernel", Unit::None, kColumn},
               [](const K& k) { return shortened(k.name.label); }),
    Measure<K>({"name"}, [](const K& k) { return k.name.full; }),
    Measure<K>({"kind", "kind", Unit::None, kColumn},
               [](const K& k) { return kernelKindName(k.name.kind); }),
    Measure<K>({"count", "count", Unit::None, kColumn}, of<&KernelRow::count>),
    Measure<K>({"total", "total", Unit::Microseconds, kColumn}, of<&KernelRow::total>),
    Measure<K>({"mean", "mean", Unit::Microseconds, kColumn}, of<&KernelRow::mean>),
    Measure<K>({"min", "min", Unit::Microseconds, kColumn}, of<&KernelRow::shortest>),
    Measure<K>({"max", "max", Unit::Microseconds, kColumn}, of<&KernelRow::longest>),
    Measure<K>({"share", "of op", Unit::Share, kColumn}, of<&KernelRow::share>),
};

} // namespace

void addKernels(const GpuActivity& activity, const KernelTable& table, Sheet& sheet)
{
    std::vector<NamedRow> rows;
    for (const KernelRow& row : table.rows)
        rows.push_back({activity.names()[row.name], row});
    sheet.heading("Kernels by op type");
    sheet.table(Table(kOps, table.ops), "op_kinds");
    sheet.table(Table(kKernels, rows), "kernels");
}

} // namespace cli
