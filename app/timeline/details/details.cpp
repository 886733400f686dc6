#include "app/timeline/details/details.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/text.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment.h"
#include "engine/schedule/notation.h"
#include "engine/timeline/nvtx_range.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/analysis/ticks.h"
#include "profiler/report/sheet.h"

#include <QFileInfo>
#include <QFontMetrics>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

namespace app {
namespace {

using engine::DeviceId;
using engine::GpuFacts;
using engine::OpKind;
using engine::Span;
using profiler::CauseLink;
using profiler::GpuActivity;
using profiler::GpuWork;
using profiler::RunMetrics;
using BubbleKind = profiler::Bubble::Kind;

// The origin and the unit of all times in a panel.
struct DetailsClock
{
    // Has enough digits to show `length`, even if the iteration is much longer; 0: any length.
    DetailsClock(const RunView& view, int iteration, std::int64_t length = 0)
        : origin(static_cast<double>(view.iteration(iteration).window.begin))
    {
        // Adds digits until the length is at least this many steps of the last digit.
        constexpr double kSteps = 30;
        constexpr int kMostMore = 3;
        scale = timeScale(view.run().info, view.iteration(iteration).window.duration());
        if (view.run().info.inUnits() || length <= 0) // units are exact without more digits
            return;
        double step = scale.perUnit() * std::pow(10.0, -scale.decimals());
        int more = 0;
        for (; more < kMostMore && step * kSteps > static_cast<double>(length); ++more)
            step /= 10;
        scale = scale.finer(more);
    }

    QString at(std::int64_t time) const { return scale.text(static_cast<double>(time) - origin); }
    QString atWithUnit(std::int64_t time) const
    {
        return scale.withUnit(static_cast<double>(time) - origin);
    }
    QString length(std::int64_t ticks) const { return scale.text(ticks); }
    QString lengthWithUnit(std::int64_t ticks) const { return scale.withUnit(ticks); }
    QString range(engine::Window window) const // "103.6 – 107.5 ms"
    {
        return rangeText(window, origin, scale) + QLatin1Char(' ') + scale.unit();
    }

    Scale scale;
    double origin = 0;
};

double inTicks(std::int64_t time)
{
    return static_cast<double>(std::max<std::int64_t>(1, time));
}

Swatch swatchOf(const RunView& view, std::uint32_t op)
{
    const auto& one = view.op(op);
    return {Swatch::Look::Op, one.kind, view.chunk(one), one.replica > 0};
}

Swatch swatchOf(profiler::KernelKind kind)
{
    Swatch swatch{Swatch::Look::Kernel};
    swatch.kernel = kind;
    return swatch;
}

QString opOf(const RunView& view, std::uint32_t op)
{
    return opName(view.run().info, view.op(op));
}

// "B of micro-batch 5 on stage 1"
QString describeOp(const engine::RunInfo& info, const engine::Op& op)
{
    const QString kind
        = engine::isCompute(op.kind) ? fromUtf8(engine::kindShortName(op.kind)) : opTitle(op.kind);
    if (!engine::knowsStages(info))
        return kind;
    if (!op.microBatch.isValid() || !engine::knowsMicroBatches(info))
        return tr("%1 of stage %2").arg(kind).arg(op.stage.value);
    return tr("%1 of micro-batch %2 on stage %3").arg(kind, microBatchText(op)).arg(op.stage.value);
}

// The devices of a send or receive on `device`: "device 1 to 0".
QString routeText(const engine::Op& op, DeviceId device)
{
    const bool isOut = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
    const int here = device.value, there = op.peer;
    return tr("device %1 to %2").arg(isOut ? here : there).arg(isOut ? there : here);
}

// Why a device is idle, in a few words: "wait: B of micro-batch 0".
QString causeText(const RunView& view, const profiler::Bubble& bubble)
{
    if (bubble.kind == BubbleKind::Drain)
        return tr("drain: no work left");
    const QString kind = fromUtf8(profiler::bubbleKindName(bubble.kind));
    if (!bubble.next)
        return kind;
    const engine::Op& next = view.op(*bubble.next);
    return tr("%1: %2").arg(
        kind,
        next.microBatch.isValid()
            ? tr("%1 of micro-batch %2")
                  .arg(fromUtf8(engine::kindShortName(next.kind)), microBatchText(next))
            : opTitle(next.kind));
}

// The shares of forward, backward, W, optimizer, exposed communication and bubble in a window.
std::vector<DetailsBar::Part> shareParts(const RunView& view, DeviceId device,
                                         engine::Window window)
{
    const Busy busy
        = view.shares(device, static_cast<double>(window.begin), static_cast<double>(window.end));
    const auto duration = static_cast<double>(window.duration());
    std::vector<DetailsBar::Part> parts;
    double rest = 1;
    const auto add = [&](const Swatch& swatch, Share kind) {
        const double share = duration > 0 ? busy[static_cast<std::size_t>(kind)] / duration : 0;
        parts.push_back({swatch, share});
        rest -= share;
    };
    for (const auto& [kind, share] :
         {std::pair(OpKind::Forward, Share::Forward), std::pair(OpKind::Backward, Share::Backward),
          std::pair(OpKind::BackwardWeight, Share::Weight),
          std::pair(OpKind::Recompute, Share::Recompute),
          std::pair(OpKind::OptimizerStep, Share::Optimizer)})
        add({Swatch::Look::Op, kind}, share);
    add({Swatch::Look::Exposed}, Share::Communication);
    parts.push_back({{Swatch::Look::Bubble}, std::max(0.0, rest)});
    return parts;
}

QString extent(const std::array<std::int32_t, 3>& size)
{
    QStringList numbers;
    for (int k = 0; k < (size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1); ++k)
        numbers << QString::number(size[static_cast<std::size_t>(k)]);
    return numbers.join(QString::fromUtf8(" × "));
}

// Allows line breaks after these characters, because names of kernels have no blanks.
QString breakable(const std::string& name)
{
    QString text;
    for (const QChar c : fromUtf8(name)) {
        text += c;
        if (QStringLiteral("_:,<(").contains(c))
            text += QChar(0x200B);
    }
    return text;
}

QString microseconds(std::int64_t nanoseconds)
{
    return scaleIn(Unit::Microsecond).withUnit(nanoseconds);
}

QString bandwidth(std::uint64_t bytes, std::int64_t nanoseconds)
{
    return scaleIn(Unit::GBPerSecond)
        .withUnit(1e9 * static_cast<double>(bytes) / static_cast<double>(nanoseconds));
}

QString bytesOf(std::int64_t bytes)
{
    return dataScale(bytes).withUnit(bytes);
}

// Shared memory is at most about 228 KiB per multiprocessor, so MiB are not needed.
QString sharedText(std::int64_t bytes)
{
    if (bytes == 0)
        return tr("none");
    const auto size = static_cast<double>(bytes);
    return bytes % 1024 == 0 ? scaleIn(Unit::KiB, 0).withUnit(size)
                             : tr("%1 bytes").arg(number(size, 0));
}

// The fraction of the op's time in which the kernel runs. A kernel that waits may begin before its
// op; the time before the op does not count.
double shareOfOp(const GpuWork& work, engine::Window op)
{
    const auto within = std::max<std::int64_t>(
        0, std::min(work.window.end, op.end) - std::max(work.window.begin, op.begin));
    return static_cast<double>(within) / inTicks(op.duration());
}

std::uint32_t workAt(const GpuActivity& activity, const GpuWork& work)
{
    return static_cast<std::uint32_t>(&work - activity.work().data());
}

QString opRateText(double perSecond)
{
    return perSecond >= 1e12 ? tr("%1 TFLOP/s").arg(number(perSecond / 1e12, 0))
                             : tr("%1 GFLOP/s").arg(number(perSecond / 1e9, 1));
}

QString opFlopsText(double flops)
{
    return flops >= 1e11 ? tr("%1 TFLOP").arg(number(flops / 1e12, 3))
                         : tr("%1 GFLOP").arg(number(flops / 1e9, 3));
}

QString throttleText(std::uint64_t reasons)
{
    const std::string slow = engine::throttleText(reasons);
    return slow.empty() ? tr("nothing") : fromUtf8(slow);
}

std::vector<int> measuredIterations(const engine::Run& run)
{
    std::vector<int> measured;
    for (int k = 0; k < static_cast<int>(run.timeline.iterations.size()); ++k)
        if (run.timeline.iterations[static_cast<std::size_t>(k)].kind
            == engine::Iteration::Kind::Measured)
            measured.push_back(k);
    return measured;
}

// The op that frees the stash of a forward: its B, or its W if the backward is split.
std::optional<Span> freeing(const RunView& view, const Selection& selection)
{
    const engine::Op& forward = view.op(selection.op);
    std::optional<Span> last;
    for (const Span& span : view.spansAround(selection.device, engine::Track::Kind::Compute,
                                             view.iteration(selection.iteration).window)) {
        const engine::Op& op = view.op(span.op);
        const bool isIts = op.stage == forward.stage && op.microBatch == forward.microBatch
            && op.slice == forward.slice && op.replica == forward.replica
            && static_cast<int>(span.iteration) == selection.iteration;
        if (isIts && engine::isBackward(op.kind) && span.begin >= selection.window.begin)
            last = !last || span.end > last->end ? span : *last;
    }
    return last;
}

// Bytes that the op allocated for its stash; 0 if they are unknown.
std::int64_t stashBytes(const RunView& view, const Selection& selection)
{
    const auto& events = view.timeline().memory;
    std::int64_t bytes = 0;
    for (auto event
         = std::ranges::lower_bound(events, selection.window.begin, {}, &engine::MemoryEvent::time);
         event != events.end() && event->time <= selection.window.end; ++event)
        if (event->op == selection.op && event->category == engine::MemoryCategory::Stash
            && event->bytes > 0)
            bytes += event->bytes;
    return bytes;
}

// The peak of the memory that the driver allocated for the context of the device. A double, because
// the bytes of a damaged file may overflow integers.
double mostGiven(const engine::GpuTrace& trace, const engine::GpuPlace& place)
{
    std::vector<const engine::GpuAllocation*> events;
    for (const engine::GpuAllocation& one : trace.allocations)
        if (one.place.device == place.device && one.place.context == place.context)
            events.push_back(&one);
    std::ranges::stable_sort(events, {}, &engine::GpuAllocation::time);
    double given = 0, most = 0;
    for (const engine::GpuAllocation* one : events) {
        const auto bytes = static_cast<double>(one->bytes);
        given += one->isFree ? -bytes : bytes;
        most = std::max(most, given);
    }
    return most;
}

struct HitDurations
{
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0; // in ticks

    void add(std::int64_t ticks)
    {
        shortest = count == 0 ? ticks : std::min(shortest, ticks);
        longest = std::max(longest, ticks);
        total += ticks;
        ++count;
    }
};
using HitGroups = std::vector<std::pair<QString, HitDurations>>;

// Sums up the hits by group. `group` returns the number of a hit's group; `name` returns the name
// of the group with a number.
template<class Group, class Name>
HitGroups groupHits(std::span<const Selection> hits, Group group, Name name)
{
    std::map<int, HitDurations> groups;
    for (const Selection& hit : hits)
        groups[static_cast<int>(group(hit))].add(hit.window.duration());
    HitGroups named;
    for (const auto& [key, durations] : groups)
        named.emplace_back(name(key), durations);
    return named;
}

HitGroups hitsByKind(std::span<const Selection> hits, const RunView& view,
                     const KernelView* kernels)
{
    using profiler::KernelKind;
    if (hits.front().kind == Selection::Kind::Op)
        return groupHits(
            hits, [&](const Selection& hit) { return view.op(hit.op).kind; },
            [](int kind) { return fromUtf8(engine::kindShortName(static_cast<OpKind>(kind))); });
    return groupHits(
        hits,
        [&](const Selection& hit) {
            return kernels ? kernels->kindOf(hit.work) : KernelKind::Other;
        },
        [](int kind) { return fromUtf8(kernelKindName(static_cast<KernelKind>(kind))); });
}

DetailsSection hitsSection(const QString& title, const HitGroups& groups, const Scale& time)
{
    DetailsSection section(title, time.unit());
    section.table.columns = {tr("hits"), tr("total"), tr("mean"), tr("min"), tr("max")};
    const auto text = [&time](std::int64_t ticks, std::int64_t of = 1) {
        return DetailsTable::Cell{time.text(static_cast<double>(ticks) / static_cast<double>(of))};
    };
    for (const auto& [name, of] : groups)
        section.table.rows.push_back({name,
                                      {{number(of.count)},
                                       text(of.total),
                                       text(of.total, of.count),
                                       text(of.shortest),
                                       text(of.longest)}});
    return section;
}

// Describes one selection: each function opens a section and adds its rows. Empty sections are
// dropped at the end, so that a function need not ask whether it has something to say.
class Describer
{
public:
    Describer(const RunView& view, const Selection& selection, const DetailsFacts& facts,
              const DetailsClock& clock)
        : m_view(view)
        , m_run(view.run())
        , m_info(view.run().info)
        , m_selection(selection)
        , m_facts(facts)
        , m_clock(clock)
    { }

    Details op()
    {
        const auto& op = m_view.op(m_selection.op);
        const auto explanation = m_view.explain(m_selection.iteration, m_selection.op);
        m_out.swatch = swatchOf(m_view, m_selection.op);
        m_out.title = opName(m_info, op) + QLatin1Char(' ') + opTitle(op.kind);
        if (engine::usesHost(op))
            m_out.title += op.kind == OpKind::Evict ? tr(" to the host") : tr(" from the host");
        m_out.isCode = true;
        setLength(m_selection.window.duration());
        m_out.left = tr("Stage unknown");
        if (engine::knowsStages(m_info)) {
            m_out.left = tr("Stage %1, direction %2").arg(op.stage.value).arg(directionText(op));
            if (m_run.schedule.shape.chunks() > 1)
                m_out.left += tr(", chunk %1").arg(m_view.chunk(op));
        }
        m_out.right = tr("device %1").arg(m_selection.device.value);
        if (explanation)
            m_out.sentence = waitSentence(*explanation);
        open();
        add(tr("Start, end"), m_clock.range(m_selection.window));
        addPrediction();
        if (explanation && engine::isCompute(op.kind))
            addWait(explanation->waited);
        addSpread();
        addLoss();
        if (!explanation)
            return finished();
        addLinks(tr("Needs"), explanation->needs);
        addLinks(tr("Needed by"), explanation->neededBy);
        addCompute();
        if (m_facts.kernels != nullptr)
            addKernels();
        addStrip();
        if (engine::isCompute(op.kind))
            addMemoryAndTrace();
        return finished();
    }
    Details bubble()
    {
        const std::int64_t length = m_selection.window.duration();
        m_out.swatch.look = Swatch::Look::Bubble;
        m_out.title = tr("Bubble");
        setLength(length);
        m_out.left = tr("Device %1, compute lane").arg(m_selection.device.value);
        m_out.right
            = tr("%1 of iteration")
                  .arg(percent(
                      static_cast<double>(length)
                      / inTicks(m_view.iteration(m_selection.iteration).window.duration())));
        const auto* bubble = m_view.bubble(m_selection);
        if (!bubble)
            return finished();
        m_out.sentence = bubbleSentence(*bubble);
        if (bubble->kind != BubbleKind::Drain) {
            DetailsSection& cause = open(tr("Cause"), m_clock.scale.unit());
            cause.isChain = true;
            for (const auto& link : bubble->chain)
                cause.links.push_back(linkTo(link));
        }
        if (!bubble->chain.empty())
            addChain(*bubble);
        addBubbleFacts(*bubble);
        addStrip();
        return finished();
    }
    Details range()
    {
        const auto& window = m_selection.window;
        // The selected NVTX range of the host; nullptr if none is selected.
        const HostRange* host = m_facts.kernels != nullptr && m_selection.device.isValid()
            ? m_facts.kernels->ranges().at(m_selection.device, window)
            : nullptr;
        m_out.title = host != nullptr ? tr("NVTX range") : tr("Range");
        setLength(window.duration());
        m_out.left = m_clock.range(window);
        m_out.right = countOf(m_view.devices(), "device");
        m_out.sentence = rangeSentence();
        if (host != nullptr) {
            open(tr("Range on the host"));
            add(tr("Text"), fromUtf8(host->text));
            add(tr("Source"),
                host->domain.empty() ? tr("range of the op") : fromUtf8(host->domain));
            add(tr("Launched op"), opOf(m_view, host->of.op));
        }
        addShares();
        if (m_facts.range && m_facts.range->range == window) {
            addCauses(*m_facts.range);
            addCounts(*m_facts.range);
        }
        addNotes();
        return finished();
    }
    Details device()
    {
        const auto* metrics = m_view.metrics(m_selection.iteration);
        if (!metrics || m_selection.device.value >= m_view.devices())
            return {};
        const auto& device = metrics->devices[m_selection.device];
        const engine::Window window = m_view.iteration(m_selection.iteration).window;
        m_out.title = tr("Device %1").arg(m_selection.device.value);
        m_out.left = deviceText(m_run, m_selection.device);
        if (!hasTrace(m_run, m_selection.device))
            return finished();
        const bool isKnown = profiler::knowsTimes(m_run);
        if (isKnown) {
            m_out.value
                = number(100 * static_cast<double>(device.compute) / inTicks(device.whole), 1);
            m_out.unit = tr("% busy");
            m_out.right = tr("of %1").arg(m_clock.lengthWithUnit(device.whole));
        }
        if (m_view.knowsMemory()) {
            const MemorySeries& series = m_view.memory(m_selection.device);
            const double peak = series.peak();
            m_out.sentence
                = tr("The largest %1 is <b>%2</b>; in this iteration, it is at %3.")
                      .arg(m_view.hasMemory() ? tr("memory") : tr("stash"),
                           m_view.hasMemory() ? bytesText(peak)
                                              : number(peak, 1) + QString::fromUtf8(" Mₐ"),
                           m_clock.atWithUnit(series.timeOfPeak(window)));
        }
        DetailsSection times(tr("Time by category")), memory(tr("Memory")),
            messages(tr("Messages"));
        if (isKnown)
            times.bars.push_back({{}, {}, shareParts(m_view, m_selection.device, window)});
        for (const profiler::Fact& fact :
             profiler::facts(profiler::deviceMeasures(), {m_run, *metrics, device},
                             profiler::kColumn | profiler::kMemory)) {
            using enum profiler::Unit;
            const profiler::MeasureInfo& of = fact.of;
            const bool isIfAny = of.unit == Bytes || (of.shown & profiler::kIfAny) != 0;
            if (of.key == "device" || (isIfAny && fact.value.number() == 0))
                continue;
            DetailsSection& section = of.unit == Time || of.unit == Share ? times
                : of.unit == None && !isIfAny                             ? messages
                                                                          : memory;
            section.add(fromUtf8(of.title), measureText(fact.value, of),
                        of.unit == Share || of.key == "peak_bytes");
        }
        if (!m_view.hasMemory())
            memory.add(tr("Bytes"), tr("not recorded"));
        if (!profiler::lacksMessages(m_run))
            messages.add(tr("Messages received"), number(device.messagesReceived));
        addSection(std::move(times));
        addSection(std::move(memory));
        addGpu();
        addSection(std::move(messages));
        return finished();
    }
    Details kernel()
    {
        const KernelView& kernels = *m_facts.kernels;
        const GpuActivity& activity = kernels.activity();
        const GpuWork& work = activity.work()[m_selection.work];
        const profiler::KernelName& name = activity.nameOf(work);
        const std::int64_t length = work.window.duration();
        m_out.swatch = swatchOf(name.kind);
        m_out.title = breakable(name.label);
        setValue(timeScale(m_info, length), length);
        m_out.left = fromUtf8(profiler::kernelKindName(name.kind));
        m_out.right = tr("device %1").arg(m_selection.device.value);
        if (const auto wait = kernels.waitOf(m_selection.work); wait && wait->duration() > 0)
            m_out.sentence = tr("<b>Waits %1</b> for other ranks, then transfers for %2.")
                                 .arg(microseconds(wait->duration()),
                                      microseconds(work.window.end - wait->end));
        addOpOf(kernels, work);
        if (work.source == GpuWork::Source::Kernel) {
            addLaunch(activity.trace().kernels[work.row]);
        } else {
            const std::uint64_t bytes = activity.bytesOf(work);
            open(tr("Data"));
            add(tr("Bytes"), bytesOf(static_cast<std::int64_t>(bytes)));
            add(tr("Bandwidth"), bandwidth(bytes, length), true);
        }
        addPlace(kernels, work);
        open(tr("Full name"));
        if (name.full != name.label)
            add({}, breakable(name.full));
        return finished();
    }
    Details hits()
    {
        constexpr std::size_t kMostDevices = 16;
        const std::vector<Selection>& hits = m_facts.hits->hits();
        // The hits may be older than the kernels.
        const bool areKnown = m_facts.kernels != nullptr
            && std::ranges::all_of(hits,
                                   [all = m_facts.kernels->activity().work().size()](
                                       const Selection& hit) { return hit.work < all; });
        const KernelView* kernels = areKnown ? m_facts.kernels.get() : nullptr;
        const auto [shortest, longest] = std::ranges::minmax_element(
            hits, {}, [](const Selection& hit) { return hit.window.duration(); });
        const HitGroups all = groupHits(
            hits, [](const Selection&) { return 0; }, [](int) { return tr("all"); });
        const HitGroups devices = groupHits(
            hits, [](const Selection& hit) { return hit.device.value; },
            [](int device) { return tr("device %1").arg(device); });
        std::set<int> seen;
        for (const Selection& hit : hits)
            seen.insert(hit.iteration);
        m_out.title = countOf(std::ssize(hits), "hit");
        setLength(all.front().second.total);
        m_out.left = tr("%1, %2").arg(countOf(std::ssize(seen), "iteration"),
                                      countOf(std::ssize(devices), "device"));
        m_out.right = tr("total duration");
        if (m_facts.hits->isCut())
            m_out.sentence = tr("There are more hits. These sums are of the first ones only.");
        HitGroups kinds = hitsByKind(hits, m_view, kernels);
        if (kinds.size() > 1)
            kinds.insert(kinds.begin(), all.front());
        addSection(hitsSection(tr("Durations by kind"), kinds, m_clock.scale));
        if (devices.size() > 1 && devices.size() <= kMostDevices)
            addSection(hitsSection(tr("Durations by device"), devices, m_clock.scale));
        DetailsSection& ends = open(tr("Shortest and longest"), m_clock.scale.unit());
        for (const Selection& hit : {*shortest, *longest})
            ends.links.push_back(linkTo(kernels, hit, m_clock.scale));
        return finished();
    }
    Details run()
    {
        const RunMetrics* metrics = m_view.metrics(m_selection.iteration);
        if (!metrics || metrics->devices.empty())
            return {};
        m_out.title = fromUtf8(m_info.label);
        const std::string why = whyIterationUnknown(m_run);
        if (why.empty())
            setValue(m_clock.scale, metrics->duration);
        else
            m_out.value = tr("unknown");
        m_out.file = m_facts.file;
        m_out.left = tr("not saved");
        m_out.right = shapeText(m_run);
        m_out.tag = modeText(m_info);
        m_out.note = why.empty() ? whichIteration() : fromUtf8(why);
        if (why.empty())
            addMeasured();
        QStringList sentences;
        for (const std::string& warning : profiler::importWarnings(m_run))
            sentences << fromUtf8(warning).toHtmlEscaped();
        m_out.sentence = sentences.join(QStringLiteral("<br>"));
        if (m_selection.kind == Selection::Kind::Category || whyUnknown(m_info).empty())
            addLongest(*metrics);
        addGpuMemory();
        addRunFacts(*metrics);
        return finished();
    }
    Details running()
    {
        m_out = runningDetails(m_run, *m_facts.progress);
        addComparison();
        addLiveMemory();
        return finished();
    }

private:
    DetailsSection& open(const QString& title = {}, const QString& note = {})
    {
        return m_out.sections.emplace_back(title, note);
    }
    void add(const QString& name, const QString& value, bool isStrong = false)
    {
        m_out.sections.back().add(name, value, isStrong);
    }
    void addSection(DetailsSection section) { m_out.add(std::move(section)); }
    Details finished()
    {
        std::erase_if(m_out.sections, [](const DetailsSection& one) { return one.isEmpty(); });
        return std::move(m_out);
    }
    // Shows the length in the head of the panel, in the clock's unit or, below 0.1 of that unit, in
    // a finer one.
    void setLength(std::int64_t ticks)
    {
        constexpr double kLeastShown = 0.1;
        const bool isTiny = static_cast<double>(ticks) < kLeastShown * m_clock.scale.perUnit();
        setValue(isTiny ? timeScale(m_info, ticks) : m_clock.scale, ticks);
    }
    void setValue(const Scale& scale, std::int64_t ticks)
    {
        m_out.value = scale.text(ticks);
        m_out.unit = scale.unit();
    }
    const std::vector<engine::Iteration>& iterations() const { return m_run.timeline.iterations; }

    DetailsLink linkTo(const CauseLink& cause, int iteration) const
    {
        const auto& op = m_view.op(cause.op);
        DetailsLink link;
        link.swatch = swatchOf(m_view, cause.op);
        link.time = rangeText(cause.window, m_clock.origin, m_clock.scale);
        link.target = selectOp(m_view, cause.op, iteration).value_or(Selection());
        const bool isTransfer = engine::isTransfer(op.kind);
        link.name = isTransfer ? tr("transfer") : opName(m_info, op);
        link.rest
            = isTransfer ? routeText(op, cause.device) : tr("on device %1").arg(cause.device.value);
        return link;
    }
    DetailsLink linkTo(const CauseLink& cause) const
    {
        return linkTo(cause, m_selection.iteration);
    }
    // A link to an op, a kernel or an idle stretch, with its duration; `kernels` may be nullptr.
    DetailsLink linkTo(const KernelView* kernels, const Selection& target, const Scale& time) const
    {
        DetailsLink link;
        link.target = target;
        link.time = time.text(target.window.duration());
        link.rest = tr("on device %1").arg(target.device.value);
        if (target.kind == Selection::Kind::Op) {
            link.swatch = swatchOf(m_view, target.op);
            link.name = opOf(m_view, target.op);
        } else if (target.kind == Selection::Kind::Kernel) {
            link.swatch
                = swatchOf(kernels ? kernels->kindOf(target.work) : profiler::KernelKind::Other);
            link.name = kernels ? kernels->label(target.work) : tr("kernel");
            link.isCut = true;
        } else {
            const auto* bubble = m_view.bubble(target);
            link.swatch.look = bubble ? Swatch::Look::Bubble : Swatch::Look::Exposed;
            link.name = tr("Device %1").arg(target.device.value);
            link.rest = bubble ? causeText(m_view, *bubble) : tr("exposed");
        }
        return link;
    }
    // A strip over time with the ops of the selection's micro-batch in all stages.
    void addStrip()
    {
        const auto flow = flowOf(m_view, m_selection);
        if (!flow || m_view.path(*flow).empty())
            return;
        const auto& path = m_view.path(*flow);
        StageStrip strip;
        strip.stages = m_run.schedule.shape.stages;
        strip.window = path.front().window;
        for (const auto& link : path) {
            strip.boxes.push_back(
                {swatchOf(m_view, link.op), m_view.op(link.op).stage.value, link.window,
                 m_selection.kind == Selection::Kind::Op && link.op == m_selection.op});
            strip.window.end = std::max(strip.window.end, link.window.end);
        }
        const auto* bubble
            = m_selection.kind == Selection::Kind::Bubble ? m_view.bubble(m_selection) : nullptr;
        if (bubble && bubble->next)
            strip.boxes.push_back({{Swatch::Look::Bubble},
                                   m_view.op(*bubble->next).stage.value,
                                   bubble->window,
                                   true});
        strip.from = m_clock.atWithUnit(strip.window.begin);
        strip.to = m_clock.atWithUnit(strip.window.end);
        open(tr("Micro-batch %1, stage over time").arg(flow->microBatch.value),
             directionText(m_view.op(path.front().op)))
            .strip
            = std::move(strip);
    }
    // GPU memory by owner at the end of the run, and the value that the driver reports, with a row
    // for each GPU if there are several.
    void addGpuMemory()
    {
        const auto& gpus = m_info.gpuMemory;
        if (gpus.empty())
            return;
        const engine::GpuMemory all = engine::sumOf(gpus);
        open(gpus.size() == 1 ? tr("Memory of the GPU") : tr("Memory of %1 GPUs").arg(gpus.size()));
        for (const profiler::Fact& fact :
             profiler::facts(profiler::gpuMemoryMeasures(), all, profiler::kColumn)) {
            const bool isDifference = fact.of.unit == profiler::Unit::Share;
            const bool isIfAny = (fact.of.shown & profiler::kIfAny) != 0;
            if (fact.of.key != "gpu" && (!isIfAny || fact.value.number() != 0))
                add(capitalized(fromUtf8(fact.of.title)), measureText(fact.value, fact.of),
                    fact.of.key == "used"
                        || (isDifference && all.differenceShare() > engine::kMemoryTolerance));
        }
        for (const engine::GpuMemory& gpu : gpus)
            if (gpus.size() > 1)
                add(tr("GPU %1: driver, difference").arg(gpu.gpu),
                    bytesText(gpu.used) + QStringLiteral(", ")
                        + percent(static_cast<double>(gpu.difference()) / inTicks(gpu.used)));
    }
    // Clocks, driver and other facts of the whole run.
    void addMachine()
    {
        const engine::GpuClocks& clocks = m_info.machine.clocks;
        if (clocks.samples > 0) {
            add(tr("SM clock"),
                tr("%1 – %2 MHz, median %3").arg(clocks.least).arg(clocks.most).arg(clocks.median));
            add(tr("Throttled by"), throttleText(clocks.throttle));
        } else if (!clocks.reason.empty()) {
            add(tr("Clocks"), fromUtf8(clocks.reason));
        }
        for (const auto& [name, value] : m_info.machine.settings)
            if (name == "nvidia_driver" || name == "tf32")
                add(name == "tf32" ? tr("tf32") : tr("NVIDIA driver"), fromUtf8(value));
    }

    // Adds the predicted duration and start of the op, unless the run is itself a prediction.
    void addPrediction()
    {
        const RunPointer& predicted = m_facts.prediction;
        if (predicted == nullptr || m_info.mode == engine::Mode::Simulate)
            return;
        const auto* track = predicted->timeline.track(m_selection.device, m_selection.lane);
        if (track == nullptr)
            return;
        const auto span = std::ranges::find(track->spans, m_selection.op, &Span::op);
        if (span == track->spans.end())
            return;
        const auto expected = static_cast<double>(span->window().duration());
        const double change
            = expected > 0 ? static_cast<double>(m_selection.window.duration()) / expected - 1 : 0;
        const QString length = m_clock.lengthWithUnit(span->window().duration());
        const bool isEqual = std::abs(change) < 0.0005;
        add(tr("Predicted"),
            isEqual ? tr("%1, as measured").arg(length)
                    : (change > 0 ? tr("%1, %2 over") : tr("%1, %2 under"))
                          .arg(length, percent(std::abs(change))));
        const std::int64_t begin = m_view.iteration(m_selection.iteration).window.begin;
        const std::int64_t late = m_selection.window.begin - begin - span->begin;
        const QString start = m_clock.scale.text(span->begin);
        add(tr("Predicted start"),
            late == 0 ? start
                      : (late > 0 ? tr("%1, %2 late") : tr("%1, %2 early"))
                            .arg(start, m_clock.lengthWithUnit(std::abs(late))));
    }
    // Adds how long the device waited before the op, divided into bubble and exposed communication.
    void addWait(std::int64_t waited)
    {
        add(tr("Wait before the start"), m_clock.lengthWithUnit(waited));
        const engine::Window gap{m_selection.window.begin - waited, m_selection.window.begin};
        std::int64_t transfers = 0;
        const auto exposed = m_view.exposed(m_selection.device);
        for (auto window = std::ranges::upper_bound(exposed, gap.begin, {}, &engine::Window::end);
             window != exposed.end() && window->begin < gap.end; ++window)
            transfers += std::min(window->end, gap.end) - std::max(window->begin, gap.begin);
        if (transfers > 0)
            add(tr("... bubble, transfer"),
                m_clock.length(waited - transfers) + QStringLiteral(" + ")
                    + m_clock.lengthWithUnit(transfers));
    }
    // The shortest and the longest duration of the op over the first 1000 measured iterations.
    void addSpread()
    {
        std::int64_t shortest = 0, longest = 0;
        int count = 0;
        for (const int k : measuredIterations(m_run)) {
            const auto span = m_view.spanOf(m_selection.op, k);
            if (!span || count >= 1000)
                continue;
            const std::int64_t time = span->end - span->begin;
            shortest = count == 0 ? time : std::min(shortest, time);
            longest = std::max(longest, time);
            ++count;
        }
        if (count > 1)
            add(tr("Min – max of %1 iterations").arg(count),
                m_clock.length(shortest) + QString::fromUtf8(" – ")
                    + m_clock.lengthWithUnit(longest));
    }
    void addLoss()
    {
        const auto& op = m_view.op(m_selection.op);
        const auto& losses = m_view.iteration(m_selection.iteration).microBatchLoss;
        const auto microBatch = static_cast<std::size_t>(op.microBatch.value);
        if (op.microBatch.isValid() && microBatch < losses.size()
            && op.stage.value + 1 == m_run.schedule.shape.stages)
            add(tr("Loss of the micro-batch"), number(losses[microBatch], 3));
    }
    // What the op waited for, as rich text.
    QString waitSentence(const profiler::OpExplanation& explanation) const
    {
        if (explanation.waited <= 0)
            return {};
        const QString waited = m_clock.lengthWithUnit(explanation.waited);
        if (explanation.needs.empty())
            return tr("Waited %1.").arg(waited);
        const auto& need = explanation.needs.front();
        const engine::Op& op = m_view.op(need.op);
        if (engine::isTransfer(op.kind))
            return tr("Waited %1 for transfer %2.").arg(waited, routeText(op, need.device));
        return tr("Waited %1 for <b>%2</b>.").arg(waited, opName(m_info, op));
    }
    void addLinks(const QString& title, std::vector<CauseLink> causes)
    {
        std::ranges::stable_sort(causes, {}, [](const CauseLink& one) { return one.window.begin; });
        DetailsSection& section = open(title, m_clock.scale.unit());
        for (const auto& cause : causes)
            section.links.push_back(linkTo(cause));
    }
    // The model FLOPs, the rate and the MFU of an op, if the model of the run is known.
    void addCompute()
    {
        const engine::Shape& shape = m_run.schedule.shape;
        const engine::Op& op = m_view.op(m_selection.op);
        const auto model = modelOf(m_info);
        const double flops = model ? modelFlopsOf(*model, shape, op) : 0;
        if (flops <= 0 || m_selection.window.duration() <= 0 || m_info.inUnits())
            return;
        DetailsSection& section = open(tr("Compute"));
        if (const auto layers = layersOf(*model, shape, op.stage))
            section.note = layers->first == layers->second
                ? tr("layer %1").arg(layers->first)
                : tr("layers %1\u2013%2").arg(layers->first).arg(layers->second);
        add(tr("Model FLOPs"), opFlopsText(flops));
        std::int64_t time = 0; // of the ops of one kind and stage on the device
        int count = 0;
        bool isJoint = false; // another op has exactly the window of the selected op
        for (const Span& span :
             m_view.spansAround(m_selection.device, engine::Track::Kind::Compute,
                                m_view.iteration(m_selection.iteration).window)) {
            if (static_cast<int>(span.iteration) != m_selection.iteration)
                continue;
            isJoint = isJoint || (span.op != m_selection.op && span.window() == m_selection.window);
            const engine::Op& other = m_view.op(span.op);
            if (other.kind == op.kind && other.stage == op.stage) {
                time += span.window().duration();
                ++count;
            }
        }
        if (isJoint)
            return add(tr("Rate"), tr("unknown: measured together with another op"));
        const double own = flops / (static_cast<double>(m_selection.window.duration()) * 1e-9),
                     all = flops * count / (static_cast<double>(time) * 1e-9),
                     peak = m_info.peakFlops;
        const QString name = tr("All %1 of stage %2")
                                 .arg(fromUtf8(engine::kindShortName(op.kind)))
                                 .arg(op.stage.value);
        const QString unknown = peak <= 0 ? tr("unknown: the peak of the device was not measured")
            : std::max(own, all) > peak
            ? tr("unknown: the peak of the device, %1, is lower").arg(opRateText(peak))
            : QString();
        const bool isKnown = unknown.isEmpty();
        add(tr("Rate"),
            isKnown ? tr("%1 of %2").arg(opRateText(own), opRateText(peak)) : opRateText(own));
        add(tr("MFU of the op"), isKnown ? percent(own / peak) : unknown, isKnown);
        add(name, isKnown ? percent(all / peak) : opRateText(all));
    }
    // The kernels of a selected op, its time by kind of kernel, and the gaps between kernels. Lists
    // the first kernels; the table lists all.
    void addKernels()
    {
        constexpr std::size_t kShown = 24;
        const GpuActivity& activity = m_facts.kernels->activity();
        const engine::OpOfIteration op{m_selection.op,
                                       static_cast<std::uint32_t>(m_selection.iteration)};
        const auto work = profiler::opWork(activity, op, m_selection.window);
        if (!work)
            return;
        DetailsSection& section
            = open(tr("Kernels"),
                   tr("%1, %2, share")
                       .arg(countOf(static_cast<std::int64_t>(work->works), "launch"),
                            scaleIn(Unit::Microsecond).unit()));
        DetailsBar bar;
        for (const profiler::KernelKind kind : work->byKind.enumerators())
            if (const std::int64_t sum = work->byKind[kind]; sum > 0)
                bar.parts.push_back(
                    {swatchOf(kind),
                     std::min(1.0, static_cast<double>(sum) / inTicks(work->time))});
        section.bars.push_back(std::move(bar));
        add(tr("Gaps between kernels"), percent(work->gapShare()), true);
        add(tr("Longest gap"), microseconds(work->longestGap));
        if (work->isLaunchBound())
            add(tr("Launch-bound"), tr("short kernels wait for their launches"));
        if (const auto source = activity.takenFrom(op); source != op.iteration)
            add(tr("Recorded in"), recordedInText(op, source));
        const auto all = activity.of(op);
        const Scale scale = timeScale(m_info, 1);
        for (const std::uint32_t at : all.first(std::min(all.size(), kShown))) {
            DetailsLink link = linkTo(m_facts.kernels.get(), m_facts.kernels->select(at), scale);
            link.rest.clear();
            link.time += QStringLiteral("   ")
                + percent(shareOfOp(activity.work()[at], m_selection.window));
            section.links.push_back(std::move(link));
        }
        if (all.size() > kShown)
            add(tr("More kernels"), tr("%1, in the Kernels table").arg(all.size() - kShown));
    }
    // How long the stash of an op is kept, the memory of its device, its NVTX range, kernels and
    // timing method.
    void addMemoryAndTrace()
    {
        const engine::Op& op = m_view.op(m_selection.op);
        const KernelViewPointer& kernels = m_facts.kernels;
        open(tr("Memory and trace"));
        if (const auto freed
            = op.kind == OpKind::Forward ? freeing(m_view, m_selection) : std::optional<Span>()) {
            const std::int64_t bytes = stashBytes(m_view, m_selection);
            const QString kept = m_clock.lengthWithUnit(freed->end - m_selection.window.begin);
            add(tr("Stash kept for %1").arg(opOf(m_view, freed->op)),
                bytes > 0 ? tr("%1, %2").arg(bytesText(bytes), kept) : kept);
            add(tr("Stash kept until"), m_clock.atWithUnit(freed->end));
        }
        if (m_view.hasMemory())
            add(tr("Device memory at the end"),
                bytesText(m_view.memory(m_selection.device)
                              .at(static_cast<double>(m_selection.window.end))
                              .total));
        if (kernels != nullptr && !kernels->isEmpty()) {
            add(tr("NVTX range"),
                fromUtf8(engine::rangeText(op, m_run.schedule.shape,
                                           engine::nvtxGrammarNamed(m_info.nvtxGrammar))));
            const engine::OpOfIteration of{m_selection.op,
                                           static_cast<std::uint32_t>(m_selection.iteration)};
            add(tr("Kernels, dropped"),
                tr("%1, %2")
                    .arg(kernels->activity().of(of).size())
                    .arg(kernels->activity().trace().health.dropped));
        }
        if (!m_info.timing.empty())
            add(tr("Timed by"), fromUtf8(m_info.timing));
    }

    QString bubbleSentence(const profiler::Bubble& bubble) const
    {
        if (bubble.untilNextWindow)
            return tr("The device is idle until the next window.");
        if (bubble.chain.empty())
            return tr("Nothing was ready to compute.");
        const auto& producer = bubble.chain.front();
        const QString text = bubble.kind == BubbleKind::Drain
            ? tr("The device has finished. The iteration ends with <b>%1</b> on device %2, at %3.")
            : tr("Waits for <b>%1</b> (device %2), which ends at %3.");
        const QString cause = text.arg(describeOp(m_info, m_view.op(producer.op)))
                                  .arg(producer.device.value)
                                  .arg(m_clock.atWithUnit(producer.window.end));
        return bubble.kind == BubbleKind::Fill ? tr("The pipeline fills. ") + cause : cause;
    }
    // The chain of causes of a bubble, beginning with the first cause. Omits the middle of a long
    // chain.
    void addChain(const profiler::Bubble& bubble)
    {
        constexpr std::size_t kMost = 16;
        const DetailsClock& clock = m_clock;
        auto steps = m_view.causes(m_selection.iteration, bubble);
        std::int64_t busy = 0;
        for (const auto& step : steps)
            busy += step.busy;
        const QString nothing = clock.length(0); // transfers with this text are omitted
        const std::size_t omitted = std::erase_if(steps, [&](const profiler::CauseStep& step) {
            return !engine::isCompute(m_view.op(step.first.op).kind)
                && clock.length(step.busy + step.idle) == nothing;
        });
        const std::size_t left = steps.size() > kMost ? steps.size() - kMost : 0;
        std::int64_t leftTime = 0;
        for (std::size_t k = 1; k <= left; ++k)
            leftTime += steps[k].idle + steps[k].busy;
        DetailsSection& section = open(bubble.kind == BubbleKind::Drain ? tr("Work until the end")
                                                                        : tr("Chain of causes"),
                                       tr("%1 each").arg(clock.scale.unit()));
        section.isChain = true;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (k > 0 && k <= left)
                continue;
            const profiler::CauseStep& step = steps[k];
            DetailsLink link = linkTo(step.first);
            if (step.ops > 1)
                link.rest = tr("to %1 %2, %3 ops")
                                .arg(opOf(m_view, step.last.op), link.rest)
                                .arg(step.ops);
            link.time = step.idle > 0
                ? tr("%1 after %2").arg(clock.length(step.busy), clock.length(step.idle))
                : clock.length(step.busy);
            if (k == 0 && left > 0)
                link.rest += tr(", then %1 steps in %2").arg(left).arg(clock.length(leftTime));
            section.links.push_back(std::move(link));
        }
        if (steps.empty())
            return;
        const std::int64_t whole = steps.back().last.window.end - steps.front().first.window.begin;
        add(tr("Compute and transfers of the chain"), clock.length(busy));
        add(tr("Start to end of the chain"), clock.length(whole));
        const Scale& scale = clock.scale;
        if (omitted > 0)
            add(tr("Transfers under %1, not listed")
                    .arg(scale.withUnit(scale.perUnit() * std::pow(10.0, -scale.decimals()))),
                QString::number(omitted));
    }
    void addBubbleFacts(const profiler::Bubble& bubble)
    {
        open();
        add(tr("Kind"), fromUtf8(profiler::bubbleKindName(bubble.kind)));
        add(tr("Start, end"), m_clock.range(bubble.window));
        for (const engine::Window window : m_view.exposed(bubble.device))
            if (window.begin == bubble.window.end)
                add(tr("Following transfer"),
                    tr("%1 exposed").arg(m_clock.lengthWithUnit(window.duration())));
        if (const auto* metrics = m_view.metrics(m_selection.iteration))
            add(tr("Share of the device's bubble"),
                percent(static_cast<double>(bubble.window.duration())
                        / inTicks(metrics->devices[bubble.device].bubble)));
    }

    std::vector<DeviceId> tracedDevices() const
    {
        std::vector<DeviceId> traced;
        for (const DeviceId device : engine::Ids<DeviceId>(m_view.devices()))
            if (hasTrace(m_run, device))
                traced.push_back(device);
        return traced;
    }
    double meanBubble(engine::Window window) const
    {
        const std::vector<DeviceId> devices = tracedDevices();
        double sum = 0;
        for (const DeviceId device : devices)
            sum += shareParts(m_view, device, window).back().share;
        return sum / static_cast<double>(std::max<std::size_t>(1, devices.size()));
    }
    // "The transition from iteration 1 to 2: 50.5 % bubble, compared with 28.6 % of a whole
    // iteration."
    QString rangeSentence() const
    {
        const engine::Window window = m_selection.window;
        const int first = m_view.iterationAt(window.begin),
                  last = m_view.iterationAt(window.end - 1);
        const auto of = [this](int k) -> const engine::Iteration& {
            return iterations()[static_cast<std::size_t>(k)];
        };
        const std::string why = whyUnknown(m_info);
        if (!profiler::knowsTimes(m_run))
            return tr("The shares are unknown: %1.").arg(fromUtf8(why));
        const QString bubble = (why.empty() ? tr("<b>%1 bubble</b>") : tr("<b>%1 idle</b>"))
                                   .arg(percent(meanBubble(window)));
        const QString whole = percent(meanBubble(of(std::clamp(first, 0, last)).window));
        if (first == last)
            return tr("%1, compared with %2 in the whole iteration.").arg(bubble, whole);
        const QString from = iterationTitle(m_run.timeline, first);
        const QString until = of(first).kind == of(last).kind
            ? iterationName(m_run.timeline, last)
            : iterationTitle(m_run.timeline, last);
        return (last == first + 1
                    ? tr("The transition from %1 to %2: %3, compared with %4 of a whole iteration.")
                    : tr("From %1 to %2: %3, compared with %4 of the first one."))
            .arg(from, until, bubble, whole);
    }
    void addShares()
    {
        if (!profiler::knowsTimes(m_run))
            return;
        constexpr int kShown = 16; // more would move the counts out of view
        DetailsSection& section
            = open(tr("Shares"), whyUnknown(m_info).empty() ? tr("bubble") : tr("idle"));
        const std::vector<DeviceId> devices = tracedDevices();
        for (const DeviceId device : devices | std::views::take(kShown)) {
            const auto parts = shareParts(m_view, device, m_selection.window);
            section.bars.push_back(
                {tr("Device %1").arg(device.value), percent(parts.back().share), parts});
        }
        if (std::ssize(devices) > kShown)
            add(tr("Further devices"), QString::number(std::ssize(devices) - kShown));
    }
    void addCauses(const profiler::RangeMetrics& range)
    {
        DetailsSection& section
            = open(tr("Bubble by cause"), tr("mean, %1").arg(m_clock.scale.unit()));
        using Device = profiler::RangeDevice;
        const auto addCause = [&](const QString& name, auto ticks) {
            double sum = 0;
            for (const Device& device : range.devices)
                sum += static_cast<double>(ticks(device));
            if (sum > 0)
                add(name, m_clock.scale.text(sum / std::max(1, range.recorded)));
        };
        addCause(tr("fill: no input yet"), [](const Device& one) { return one.times.fill; });
        addCause(tr("wait for another device"), [](const Device& one) { return one.times.wait; });
        addCause(tr("drain: no work left"), [](const Device& one) { return one.times.drain; });
        addCause(tr("between iterations"), [](const Device& one) { return one.between; });
        if (section.rows.empty())
            add(tr("No bubble"), {});
    }
    void addCounts(const profiler::RangeMetrics& range)
    {
        std::int64_t whole = 0, cut = 0, messages = 0;
        const profiler::RangeDevice* largest = nullptr;
        for (const profiler::RangeDevice& device : range.devices) {
            whole += device.opsWhole;
            cut += device.opsCut;
            messages += device.times.messagesSent;
            if (device.times.peakBytes
                && (largest == nullptr || device.times.peakBytes > largest->times.peakBytes))
                largest = &device;
        }
        open(tr("Counts"));
        add(tr("Ops: whole, cut off"), number(whole) + QStringLiteral(", ") + number(cut));
        add(tr("Messages"), number(messages));
        if (largest != nullptr)
            add(tr("Largest memory"),
                tr("%1, device %2")
                    .arg(bytesText(*largest->times.peakBytes))
                    .arg(largest->times.device.value));
        if (!m_view.knowsMemory())
            add(tr("Memory"), tr("not recorded"));
    }
    // Links to the notes in the range, numbered as in the strip of notes.
    void addNotes()
    {
        DetailsSection& section = open(tr("Notes"));
        for (std::size_t k = 0; k < m_facts.notes.size(); ++k) {
            const engine::Note& note = m_facts.notes[k];
            if (!note.window.intersects(m_selection.window)
                && !m_selection.window.contains(note.window.begin))
                continue;
            DetailsLink& link = section.links.emplace_back();
            link.name = note.text.empty() ? tr("bookmark") : fromUtf8(note.text);
            link.isCut = true;
            link.prefix = QString::number(k + 1);
            link.time = m_clock.at(note.window.begin);
            link.target = selectionOf(m_view, note);
        }
        section.note = number(section.links.size());
    }

    // The GPU or partition of a device: name, multiprocessors, clocks, throttling, memory reported
    // by the driver.
    void addGpu()
    {
        const auto& gpus = m_info.machine.gpus;
        const GpuActivity* activity = m_facts.kernels ? &m_facts.kernels->activity() : nullptr;
        const engine::GpuPlace* place = nullptr; // the context of the device's work
        if (activity != nullptr)
            if (const auto streams = activity->streams(m_selection.device); !streams.empty())
                place = &activity->placeOf(activity->on(streams.front()).front());
        // The GPU that ran the kernels or, if the kernels are unknown, the GPU with the number of
        // the device. Falls back to the first GPU if the file does not list that GPU.
        const int ordinal
            = place != nullptr ? static_cast<int>(place->device) : m_selection.device.value;
        const auto own = std::ranges::find(gpus, ordinal, &GpuFacts::device);
        const GpuFacts* gpu = own != gpus.end() ? &*own : gpus.empty() ? nullptr : &gpus.front();
        open(tr("GPU"));
        if (gpu != nullptr && !gpu->name.empty())
            add(tr("Name"), fromUtf8(gpu->name));
        if (place == nullptr)
            return;
        const engine::GpuTrace& trace = activity->trace();
        const auto context
            = std::ranges::find(trace.contexts, place->context, &engine::GpuContext::context);
        if (context != trace.contexts.end() && context->multiprocessors > 0) {
            std::int64_t all = 0;
            for (const auto& [name, value] :
                 gpu != nullptr ? gpu->numbers : decltype(gpu->numbers)())
                all = name == "smCount" ? value : all;
            add(context->isPartition ? tr("SM partition") : tr("Multiprocessors"),
                all > 0 ? tr("%1 of %2").arg(context->multiprocessors).arg(all)
                        : QString::number(context->multiprocessors),
                context->isPartition);
        }
        std::vector<std::uint32_t> clocks;
        std::uint64_t throttle = 0;
        for (const engine::GpuSample& sample : trace.samples) {
            const bool isIdle
                = (sample.throttle & static_cast<std::uint64_t>(engine::Throttle::Idle)) != 0;
            if (sample.device != place->device || isIdle || sample.smClock == 0)
                continue;
            clocks.push_back(sample.smClock);
            throttle |= sample.throttle;
        }
        if (!clocks.empty()) {
            const auto [least, most] = std::ranges::minmax(clocks);
            add(tr("SM clock"), tr("%1 – %2 MHz").arg(least).arg(most));
            add(tr("Throttled by"), throttleText(throttle));
        }
        if (const double given = mostGiven(trace, *place); given > 0)
            add(tr("Memory reported by the driver, peak"),
                byteScale(static_cast<std::int64_t>(std::min(given, 1e18))).withUnit(given));
    }
    void addLaunch(const engine::GpuKernel& kernel)
    {
        const auto& block = kernel.block;
        // A double, because the numbers of a damaged file may overflow integers.
        const double threads = 1.0 * block[0] * block[1] * block[2];
        open(tr("Launch"));
        add(tr("Grid, blocks"), extent(kernel.grid));
        add(tr("Block, threads"),
            threads == block[0]
                ? extent(block)
                : tr("%1 = %2").arg(extent(block), QString::number(threads, 'f', 0)));
        add(tr("Registers per thread"), QString::number(kernel.registers));
        add(tr("Shared memory per block"),
            sharedText(std::int64_t{kernel.staticShared} + kernel.dynamicShared));
        if (kernel.staticShared > 0 && kernel.dynamicShared > 0)
            add(tr("... static, dynamic"),
                tr("%1, %2").arg(sharedText(kernel.staticShared),
                                 sharedText(kernel.dynamicShared)));
        if (kernel.localPerThread > 0)
            add(tr("Local memory per thread"), bytesOf(kernel.localPerThread));
        if (kernel.graphNode != 0)
            add(tr("Launched by"), tr("a CUDA graph"));
    }
    void addPlace(const KernelView& kernels, const GpuWork& work)
    {
        const GpuActivity& activity = kernels.activity();
        const auto& place = activity.placeOf(work);
        open(tr("Time and place"));
        add(tr("Start, end"), m_clock.range(work.window));
        // The time from the API call to the start of the kernel. The timeline of an emulated run
        // moves calls and kernels separately, so their distance has no meaning.
        if (const engine::GpuCall* call = activity.callOf(work))
            add(tr("Launch latency"),
                m_info.mode == engine::Mode::Live
                    ? microseconds(work.window.begin - call->window.begin)
                    : tr("not available in emulation"));
        if (const auto wait = kernels.waitOf(workAt(activity, work))) {
            add(tr("Wait for other ranks"), microseconds(wait->duration()));
            add(tr("Transfers"), microseconds(work.window.end - wait->end), true);
        }
        add(tr("Stream, context"), tr("%1, %2").arg(place.stream).arg(place.context));
        if (place.correlation != 0)
            add(tr("Correlation"), QString::number(place.correlation));
    }
    void addOpOf(const KernelView& kernels, const GpuWork& work)
    {
        const auto iteration = static_cast<int>(work.of.iteration);
        const auto span = work.of.isKnown() ? m_view.spanOf(work.of.op, iteration) : std::nullopt;
        if (!span)
            return;
        const GpuActivity& activity = kernels.activity();
        open(tr("Op"), m_clock.scale.unit())
            .links.push_back(
                linkTo({work.of.op, m_view.deviceOf(work.of.op), span->window()}, iteration));
        add(tr("Share of the op"), percent(shareOfOp(work, span->window())), true);
        const auto all = activity.of(work.of);
        const auto own = std::ranges::find(all, workAt(activity, work));
        add(tr("Position in the op"), tr("%1 of %2").arg(own - all.begin() + 1).arg(all.size()));
        if (const auto source = activity.takenFrom(work.of); source != work.of.iteration)
            add(tr("Recorded in"), recordedInText(work.of, source));
    }
    // Names the iteration `source`, in which the kernels of an op were recorded: "iteration 2". If
    // the Replay is shown, adds the factor by which the kernels are scaled: "iteration 2, scaled by
    // 0.98".
    QString recordedInText(engine::OpOfIteration op, std::uint32_t source) const
    {
        const QString name = iterationTitle(m_run.timeline, static_cast<int>(source));
        const auto here = m_view.spanOf(op.op, static_cast<int>(op.iteration));
        const auto there = m_view.spanOf(op.op, static_cast<int>(source));
        if (!here || !there || there->end == there->begin)
            return name;
        return name
            + tr(", scaled by %1")
                  .arg(number(static_cast<double>(here->end - here->begin)
                                  / static_cast<double>(there->end - there->begin),
                              2));
    }

    // The longest boxes of the selected category; of all bubbles if nothing is selected.
    void addLongest(const RunMetrics& metrics)
    {
        constexpr std::size_t kMost = 6;
        const bool isSelected = m_selection.kind == Selection::Kind::Category;
        const auto category = isSelected ? m_selection.category : profiler::TimeCategory::Bubble;
        const CategoryBoxes boxes(m_view, m_selection.iteration, category);
        if (boxes.all().empty())
            return;
        DetailsSection& section = open(tr("Longest bubbles"), m_clock.scale.unit());
        if (isSelected) {
            const double mean = profiler::timeByCategory(metrics)[category];
            section.title = tr("%1, selected")
                                .arg(capitalized(fromUtf8(profiler::timeCategoryName(category))));
            section.note = tr("%1 per device, %2")
                               .arg(m_clock.scale.withUnit(mean),
                                    percent(mean / static_cast<double>(metrics.duration)));
        }
        for (const Selection& box : boxes.longest(kMost))
            section.links.push_back(linkTo(nullptr, box, m_clock.scale));
        if (const auto more = std::ssize(boxes.all()) - std::ssize(section.links); more > 0)
            add(tr("%1 more, shorter").arg(number(more)), {});
    }
    // Adds the range of the measured iterations to the head. A simulated run repeats itself, so it
    // has none.
    void addMeasured()
    {
        const std::vector<int> measured = measuredIterations(m_run);
        if (m_info.mode == engine::Mode::Simulate || measured.empty())
            return;
        if (measured.size() == 1) {
            m_out.right = tr("only one iteration, no range");
            return;
        }
        const Scale& scale = m_clock.scale;
        const auto duration
            = [this](int k) { return static_cast<double>(m_view.iteration(k).window.duration()); };
        const auto [least, most] = std::ranges::minmax(measured, {}, duration);
        m_out.right
            = tr("measured %1 to %2").arg(scale.text(duration(least)), scale.text(duration(most)));
        const double from = duration(least) / scale.perUnit(),
                     to = duration(most) / scale.perUnit();
        const auto place
            = [&](double value) { return to > from ? (value - from) / (to - from) : 0.5; };
        const profiler::Ticks ticks = profiler::ticks(from, to, (to - from) / 4);
        for (const double tick : ticks.major)
            m_out.dots.ticks.emplace_back(place(tick), number(tick, ticks.decimals));
        m_out.dots.unit = scale.unit();
        for (const int k : measured)
            m_out.dots.dots.push_back(
                {place(duration(k) / scale.perUnit()),
                 tr("iteration %1, %2")
                     .arg(QString::number(m_view.iteration(k).number), scale.withUnit(duration(k))),
                 {.iteration = k},
                 k == m_selection.iteration});
    }
    // The measures of the summary, then what is known of the set-up. If the reported iteration is
    // shown, also its 95 % interval and how much shorter the iteration of typical ops is.
    void addRunFacts(const RunMetrics& metrics)
    {
        open(tr("Run"));
        const Scale& scale = m_clock.scale;
        const bool isReported = metrics.iteration == engine::reportedIteration(m_run.timeline)
            && whyIterationUnknown(m_run).empty();
        if (const auto interval
            = isReported ? profiler::iterationInterval(m_run, metrics.iteration) : std::nullopt)
            add(tr("95 % interval"),
                tr("%1 to %2").arg(scale.text(interval->least), scale.withUnit(interval->most)));
        const auto& last = iterations().back();
        if (isReported && last.kind == engine::Iteration::Kind::Replay
            && measuredIterations(m_run).size() > 1) {
            const auto typical = static_cast<double>(last.window.duration());
            const double change = typical / static_cast<double>(metrics.duration) - 1;
            add(tr("Typical ops"),
                (change > 0 ? tr("%1, %2 longer") : tr("%1, %2 shorter"))
                    .arg(scale.withUnit(typical), percent(std::fabs(change))));
        }
        for (const profiler::Fact& fact :
             profiler::facts(profiler::runMeasures(), {m_run, metrics},
                             profiler::kSummary | profiler::kSimulated)) {
            if (fact.of.key == "iteration") // in the head
                continue;
            const QString note = fromUtf8(fact.value.note),
                          value = measureText(fact.value, fact.of);
            add(fromUtf8(fact.of.title),
                note.isEmpty() || !fact.value.isKnown() ? value
                                                        : value + QStringLiteral(", ") + note);
        }
        if (const int copies = m_run.schedule.shape.dataParallel; copies > 1)
            add(tr("Copies W"), tr("%1, the first is shown").arg(copies));
        // The command has the options with which a prediction was edited.
        const bool isSimulated = m_info.mode == engine::Mode::Simulate;
        for (const auto& [name, value] :
             {std::pair(tr("Model"), m_info.model), std::pair(tr("Precision"), m_info.precision),
              std::pair(tr("Link"), m_info.link), std::pair(tr("Timed by"), m_info.timing),
              std::pair(tr("Command"), isSimulated ? m_info.command : std::string()),
              std::pair(tr("Hardware"), m_info.deviceName)})
            if (!value.empty())
                add(name, fromUtf8(value));
        addMachine();
    }
    // Which iteration of how many the details describe.
    QString whichIteration() const
    {
        using enum engine::Iteration::Kind;
        const engine::Iteration& one = m_view.iteration(m_selection.iteration);
        const auto measured = std::ssize(measuredIterations(m_run));
        if (one.kind == Replay)
            return tr("Typical ops: every op takes its median time");
        if (one.kind == Warmup)
            return tr("Warm-up iteration %1").arg(one.number);
        const QString all = countOf(measured, "iteration");
        if (measured == 1)
            return all;
        if (m_selection.iteration != engine::reportedIteration(m_run.timeline))
            return tr("%1, number %2 is shown").arg(all).arg(one.number);
        return (m_info.outcome == engine::Outcome::Running ? tr("%1, the median so far")
                    : measured == 2                        ? tr("%1, the shorter is shown")
                                                           : tr("%1, the median is shown"))
            .arg(all);
    }
    // Compares the measured iterations with the prediction.
    void addComparison()
    {
        if (m_facts.prediction == nullptr || iterations().empty())
            return;
        const std::int64_t expected
            = m_facts.prediction->timeline.iterations.front().window.duration();
        const Scale scale = timeScale(m_info, expected);
        open(tr("Compared with the prediction"), tr("predicted from measured ops"));
        if (const std::vector<int> measured = measuredIterations(m_run); !measured.empty()) {
            double sum = 0;
            for (const int k : measured)
                sum += static_cast<double>(m_view.iteration(k).window.duration());
            const int first = m_view.iteration(measured.front()).number,
                      last = m_view.iteration(measured.back()).number;
            add(first == last ? tr("Iteration %1").arg(first)
                              : tr("Iteration, mean of %1\u2013%2").arg(first).arg(last),
                scale.withUnit(sum / static_cast<double>(measured.size())));
        }
        add(tr("Predicted"), scale.withUnit(expected));
        const std::int64_t newest = iterations().back().window.duration();
        const auto late = static_cast<double>(newest - expected);
        const QString change = std::abs(late) < 0.05 * scale.perUnit()
            ? tr("on time")
            : (late > 0 ? tr("%1 behind") : tr("%1 ahead")).arg(scale.withUnit(std::abs(late)));
        add(tr("Newest iteration, %1").arg(change), scale.withUnit(newest));
        add({},
            tr("Outlined ops are planned; ops that have run are pale. Measured times "
               "appear when the iteration is complete."));
    }
    // A table with the live, touched, arena and planned bytes of the first 16 devices; see
    // RunningMemory.
    void addLiveMemory()
    {
        constexpr int kShown = 16;
        const Scale bytes = byteScale(static_cast<std::int64_t>(m_view.runningMemoryScale()));
        const auto text = [&bytes](auto amount) { return bytes.text(amount); };
        DetailsSection& section = open(tr("Memory, %1").arg(bytes.unit()));
        section.table.columns = {tr("live"), tr("touched"), tr("arena"), tr("plan")};
        for (int d = 0; d < std::min(m_view.devices(), kShown); ++d)
            if (const auto memory = m_view.runningMemory(DeviceId{d}))
                section.table.rows.push_back(
                    {tr("device %1").arg(d),
                     {{text(memory->live.total), true},
                      {memory->touched ? text(*memory->touched) : QStringLiteral("–"), false,
                       memory->isOverArena()},
                      {text(memory->arena)},
                      {text(memory->plan), false, memory->isOverPlan}}});
    }

    const RunView& m_view;
    const engine::Run& m_run;
    const engine::RunInfo& m_info;
    const Selection m_selection;
    const DetailsFacts& m_facts;
    const DetailsClock m_clock;
    Details m_out;
};

bool isKnown(const RunView& view, const Selection& selection)
{
    const auto iterations = static_cast<int>(view.timeline().iterations.size());
    if (selection.iteration < 0 || selection.iteration >= iterations)
        return false;
    const bool isOp = selection.kind == Selection::Kind::Op;
    return !isOp || view.spanOf(selection.op, selection.iteration).has_value();
}

} // namespace

std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info)
{
    if (info.experiment.empty() || info.flopsPerIteration <= 0)
        return std::nullopt;
    const auto experiment = engine::experimentFromToml(info.experiment);
    return experiment ? std::optional(experiment->model) : std::nullopt;
}

std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage)
{
    const int first = engine::firstLayer(model, shape.stages, stage.value);
    const int next = engine::firstLayer(model, shape.stages, stage.value + 1);
    return first < next ? std::optional(std::pair(first, next - 1)) : std::nullopt;
}

double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op)
{
    using enum engine::OpKind;
    const engine::TransformerSpec sizes = transformerSpec(model);
    const auto layers = layersOf(model, shape, op.stage);
    const double blocks = layers ? layers->second - layers->first + 1 : 0;
    const double sequences = static_cast<double>(model.microBatchSize) / std::max(1, shape.slices);
    const bool isLast = op.stage.value + 1 == shape.stages;
    const double matrices
        = blocks * layerFlops(sizes, sequences) + (isLast ? headFlops(sizes, sequences) : 0);
    const double attention = blocks * attentionFlops(sizes, sequences);
    const double embedding = op.stage.value == 0 ? embeddingFlops(sizes, sequences) : 0;
    switch (op.kind) {
    case Forward:
        return matrices + attention + embedding;
    case Backward:
        return 2 * (matrices + attention) + embedding;
    case BackwardInput: // includes the gradients of the attention scores
        return matrices + 2 * attention + embedding;
    case BackwardWeight:
        return matrices;
    default:
        return 0;
    }
}

Details detailsOf(const RunView& view, const Selection& selection, const DetailsFacts& facts)
{
    using enum Selection::Kind;
    const auto describer = [&](const Selection& what, std::int64_t length) {
        return Describer(view, what, facts, {view, what.iteration, length});
    };
    const Selection reported{.iteration = engine::reportedIteration(view.timeline())};
    if (selection.kind == None && facts.hits != nullptr) {
        const auto& hits = facts.hits->hits();
        if (hits.empty() || view.isEmpty())
            return {};
        const auto length = [](const Selection& hit) { return hit.window.duration(); };
        return describer(reported, length(std::ranges::min(hits, {}, length))).hits();
    }
    if (selection.kind == None && facts.progress && !view.isEmpty())
        return describer(reported, 0).running();
    if (selection.kind == None || selection.kind == Category) {
        const Selection& of
            = selection.kind == None && selection.iteration < 0 ? reported : selection;
        return isKnown(view, of) ? describer(of, 0).run() : Details();
    }
    if (selection.kind == Kernel) {
        if (facts.kernels == nullptr || view.isEmpty()
            || selection.work >= facts.kernels->activity().work().size())
            return {};
        const engine::Window window = facts.kernels->activity().work()[selection.work].window;
        Selection of = selection;
        of.iteration = view.iterationAt(window.begin);
        return describer(of, window.duration()).kernel();
    }
    if (!isKnown(view, selection))
        return {};
    if (selection.kind == Device)
        return describer(selection, 0).device();
    Describer of = describer(selection, selection.window.duration());
    return selection.kind == Op ? of.op() : selection.kind == Bubble ? of.bubble() : of.range();
}

Details runningDetails(const engine::Run& run, const RunProgress& progress)
{
    Details details;
    details.title = tr("Running");
    if (progress.secondsLeft >= 0) {
        details.value = number(progress.secondsLeft, progress.secondsLeft < 10 ? 1 : 0);
        details.unit = tr("s left");
    }
    details.left = fromUtf8(run.info.label) + QStringLiteral(", ") + modeText(run.info);
    details.right = tr("%1 s so far").arg(number(progress.secondsSoFar, 1));
    DetailsSection section;
    section.add(tr("Complete iterations"), tr("%1 of %2").arg(progress.done).arg(progress.planned),
                true);
    if (progress.warmup > 0)
        section.add(tr("of which warm-up"),
                    QString::number(std::min(progress.done, progress.warmup)));
    const QString next = progress.done < progress.warmup
        ? tr("warm-up %1").arg(progress.done)
        : tr("iteration %1").arg(progress.done - progress.warmup);
    if (progress.ops > 0)
        section.add(tr("Ops of %1").arg(next),
                    tr("%1 of %2").arg(number(progress.opsDone), number(progress.ops)));
    else
        section.add(tr("Ops of an iteration"), number(engine::opCount(run.schedule)));
    if (progress.rows > 0)
        section.add(tr("Rows written"), number(progress.rows));
    details.add(std::move(section));
    return details;
}

QString plainText(const Details& details)
{
    QStringList lines{details.title + QLatin1Char('\t') + details.value + QLatin1Char(' ')
                      + details.unit};
    const auto add = [&lines](const QStringList& cells) {
        const QString line = cells.join(QLatin1Char('\t')).trimmed();
        if (!line.isEmpty())
            lines << line;
    };
    add({details.file.isEmpty() ? details.left : details.file, details.right});
    add({details.tag, details.note});
    add({QTextDocumentFragment::fromHtml(details.sentence).toPlainText()});
    for (const DetailsSection& section : details.sections) {
        add({section.title, section.note});
        for (const DetailsBar& bar : section.bars)
            add({bar.name, bar.value});
        for (const DetailsLink& link : section.links)
            add({QStringList{link.prefix, link.name, link.rest}.join(QLatin1Char(' ')).trimmed(),
                 link.time});
        if (!section.table.rows.empty())
            lines << QLatin1Char('\t') + section.table.columns.join(QLatin1Char('\t'));
        for (const DetailsTable::Row& row : section.table.rows) {
            QStringList cells{row.name};
            for (const DetailsTable::Cell& cell : row.cells)
                cells << cell.text;
            add(cells);
        }
        for (const DetailsRow& row : section.rows)
            add({row.name, row.value});
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString toolTipPage(const QString& title, const QString& length, const QStringList& lines)
{
    return QStringLiteral("<table width='240'><tr><td><code>%1</code></td><td align='right'>%2</td>"
                          "</tr></table><div>%3</div>")
        .arg(title, length, lines.join(QStringLiteral("<br>")));
}

QString toolTipText(const RunView& view, const Selection& selection)
{
    using enum Selection::Kind;
    if (selection.kind != Op && selection.kind != Bubble && selection.kind != Device)
        return {};
    const Details details = detailsOf(view, selection);
    QStringList lines{details.left};
    if (selection.window.duration() > 0)
        lines << details.right + QStringLiteral(", ")
                + DetailsClock(view, selection.iteration, selection.window.duration())
                      .range(selection.window);
    if (!details.sentence.isEmpty())
        lines << details.sentence;
    return details.isEmpty()
        ? QString()
        : toolTipPage(details.title, details.value + QLatin1Char(' ') + details.unit, lines);
}

QString rangeToolTip(const RunView& view, const HostRange& range)
{
    const QStringList lines{range.domain.empty() ? tr("NVTX, on the host")
                                                 : tr("NVTX range of domain %1, on the host")
                                                       .arg(fromUtf8(range.domain).toHtmlEscaped()),
                            tr("while <code>%1</code> was launched").arg(opOf(view, range.of.op))};
    return toolTipPage(fromUtf8(range.text).toHtmlEscaped(),
                       durationText(view.run().info, range.window.duration()), lines);
}

QString kernelToolTip(const RunView& view, const KernelView& kernels, const Selection& selection)
{
    const GpuActivity& activity = kernels.activity();
    const GpuWork& work = activity.work()[selection.work];
    const profiler::KernelName& name = activity.nameOf(work);
    QStringList lines{fromUtf8(profiler::kernelKindName(name.kind))};
    if (work.source == GpuWork::Source::Kernel) {
        const auto& kernel = activity.trace().kernels[work.row];
        lines[0] += tr(", grid %1, block %2").arg(extent(kernel.grid), extent(kernel.block));
    } else {
        const auto bytes = activity.bytesOf(work);
        lines[0] += tr(", %1, %2")
                        .arg(bytesOf(static_cast<std::int64_t>(bytes)),
                             bandwidth(bytes, work.window.duration()));
    }
    if (const auto wait = kernels.waitOf(selection.work))
        lines << tr("waits %1 for other ranks, transfers %2")
                     .arg(microseconds(wait->duration()),
                          microseconds(work.window.end - wait->end));
    if (work.of.isKnown())
        lines << tr("of <code>%1</code>").arg(opOf(view, work.of.op));
    if (name.full != name.label)
        lines << fromUtf8(name.full).toHtmlEscaped();
    const Scale scale = timeScale(view.run().info, work.window.duration());
    return toolTipPage(fromUtf8(name.label).toHtmlEscaped(), scale.withUnit(work.window.duration()),
                       lines);
}

QStringList runStatus(const RunDocument& document, const profiler::RunMetrics& metrics,
                      const Selection& selection, const KernelView* kernels)
{
    const RunPointer run = document.run();
    if (!run) {
        if (document.state() == RunDocument::State::Loading)
            return {tr("reading")};
        if (document.state() != RunDocument::State::Failed)
            return {tr("no metrics yet")};
        return {document.notice().canRepeat ? tr("nothing recorded") : tr("not opened")};
    }
    const engine::RunInfo& info = run->info;
    const engine::Shape& shape = run->schedule.shape;
    QString devices = countOf(shape.devices, "device");
    if (!info.deviceName.empty())
        devices += tr(" on %1").arg(fromUtf8(info.deviceName).toHtmlEscaped());
    QStringList texts{QStringLiteral("<b>%1</b> %2").arg(capitalized(modeText(info)), devices)};
    const RunProgress& progress = document.progress();
    if (document.state() == RunDocument::State::Loading)
        texts.append(tr("reading the rest, %1 %").arg(qRound(100 * progress.read)));
    if (document.isRunning())
        texts.append(tr("%1 of %2 iterations").arg(progress.done).arg(progress.planned));
    if (document.isRunning() && progress.ops > 0)
        texts.append(tr("op %1 of %2").arg(progress.opsDone).arg(progress.ops));
    QString counts = countOf(metrics.computeOps, "compute op");
    if (metrics.messages > 0)
        counts += tr(", %1").arg(countOf(metrics.messages, "message"));
    if (kernels != nullptr && !kernels->isEmpty())
        counts += tr(", %1").arg(countOf(
            static_cast<std::int64_t>(kernels->activity().trace().kernels.size()), "kernel"));
    texts.append(counts);
    if (selection.kind != Selection::Kind::None && selection.window.duration() > 0) {
        const auto length = selection.window.duration();
        texts.append(tr("selection %1").arg(durationText(info, length)));
    }
    if (!info.timing.empty())
        texts.append(tr("timed by %1").arg(fromUtf8(info.timing).toHtmlEscaped()));
    if (!info.link.empty())
        texts.append(linkStatus(info));
    return texts;
}

QString linkStatus(const engine::RunInfo& info)
{
    return info.link == "free" ? tr("free links")
                               : tr("link %1").arg(fromUtf8(info.link).toHtmlEscaped());
}

QStringList recordStatus(const RunView& view, const KernelView* kernels)
{
    const auto count = [](const QString& name, std::int64_t amount) {
        const QString text = name + QLatin1Char(' ') + number(amount);
        return amount > 0 ? QStringLiteral("<b>%1</b>").arg(text) : text;
    };
    QString text = count(tr("overlaps"), view.occurs().overlaps);
    if (kernels != nullptr && !kernels->isEmpty())
        text += QStringLiteral(", ")
            + count(tr("dropped"), kernels->activity().trace().health.dropped);
    return {text};
}

QString iterationStatus(const RunDocument& document, const profiler::RunMetrics& metrics)
{
    if (metrics.devices.empty() || !document.run())
        return {};
    const RunPointer run = document.run();
    const std::string why = whyIterationUnknown(*run);
    return tr("%1: %2, bubble %3")
        .arg(iterationTitle(run->timeline, metrics.iteration),
             why.empty() ? durationText(run->info, metrics.duration)
                         : tr("unknown (%1)").arg(fromUtf8(why)),
             bubbleText(metrics));
}

namespace {

using Emphasis = BoxColours::Emphasis;

void fillSwatch(QPainter& painter, const BoxColours& colours, const Swatch& swatch,
                const QRectF& rect)
{
    switch (swatch.look) {
    case Swatch::Look::Op:
        fillLook(painter, rect, colours.look(swatch.kind, swatch.chunk, Emphasis::Normal),
                 rect.left());
        break;
    case Swatch::Look::Bubble:
        paintBubble(painter, colours, rect, rect.left());
        break;
    case Swatch::Look::Exposed:
        painter.fillRect(rect, colours.exposed(Emphasis::Normal).fill);
        break;
    case Swatch::Look::Kernel:
        painter.fillRect(rect, colours.kernel(swatch.kernel).fill);
        break;
    case Swatch::Look::None:
        break;
    }
}

// A small picture of the details, in the colours of the lanes.
class DetailsPicture : public QWidget
{
public:
    using Paint
        = std::function<void(QPainter& painter, const BoxColours& colours, const QSize& size)>;

    DetailsPicture(const ThemeController& theme, Paint paint)
        : m_theme(theme)
        , m_paint(std::move(paint))
    { }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        m_paint(painter, BoxColours(m_theme.theme(), devicePixelRatioF()), size());
    }

private:
    const ThemeController& m_theme;
    Paint m_paint;
};

using Follow = std::function<void(const Selection&)>;

// Position of a swatch in a chain; a line connects it to its neighbours.
enum class Chain { None, First, Middle, Last };

QWidget* makeSwatch(const ThemeController& theme, const Swatch& swatch, int side, Chain chain)
{
    auto* picture = new DetailsPicture(
        theme, [=](QPainter& painter, const BoxColours& colours, const QSize& size) {
            const QRectF box(0, std::round((size.height() - side) / 2.0), side, side);
            const double middle = std::floor(box.center().x());
            const QColor line = colours.theme().chrome.text3;
            if (chain == Chain::Middle || chain == Chain::Last)
                painter.fillRect(QRectF(middle, 0, 1, box.top()), line);
            if (chain == Chain::Middle || chain == Chain::First)
                painter.fillRect(QRectF(middle, box.bottom(), 1, size.height() - box.bottom()),
                                 line);
            fillSwatch(painter, colours, swatch, box);
        });
    picture->setFixedWidth(side);
    picture->setMinimumHeight(side);
    return picture;
}

// The two bars of a pair, with `before` above `after`.
QWidget* makePair(const ThemeController& theme, const DetailsPair& pair, double limit)
{
    auto* picture = new DetailsPicture(
        theme, [=](QPainter& painter, const BoxColours& colours, const QSize& size) {
            constexpr int kBarHeight = 6, kFirst = 3, kSecond = 11;
            const Theme& look = colours.theme();
            const auto bar = [&](double top, double share, const profiler::Colour& colour) {
                const double width = std::round(std::clamp(share, 0.0, 1.0) * size.width());
                painter.fillRect(QRectF(0, top, width, kBarHeight), toQt(colour));
            };
            bar(kFirst, pair.before, look.palette.optimizerState);
            bar(kSecond, pair.after, look.palette.weights);
            if (limit > 0 && limit <= 1)
                painter.fillRect(
                    QRectF(std::round(limit * (size.width() - 1)), 0, 1, size.height()),
                    look.chrome.text);
        });
    picture->setFixedHeight(20);
    picture->setMinimumWidth(60);
    picture->setAccessibleName(
        QStringList{pair.name, pair.value, pair.change}.join(QLatin1Char(' ')));
    return picture;
}

constexpr int kStripLeft = 24, kStripLabels = 18;

void paintStrip(QPainter& painter, const BoxColours& colours, const QSize& size,
                const StageStrip& strip)
{
    const Chrome& chrome = colours.theme().chrome;
    const double bottom = size.height() - kStripLabels, width = size.width() - kStripLeft;
    const double row = bottom / std::max(1, strip.stages);
    const int every = row >= 11 ? 1 : row >= 5 ? 2 : std::max(1, strip.stages / 4);
    for (int stage = 0; stage < strip.stages; ++stage) {
        const double y = std::floor(row * (stage + 1)) - 2;
        painter.fillRect(QRectF(kStripLeft, y, width, 1), chrome.grid);
        if (stage % every == 0)
            paintText(painter, QRectF(0, row * stage - 2, kStripLeft - 8, row),
                      QString::number(stage), uiFont(10), chrome.text2, kAtRight);
    }
    const double pixels
        = width / static_cast<double>(std::max<std::int64_t>(1, strip.window.duration()));
    const auto x = [&](std::int64_t time) {
        return kStripLeft + std::round(pixels * static_cast<double>(time - strip.window.begin));
    };
    for (const StageStrip::Box& box : strip.boxes) {
        const double left = x(box.window.begin);
        const QRectF rect(left, std::floor(row * box.stage),
                          std::max(2.0, x(box.window.end) - left), std::max(3.0, row - 3));
        fillSwatch(painter, colours, box.swatch, rect);
        painter.setPen(QPen(chrome.text, 2));
        painter.setBrush(Qt::NoBrush);
        if (box.isMarked)
            painter.drawRect(rect);
    }
    const QRectF labels(kStripLeft, bottom, width, kStripLabels);
    paintText(painter, labels, strip.from, uiFont(10), chrome.text2, Qt::AlignBottom);
    paintText(painter, labels, strip.to, uiFont(10), chrome.text2,
              Qt::AlignRight | Qt::AlignBottom);
}

QWidget* makeStrip(const ThemeController& theme, const StageStrip& strip)
{
    auto* picture = new DetailsPicture(
        theme, [strip](QPainter& painter, const BoxColours& colours, const QSize& size) {
            paintStrip(painter, colours, size, strip);
        });
    picture->setFixedHeight(std::clamp(strip.stages * 13, 52, 130) + kStripLabels);
    picture->setAccessibleName(QObject::tr("Stage over time of the micro-batch"));
    return picture;
}

double dotX(double at, int width)
{
    constexpr double kInset = 10, kUnit = 24; // the unit is at the right end
    return std::round(kInset + at * (width - 2 * kInset - kUnit));
}

void paintDots(QPainter& painter, const Chrome& chrome, const QSize& size, const DetailsDots& dots)
{
    constexpr double kRadius = 3.5, kDots = 6, kAxis = 14, kLabels = kAxis + 4;
    const QRectF labels(0, kLabels, size.width(), size.height() - kLabels);
    painter.fillRect(QRectF(0, kAxis, size.width(), 1), chrome.lineStrong);
    paintText(painter, labels, dots.unit, uiFont(11), chrome.text2, Qt::AlignRight);
    for (const auto& [at, label] : dots.ticks) {
        const double x = dotX(at, size.width());
        painter.fillRect(QRectF(x, kAxis, 1, 4), chrome.lineStrong);
        paintText(painter, QRectF(x - 30, labels.top(), 60, labels.height()), label, uiFont(11),
                  chrome.text2, Qt::AlignHCenter);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.text, 1.2));
    for (const bool isShown : {false, true}) // the shown one is on top
        for (const DetailsDots::Dot& dot : dots.dots) {
            painter.setBrush(isShown ? chrome.text : chrome.surface);
            if (dot.isShown == isShown)
                painter.drawEllipse(QPointF(dotX(dot.at, size.width()) + 0.5, kDots), kRadius,
                                    kRadius);
        }
}

// A click on a dot follows it, and its tooltip describes it.
class DotsPicture : public DetailsPicture
{
public:
    DotsPicture(const ThemeController& theme, const DetailsDots& dots, Follow follow)
        : DetailsPicture(theme,
                         [dots](QPainter& painter, const BoxColours& colours, const QSize& size) {
                             paintDots(painter, colours.theme().chrome, size, dots);
                         })
        , m_dots(dots)
        , m_follow(std::move(follow))
    {
        setObjectName(QStringLiteral("iterationDots"));
        setFixedHeight(34);
        QStringList texts;
        for (const DetailsDots::Dot& dot : m_dots.dots)
            texts << dot.text;
        setAccessibleName(
            QObject::tr("Measured iterations: %1").arg(texts.join(QStringLiteral("; "))));
    }

protected:
    // Queued, because the iteration rebuilds the panel with this picture.
    void mousePressEvent(QMouseEvent* event) override
    {
        if (const DetailsDots::Dot* dot = dotAt(event->position()))
            QMetaObject::invokeMethod(
                this, [follow = m_follow, target = dot->target] { follow(target); },
                Qt::QueuedConnection);
    }
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        const auto& help = static_cast<const QHelpEvent&>(*event);
        const DetailsDots::Dot* dot = dotAt(help.pos());
        QToolTip::showText(help.globalPos(), dot == nullptr ? QString() : toolTipText(dot->text),
                           this);
        return true;
    }

private:
    const DetailsDots::Dot* dotAt(QPointF at) const
    {
        constexpr double kReach = 6;
        const auto away
            = [&](const DetailsDots::Dot& dot) { return std::abs(dotX(dot.at, width()) - at.x()); };
        const auto nearest = std::ranges::min_element(m_dots.dots, {}, away);
        return nearest != m_dots.dots.end() && away(*nearest) <= kReach ? &*nearest : nullptr;
    }

    DetailsDots m_dots;
    Follow m_follow;
};

constexpr int kLinkRoom = 138;
constexpr int kRowRoom = 256, kRowGap = 8; // width of a row in a panel of 292 px that scrolls

// `words` is rich text. Text without markup is laid out faster as plain text.
QLabel* text(const QString& words, const QFont& font)
{
    const bool isPlain = !words.contains(QLatin1Char('<')) && !words.contains(QLatin1Char('&'));
    auto* label = new QLabel;
    label->setFont(font);
    label->setTextFormat(isPlain ? Qt::PlainText : Qt::RichText);
    label->setText(words);
    return label;
}

QHBoxLayout* ends(QLabel* left, QWidget* right)
{
    auto* row = spaced(new QHBoxLayout, {}, 8);
    left->setWordWrap(true);
    row->addWidget(left, 1);
    row->addWidget(right, 0, Qt::AlignBottom);
    return row;
}

QString titleText(const Details& details)
{
    if (!details.isCode)
        return details.title.toHtmlEscaped();
    const auto space = details.title.indexOf(QLatin1Char(' '));
    return QStringLiteral("<span style='font-family:monospace'>%1</span>%2")
        .arg(details.title.left(space), details.title.mid(space));
}

// The name of a file, elided in the middle, with its path as tooltip.
QLabel* fileLabel(const QString& file)
{
    constexpr int kFileRoom = 130;
    const QFont font = uiFont(12);
    auto* label = makeLabel(
        QFontMetrics(font).elidedText(QFileInfo(file).fileName(), Qt::ElideMiddle, kFileRoom),
        "small");
    label->setTextFormat(Qt::PlainText);
    label->setToolTip(toolTipText(file));
    return named(label, "detailsFile");
}

void addHead(const ThemeController& theme, QVBoxLayout& layout, const Details& details,
             const Follow& follow)
{
    auto* row = spaced(new QHBoxLayout, {}, 8);
    if (details.swatch.look != Swatch::Look::None)
        row->addWidget(makeSwatch(theme, details.swatch, 16, Chain::None));
    auto* title = text(titleText(details), uiFont(15, QFont::Medium));
    title->setObjectName(QStringLiteral("detailsTitle"));
    title->setWordWrap(true);
    row->addWidget(title, 1);
    auto* value = text(QStringLiteral("%1 <span style='font-size:13px;font-weight:400;color:%3'>%2"
                                      "</span>")
                           .arg(details.value, details.unit, theme.theme().chrome.text2.name()),
                       uiFont(20, QFont::Medium));
    value->setObjectName(QStringLiteral("detailsValue"));
    row->addWidget(value);
    layout.addLayout(row);
    QLabel* left
        = details.file.isEmpty() ? makeLabel(details.left, "small") : fileLabel(details.file);
    layout.addLayout(ends(left, makeLabel(details.right, "small")));
    if (!details.tag.isEmpty())
        layout.addLayout(
            spaced(new QHBoxLayout, {}, 8,
                   {new Tag(theme, details.tag), kStretch, makeLabel(details.note, "small")}));
    if (!details.dots.dots.empty())
        layout.addWidget(new DotsPicture(theme, details.dots, follow));
    if (details.sentence.isEmpty())
        return;
    auto* sentence = text(details.sentence, uiFont(13));
    sentence->setObjectName(QStringLiteral("detailsSentence"));
    sentence->setWordWrap(true);
    layout.addSpacing(4);
    layout.addWidget(sentence);
}

Chain chainAt(const DetailsSection& section, std::size_t at)
{
    using enum Chain;
    if (!section.isChain || section.links.size() < 2)
        return None;
    return at == 0 ? First : at + 1 == section.links.size() ? Last : Middle;
}

// A label with one link is one stop of Tab: QLabel's own links take a Tab each, and Shift+Tab does
// not leave the first.
class LinkLabel : public QLabel
{
public:
    explicit LinkLabel(const QString& html)
    {
        setFont(uiFont(12));
        setTextFormat(Qt::RichText);
        setText(html);
        setTextInteractionFlags(Qt::LinksAccessibleByMouse);
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter
            || event->key() == Qt::Key_Space)
            Q_EMIT linkActivated(QStringLiteral("op"));
        else
            QLabel::keyPressEvent(event);
    }
};

QLabel* linkLabel(const ThemeController& theme, const DetailsLink& link, const Follow& follow)
{
    const QString ink = theme.theme().chrome.text.name();
    const QString face = link.prefix.isEmpty() && link.name.front().isDigit()
        ? QStringLiteral("monospace")
        : uiFont(12).family();
    const bool leads = link.target.kind != Selection::Kind::None;
    const QString shown = link.isCut
        ? QFontMetrics(uiFont(12)).elidedText(link.name, Qt::ElideRight, kLinkRoom)
        : link.name;
    const QString name = leads
        ? QStringLiteral("<a href='op' style='color:%1;font-family:%2'>%3</a>")
              .arg(ink, face, shown.toHtmlEscaped())
        : shown.toHtmlEscaped();
    const QStringList words{link.prefix, name, link.rest};
    const QString html = words.join(QLatin1Char(' ')).trimmed();
    QLabel* label = leads ? new LinkLabel(html) : text(html, uiFont(12));
    if (shown != link.name)
        label->setToolTip(link.name);
    const Selection target = link.target;
    // A queued connection, because following the link rebuilds the panel with this label.
    QObject::connect(
        label, &QLabel::linkActivated, label, [follow, target] { follow(target); },
        Qt::QueuedConnection);
    return label;
}

void addLinks(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section,
              const Follow& follow)
{
    auto* grid = spaced(new QGridLayout, {}, 0);
    grid->setHorizontalSpacing(8);
    grid->setColumnStretch(1, 1);
    for (std::size_t k = 0; k < section.links.size(); ++k) {
        const int row = static_cast<int>(k);
        grid->addWidget(makeSwatch(theme, section.links[k].swatch, 10, chainAt(section, k)), row,
                        0);
        auto* label = linkLabel(theme, section.links[k], follow);
        label->setObjectName(QStringLiteral("%1Link%2").arg(section.title).arg(row));
        grid->addWidget(label, row, 1);
        grid->addWidget(makeLabel(section.links[k].time, "small"), row, 2, Qt::AlignRight);
        grid->setRowMinimumHeight(row, 22);
    }
    layout.addLayout(grid);
}

int widestWord(const QFontMetrics& metrics, const QString& words)
{
    int widest = 0;
    for (const QString& word : words.split(QRegularExpression(QStringLiteral("[ \\x{200B}]"))))
        widest = std::max(widest, metrics.horizontalAdvance(word));
    return widest;
}

// Allows a line break after any letter.
QString breakable(const QString& word)
{
    QString text;
    for (const QChar c : word)
        text += QString(c) + QChar(0x200B);
    return text;
}

// Adds a name with its right-aligned value, which wraps beside the name, or below it if a word of
// the value is too long.
void addRow(QVBoxLayout& rows, const DetailsRow& row)
{
    const QFont font = uiFont(12, row.isStrong ? QFont::Medium : QFont::Normal);
    const QFontMetrics metrics(font);
    const int widest = widestWord(metrics, row.value);
    auto* value = text(subscriptedHtml(widest > kRowRoom ? breakable(row.value) : row.value), font);
    value->setAlignment((row.name.isEmpty() ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
    auto* line = spaced(new QHBoxLayout, {}, kRowGap);
    rows.addLayout(line);
    int room = kRowRoom;
    if (!row.name.isEmpty()) {
        line->addWidget(makeLabel(row.name, "small"), 0, Qt::AlignTop);
        room -= kRowGap + metrics.horizontalAdvance(row.name);
    }
    value->setWordWrap(row.name.isEmpty() || metrics.horizontalAdvance(row.value) > room);
    if (widest <= room) {
        line->addWidget(value, 1);
    } else {
        line->addStretch(1);
        rows.addWidget(value);
    }
}

void addRows(QVBoxLayout& layout, const DetailsSection& section)
{
    auto* rows = spaced(new QVBoxLayout, {}, 4);
    for (const auto& row : section.rows)
        addRow(*rows, row);
    layout.addLayout(rows);
}

void addTable(const ThemeController& theme, QVBoxLayout& layout, const DetailsTable& table)
{
    auto* grid = spaced(new QGridLayout, {}, 4);
    grid->setHorizontalSpacing(12);
    grid->setColumnStretch(0, 1);
    int column = 1;
    for (const QString& title : table.columns)
        grid->addWidget(makeLabel(title, "small"), 0, column++, Qt::AlignRight);
    for (int row = 1; const DetailsTable::Row& values : table.rows) {
        auto* name = new ElidedLabel("small");
        name->setText(values.name);
        grid->addWidget(name, row, 0);
        for (column = 1; const DetailsTable::Cell& cell : values.cells) {
            const QString words = cell.isError
                ? QStringLiteral("<span style='color:%1'>%2</span>")
                      .arg(theme.theme().chrome.error.name(), cell.text)
                : cell.text;
            grid->addWidget(text(words, uiFont(12, cell.isStrong ? QFont::Medium : QFont::Normal)),
                            row, column++, Qt::AlignRight);
        }
        ++row;
    }
    layout.addLayout(grid);
}

void addPairs(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section)
{
    auto* grid = spaced(new QGridLayout, {}, 0);
    grid->setHorizontalSpacing(10);
    grid->setColumnStretch(1, 1);
    for (std::size_t k = 0; k < section.pairs.size(); ++k) {
        const int row = static_cast<int>(k);
        const DetailsPair& pair = section.pairs[k];
        grid->addWidget(makeLabel(pair.name, "small"), row, 0);
        grid->addWidget(makePair(theme, pair, section.pairLimit), row, 1);
        grid->addWidget(text(pair.value, uiFont(12, QFont::Medium)), row, 2, Qt::AlignRight);
        grid->addWidget(makeLabel(pair.change, "small"), row, 3, Qt::AlignRight);
        grid->setRowMinimumHeight(row, 22);
    }
    layout.addLayout(grid);
    const profiler::Palette& palette = theme.theme().palette;
    QStringList legend;
    for (const auto& [name, colour] : {std::pair(section.pairLegend[0], palette.optimizerState),
                                       std::pair(section.pairLegend[1], palette.weights)})
        legend.append(QStringLiteral("<span style='color:%1'>\u25A0</span>&nbsp;%2")
                          .arg(toQt(colour).name(), name.toHtmlEscaped()));
    auto* names = makeLabel(legend.join(QStringLiteral("&nbsp;&nbsp; ")), "hint");
    names->setTextFormat(Qt::RichText);
    names->setWordWrap(true);
    layout.addWidget(names);
}

// The parts of a bar, side by side. No part covers the rest.
QWidget* makeBarPicture(const ThemeController& theme, const DetailsBar& bar)
{
    auto* picture = new DetailsPicture(
        theme,
        [parts = bar.parts](QPainter& painter, const BoxColours& colours, const QSize& size) {
            painter.fillRect(QRect({}, size), colours.theme().chrome.hover);
            double sum = 0;
            for (const auto& part : parts) {
                const double left = std::round(sum * size.width());
                sum += part.share;
                const double right = std::round(std::min(1.0, sum) * size.width());
                const double gap = right - left >= 2 ? 1 : 0;
                if (right > left)
                    fillSwatch(painter, colours, part.swatch,
                               QRectF(left, 0, right - left - gap, size.height()));
            }
        });
    picture->setFixedHeight(12);
    picture->setAccessibleName(bar.name + QLatin1Char(' ') + bar.value);
    return picture;
}

void addSection(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section,
                const Follow& follow)
{
    if (!section.title.isEmpty())
        layout.addLayout(
            ends(text(section.title, uiFont(12, QFont::Medium)), makeLabel(section.note, "small")));
    for (const auto& bar : section.bars) {
        if (!bar.name.isEmpty())
            layout.addLayout(ends(text(bar.name, uiFont(12)), text(bar.value, uiFont(12))));
        layout.addWidget(makeBarPicture(theme, bar));
    }
    if (!section.links.empty())
        addLinks(theme, layout, section, follow);
    if (section.strip)
        layout.addWidget(makeStrip(theme, *section.strip));
    if (!section.pairs.empty())
        addPairs(theme, layout, section);
    if (!section.table.rows.empty())
        addTable(theme, layout, section.table);
    if (!section.rows.empty())
        addRows(layout, section);
}

QWidget* layOutDetails(const ThemeController& theme, const Details& details, const Follow& follow)
{
    auto* body = makeSurface("plain");
    auto* layout = spaced(new QVBoxLayout(body), {}, 0);
    const auto block = [&] {
        auto* inner = spaced(new QVBoxLayout, {12, 14, 12, 14}, 6);
        layout->addLayout(inner);
        return inner;
    };
    addHead(theme, *block(), details, follow);
    for (const auto& section : details.sections) {
        layout->addWidget(makeLine(Qt::Horizontal));
        addSection(theme, *block(), section, follow);
    }
    layout->addStretch(1);
    return body;
}

} // namespace

DetailsView::DetailsView(const ThemeController& theme, const char* name, const QString& title,
                         EmptyState::Texts empty, Follow follow)
    : m_theme(theme)
    , m_empty(std::move(empty))
    , m_follow(std::move(follow))
{
    named(this, name, title);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&theme, &ThemeController::changed, this, &DetailsView::layOut);
    layOut();
}

void DetailsView::show(Details details)
{
    if (details == m_shown)
        return;
    const int scrolled = details.title == m_shown.title ? verticalScrollBar()->value() : 0;
    m_shown = std::move(details);
    layOut();
    verticalScrollBar()->setValue(scrolled);
}

void DetailsView::layOut()
{
    setAccessibleDescription(
        m_shown.isEmpty()
            ? m_empty.fact
            : QStringList{m_shown.title, m_shown.value, m_shown.unit}.join(QLatin1Char(' ')));
    if (!m_shown.isEmpty())
        return setWidget(layOutDetails(m_theme, m_shown, m_follow));
    auto* empty = named(new EmptyState(m_theme, m_empty), "detailsEmpty");
    empty->setMinimumHeight(132);
    setWidget(makeColumn({12, 12, 12, 12}, 0, {empty, kStretch}));
}

DetailsPanel::DetailsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_details(new DetailsView(theme, "detailsView", tr("Details"),
                                {Icon::Info,
                                 tr("Nothing selected"),
                                 tr("Click an op, a bubble or a device to see its details."),
                                 {}},
                                [this](const Selection& target) { Q_EMIT jumpTo(target); }))
{
    named(this, "details", tr("Details"));
    spaced(new QVBoxLayout(this), {}, 0, {m_details});
    connect(&theme, &ThemeController::changed, this, &DetailsPanel::refresh);
}

void DetailsPanel::show(RunViewPointer view, const Selection& selection)
{
    m_view = std::move(view);
    m_selection = selection;
    refresh();
}

Details DetailsPanel::details() const
{
    if (!m_view && m_facts.running && m_facts.progress)
        return runningDetails(*m_facts.running, *m_facts.progress);
    return m_view ? detailsOf(*m_view, m_selection, m_facts) : Details();
}

void DetailsPanel::showEvent(QShowEvent* event)
{
    refresh();
    QWidget::showEvent(event);
}

// Hidden details are laid out when they are shown.
void DetailsPanel::refresh()
{
    if (!isVisible())
        return;
    m_details->show(details());
    setAccessibleDescription(m_details->accessibleDescription());
}

} // namespace app
