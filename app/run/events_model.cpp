#include "app/run/events_model.h"

#include "app/documents/iterations_model.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace app {
namespace {

// Leaves Event::what empty; list() sets it.
Event eventOf(const engine::Span& span, const engine::Track& track)
{
    return {span.window(), span.op, static_cast<int>(span.iteration), track.device, track.kind, {}};
}

} // namespace

EventsModel::EventsModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void EventsModel::show(RunPointer run, int iteration, const Filter& only)
{
    m_run = std::move(run);
    m_isOfAll = false;
    std::vector<Event> events;
    if (!m_run || iteration < 0)
        return list({}, 0);
    const auto wanted = static_cast<std::uint32_t>(iteration);
    // Selects by iteration, because a window does not contain the empty spans at its end.
    for (const engine::Track& track : m_run->timeline.tracks)
        for (const engine::Span& span :
             std::ranges::equal_range(track.spans, wanted, {}, &engine::Span::iteration))
            if (!only || only(span))
                events.push_back(eventOf(span, track));
    list(std::move(events), m_run->timeline.iterations[wanted].window.duration());
}

void EventsModel::showAll(RunPointer run, const Filter& only, std::size_t most)
{
    m_run = std::move(run);
    m_isOfAll = true;
    std::vector<Event> events;
    for (const engine::Track& track : m_run->timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (events.size() < most && only(span))
                events.push_back(eventOf(span, track));
    std::int64_t longest = 0;
    for (const engine::Iteration& iteration : m_run->timeline.iterations)
        longest = std::max(longest, iteration.window.duration());
    list(std::move(events), longest);
}

void EventsModel::list(std::vector<Event> events, std::int64_t longest)
{
    if (m_run) {
        const engine::OpIndex index(m_run->schedule);
        for (Event& event : events)
            event.what = engine::opAt(m_run->schedule, index, event.op);
        m_time = timeScale(m_run->info, longest).finer(2);
    }
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.window.begin, event.device, event.op);
    });
    reset(columns(), std::move(events));
}

int EventsModel::rowOf(std::uint32_t op, engine::Track::Kind lane, int iteration) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).op == op && at(row).lane == lane && at(row).iteration == iteration)
            return row;
    return -1;
}

std::int64_t EventsModel::startOf(const Event& event) const
{
    return m_run->timeline.iterations[static_cast<std::size_t>(event.iteration)].window.begin;
}

EventsModel::Columns EventsModel::columns() const
{
    using Described = TableColumn<Event>;
    const auto sorting = [](auto valueOf) {
        return [valueOf](const Event& event) { return static_cast<double>(valueOf(event)); };
    };
    const auto whole = [=](const QString& title, auto valueOf) {
        return Described(title,
                         [valueOf](const Event& event) { return QString::number(valueOf(event)); })
            .sortedBy(sorting(valueOf));
    };
    const auto time = [=, this](const QString& title, auto ticks) {
        const auto valueOf = sorting(ticks);
        return Described({title, m_time},
                         [=, this](const Event& event) { return m_time.text(valueOf(event)); })
            .sortedBy(valueOf);
    };
    const auto stage = [](const Event& event) { return event.what.stage.value; };
    const auto kind = [](const Event& event) { return event.what.kind; };
    Described microBatch
        = whole(tr("Micro-batch"), [](const Event& event) { return event.what.microBatch.value; });
    microBatch.text = [this](const Event& event) {
        const engine::MicroBatchId id = event.what.microBatch;
        return id.isValid() && engine::knowsMicroBatches(m_run->info) ? QString::number(id.value)
                                                                      : QString();
    };
    Described stages = whole(tr("Stage"), stage);
    stages.text = [this, stage](const Event& event) {
        return engine::knowsStages(m_run->info) ? QString::number(stage(event)) : QString();
    };
    Columns all{
        Described(
            tr("Op"), [this](const Event& event) { return opName(m_run->info, event.what); },
            Qt::AlignLeft)
            .sortedBy(sorting(stage))
            .with(kCodeRole, kAlways),
        Described(
            tr("Operation"),
            [kind](const Event& event) { return fromUtf8(engine::kindTitle(kind(event))); },
            Qt::AlignLeft)
            .sortedBy(sorting(kind)),
        whole(tr("Device"), [](const Event& event) { return event.device.value; }),
        stages,
        microBatch,
        Described(
            tr("Direction"),
            [](const Event& event) { return event.what.replica == 0 ? tr("down") : tr("up"); },
            Qt::AlignLeft)
            .sortedBy(sorting([](const Event& event) { return event.what.replica; }))
            .with(kHintRole, kAlways),
        time(tr("Start, %1"),
             [this](const Event& event) { return event.window.begin - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.begin; })),
        time(tr("Duration, %1"), [](const Event& event) { return event.window.duration(); }),
        time(tr("End, %1"),
             [this](const Event& event) { return event.window.end - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.end; })),
    };
    if (m_isOfAll) {
        const auto iteration = [](const Event& event) { return event.iteration; };
        all.push_back(Described(tr("Iteration"), [this, iteration](const Event& event) {
                          return iterationName(m_run->timeline, iteration(event));
                      }).sortedBy(sorting(iteration)));
    }
    return all;
}

} // namespace app
