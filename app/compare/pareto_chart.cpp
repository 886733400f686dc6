#include "app/compare/pareto_chart.h"

#include "app/ui/controls.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

constexpr double kLeft = 44, kRight = 16, kHeader = 26, kFoot = 34, kRadius = 3.5;
constexpr double kLeastDrag = 6;

double roundStep(double range, double marks)
{
    const double power = std::pow(10.0, std::floor(std::log10(std::max(range / marks, 1e-9))));
    for (const double step : {1.0, 2.0, 5.0})
        if (range / (step * power) <= marks)
            return step * power;
    return 10 * power;
}

// Returns the decimals that distinguish marks `step` apart.
int decimalsOf(double step)
{
    return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
}

// Paints an arrow from `at` upwards.
void paintArrow(QPainter& painter, QPointF at, const QColor& colour)
{
    painter.setBrush(colour);
    painter.drawLine(at, at - QPointF(0, 4));
    painter.drawPolygon(QPolygonF({at - QPointF(4, 4), at - QPointF(0, 9), at - QPointF(-4, 4)}));
}

} // namespace

ParetoChart::ParetoChart(const ThemeController& theme, QWidget* parent)
    : CompareChart("paretoChart", tr("Iteration against peak memory"), theme, parent)
    , m_only(makeButton({}, QStringLiteral("compareOnly")))
{
    m_only->setParent(this);
    m_only->hide();
    connect(m_only, &QPushButton::clicked, this, [this] {
        Q_EMIT onlyRequested({m_marked.begin(), m_marked.end()});
    });
}

// Offers to compare the marked runs if there are at least two.
void ParetoChart::mark(std::set<std::size_t> runs)
{
    m_marked = std::move(runs);
    m_only->setVisible(m_marked.size() > 1);
    m_only->setText(tr("Compare only these %1").arg(m_marked.size()));
    placeButton();
    update();
}

void ParetoChart::placeButton()
{
    m_only->adjustSize();
    m_only->move(width() - m_only->width() - static_cast<int>(kRight), 2);
}

void ParetoChart::resizeEvent(QResizeEvent* event)
{
    CompareChart::resizeEvent(event);
    placeButton();
}

void ParetoChart::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    CompareChart::mousePressEvent(event);
}

void ParetoChart::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons().testFlag(Qt::LeftButton)
        || (event->position() - m_pressed).manhattanLength() < kLeastDrag)
        return;
    m_band = QRectF(m_pressed, event->position()).normalized();
    std::set<std::size_t> inside;
    for (const Point& point : m_points)
        if (m_band.contains(at(point.memory, point.time)))
            inside.insert(point.run);
    mark(std::move(inside));
}

void ParetoChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_band.isEmpty()) // a click
        mark({});
    m_band = {};
    update();
    CompareChart::mouseReleaseEvent(event);
}

void ParetoChart::keyPressEvent(QKeyEvent* event)
{
    const bool isMarking = event->modifiers().testFlag(Qt::ShiftModifier);
    if (event->key() == Qt::Key_Return && m_marked.size() > 1) {
        m_only->click();
        return;
    }
    if (event->key() == Qt::Key_Escape && !m_marked.empty()) {
        mark({});
        return;
    }
    const int before = current();
    CompareChart::keyPressEvent(event);
    if (!isMarking || before == current())
        return;
    std::set<std::size_t> runs = m_marked;
    for (const int run : {before, current()})
        if (run >= 0)
            runs.insert(static_cast<std::size_t>(run));
    mark(std::move(runs));
}

void ParetoChart::numbersChanged()
{
    m_points.clear();
    if (numbers() != std::exchange(m_markedIn, numbers()))
        mark({});
    if (!numbers())
        return;
    const auto& comparison = numbers()->comparison;
    const auto front = profiler::paretoFront(comparison);
    const auto& base = comparison.runs[comparison.baseline];
    const bool hasBytes = base.peakBytes.has_value();
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        const auto& one = comparison.runs[run];
        const auto peak = profiler::peakOf(one);
        if (!peak || one.peakBytes.has_value() != hasBytes
            || (one.ticksPerUnit == 1) != (base.ticksPerUnit == 1))
            continue;
        const double memory = hasBytes ? *peak / numbers()->bytes().perUnit() : *peak;
        const double time = numbers()->inTime(run, static_cast<double>(one.metrics.duration));
        m_points.push_back({run, memory, time, front[run]});
    }
    std::ranges::stable_sort(m_points, {}, &Point::memory);
    if (m_points.empty())
        return;
    const auto ends = [&](auto value, double(&axis)[2]) {
        const auto [least, most] = std::ranges::minmax(m_points, {}, value);
        const double margin = std::max(1e-9, 0.08 * (most.*value - least.*value));
        axis[0] = least.*value - margin;
        axis[1] = most.*value + margin;
        if (axis[1] - axis[0] < 1e-6 * std::max(1.0, most.*value)) { // equal values
            axis[0] = 0.9 * (least.*value);
            axis[1] = 1.1 * (most.*value) + 1e-6;
        }
    };
    ends(&Point::memory, m_memory);
    ends(&Point::time, m_time);
    // Limits the time axis: a few much slower runs would leave no space between the others.
    constexpr double kMuchSlower = 1.6;
    std::vector<double> times;
    for (const Point& point : m_points)
        times.push_back(point.time);
    std::ranges::sort(times);
    const double limit = kMuchSlower * times[times.size() / 2];
    m_time[1] = std::min(m_time[1], std::max(limit, m_time[0] + 1e-6));
}

std::vector<std::size_t> ParetoChart::shownRuns() const
{
    std::vector<std::size_t> runs;
    for (const Point& point : m_points)
        runs.push_back(point.run);
    return runs;
}

QRectF ParetoChart::plot() const
{
    return {kLeft, kHeader, std::max(10.0, width() - kLeft - kRight),
            std::max(10.0, height() - kHeader - kFoot)};
}

QPointF ParetoChart::at(double memory, double time) const
{
    const QRectF area = plot();
    time = std::min(time, m_time[1]); // slower runs are at the upper edge, with arrow and value
    return {area.left() + area.width() * (memory - m_memory[0]) / (m_memory[1] - m_memory[0]),
            area.bottom() - area.height() * (time - m_time[0]) / (m_time[1] - m_time[0])};
}

QRectF ParetoChart::rectOf(std::size_t run) const
{
    const auto found = std::ranges::find(m_points, run, &Point::run);
    if (found == m_points.end())
        return {};
    const QPointF centre = at(found->memory, found->time);
    return {centre.x() - kRadius, centre.y() - kRadius, 2 * kRadius, 2 * kRadius};
}

QString ParetoChart::memoryUnit() const
{
    return numbers()->hasBytes() ? tr("peak memory, %1").arg(numbers()->bytes().unit())
                                 : tr("peak stash, Mₐ");
}

QString ParetoChart::timeOf(const Point& point) const
{
    const Scale time = numbers()->time();
    return number(point.time, time.decimals()) + QLatin1Char(' ') + time.unit();
}

void ParetoChart::paintAxes(QPainter& painter) const
{
    const QRectF area = plot();
    const Chrome& chrome = theme().chrome;
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text3);
    const double rows = roundStep(m_time[1] - m_time[0], std::max(2.0, area.height() / 32));
    for (double mark = std::ceil(m_time[0] / rows) * rows; mark <= m_time[1]; mark += rows) {
        const double y = std::round(at(m_memory[0], mark).y());
        painter.fillRect(QRectF(area.left(), y, area.width(), 1), chrome.grid);
        painter.drawText(QRectF(0, y - 8, kLeft - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(mark, decimalsOf(rows)));
    }
    const double columns = roundStep(m_memory[1] - m_memory[0], std::max(2.0, area.width() / 56));
    for (double mark = std::ceil(m_memory[0] / columns) * columns; mark <= m_memory[1];
         mark += columns) {
        const double x = at(mark, m_time[0]).x();
        painter.drawText(QRectF(x - 30, area.bottom() + 2, 60, 15), Qt::AlignCenter,
                         number(mark, decimalsOf(columns)));
    }
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), chrome.lineStrong);
    painter.drawText(QRectF(area.left(), area.bottom() + 16, area.width(), 16),
                     Qt::AlignRight | Qt::AlignVCenter, memoryUnit());
    painter.drawText(QRectF(0, kHeader - 18, kLeft - 6, 14), Qt::AlignRight | Qt::AlignVCenter,
                     numbers()->time().unit());
}

void ParetoChart::paintFront(QPainter& painter) const
{
    QPainterPath path;
    QPointF last;
    for (const Point& point : m_points) {
        if (!point.isOnFront)
            continue;
        const QPointF here = at(point.memory, point.time);
        if (path.isEmpty())
            path.moveTo(here.x(), plot().top());
        else
            path.lineTo(here.x(), last.y());
        path.lineTo(here);
        last = here;
    }
    if (path.isEmpty())
        return;
    path.lineTo(plot().right(), last.y());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().chrome.text2, 1));
    painter.drawPath(path);
}

void ParetoChart::paintPoints(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Point& point : m_points) {
        const QPointF centre = at(point.memory, point.time);
        painter.setPen(QPen(chrome.text2, 1.2));
        painter.setBrush(point.isOnFront ? chrome.text : chrome.surface);
        painter.drawEllipse(centre, kRadius, kRadius);
        if (isOutside(point))
            paintArrow(painter, centre - QPointF(0, kRadius), chrome.text2);
        painter.setBrush(Qt::NoBrush);
        if (m_marked.contains(point.run)) {
            painter.setPen(QPen(chrome.text2, 1));
            painter.drawRect(QRectF(centre.x() - 6, centre.y() - 6, 12, 12));
        }
        if (static_cast<int>(point.run) != current())
            continue;
        painter.setPen(QPen(chrome.text, 2));
        painter.drawEllipse(centre, kRadius + 3, kRadius + 3);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

// Paints the names of the chosen run, the baseline and the runs on the Pareto front, and the times
// of runs outside of the axis, where they fit.
void ParetoChart::paintNames(QPainter& painter) const
{
    std::vector<QRectF> taken;
    for (const Point& point : m_points)
        taken.push_back(rectOf(point.run));
    const auto paintText = [&](const Point& point, const QString& text) {
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
        const QPointF centre = at(point.memory, point.time);
        for (const QPointF& offset :
             {QPointF(9, -17), QPointF(-9 - width, -17), QPointF(9, 3), QPointF(-9 - width, 3)}) {
            const QRectF box(centre + offset, QSizeF(width, 15));
            const bool isFree = std::ranges::none_of(
                taken, [&](const QRectF& other) { return other.intersects(box); });
            if (!isFree || box.left() < plot().left() || box.right() > this->width() - 4
                || box.top() < kHeader - 8 || box.bottom() > plot().bottom())
                continue;
            taken.push_back(box);
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
            return;
        }
    };
    const auto paintName = [&](const Point& point, QFont::Weight weight) {
        painter.setFont(uiFont(11, weight));
        const QString name = elidedTitle(QFontMetricsF(painter.font()), titleOf(point.run), 150);
        paintText(point, isOutside(point) ? tr("%1, %2").arg(name, timeOf(point)) : name);
    };
    painter.setPen(theme().chrome.text);
    const auto baseline = numbers()->comparison.baseline;
    for (const Point& point : m_points)
        if (static_cast<int>(point.run) == current())
            paintName(point, QFont::Medium);
    for (const Point& point : m_points)
        if (point.isOnFront && static_cast<int>(point.run) != current())
            paintName(point, QFont::Normal);
    painter.setPen(theme().chrome.text2);
    painter.setFont(uiFont(11));
    for (const Point& point : m_points) {
        if (point.isOnFront || static_cast<int>(point.run) == current())
            continue;
        if (point.run == baseline)
            paintName(point, QFont::Normal);
        else if (isOutside(point))
            paintText(point, timeOf(point));
    }
}

void ParetoChart::paintChart(QPainter& painter)
{
    const Chrome& chrome = theme().chrome;
    if (m_points.empty()) {
        painter.setFont(uiFont(12));
        painter.setPen(chrome.text2);
        painter.drawText(rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No run has a known peak memory"));
        return;
    }
    paintAxes(painter);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintFront(painter);
    paintPoints(painter);
    paintNames(painter);
    if (m_band.isEmpty())
        return;
    QColor ground = chrome.text;
    ground.setAlphaF(0.08F);
    painter.fillRect(m_band, ground);
    painter.setPen(QPen(chrome.text2, 1, Qt::DashLine));
    painter.drawRect(m_band);
}

QString ParetoChart::toolTip(std::size_t run, QPointF) const
{
    const auto found = std::ranges::find(m_points, run, &Point::run);
    QString text = tr("%1\niteration %2\n%3: %4")
                       .arg(titleOf(run), timeOf(*found), memoryUnit(), number(found->memory, 2));
    if (found->isOnFront)
        text += QLatin1Char('\n') + tr("no run is both faster and smaller");
    return text;
}

} // namespace app
