#include "app/timeline/view/find.h"

#include "app/documents/run_document.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/run_view.h"
#include "engine/schedule/notation.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace app {
namespace {

using engine::Result;
using Ranges = std::vector<std::pair<int, int>>;

// A facet that is a number of an op: its name, the number (-1: the op has none), and the largest
// one of a run, for a message.
struct NumberKey
{
    QLatin1String name, plural;
    int (*number)(const RunView& view, std::uint32_t index);
    int (*most)(const RunView& view);
};
int ofMicroBatch(const engine::Op& op, int number)
{
    return op.microBatch.isValid() ? number : -1;
}
const engine::Shape& shapeOf(const RunView& view)
{
    return view.run().schedule.shape;
}
const std::array<NumberKey, 4> kNumberKeys{
    {{QLatin1String("mb"), QLatin1String("micro-batches"),
      [](const RunView& view, std::uint32_t op) {
          return ofMicroBatch(view.op(op), view.op(op).microBatch.value);
      },
      [](const RunView& view) { return shapeOf(view).allMicroBatches() - 1; }},
     {QLatin1String("stage"), QLatin1String("stages"),
      [](const RunView& view, std::uint32_t op) { return view.op(op).stage.value; },
      [](const RunView& view) { return shapeOf(view).stages - 1; }},
     {QLatin1String("device"), QLatin1String("devices"),
      [](const RunView& view, std::uint32_t op) { return view.deviceOf(op).value; },
      [](const RunView& view) { return shapeOf(view).devices - 1; }},
     {QLatin1String("chunk"), QLatin1String("chunks"),
      [](const RunView& view, std::uint32_t op) { return view.chunk(view.op(op)); },
      [](const RunView& view) { return view.occurs().chunks - 1; }}}};

// Empty if the text is not a list of ranges: "0", "0-2,5".
Ranges readRanges(const QString& text)
{
    Ranges ranges;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QStringList ends = part.split(QLatin1Char('-'));
        bool isFirst = false, isLast = false;
        const int first = ends.front().toInt(&isFirst), last = ends.back().toInt(&isLast);
        if (!isFirst || !isLast || ends.size() > 2 || first < 0 || last < first)
            return {};
        ranges.emplace_back(first, last);
    }
    return ranges;
}

bool isWithin(const Ranges& ranges, int value)
{
    return std::ranges::any_of(ranges, [value](const auto& range) {
        return range.first <= value && value <= range.second;
    });
}

QString iterationValues(const RunView& view)
{
    const auto numbers = measuredNumbers(view.timeline());
    return numbers ? tr("iterations are %1 to %2").arg(numbers->first).arg(numbers->second)
                   : tr("no iteration was measured");
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
    const auto unit = std::ranges::find_if(
        kUnits, [&text](const auto& one) { return text.endsWith(one.first); });
    facet.isInTime = unit != kUnits.end();
    if (facet.isInTime)
        text.chop(unit->first.size());
    bool isNumber = false;
    facet.time = text.toDouble(&isNumber) * (facet.isInTime ? unit->second : 1);
    return isNumber;
}

bool readDuration(const QString& part, FindFacet& facet)
{
    const QChar sign = part.at(3);
    if ((sign != u'>' && sign != u'<') || !readTime(part.mid(4).toLower(), facet))
        return false;
    facet.isDuration = true;
    facet.ofExecution = [isLonger = sign == u'>', time = facet.time](int, double duration) {
        return isLonger ? duration > time : duration < time;
    };
    return true;
}

bool readKind(const QString& text, FindFacet& facet)
{
    const auto kind = engine::parseKind(text.toUpper().toStdString());
    if (kind)
        facet.ofOp = [kind = *kind](const RunView& view, std::uint32_t op) {
            return view.op(op).kind == kind;
        };
    facet.namesKind = kind.has_value();
    return facet.namesKind;
}

bool readKeyed(const QString& name, const QString& value, FindFacet& facet)
{
    if (name == QLatin1String("op"))
        return readKind(value, facet);
    if (name == QLatin1String("kernel")) {
        facet.kernel = value;
        facet.namesKind = true;
        return !value.isEmpty();
    }
    if (name == QLatin1String("dir")) {
        facet.ofOp = [isUp = value == QLatin1String("up") ? 1 : 0](const RunView& view, auto op) {
            return ofMicroBatch(view.op(op), view.op(op).replica) == isUp;
        };
        facet.values = [](const RunView&) { return tr("all micro-batches go down"); };
        return value == QLatin1String("up") || value == QLatin1String("down");
    }
    const Ranges ranges = readRanges(value);
    if (name == QLatin1String("iter")) {
        facet.ofExecution = [ranges](int number, double) { return isWithin(ranges, number); };
        facet.values = iterationValues;
        return !ranges.empty();
    }
    const auto* key = std::ranges::find(kNumberKeys, name, &NumberKey::name);
    if (key == kNumberKeys.end())
        return false;
    facet.ofOp = [ranges, key](const RunView& view, std::uint32_t op) {
        return isWithin(ranges, key->number(view, op));
    };
    facet.values = [key](const RunView& view) {
        return tr("%1 are 0 to %2").arg(key->plural).arg(key->most(view));
    };
    return !ranges.empty();
}

bool readPart(const QString& part, FindFacet& facet)
{
    if (const auto colon = part.indexOf(QLatin1Char(':')); colon > 0)
        return readKeyed(part.left(colon).toLower(), part.mid(colon + 1).toLower(), facet);
    if (part.startsWith(QLatin1String("dur"), Qt::CaseInsensitive) && part.size() > 4)
        return readDuration(part, facet);
    if (readKind(part, facet))
        return true;
    const auto named = engine::parseOp(part.toStdString());
    if (named)
        facet.ofOp = [named = *named](const RunView& view, std::uint32_t index) {
            const engine::Op& op = view.op(index);
            return op.kind == named.kind && op.stage == named.stage
                && op.microBatch == named.microBatch && op.replica == named.replica
                && op.slice == named.slice;
        };
    facet.namesKind = named.has_value();
    return facet.namesKind;
}

constexpr int kWarmup = -1, kReplay = -2;

std::uint64_t executionKey(std::uint32_t op, std::uint32_t iteration)
{
    return std::uint64_t{iteration} << 32 | op;
}

// Returns the reason why the time of a facet cannot be compared with the times of a run; "" if it
// can.
QString unitProblem(const FindFacet& facet, const engine::RunInfo& info)
{
    if (!facet.isDuration || facet.isInTime != info.inUnits())
        return {};
    if (info.inUnits())
        return tr("the times of this run are in cost units; leave out the unit of %1")
            .arg(facet.text);
    return facet.time > 0 ? tr("%1 has no unit; use one of ns, us, ms and s").arg(facet.text)
                          : QString();
}

QString noMatch(const FindFacet& facet, const RunView& view)
{
    return tr("no op matches %1; %2")
        .arg(facet.text, facet.values ? facet.values(view) : tr("try another value"));
}

} // namespace

Result<std::vector<FindFacet>> parseFind(const QString& text)
{
    std::vector<FindFacet> facets;
    for (const QString& part : text.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (facets.push_back({.text = part}); !readPart(part, facets.back()))
            return engine::invalid(
                tr("\"%1\" is not understood; use op:B, mb:3, stage:0-2, device:1, "
                   "chunk:0, iter:2, dir:up, dur>5ms, kernel:gemm or an op such as 1B5")
                    .arg(part)
                    .toStdString());
    return facets;
}

Found::Found(const RunView& view, const std::vector<FindFacet>& facets, const KernelView* kernels)
    : m_ticksPerUnit(static_cast<double>(view.run().info.ticksPerUnit))
{
    for (const engine::Iteration& one : view.timeline().iterations)
        m_numbers.push_back(one.kind == engine::Iteration::Kind::Measured     ? one.number
                                : one.kind == engine::Iteration::Kind::Replay ? kReplay
                                                                              : kWarmup);
    matchOps(view, facets);
    if (m_ofKernels.empty())
        collect(view);
    else if (kernels != nullptr && !kernels->isEmpty())
        collectKernels(*kernels);
    else
        m_blame = tr("no kernels were recorded in this run");
    if (m_hits.empty() && m_blame.isEmpty() && !m_ofSpans.empty())
        m_blame = noMatch(m_ofSpans.back(), view);
}

// Searches transfers and optimizer steps only if the query names them, because most queries are
// about compute ops.
void Found::matchOps(const RunView& view, const std::vector<FindFacet>& facets)
{
    const bool isKindNamed = std::ranges::any_of(facets, &FindFacet::namesKind);
    m_ops.resize(engine::opCount(view.run().schedule));
    for (std::uint32_t op = 0; op < m_ops.size(); ++op)
        m_ops[op] = isKindNamed
            || (view.op(op).microBatch.isValid() && engine::isCompute(view.op(op).kind));
    for (const FindFacet& facet : facets) {
        if (const QString problem = unitProblem(facet, view.run().info); !problem.isEmpty()) {
            m_ops.assign(m_ops.size(), false);
            m_blame = problem;
            return;
        }
        if (!facet.ofOp) {
            (facet.ofExecution ? m_ofSpans : m_ofKernels).push_back(facet);
            continue;
        }
        m_isOfOps = true;
        bool isAny = false;
        for (std::uint32_t op = 0; op < m_ops.size(); ++op) {
            m_ops[op] = m_ops[op] && facet.ofOp(view, op);
            isAny = isAny || m_ops[op];
        }
        if (!isAny && m_blame.isEmpty())
            m_blame = noMatch(facet, view);
    }
}

bool Found::has(const engine::Span& span) const
{
    if (span.op >= m_ops.size() || !m_ops[span.op])
        return false;
    if (!m_ofKernels.empty())
        return m_above.contains(executionKey(span.op, span.iteration));
    return holdsSpan(span.iteration, span.window());
}

bool Found::holdsSpan(std::uint32_t iteration, engine::Window window) const
{
    const double length = static_cast<double>(window.duration()) / m_ticksPerUnit;
    const int number = iteration < m_numbers.size() ? m_numbers[iteration] : kWarmup;
    return std::ranges::all_of(
        m_ofSpans, [&](const FindFacet& facet) { return facet.ofExecution(number, length); });
}

// Matches each name once, because a kernel may be launched often.
std::vector<bool> Found::matchNames(const KernelView& kernels)
{
    const auto names = kernels.activity().names();
    std::vector<bool> matches(names.size(), true);
    for (const FindFacet& facet : m_ofKernels) {
        bool isAny = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto holds = [&facet](const std::string& name) {
                return QString::fromStdString(name).contains(facet.kernel, Qt::CaseInsensitive);
            };
            matches[i] = matches[i] && (holds(names[i].label) || holds(names[i].full));
            isAny = isAny || matches[i];
        }
        if (!isAny && m_blame.isEmpty())
            m_blame
                = tr("no kernel matches %1; the Kernels table lists their names").arg(facet.text);
    }
    return matches;
}

// A kernel that belongs to no op is a hit only if the query has no facets about ops.
void Found::collectKernels(const KernelView& kernels)
{
    const std::vector<bool> matches = matchNames(kernels);
    const auto work = kernels.activity().work();
    for (std::uint32_t i = 0; i < work.size() && m_blame.isEmpty(); ++i) {
        const profiler::GpuWork& one = work[i];
        const bool isOfOp = one.of.op < m_ops.size();
        if (!matches[one.name] || (isOfOp && !counts(one.of.iteration))
            || (isOfOp ? !m_ops[one.of.op] : m_isOfOps)
            || !holdsSpan(isOfOp ? one.of.iteration : engine::OpOfIteration::kNone, one.window))
            continue;
        m_isCut = m_hits.size() >= kMostHits;
        if (m_isCut)
            break;
        m_hits.push_back(kernels.select(i));
        if (isOfOp)
            m_above.insert(executionKey(one.of.op, one.of.iteration));
    }
    std::ranges::stable_sort(m_hits, {}, [](const Selection& hit) { return hit.window.begin; });
    if (m_hits.empty() && m_blame.isEmpty() && m_ofSpans.empty())
        m_blame = tr("no kernel of these ops matches %1").arg(m_ofKernels.back().text);
}

bool Found::counts(std::uint32_t iteration) const
{
    const auto isMeasured = [](int number) { return number >= 0; };
    return iteration >= m_numbers.size() || isMeasured(m_numbers[iteration])
        || std::ranges::none_of(m_numbers, isMeasured);
}

void Found::collect(const RunView& view)
{
    if (!m_blame.isEmpty())
        return;
    for (const engine::Track& track : view.timeline().tracks) {
        for (const engine::Span& span : track.spans) {
            if (!counts(span.iteration) || !has(span))
                continue;
            m_isCut = m_hits.size() >= kMostHits;
            if (m_isCut)
                break;
            m_hits.push_back(opSelection(view, span, track.device, track.kind));
        }
    }
    std::ranges::stable_sort(m_hits, {}, [](const Selection& hit) { return hit.window.begin; });
}

} // namespace app
