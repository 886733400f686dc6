#include "app/timeline/widget/iteration_stepper.h"

#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace app {
namespace {

QString rangeText(const engine::Timeline& timeline)
{
    const auto numbers = measuredNumbers(timeline);
    return numbers && numbers->first < numbers->second
        ? IterationStepper::tr("of %1–%2").arg(numbers->first).arg(numbers->second)
        : QString();
}

} // namespace

IterationStepper::IterationStepper(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_previous(
          makeIconButton("previousIteration", Icon::ChevronLeft, tr("Previous iteration"), theme))
    , m_next(makeIconButton("nextIteration", Icon::ChevronRight, tr("Next iteration"), theme))
    , m_name(named(makeLabel({}), "iterationName"))
    , m_range(makeLabel({}, "small"))
{
    m_name->setFont(uiFont(13, QFont::Medium));
    m_next->setToolTip(tr("Next iteration; the last one has typical ops"));
    spaced(new QHBoxLayout(this), {}, 4,
           {makeLabel(tr("Iteration"), "small"), m_previous, m_name, m_range, m_next});
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT chosen(m_iteration - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT chosen(m_iteration + 1); });
    show({}, -1);
}

void IterationStepper::show(const engine::Timeline& timeline, int iteration)
{
    m_iteration = iteration;
    m_count = static_cast<int>(timeline.iterations.size());
    m_name->setText(iteration < 0 ? QStringLiteral("–") : iterationName(timeline, iteration));
    const bool isMeasured = iteration >= 0
        && timeline.iterations[static_cast<std::size_t>(iteration)].kind
            == engine::Iteration::Kind::Measured;
    m_range->setText(isMeasured ? rangeText(timeline) : QString());
    m_range->setVisible(isMeasured);
    m_previous->setEnabled(iteration > 0);
    m_next->setEnabled(iteration >= 0 && iteration + 1 < m_count);
}

} // namespace app
