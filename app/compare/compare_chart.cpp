#include "app/compare/compare_chart.h"

#include "app/ui/controls.h"
#include "app/ui/focus_ring.h"
#include "app/ui/text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace app {

QString elidedTitle(const QFontMetricsF& metrics, const QString& title, double width)
{
    const qsizetype number = title.lastIndexOf(QStringLiteral(" #"));
    const QString end = number < 0 ? QString() : title.mid(number);
    if (metrics.horizontalAdvance(title) <= width)
        return title;
    return metrics.elidedText(title.chopped(end.size()), Qt::ElideRight,
                              width - metrics.horizontalAdvance(end))
        + end;
}

CompareChart::CompareChart(const char* name, const QString& title, const ThemeController& theme,
                           QWidget* parent)
    : ThemedWidget(theme, parent)
{
    named(this, name, title);
    setFocusPolicy(Qt::StrongFocus);
}

void CompareChart::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    m_titles = titles;
    numbersChanged();
    update();
}

void CompareChart::setCurrent(int run)
{
    m_current = run;
    setAccessibleDescription(run < 0 ? QString() : titleOf(static_cast<std::size_t>(run)));
    numbersChanged();
    update();
}

void CompareChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    if (m_numbers)
        paintChart(painter);
}

// The nearest run, if the point is in or close to its rectangle.
int CompareChart::runAt(QPointF at) const
{
    constexpr double kClose = 4;
    int found = -1;
    double least = 0;
    for (std::size_t run : m_numbers ? shownRuns() : std::vector<std::size_t>()) {
        const QRectF box = rectOf(run);
        const QPointF apart = at - box.center();
        const double distance = apart.x() * apart.x() + apart.y() * apart.y();
        if (box.adjusted(-kClose, -kClose, kClose, kClose).contains(at)
            && (found < 0 || distance < least)) {
            found = static_cast<int>(run);
            least = distance;
        }
    }
    return found;
}

void CompareChart::choose(int run)
{
    if (run < 0 || run == m_current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void CompareChart::mousePressEvent(QMouseEvent* event)
{
    choose(runAt(event->position()));
}

void CompareChart::keyPressEvent(QKeyEvent* event)
{
    const int by = event->key() == Qt::Key_Down || event->key() == Qt::Key_Right ? 1
        : event->key() == Qt::Key_Up || event->key() == Qt::Key_Left             ? -1
                                                                                 : 0;
    const auto runs = m_numbers ? shownRuns() : std::vector<std::size_t>();
    if (by == 0 || runs.empty())
        return QWidget::keyPressEvent(event);
    const auto now = std::ranges::find(runs, static_cast<std::size_t>(std::max(0, m_current)));
    const auto place = m_current < 0 || now == runs.end() ? (by > 0 ? 0 : std::ssize(runs) - 1)
                                                          : now - runs.begin() + by;
    choose(static_cast<int>(runs[static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(place, 0, std::ssize(runs) - 1))]));
}

QString CompareChart::toolTipAt(QPoint at) const
{
    const int run = runAt(at);
    return run < 0 ? QString() : toolTip(static_cast<std::size_t>(run), at);
}

} // namespace app
