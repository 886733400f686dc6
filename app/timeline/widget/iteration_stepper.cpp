#include "app/timeline/widget/iteration_stepper.h"

#include "app/documents/run_document.h"
#include "app/ui/controls.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace app {
IterationStepper::IterationStepper(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_previous(
          makeIconButton("previousIteration", Icon::ChevronLeft, tr("Previous iteration"), theme))
    , m_next(makeIconButton("nextIteration", Icon::ChevronRight, tr("Next iteration"), theme))
    , m_name(named(makeLabel({}), "iterationName"))
{
    m_name->setFont(uiFont(13, QFont::Medium));
    m_next->setToolTip(tr("Next iteration; the last one has typical ops"));
    spaced(new QHBoxLayout(this), {}, 4,
           {makeLabel(tr("Iteration"), "small"), m_previous, m_name, m_next});
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT chosen(m_iteration - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT chosen(m_iteration + 1); });
    show({}, -1);
}

void IterationStepper::show(const engine::Timeline& timeline, int iteration)
{
    m_iteration = iteration;
    m_count = static_cast<int>(timeline.iterations.size());
    const auto measured = std::ranges::count(timeline.iterations, engine::Iteration::Kind::Measured,
                                             &engine::Iteration::kind);
    QString name = iteration < 0 ? QStringLiteral("–") : iterationName(timeline, iteration);
    if (measured > 1 && iteration == engine::reportedIteration(timeline))
        name += measured == 2 ? tr(", the shorter") : tr(", the median");
    m_name->setText(name);
    m_previous->setEnabled(iteration > 0);
    m_next->setEnabled(iteration >= 0 && iteration + 1 < m_count);
}

} // namespace app
