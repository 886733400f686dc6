#include "app/timeline/view/find.h"

#include "app/documents/run_document.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/translate.h"
#include "engine/schedule/notation.h"

#include <algorithm>

namespace app {
namespace {

using Key = FindFacet::Key;

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
    const engine::Shape& shape = view.run().schedule.shape;
    switch (facet.key) {
    case Key::MicroBatch:
        return tr("micro-batches are 0 to %1").arg(shape.allMicroBatches() - 1);
    case Key::Stage:
        return tr("stages are 0 to %1").arg(shape.stages - 1);
    case Key::Device:
        return tr("devices are 0 to %1").arg(shape.devices - 1);
    case Key::Chunk:
        return tr("chunks are 0 to %1").arg(view.occurs().chunks - 1);
    case Key::Direction:
        return tr("all micro-batches go down");
    case Key::Iteration: {
        const auto numbers = measuredNumbers(view.timeline());
        return numbers ? tr("iterations are %1 to %2").arg(numbers->first).arg(numbers->second)
                       : tr("no iteration was measured");
    }
    default:
        return tr("try another value");
    }
}

} // namespace

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
    switch (facet.key) {
    case Key::Op:
        return op.kind == facet.kind;
    case Key::Spelling:
        return op.kind == facet.op.kind && op.stage == facet.op.stage
            && op.microBatch == facet.op.microBatch && op.replica == facet.op.replica
            && op.slice == facet.op.slice;
    case Key::MicroBatch:
        return op.microBatch.isValid() && isWithin(facet, op.microBatch.value);
    case Key::Stage:
        return isWithin(facet, op.stage.value);
    case Key::Device:
        return isWithin(facet, view.deviceOf(index).value);
    case Key::Direction:
        return op.microBatch.isValid() && isWithin(facet, op.replica);
    case Key::Chunk:
        return isWithin(facet, view.chunk(op));
    case Key::Iteration:
    case Key::Longer:
    case Key::Shorter:
    case Key::Kernel:
        break;
    }
    return true;
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
