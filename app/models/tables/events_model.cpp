#include "app/models/tables/events_model.h"

#include "app/models/text.h"
#include "engine/schedule/notation.h"

#include <tuple>

namespace app {

EventsModel::EventsModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void EventsModel::show(RunPointer run, int iteration, const std::vector<bool>& only)
{
    m_run = run;
    m_iteration = iteration;
    std::vector<Event> events;
    if (run && iteration >= 0) {
        m_window = run->timeline.iterations[static_cast<std::size_t>(iteration)].window;
        m_time = timeScale(run->info, m_window.duration()).finer(2);
        const engine::OpIndex index(run->schedule);
        const auto wanted = static_cast<std::uint32_t>(iteration);
        // Selects by iteration and not by window, because empty spans at the end belong to the
        // iteration, too.
        for (const engine::Track& track : run->timeline.tracks)
            for (const engine::Span& span :
                 std::ranges::equal_range(track.spans, wanted, {}, &engine::Span::iteration))
                if (only.empty() || only[span.op])
                    events.push_back({span.window(), span.op, track.device, track.kind,
                                      engine::opAt(run->schedule, index, span.op)});
    }
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.window.begin, event.device, event.op);
    });
    reset(columns(), std::move(events));
}

int EventsModel::rowOf(std::uint32_t op, engine::Track::Kind lane) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).op == op && at(row).lane == lane)
            return row;
    return -1;
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
    return {
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
             [this](const Event& event) { return event.window.begin - m_window.begin; }),
        time(tr("Duration, %1"), [](const Event& event) { return event.window.duration(); }),
        time(tr("End, %1"),
             [this](const Event& event) { return event.window.end - m_window.begin; }),
    };
}

} // namespace app
