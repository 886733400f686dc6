#include "app/timeline/view/find.h"
#include "app/timeline/view/translate.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"

#include <QStringList>

#include <array>
#include <optional>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;
using Key = FindFacet::Key;

struct NamedKey
{
    QLatin1String name;
    Key key;
};
constexpr std::array<NamedKey, 6> kNumberKeys{{{QLatin1String("mb"), Key::MicroBatch},
                                               {QLatin1String("stage"), Key::Stage},
                                               {QLatin1String("device"), Key::Device},
                                               {QLatin1String("chunk"), Key::Chunk},
                                               {QLatin1String("iter"), Key::Iteration},
                                               {QLatin1String("dir"), Key::Direction}}};

Result<FindFacet> notUnderstood(const QString& part)
{
    return fail(Error::Code::InvalidArgument,
                tr("\"%1\" is not understood; use op:B, mb:3, stage:0-2, device:1, chunk:0, "
                   "iter:2, dir:up, dur>5ms, kernel:gemm or an op such as 1B5")
                    .arg(part)
                    .toStdString());
}

std::optional<engine::OpKind> kindNamed(const QString& name)
{
    const std::string upper = name.toUpper().toStdString();
    for (int k = 0; k < engine::kOpKinds; ++k) {
        const auto kind = static_cast<engine::OpKind>(k);
        if (engine::kindName(kind) == upper || engine::kindShortName(kind) == upper)
            return kind;
    }
    return std::nullopt;
}

bool readRanges(const QString& text, FindFacet& facet)
{
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QStringList ends = part.split(QLatin1Char('-'));
        bool isFirst = false, isLast = false;
        const int first = ends.front().toInt(&isFirst), last = ends.back().toInt(&isLast);
        if (!isFirst || !isLast || ends.size() > 2 || first < 0 || last < first)
            return false;
        facet.ranges.emplace_back(first, last);
    }
    return true;
}

// Parses "5ms", "20us" or "1.5s" into nanoseconds; keeps a number without a unit unchanged. Returns
// false if the text is not a time.
bool readTime(QString text, FindFacet& facet)
{
    static const std::array<std::pair<QString, double>, 6> kUnits{{{QStringLiteral("ns"), 1},
                                                                   {QStringLiteral("us"), 1e3},
                                                                   {QStringLiteral("µs"), 1e3},
                                                                   {QStringLiteral("μs"), 1e3},
                                                                   {QStringLiteral("ms"), 1e6},
                                                                   {QStringLiteral("s"), 1e9}}};
    double factor = 1;
    for (const auto& [unit, value] : kUnits) {
        if (text.endsWith(unit)) {
            text.chop(unit.size());
            factor = value;
            facet.isInTime = true;
            break;
        }
    }
    bool isNumber = false;
    facet.time = text.toDouble(&isNumber) * factor;
    return isNumber;
}

bool readDirection(const QString& value, FindFacet& facet)
{
    const bool isUp = value == QLatin1String("up");
    facet.ranges = {{isUp ? 1 : 0, isUp ? 1 : 0}};
    return isUp || value == QLatin1String("down");
}

Result<FindFacet> readKeyed(const QString& part, qsizetype colon)
{
    const QString name = part.left(colon).toLower(), value = part.mid(colon + 1).toLower();
    FindFacet facet;
    facet.text = part;
    if (name == QLatin1String("op")) {
        const auto kind = kindNamed(value);
        facet.kind = kind.value_or(engine::OpKind::Forward);
        return kind ? Result<FindFacet>(facet) : notUnderstood(part);
    }
    if (name == QLatin1String("kernel")) {
        facet.key = Key::Kernel;
        facet.name = value;
        return value.isEmpty() ? notUnderstood(part) : Result<FindFacet>(facet);
    }
    for (const NamedKey& named : kNumberKeys) {
        if (name != named.name)
            continue;
        facet.key = named.key;
        const bool isRead
            = named.key == Key::Direction ? readDirection(value, facet) : readRanges(value, facet);
        return isRead ? Result<FindFacet>(facet) : notUnderstood(part);
    }
    return notUnderstood(part);
}

Result<FindFacet> readPart(const QString& part)
{
    if (const auto colon = part.indexOf(QLatin1Char(':')); colon > 0)
        return readKeyed(part, colon);
    FindFacet facet;
    facet.text = part;
    if (part.startsWith(QLatin1String("dur"), Qt::CaseInsensitive) && part.size() > 4) {
        const QChar sign = part.at(3);
        facet.key = sign == QLatin1Char('>') ? Key::Longer : Key::Shorter;
        const bool isRead = (sign == QLatin1Char('>') || sign == QLatin1Char('<'))
            && readTime(part.mid(4).toLower(), facet);
        return isRead ? Result<FindFacet>(facet) : notUnderstood(part);
    }
    if (const auto kind = kindNamed(part)) {
        facet.kind = *kind;
        return facet;
    }
    if (const auto op = engine::parseOp(part.toStdString())) {
        facet.key = Key::Spelling;
        facet.op = *op;
        return facet;
    }
    return notUnderstood(part);
}

} // namespace

Result<std::vector<FindFacet>> parseFind(const QString& text)
{
    std::vector<FindFacet> facets;
    for (const QString& part : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        auto facet = TRY(readPart(part));
        facets.push_back(std::move(facet));
    }
    return facets;
}

} // namespace app
