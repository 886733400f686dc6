#include "app/whatif/what_if_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>

namespace app {
namespace {

using Bytes = engine::IdVector<engine::DeviceId, std::int64_t>;
constexpr double kAlmostFull = 0.98; // share of the memory limit

QString part(const char* source)
{
    return QCoreApplication::translate("WhatIf", source);
}

// Returns ", with 3.1 GiB more on the fullest device"; "" if the difference is less than 1 %. The
// prediction and the run may have different fullest devices.
QString memoryPart(const Bytes& predicted, const Bytes& measured)
{
    if (predicted.size() != measured.size() || measured.empty())
        return {};
    const std::int64_t before = *std::ranges::max_element(measured);
    const std::int64_t change = *std::ranges::max_element(predicted) - before;
    const auto amount = static_cast<double>(std::abs(change));
    if (amount < 0.01 * static_cast<double>(before))
        return {};
    return (change > 0 ? part(", with %1 more on the fullest device")
                       : part(", with %1 less on the fullest device"))
        .arg(byteScale(std::abs(change)).withUnit(amount));
}

} // namespace

std::int64_t atPace(const WhatIfNumbers& numbers)
{
    return numbers.measured * numbers.batches / std::max(1, numbers.measuredBatches);
}

WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers)
{
    using Kind = WhatIfVerdict::Kind;
    const Scale scale = timeScale(numbers.measured);
    const auto time = [&](std::int64_t ns) { return scale.text(static_cast<double>(ns)); };
    WhatIfVerdict verdict;
    const std::int64_t baseline = atPace(numbers);
    verdict.kind = row.most < baseline ? Kind::Shorter
        : row.least > baseline         ? Kind::Longer
                                       : Kind::Unclear;
    const std::int64_t most
        = row.deviceBytes.empty() ? 0 : *std::ranges::max_element(row.deviceBytes);
    if (numbers.memoryLimit > 0
        && static_cast<double>(most) > kAlmostFull * static_cast<double>(numbers.memoryLimit))
        verdict.kind = Kind::AlmostFull;
    const bool isOwn = row.scheme == kOwnOrder;
    if (isOwn && row.iteration == numbers.measured) {
        verdict.bold = part("The run's own order takes %1 %2, as recorded.")
                           .arg(time(row.iteration), scale.unit());
        verdict.rest = part("Drag the end of an op, or slow a device or a link.");
        return verdict;
    }
    const bool isAlike = numbers.batches == numbers.measuredBatches;
    const auto batches = [&](int count) {
        return isAlike   ? QString()
            : count == 1 ? part(" for 1 micro-batch")
                         : part(" for %1 micro-batches").arg(count);
    };
    verdict.bold = part("%1 would take %2 %3%4 instead of %5 %3%6")
                       .arg(schemeLabel(row.scheme), time(row.iteration), scale.unit(),
                            batches(numbers.batches), time(numbers.measured),
                            batches(numbers.measuredBatches));
    const double change = static_cast<double>(row.iteration - baseline)
        / static_cast<double>(std::max<std::int64_t>(1, baseline));
    QString inside = signedPercent(change);
    if (!isAlike)
        inside += part(" per micro-batch");
    if (row.hasInterval)
        inside += part(", 95 % interval %1 to %2").arg(time(row.least), time(row.most));
    if (verdict.kind == Kind::Unclear && row.hasInterval)
        inside += part(": no clear difference");
    verdict.rest = QStringLiteral("(%1)%2.").arg(
        inside, isOwn ? QString() : memoryPart(row.deviceBytes, numbers.measuredBytes));
    return verdict;
}

Bytes peaksOf(const profiler::ComparedRun& run)
{
    Bytes peaks;
    for (const profiler::DeviceMetrics& device : run.metrics.devices) {
        if (!device.peakBytes)
            return {};
        peaks.push_back(*device.peakBytes);
    }
    return peaks;
}

} // namespace app
