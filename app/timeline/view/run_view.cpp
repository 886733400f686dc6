#include "app/timeline/view/run_view.h"

#include "engine/schedule/notation.h"
#include "engine/timeline/stash_ledger.h"
#include "profiler/analysis/alive.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

QString rangeText(engine::Window window, double origin, const Scale& scale)
{
    return scale.text(static_cast<double>(window.begin) - origin) + QString::fromUtf8(" – ")
        + scale.text(static_cast<double>(window.end) - origin);
}

QString microBatchText(const engine::Op& op)
{
    const QString whole = QString::number(op.microBatch.value);
    return op.slice == engine::Op::kWhole ? whole
                                          : whole + QLatin1Char('.') + QString::number(op.slice);
}

QString directionText(const engine::Op& op)
{
    return op.replica == 0 ? QCoreApplication::translate("app::Labels", "down")
                           : QCoreApplication::translate("app::Labels", "up");
}

QString opTitle(engine::OpKind kind)
{
    const auto title = engine::kindTitle(kind);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())).toLower();
}

QString iterationTitle(const engine::Timeline& timeline, int iteration)
{
    const QString name = iterationName(timeline, iteration);
    const auto kind = timeline.iterations[static_cast<std::size_t>(iteration)].kind;
    return kind == engine::Iteration::Kind::Measured
        ? QCoreApplication::translate("app::Labels", "iteration %1").arg(name)
        : name;
}

namespace {

using Views = std::vector<RunViewPointer>;
using engine::DeviceId;
using engine::Track;
using engine::Window;

MemorySeries::Level higher(MemorySeries::Level a, MemorySeries::Level b)
{
    return {std::max(a.base, b.base), std::max(a.own, b.own), std::max(a.total, b.total)};
}

const RunViewPointer* findView(const Views& views, const RunPointer& run)
{
    const auto found = std::ranges::find(views, run, &RunView::shared);
    return found == views.end() ? nullptr : &*found;
}

std::size_t spansToPrepare(const std::vector<RunPointer>& runs, const Views& known)
{
    std::size_t spans = 0;
    for (const RunPointer& run : runs) {
        if (findView(known, run) != nullptr)
            continue;
        for (const engine::Track& track : run->timeline.tracks)
            spans += track.spans.size();
    }
    return spans;
}

Views viewsOf(const std::vector<RunPointer>& runs, const Views& known)
{
    Views views;
    for (const RunPointer& run : runs) {
        const RunViewPointer* view = findView(known, run);
        views.push_back(view != nullptr ? *view : std::make_shared<const RunView>(run));
    }
    return views;
}

} // namespace

Share shareOf(engine::OpKind kind)
{
    using enum engine::OpKind;
    switch (kind) {
    case Forward:
        return Share::Forward;
    case Recompute:
        return Share::Recompute;
    case Backward:
    case BackwardInput:
        return Share::Backward;
    case BackwardWeight:
        return Share::Weight;
    case OptimizerStep:
        return Share::Optimizer;
    default:
        return Share::Communication;
    }
}

template<class Kind, std::size_t kCount>
inline void BusyIndexOf<Kind, kCount>::add(const engine::Span& span, double duration,
                                           Sums& sums) const
{
    const auto place = static_cast<std::size_t>(&span - spans().data());
    if (m_hasJoint && m_isJoint[place])
        duration /= 2;
    sums[static_cast<std::size_t>(m_kinds[span.op])] += duration;
}

template<class Kind, std::size_t kCount>
BusyIndexOf<Kind, kCount>::BusyIndexOf(std::span<const engine::Span> spans,
                                       std::span<const Kind> kinds)
    : m_index(spans)
    , m_kinds(kinds)
{
    findJoint();
    m_sums.reserve(spans.size() / kBlock + 1);
    Sums sum{};
    for (std::size_t i = 0; i <= spans.size(); ++i) {
        if (i % kBlock == 0)
            m_sums.push_back(sum);
        if (i < spans.size())
            add(spans[i], static_cast<double>(spans[i].end - spans[i].begin), sum);
    }
}

template<class Kind, std::size_t kCount>
void BusyIndexOf<Kind, kCount>::findJoint()
{
    const auto all = spans();
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].window() != all[i - 1].window())
            continue;
        m_hasJoint = true;
        m_isJoint.resize(all.size());
        m_isJoint[i - 1] = m_isJoint[i] = true;
    }
}

template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::Sweep::before(double time) -> Sums
{
    const auto spans = m_index->spans();
    if (spans.empty())
        return {};
    // Rounds down, because spans begin and end at whole ticks.
    const auto tick = static_cast<std::int64_t>(std::floor(time));
    const std::size_t block = m_index->m_index.endedBefore(tick, m_next) / kBlock;
    if (block * kBlock > m_next) {
        m_next = block * kBlock;
        m_sum = m_index->m_sums[block];
    }
    const engine::Span *next = spans.data() + m_next, *last = spans.data() + spans.size();
    for (; next != last && next->end <= tick; ++next)
        m_index->add(*next, static_cast<double>(next->end - next->begin), m_sum);
    m_next = static_cast<std::size_t>(next - spans.data());
    Sums sum = m_sum;
    for (; next != last && next->begin <= tick; ++next) {
        const double end = std::min(time, static_cast<double>(next->end));
        m_index->add(*next, end - static_cast<double>(next->begin), sum);
    }
    return sum;
}

template<class Kind, std::size_t kCount>
auto BusyIndexOf<Kind, kCount>::within(double begin, double end) const -> Sums
{
    Sweep sweep(*this);
    const Sums earlier = sweep.before(begin);
    Sums busy = sweep.before(end);
    for (std::size_t k = 0; k < kCount; ++k)
        busy[k] -= earlier[k];
    return busy;
}

template class BusyIndexOf<Share, kShares>;
template class BusyIndexOf<std::uint8_t, kKernelShares>;

void MemorySeries::add(std::int64_t time, Change change)
{
    Level level = m_levels.empty() ? Level{} : m_levels.back();
    level.base += change.base;
    level.own += change.base + change.stash;
    level.total += change.base + change.stash + change.guest;
    if (!m_times.empty() && m_times.back() == time) {
        m_levels.back() = level;
        return;
    }
    m_times.push_back(time);
    m_levels.push_back(level);
}

void MemorySeries::close()
{
    m_peak = 0;
    m_blocks.assign((m_levels.size() + kBlock - 1) / kBlock, {});
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        m_blocks[i / kBlock] = higher(m_blocks[i / kBlock], m_levels[i]);
        m_peak = std::max(m_peak, m_levels[i].total);
    }
}

std::size_t MemorySeries::countUpTo(double time, std::size_t from) const
{
    return engine::gallop(from, m_times.size(),
                          [&](std::size_t k) { return static_cast<double>(m_times[k]) <= time; });
}

MemorySeries::Level MemorySeries::at(double time) const
{
    const std::size_t count = countUpTo(time);
    return count == 0 ? Level{} : m_levels[count - 1];
}

MemorySeries::Level MemorySeries::Sweep::highest(double begin, double end)
{
    const MemorySeries& series = *m_series;
    if (m_ended > m_begun && static_cast<double>(series.m_times[m_ended - 1]) <= begin)
        m_begun = m_ended; // columns are usually adjacent
    m_begun = series.countUpTo(begin, m_begun);
    m_ended = series.countUpTo(end, m_ended);
    Level level = m_begun == 0 ? Level{} : series.m_levels[m_begun - 1];
    for (std::size_t i = m_begun; i < m_ended;) {
        if (i % kBlock == 0 && i + kBlock <= m_ended) {
            level = higher(level, series.m_blocks[i / kBlock]);
            i += kBlock;
        } else {
            level = higher(level, series.m_levels[i++]);
        }
    }
    return level;
}

std::int64_t MemorySeries::timeOfPeak(engine::Window window) const
{
    const auto end = static_cast<double>(window.end);
    const double peak = highest(static_cast<double>(window.begin), end).total;
    if (at(static_cast<double>(window.begin)).total >= peak)
        return window.begin;
    for (std::size_t i = countUpTo(static_cast<double>(window.begin)); i < countUpTo(end); ++i) {
        if (m_levels[i].total >= peak)
            return m_times[i];
    }
    return window.begin;
}

RecordedCategories recordedCategories(const engine::Run& run)
{
    RecordedCategories recorded{};
    for (const engine::MemoryEvent& event : run.timeline.memory)
        recorded[event.category] = recorded[event.category] || event.bytes > 0;
    return recorded;
}

engine::IdVector<engine::DeviceId, MemorySeries> recordedMemory(const engine::Run& run)
{
    engine::IdVector<engine::DeviceId, MemorySeries> series(run.schedule.shape.devices);
    const engine::OpIndex index(run.schedule);
    for (const auto& event : run.timeline.memory) {
        const engine::DeviceId device{event.device};
        if (!series.has(device))
            continue;
        const auto bytes = static_cast<double>(event.bytes);
        const profiler::MemoryKind kind = profiler::kindOf(run, index, event);
        const bool isStash = kind == profiler::MemoryKind::Stash;
        const bool isGuest = kind == profiler::MemoryKind::Guest;
        series[device].add(
            event.time, {isStash || isGuest ? 0 : bytes, isStash ? bytes : 0, isGuest ? bytes : 0});
    }
    for (auto& one : series)
        one.close();
    return series;
}

engine::IdVector<engine::DeviceId, MemorySeries> stashFromSpans(const engine::Run& run)
{
    const auto& shape = run.schedule.shape;
    const engine::OpIndex index(run.schedule);
    engine::StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    for (const auto& track : run.timeline.tracks)
        if (track.kind == engine::Track::Kind::Compute || track.kind == engine::Track::Kind::Copy)
            for (const auto& span : track.spans)
                ledger.add(track.device, opAt(run.schedule, index, span.op), span.window());
    const auto perActivation = static_cast<double>(stashPartsPerActivation(shape));
    engine::IdVector<engine::DeviceId, MemorySeries> series(shape.devices);
    for (const engine::DeviceId d : series.ids()) {
        for (const auto& [time, change] : ledger.events(d))
            series[d].add(time, {0, ledger.partsOf(change) / perActivation, 0});
        series[d].close();
    }
    return series;
}

RunView::RunView(std::shared_ptr<const engine::Run> run)
    : m_run(std::move(run))
    , m_index(m_run->schedule)
    , m_devices(m_run->schedule.shape.devices)
    , m_evictors(m_run->schedule.shape.devices)
    , m_memory(!knowsMemory()
                   ? engine::IdVector<DeviceId, MemorySeries>(m_run->schedule.shape.devices)
                   : hasMemory() ? recordedMemory(*m_run)
                                 : stashFromSpans(*m_run))
{
    indexOps();
    indexLanes();
    indexExposed();
    m_occurs.memory = recordedCategories(*m_run);
    for (const auto& series : m_memory)
        m_memoryScale = std::max(m_memoryScale, series.peak());
}

void RunView::indexOps()
{
    const auto& schedule = m_run->schedule;
    m_shares.reserve(m_index.count());
    for (const auto& program : schedule.program) {
        for (const auto& op : program) {
            m_shares.push_back(shareOf(op.kind));
            if (op.kind != engine::OpKind::OptimizerStep)
                m_occurs.kinds[static_cast<int>(op.kind)] = true;
            m_occurs.isUp = m_occurs.isUp || op.replica > 0;
            m_occurs.usesHost = m_occurs.usesHost || engine::usesHost(op);
            if (op.kind == engine::OpKind::Evict && op.peer < devices())
                m_evictors[DeviceId{op.peer}]
                    = m_index.deviceOf(static_cast<std::uint32_t>(m_shares.size() - 1));
        }
    }
    for (const auto& stages : schedule.deviceOf) {
        engine::IdVector<DeviceId, int> used(m_devices.size(), 0);
        auto& chunks = m_chunkOf.emplace_back();
        for (const DeviceId device : stages)
            chunks.push_back(used[device]++);
        m_occurs.chunks = std::max(m_occurs.chunks, 1 + *std::ranges::max_element(chunks));
    }
}

// Finds the longest op and overlaps in a compute track.
void RunView::indexTimes(const engine::Track& track)
{
    Window previous{0, 0};
    bool isFirst = true;
    for (const engine::Span& span : track.spans) {
        const Window window = span.window();
        m_occurs.longestOp = std::max(m_occurs.longestOp, window.duration());
        if (window.duration() > 0 && m_shares[span.op] == Share::Optimizer)
            m_occurs.kinds[static_cast<int>(engine::OpKind::OptimizerStep)] = true;
        if (!isFirst && window.begin < previous.end && !(window == previous))
            ++m_occurs.overlaps;
        m_occurs.isJoint |= !isFirst && window.duration() > 0 && window == previous;
        if (isFirst || window.end >= previous.end)
            previous = window;
        isFirst = false;
    }
}

void RunView::indexTexts(const engine::Track& track)
{
    const auto digits = [](int value) {
        std::size_t count = 1;
        for (; value >= 10; value /= 10)
            ++count;
        return count;
    };
    const engine::RunInfo& info = m_run->info;
    TextLengths& texts = m_devices[track.device].texts;
    const auto add = [](auto& shortest, std::size_t letters, std::int64_t ticks) {
        auto& one = shortest[std::min(letters, shortest.size() - 1)];
        one = one == 0 ? ticks : std::min(one, ticks);
    };
    for (const engine::Span& span : track.spans) {
        const engine::Op& one = op(span.op);
        const std::int64_t ticks = span.window().duration();
        if (ticks <= 0 || one.kind == engine::OpKind::OptimizerStep)
            continue;
        std::size_t number = one.microBatch.isValid() ? digits(one.microBatch.value) : 0;
        if (one.slice != engine::Op::kWhole)
            number += 1 + digits(one.slice);
        std::size_t name = engine::kindShortName(one.kind).size();
        if (engine::knowsStages(info))
            name += digits(one.stage.value);
        if (engine::knowsMicroBatches(info))
            name += number;
        add(texts.ofNumber, engine::knowsMicroBatches(info) ? number : name, ticks);
        add(texts.ofName, name, ticks);
    }
}

void RunView::indexLanes()
{
    for (const auto& track : m_run->timeline.tracks) {
        if (track.kind == Track::Kind::Compute) {
            indexTimes(track);
            if (m_devices.has(track.device))
                indexTexts(track);
        } else if (track.kind != Track::Kind::Copy)
            for (const engine::Span& span : track.spans)
                m_occurs.longestMessage
                    = std::max(m_occurs.longestMessage, span.window().duration());
        if (m_devices.has(track.device))
            m_devices[track.device].lanes[static_cast<std::size_t>(track.kind)]
                = BusyIndex(track.spans, m_shares);
    }
}

void RunView::indexExposed()
{
    for (const DeviceId d : m_devices.ids()) {
        auto& device = m_devices[d];
        for (int k = 0; k < static_cast<int>(timeline().iterations.size()); ++k) {
            for (const Window window : profiler::Lanes(*m_run, k).exposed(d)) {
                if (window.duration() > 0)
                    device.exposed.push_back(window);
            }
        }
        for (const Window window : device.exposed)
            m_occurs.longestExposed = std::max(m_occurs.longestExposed, window.duration());
        std::int64_t sum = 0;
        for (const Window window : device.exposed) {
            device.exposedBefore.push_back(sum);
            sum += window.duration();
        }
    }
}

std::size_t RunView::spansInSight(Window window) const
{
    std::size_t count = 0;
    for (const auto& device : m_devices) {
        for (const auto& one : device.lanes)
            count += one.around(window).size();
    }
    return count;
}

std::optional<engine::Span> RunView::spanOf(std::uint32_t op, int iteration) const
{
    const auto& iterations = timeline().iterations;
    if (op >= m_index.count() || iteration < 0 || iteration >= static_cast<int>(iterations.size()))
        return std::nullopt;
    const Window window = iterations[static_cast<std::size_t>(iteration)].window;
    for (const auto& one : m_devices[deviceOf(op)].lanes) {
        for (const engine::Span& span : one.around(window)) {
            if (span.op == op && static_cast<int>(span.iteration) == iteration)
                return span;
        }
    }
    return std::nullopt;
}

RunView::SharesSweep::SharesSweep(const RunView& view, DeviceId device)
    : m_compute(view.lane(device, Track::Kind::Compute))
    , m_exposed(view.exposed(device))
    , m_exposedBefore(view.m_devices[device].exposedBefore)
{ }

Busy RunView::SharesSweep::before(double time)
{
    Busy busy = m_compute.before(time);
    m_begun = engine::gallop(m_begun, m_exposed.size(), [&](std::size_t k) {
        return static_cast<double>(m_exposed[k].begin) < time;
    });
    if (m_begun == 0)
        return busy;
    const Window last = m_exposed[m_begun - 1];
    busy[static_cast<std::size_t>(Share::Communication)]
        = static_cast<double>(m_exposedBefore[m_begun - 1] - last.begin)
        + std::min(time, static_cast<double>(last.end));
    return busy;
}

Busy RunView::MeanSweep::before(double time)
{
    Busy mean{};
    for (SharesSweep& device : devices) {
        const Busy busy = device.before(time);
        for (std::size_t k = 0; k < kShares; ++k)
            mean[k] += busy[k] / static_cast<double>(devices.size());
    }
    return mean;
}

Busy RunView::shares(DeviceId device, double begin, double end) const
{
    SharesSweep sweep(*this, device);
    const Busy earlier = sweep.before(begin);
    Busy busy = sweep.before(end);
    for (std::size_t k = 0; k < kShares; ++k)
        busy[k] -= earlier[k];
    return busy;
}

int RunView::iterationAt(double time) const
{
    const auto& iterations = timeline().iterations;
    const auto next
        = std::partition_point(iterations.begin(), iterations.end(), [time](const auto& one) {
              return static_cast<double>(one.window.begin) <= time;
          });
    if (next == iterations.begin())
        return iterations.empty() ? -1 : 0;
    return static_cast<int>(next - iterations.begin()) - 1;
}

Window RunView::extent() const
{
    const auto& iterations = timeline().iterations;
    if (iterations.empty())
        return {};
    return {iterations.front().window.begin, iterations.back().window.end};
}

std::optional<RunningMemory> RunView::runningMemory(DeviceId device) const
{
    const engine::ArenaUse* use = engine::arenaOf(m_run->info, device);
    if (m_run->info.outcome != engine::Outcome::Running || use == nullptr || !hasMemory()
        || isEmpty())
        return std::nullopt;
    const MemorySeries& series = memory(device);
    return RunningMemory{series.at(static_cast<double>(extent().end - 1)), use->touched, use->arena,
                         use->live, series.peak() > static_cast<double>(use->live)};
}

double RunView::runningMemoryScale() const
{
    double largest = 0;
    for (const DeviceId device : m_memory.ids())
        if (const auto memory = runningMemory(device))
            largest = std::max({largest, m_memoryScale, static_cast<double>(memory->arena)});
    return largest;
}

const profiler::RunMetrics* RunView::metrics(int iteration) const
{
    if (iteration < 0 || iteration >= static_cast<int>(timeline().iterations.size()))
        return nullptr;
    auto [at, isNew] = m_metrics.try_emplace(iteration);
    if (isNew) {
        if (auto result = profiler::metrics(*m_run, iteration))
            at->second = std::move(*result);
    }
    return at->second ? &*at->second : nullptr;
}

RunView::Explained& RunView::explained(int iteration) const
{
    if (m_explained.iteration != iteration) {
        m_explained = {};
        m_explained.iteration = iteration;
        if (iteration >= 0 && iteration < static_cast<int>(timeline().iterations.size()))
            m_explained.explainer = std::make_unique<profiler::Explainer>(*m_run, iteration);
    }
    return m_explained;
}

const std::vector<profiler::Bubble>& RunView::bubbles(int iteration) const
{
    Explained& one = explained(iteration);
    if (!one.bubbles)
        one.bubbles = one.explainer ? one.explainer->bubbles() : std::vector<profiler::Bubble>();
    return *one.bubbles;
}

std::vector<profiler::CauseStep> RunView::causes(int iteration,
                                                 const profiler::Bubble& bubble) const
{
    const Explained& one = explained(iteration);
    return one.explainer ? profiler::causeSteps(run(), one.explainer->causes(bubble))
                         : std::vector<profiler::CauseStep>();
}

std::optional<profiler::OpExplanation> RunView::explain(int iteration, std::uint32_t op) const
{
    const Explained& one = explained(iteration);
    return one.explainer ? one.explainer->explain(op) : std::nullopt;
}

const std::vector<profiler::CauseLink>& RunView::path(const Flow& flow) const
{
    Explained& one = explained(flow.iteration);
    if (!(one.flow == flow) && one.explainer) {
        one.flow = flow;
        one.path = one.explainer->flow(flow.microBatch);
    }
    return one.path;
}

const std::vector<std::vector<profiler::CauseLink>>& RunView::paths(int iteration) const
{
    Explained& one = explained(iteration);
    const int count = one.explainer && one.all.empty() ? run().schedule.shape.allMicroBatches() : 0;
    for (int m = 0; m < count; ++m)
        one.all.push_back(one.explainer->flow(engine::MicroBatchId{m}));
    return one.all;
}

const profiler::Bubble* RunView::bubble(const Selection& selection) const
{
    for (const auto& bubble : bubbles(selection.iteration))
        if (bubble.device == selection.device && bubble.window.contains(selection.window.begin))
            return &bubble;
    return nullptr;
}

ViewPreparation::ViewPreparation(QObject* parent)
    : QObject(parent)
    , m_preparing(
          this,
          [](const auto& request) {
              const auto& [runs, known] = request;
              Views views = viewsOf(runs, known);
              // Computes the metrics for the first paint, and the bubbles that the details of one
              // run list. Views that are already shown have them.
              for (const RunViewPointer& view : views) {
                  const int reported = engine::reportedIteration(view->timeline());
                  if (findView(known, view->shared()) != nullptr)
                      continue;
                  view->metrics(reported);
                  if (views.size() == 1)
                      view->bubbles(reported);
              }
              return views;
          },
          [this](Views views) {
              m_last = std::move(views);
              Q_EMIT ready(m_last);
          })
{ }

void ViewPreparation::ask(std::vector<RunPointer> runs)
{
    if (m_preparing.isBusy() || spansToPrepare(runs, m_last) > kInstantSpans)
        return m_preparing.ask({std::move(runs), m_last});
    m_last = viewsOf(runs, m_last);
    Q_EMIT ready(m_last);
}

} // namespace app
