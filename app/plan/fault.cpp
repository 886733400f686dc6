#include "app/plan/fault.h"

#include "app/ui/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace app {
namespace {

using engine::ScheduleRequest;
using Member = int ScheduleRequest::*;

QString tr(const char* text)
{
    return QCoreApplication::translate("Fault", text);
}

bool isPossible(const ScheduleRequest& request)
{
    return engine::checkRequest(request).has_value();
}

ScheduleRequest with(ScheduleRequest request, Member member, int value)
{
    request.*member = value;
    return request;
}

// Returns how far from the requested value to search for a valid one. It is 2 D, because valid
// values may be multiples of D.
int reach(const ScheduleRequest& request)
{
    constexpr int kLeast = 64, kMost = 4096;
    return 2 * std::clamp(request.devices, kLeast / 2, kMost / 2);
}

// Returns the nearest valid value below the requested one and the nearest above it. Omits a value
// that is farther away than reach(). The other numbers of the request stay as they are.
std::vector<int> nearest(const ScheduleRequest& request, Member member)
{
    std::vector<int> values;
    const int far = reach(request);
    const int from = std::clamp(request.*member, 0, std::numeric_limits<int>::max() - far - 2);
    for (const int step : {-1, 1}) {
        const int start = from + step;
        for (int value = start; std::abs(value - start) <= far && value > 0; value += step) {
            if (!isPossible(with(request, member, value)))
                continue;
            values.push_back(value);
            break;
        }
    }
    return values;
}

struct Name
{
    Fault::Field field;
    Member member;
    const char* letter;
};
constexpr std::array<Name, 3> kNames
    = {Name{Fault::Field::MicroBatches, &ScheduleRequest::microBatches, "N"},
       Name{Fault::Field::Devices, &ScheduleRequest::devices, "D"},
       Name{Fault::Field::Chunks, &ScheduleRequest::chunks, "v"}};

std::optional<Fault> faultOfNumber(const ScheduleRequest& request)
{
    for (const Name& name : kNames) {
        Fault fault{name.field, {}, {}, {}};
        QStringList values;
        for (const int value : nearest(request, name.member)) {
            values.append(QString::number(value));
            fault.remedies.push_back(
                {QStringLiteral("%1 = %2").arg(QLatin1String(name.letter)).arg(value),
                 with(request, name.member, value)});
        }
        if (values.isEmpty())
            continue;
        fault.reason = tr("try %1").arg(values.join(tr(" or ")));
        return fault;
    }
    return std::nullopt;
}

std::optional<Fault> faultOfOption(const ScheduleRequest& request)
{
    for (const auto& [key, value] : request.options) {
        ScheduleRequest defaults = request;
        defaults.options.erase(key);
        if (isPossible(defaults))
            return Fault{Fault::Field::Option,
                         {},
                         {},
                         {{tr("default %1").arg(QString::fromStdString(key)), defaults}}};
    }
    return std::nullopt;
}

// Returns one remedy: the D nearest to the requested one that has a valid N near the requested N,
// with this N. Empty if no D within 16 has one.
std::vector<Remedy> pairNear(const ScheduleRequest& request)
{
    constexpr int kFar = 16;
    for (int distance = 0; distance <= kFar; ++distance) {
        for (const int devices : {request.devices + distance, request.devices - distance}) {
            if (devices < 1)
                continue;
            ScheduleRequest near = with(request, &ScheduleRequest::devices, devices);
            const std::vector<int> counts = nearest(near, &ScheduleRequest::microBatches);
            if (counts.empty())
                continue;
            near.microBatches = counts.back();
            return {{QStringLiteral("D = %1, N = %2").arg(devices).arg(near.microBatches), near}};
        }
    }
    return {};
}

// Used if changing one number does not suffice. If the requested D and N are too large together,
// searches near smaller ones.
std::vector<Remedy> nearestPair(ScheduleRequest request)
{
    constexpr int kLarge = 512;
    request.devices = std::max(request.devices, 1);
    request.microBatches = std::max(request.microBatches, 1);
    ScheduleRequest any; // any D and N are valid unless they are too large
    any.scheme = "gpipe";
    any.devices = request.devices;
    any.microBatches = request.microBatches;
    if (isPossible(any))
        if (auto pair = pairNear(request); !pair.empty())
            return pair;
    request.devices = std::min(request.devices, kLarge);
    request.microBatches = std::min(request.microBatches, kLarge);
    return pairNear(request);
}

} // namespace

QString ruleText(const engine::Scheme& scheme)
{
    return fromUtf8(scheme.accepts).replace(QStringLiteral(">="), QStringLiteral("≥"));
}

RuleParts ruleParts(const engine::Scheme& scheme)
{
    RuleParts parts;
    QStringList others;
    for (const QString& piece : ruleText(scheme).split(QStringLiteral("; "))) {
        const QString rest = piece.mid(2);
        if (piece.startsWith(QStringLiteral("D ")))
            parts.devices = rest;
        else if (piece.startsWith(QStringLiteral("N ")))
            parts.microBatches = rest;
        else if (piece.startsWith(QStringLiteral("v ")))
            parts.chunks = rest;
        else
            others.append(piece);
    }
    for (QString* part : {&parts.devices, &parts.microBatches, &parts.chunks})
        if (*part == QStringLiteral("≥ 1"))
            part->clear();
    parts.other = others.join(QStringLiteral("; "));
    return parts;
}

Fault findFault(const ScheduleRequest& request)
{
    const auto verdict = engine::checkRequest(request);
    if (verdict)
        return {};
    Fault fault;
    if (auto ofNumber = faultOfNumber(request))
        fault = std::move(*ofNumber);
    else if (auto ofOption = faultOfOption(request))
        fault = std::move(*ofOption);
    else
        fault = {Fault::Field::Other, {}, {}, nearestPair(request)};
    fault.message = fromUtf8(verdict.error().message);
    return fault;
}

int nearestPossible(const ScheduleRequest& request, Member member, int value, int most)
{
    for (int distance = 0; distance < most; ++distance) {
        for (const int candidate : {value + distance, value - distance}) {
            if (candidate >= 1 && candidate <= most && isPossible(with(request, member, candidate)))
                return candidate;
        }
    }
    return value;
}

} // namespace app
