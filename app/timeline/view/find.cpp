#include "app/timeline/view/find.h"

#include "app/documents/run_document.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <optional>

namespace app {
namespace {

using engine::invalid;
using engine::Result;
using Key = FindFacet::Key;

// A facet that is a number of an op: its name, the number (-1: the op has none), and the largest
// one of a run, for a message.
struct NumberKey
{
    QLatin1String name, plural;
    Key key;
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
const std::array<NumberKey, 6> kNumberKeys{
    {{QLatin1String("mb"), QLatin1String("micro-batches"), Key::MicroBatch,
      [](const RunView& view, std::uint32_t op) {
          return ofMicroBatch(view.op(op), view.op(op).microBatch.value);
      },
      [](const RunView& view) { return shapeOf(view).allMicroBatches() - 1; }},
     {QLatin1String("stage"), QLatin1String("stages"), Key::Stage,
      [](const RunView& view, std::uint32_t op) { return view.op(op).stage.value; },
      [](const RunView& view) { return shapeOf(view).stages - 1; }},
     {QLatin1String("device"), QLatin1String("devices"), Key::Device,
      [](const RunView& view, std::uint32_t op) { return view.deviceOf(op).value; },
      [](const RunView& view) { return shapeOf(view).devices - 1; }},
     {QLatin1String("chunk"), QLatin1String("chunks"), Key::Chunk,
      [](const RunView& view, std::uint32_t op) { return view.chunk(view.op(op)); },
      [](const RunView& view) { return view.occurs().chunks - 1; }},
     {QLatin1String("iter"), {}, Key::Iteration, nullptr, nullptr},
     {QLatin1String("dir"),
      {},
      Key::Direction,
      [](const RunView& view, std::uint32_t op) {
          return ofMicroBatch(view.op(op), view.op(op).replica);
      },
      nullptr}}};

Result<FindFacet> notUnderstood(const QString& part)
{
    return invalid(tr("\"%1\" is not understood; use op:B, mb:3, stage:0-2, device:1, chunk:0, "
                      "iter:2, dir:up, dur>5ms, kernel:gemm or an op such as 1B5")
                       .arg(part)
                       .toStdString());
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
        const auto kind = engine::parseKind(value.toUpper().toStdString());
        facet.kind = kind.value_or(engine::OpKind::Forward);
        return kind ? Result<FindFacet>(facet) : notUnderstood(part);
    }
    if (name == QLatin1String("kernel")) {
        facet.key = Key::Kernel;
        facet.name = value;
        return value.isEmpty() ? notUnderstood(part) : Result<FindFacet>(facet);
    }
    for (const NumberKey& named : kNumberKeys) {
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
    if (const auto kind = engine::parseKind(part.toUpper().toStdString())) {
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

constexpr int kWarmup = -1, kReplay = -2;

bool isOfSpans(Key key)
{
    return key == Key::Iteration || key == Key::Longer || key == Key::Shorter;
}

std::uint64_t executionKey(std::uint32_t op, std::uint32_t iteration)
{
    return std::uint64_t{iteration} << 32 | op;
}

bool isWithin(const FindFacet& facet, int value)
{
    return std::ranges::any_of(facet.ranges, [value](const auto& range) {
        return range.first <= value && value <= range.second;
    });
}

// Returns the reason why the time of a facet cannot be compared with the times of a run; "" if it
// can.
QString unitProblem(const FindFacet& facet, const engine::RunInfo& info)
{
    const bool isOfTime = facet.key == Key::Longer || facet.key == Key::Shorter;
    if (!isOfTime || facet.isInTime != info.inUnits())
        return {};
    if (info.inUnits())
        return tr("the times of this run are in cost units; leave out the unit of %1")
            .arg(facet.text);
    return facet.time > 0 ? tr("%1 has no unit; use one of ns, us, ms and s").arg(facet.text)
                          : QString();
}

// Returns the values of a facet that exist in this run, for a message: "micro-batches are 0 to 7".
QString validValues(const FindFacet& facet, const RunView& view)
{
    if (facet.key == Key::Direction)
        return tr("all micro-batches go down");
    if (facet.key == Key::Iteration) {
        const auto numbers = measuredNumbers(view.timeline());
        return numbers ? tr("iterations are %1 to %2").arg(numbers->first).arg(numbers->second)
                       : tr("no iteration was measured");
    }
    const auto* named = std::ranges::find(kNumberKeys, facet.key, &NumberKey::key);
    return named == kNumberKeys.end()
        ? tr("try another value")
        : tr("%1 are 0 to %2").arg(named->plural).arg(named->most(view));
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
        m_blame = tr("no op matches %1; %2")
                      .arg(m_ofSpans.back().text, validValues(m_ofSpans.back(), view));
}

bool Found::holds(const FindFacet& facet, const RunView& view, std::uint32_t index) const
{
    const engine::Op& op = view.op(index);
    if (facet.key == Key::Op)
        return op.kind == facet.kind;
    if (facet.key == Key::Spelling)
        return op.kind == facet.op.kind && op.stage == facet.op.stage
            && op.microBatch == facet.op.microBatch && op.replica == facet.op.replica
            && op.slice == facet.op.slice;
    const auto* named = std::ranges::find(kNumberKeys, facet.key, &NumberKey::key);
    return named == kNumberKeys.end() || named->number == nullptr
        || isWithin(facet, named->number(view, index)); // ranges begin at 0
}

// Searches transfers and optimizer steps only if the query names them, because most queries are
// about compute ops.
void Found::matchOps(const RunView& view, const std::vector<FindFacet>& facets)
{
    const bool isKindNamed = std::ranges::any_of(facets, [](const FindFacet& facet) {
        return facet.key == Key::Op || facet.key == Key::Spelling || facet.key == Key::Kernel;
    });
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
        if (isOfSpans(facet.key) || facet.key == Key::Kernel) {
            (facet.key == Key::Kernel ? m_ofKernels : m_ofSpans).push_back(facet);
            continue;
        }
        m_isOfOps = true;
        bool isAny = false;
        for (std::uint32_t op = 0; op < m_ops.size(); ++op) {
            m_ops[op] = m_ops[op] && holds(facet, view, op);
            isAny = isAny || m_ops[op];
        }
        if (!isAny && m_blame.isEmpty())
            m_blame = tr("no op matches %1; %2").arg(facet.text, validValues(facet, view));
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
    return std::ranges::all_of(m_ofSpans, [&](const FindFacet& facet) {
        switch (facet.key) {
        case Key::Iteration:
            return iteration < m_numbers.size() && isWithin(facet, m_numbers[iteration]);
        case Key::Longer:
            return length > facet.time;
        default:
            return length < facet.time;
        }
    });
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
                return QString::fromStdString(name).contains(facet.name, Qt::CaseInsensitive);
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
