#include "app/models/prediction.h"
#include "app/models/text.h"

#include <QCoreApplication>

#include <optional>

namespace app {
namespace {

using Member = int engine::ScheduleRequest::*;
constexpr int kReach = 64; // how far to look for a value that is fine

bool isPossible(engine::ScheduleRequest request, Member member, int value)
{
    request.*member = value;
    return value > 0 && engine::checkRequest(request).has_value();
}

// "try 4 or 8": the nearest values below and above that pass, when this number alone is at fault.
std::optional<QString> nearest(const engine::ScheduleRequest& request, Member member)
{
    QStringList values;
    const int from = request.*member;
    for (const int step : {-1, 1}) {
        for (int value = from + step; std::abs(value - from) <= kReach && value > 0;
             value += step) {
            if (!isPossible(request, member, value))
                continue;
            values.append(QString::number(value));
            break;
        }
    }
    // Far below the first valid value (0, or a negative one): the smallest there is.
    for (int value = 1; values.isEmpty() && from < 1 && value <= kReach; ++value) {
        if (isPossible(request, member, value))
            values.append(QString::number(value));
    }
    if (values.isEmpty())
        return std::nullopt;
    return QCoreApplication::translate("Fault", "try %1")
        .arg(values.join(QCoreApplication::translate("Fault", " or ")));
}

} // namespace

QString ruleText(const engine::Scheme& scheme)
{
    return fromUtf8(scheme.accepts).replace(QStringLiteral(">="), QStringLiteral("≥"));
}

Fault findFault(const engine::ScheduleRequest& request)
{
    const auto verdict = engine::checkRequest(request);
    if (verdict)
        return {};
    const QString message = fromUtf8(verdict.error().message);
    constexpr std::pair<Fault::Field, Member> kFields[] = {
        {Fault::Field::MicroBatches, &engine::ScheduleRequest::microBatches},
        {Fault::Field::Devices, &engine::ScheduleRequest::devices},
        {Fault::Field::Chunks, &engine::ScheduleRequest::chunks},
    };
    for (const auto& [field, member] : kFields) {
        if (const auto reason = nearest(request, member))
            return {field, *reason, message};
    }
    return {Fault::Field::Other, {}, message};
}

} // namespace app
