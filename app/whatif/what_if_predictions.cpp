#include "app/whatif/what_if_predictions.h"

#include "app/ui/side_threads.h"

#include <utility>

namespace app {
namespace {

constexpr int kResamples = 100;
constexpr int kCollect = 40; // ms; rows that arrive within this time are shown together
enum Priority { Intervals, Medians, OfChosen };

// Returns a view that is prepared for its first paint.
RunViewPointer viewOf(const RunPointer& run)
{
    if (run == nullptr)
        return nullptr;
    auto view = std::make_shared<const RunView>(run);
    view->metrics(engine::reportedIteration(view->timeline()));
    return view;
}

} // namespace

WhatIfPredictions::Explained WhatIfPredictions::explained(const Chosen& chosen,
                                                          const std::atomic<bool>& isDropped)
{
    Explained made;
    if (isDropped)
        return made;
    made.details = whatIfDetails(*chosen.measured, *chosen.run, chosen.changes, chosen.scheme);
    made.view = viewOf(made.details.run);
    return made;
}

WhatIfPredictions::Previewed WhatIfPredictions::previewed(const Chosen& chosen)
{
    const WhatIfChanges& changes = chosen.changes;
    const auto predictor = withChanges(*chosen.measured, changes);
    auto prediction = predictor ? predictScheme(*predictor, chosen.scheme, changes)
                                : tl::unexpected(predictor.error());
    Previewed made{whatIfRow(chosen.scheme, prediction, false), nullptr, changes};
    if (prediction)
        made.view = viewOf(std::make_shared<const engine::Run>(std::move(prediction->run)));
    return made;
}

WhatIfPredictions::WhatIfPredictions(RunPointer run, QObject* parent)
    : QObject(parent)
    , m_run(std::move(run))
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
    , m_background(this, sideThreads())
    , m_explaining(
          this, &WhatIfPredictions::explained,
          [this](const Explained& one) { Q_EMIT schemeExplained(one.details, one.view); },
          decltype(m_explaining)::Older::Dropped, sideThreads(), OfChosen)
    , m_previewing(
          this, [](const Chosen& chosen, const auto&) { return previewed(chosen); },
          [this](const Previewed& made) {
              if (made.view != nullptr)
                  Q_EMIT schemePreviewed(made.row, made.view, made.changes);
          },
          decltype(m_previewing)::Older::Delivered, sideThreads(), OfChosen)
{
    m_collect.setSingleShot(true);
    m_collect.setInterval(kCollect);
    connect(&m_collect, &QTimer::timeout, this, &WhatIfPredictions::deliver);
    using Made = engine::Result<profiler::WhatIfPredictor>;
    m_background.run([measured = m_run] { return profiler::WhatIfPredictor::create(*measured); },
                     [this](Made made) {
                         if (!made) {
                             Q_EMIT failed(QString::fromStdString(made.error().message));
                             return;
                         }
                         m_measured
                             = std::make_shared<const profiler::WhatIfPredictor>(*std::move(made));
                         Q_EMIT measured(m_measured);
                     });
}

WhatIfPredictions::~WhatIfPredictions()
{
    *m_isDropped = true;
}

void WhatIfPredictions::ask(const WhatIfChanges& changes, const QString& scheme)
{
    *m_isDropped = true;
    m_isDropped = std::make_shared<std::atomic<bool>>(false);
    m_changes = changes;
    m_rows.clear();
    m_intervals = 0;
    m_all = static_cast<int>(whatIfSchemes().size());
    Q_EMIT progressed(0, m_all);
    m_background.run(
        [run = m_run, measured = m_measured, changes] {
            return std::make_shared<const Changed>(withChanges(*measured, changes));
        },
        [this, isDropped = m_isDropped](const std::shared_ptr<const Changed>& changed) {
            if (*isDropped)
                return;
            start(isDropped, changed, 0, Medians);
            start(isDropped, changed, kResamples, Intervals);
        },
        OfChosen);
    if (!scheme.isEmpty())
        explain(scheme);
}

// Predicts each scheme in a separate job, so that no long job remains after the page is closed.
void WhatIfPredictions::start(const Flag& isDropped, const std::shared_ptr<const Changed>& changed,
                              int resamples, int priority)
{
    for (const QString& scheme : whatIfSchemes()) {
        // Keeps the run, which `changed` refers to, after the page is closed.
        const auto job = [run = m_run, isDropped, changed, resamples, scheme,
                          changes = m_changes]() -> std::optional<WhatIfRow> {
            if (*isDropped)
                return std::nullopt;
            return whatIfRow(scheme,
                             changed->and_then([&](const profiler::WhatIfPredictor& predictor) {
                                 return predictScheme(predictor, scheme, changes, resamples,
                                                      [isDropped] { return isDropped->load(); });
                             }),
                             resamples > 0);
        };
        m_background.run(
            job,
            [this, isDropped, resamples](const std::optional<WhatIfRow>& row) {
                if (!*isDropped && row)
                    take(*row, resamples > 0);
            },
            priority);
    }
}

void WhatIfPredictions::take(const WhatIfRow& row, bool isLast)
{
    m_rows.push_back(row);
    m_intervals += isLast ? 1 : 0;
    if (m_intervals == m_all)
        deliver();
    else if (!m_collect.isActive())
        m_collect.start();
}

void WhatIfPredictions::deliver()
{
    m_collect.stop();
    if (m_rows.empty())
        return;
    Q_EMIT predicted(std::exchange(m_rows, {}));
    Q_EMIT progressed(m_intervals, m_all);
}

void WhatIfPredictions::explain(const QString& scheme)
{
    m_explaining.ask({m_measured, m_run, m_changes, scheme});
}

void WhatIfPredictions::preview(const WhatIfChanges& changes, const QString& scheme)
{
    m_previewing.ask({m_measured, m_run, changes, scheme});
}

} // namespace app
