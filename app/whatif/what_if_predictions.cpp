#include "app/whatif/what_if_predictions.h"

#include "app/ui/side_threads.h"

namespace app {
namespace {

constexpr int kResamples = 100;
enum Priority { Intervals, Medians, OfChosen };

} // namespace

WhatIfPredictions::Explained WhatIfPredictions::explained(const Chosen& chosen,
                                                          const std::atomic<bool>& isDropped)
{
    Explained made;
    if (isDropped)
        return made;
    made.details
        = whatIfDetails(*chosen.measured, *chosen.run, chosen.changes, chosen.scheme, chosen.depth);
    if (made.details.run == nullptr)
        return made;
    auto view = std::make_shared<const RunView>(made.details.run);
    view->metrics(engine::reportedIteration(view->timeline())); // for the first paint
    made.view = std::move(view);
    return made;
}

WhatIfPredictions::WhatIfPredictions(RunPointer run, QObject* parent)
    : QObject(parent)
    , m_run(std::move(run))
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
    , m_background(this, sideThreads())
    , m_explaining(
          this, explained,
          [this](const Explained& one) { Q_EMIT schemeExplained(one.details, one.view); },
          decltype(m_explaining)::Older::Dropped, sideThreads(), OfChosen)
    , m_previewing(
          this, explained,
          [this](const Explained& one) {
              if (one.view != nullptr)
                  Q_EMIT schemeExplained(one.details, one.view);
          },
          decltype(m_previewing)::Older::Delivered, sideThreads(), OfChosen)
{
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
    m_intervals = 0;
    Q_EMIT progressed(0, static_cast<int>(whatIfSchemes().size()));
    m_background.run(
        [run = m_run, measured = m_measured, changes] {
            return std::make_shared<const Changed::element_type>(withChanges(*measured, changes));
        },
        [this, isDropped = m_isDropped](const Changed& changed) {
            if (*isDropped)
                return;
            for (const int resamples : {0, kResamples})
                for (const QString& one : whatIfSchemes())
                    predict(one, changed, resamples);
        },
        OfChosen);
    if (!scheme.isEmpty())
        explain(scheme);
}

void WhatIfPredictions::predict(const QString& scheme, const Changed& changed, int resamples)
{
    const bool hasInterval = resamples > 0;
    m_background.run(
        // Keeps the run, which `changed` refers to, after the page is closed.
        [=, run = m_run, isDropped = m_isDropped,
         changes = m_changes]() -> std::optional<WhatIfRow> {
            if (*isDropped)
                return std::nullopt;
            auto prediction = changed->and_then([&](const profiler::WhatIfPredictor& predictor) {
                return predictScheme(predictor, scheme, changes, resamples,
                                     [isDropped] { return isDropped->load(); });
            });
            return whatIfRow(scheme, prediction, hasInterval);
        },
        [this, hasInterval, isDropped = m_isDropped](const std::optional<WhatIfRow>& row) {
            if (*isDropped || !row)
                return;
            Q_EMIT predicted(*row);
            if (hasInterval)
                Q_EMIT progressed(++m_intervals, static_cast<int>(whatIfSchemes().size()));
        },
        hasInterval ? Intervals : Medians);
}

void WhatIfPredictions::explain(const QString& scheme)
{
    m_explaining.ask({m_measured, m_run, m_changes, scheme, WhatIfDepth::Full});
}

void WhatIfPredictions::preview(const WhatIfChanges& changes, const QString& scheme)
{
    m_previewing.ask({m_measured, m_run, changes, scheme, WhatIfDepth::Preview});
}

} // namespace app
