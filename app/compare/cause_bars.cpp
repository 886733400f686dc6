#include "app/compare/cause_bars.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr std::size_t kBest = 8;
constexpr double kNames = 170, kTotal = 64, kTop = 30, kAxis = 22, kMostStep = 22, kLeastStep = 14;

} // namespace

CauseBars::CauseBars(const ThemeController& theme, QWidget* parent)
    : CompareChart("causeBars", tr("Causes of bubbles"), theme, parent)
{ }

void CauseBars::numbersChanged()
{
    m_runs.clear();
    m_longest = 1e-9;
    if (!numbers())
        return;
    m_runs = numbers()->bestAndBaseline(kBest, current());
    for (const std::size_t run : m_runs)
        m_longest = std::max(m_longest, totalOf(run));
}

std::vector<CauseBars::Part> CauseBars::partsOf(std::size_t run) const
{
    const profiler::TimeParts parts = timeParts(numbers()->comparison.runs[run]);
    const profiler::Palette& palette = theme().palette;
    const auto value = [&](double ticks) { return numbers()->inTime(run, ticks); };
    // fill, wait and drain use three greys of the palette, which also colour memory by category.
    return {{tr("fill"), palette.optimizerState, value(parts.fill)},
            {tr("wait"), palette.gradients, value(parts.wait)},
            {tr("exposed communication"), palette.exposed(), value(parts.communication)},
            {tr("drain"), palette.weights, value(parts.drain)}};
}

double CauseBars::totalOf(std::size_t run) const
{
    return numbers()->inTime(run, timeParts(numbers()->comparison.runs[run]).idle());
}

double CauseBars::pixels(double value) const
{
    return std::max(10.0, width() - kNames - kTotal) * value / m_longest;
}

double CauseBars::step() const
{
    const double room = (height() - kTop - kAxis) / static_cast<double>(m_runs.size());
    return std::clamp(std::floor(room), kLeastStep, kMostStep);
}

QRectF CauseBars::rectOf(std::size_t run) const
{
    const auto found = std::ranges::find(m_runs, run);
    if (found == m_runs.end())
        return {};
    return {0, kTop + step() * static_cast<double>(found - m_runs.begin()),
            static_cast<double>(width()), step()};
}

void CauseBars::paintLegend(QPainter& painter) const
{
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(theme().chrome.text);
    painter.drawText(QRectF(12, 4, 200, 20), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Idle time by cause"));
    double x = 16 + QFontMetricsF(painter.font()).horizontalAdvance(tr("Idle time by cause"));
    painter.setFont(uiFont(11));
    painter.setPen(theme().chrome.text2);
    const QFontMetricsF metrics(painter.font());
    const QString unit = tr("%1, mean of devices").arg(numbers()->time().unit());
    painter.drawText(QRectF(x, 4, 200, 20), Qt::AlignLeft | Qt::AlignVCenter, unit);
    x += metrics.horizontalAdvance(unit) + 24;
    for (const Part& part : partsOf(m_runs.front())) {
        const double textWidth = metrics.horizontalAdvance(part.name);
        if (x + 16 + textWidth > width())
            break;
        painter.fillRect(QRectF(x, 9, 11, 10), toQt(part.colour));
        painter.drawText(QRectF(x + 16, 4, textWidth + 2, 20), Qt::AlignLeft | Qt::AlignVCenter,
                         part.name);
        x += 16 + textWidth + 16;
    }
}

void CauseBars::paintAxis(QPainter& painter) const
{
    constexpr double kMarkWidth = 60;
    const double bottom = kTop + step() * static_cast<double>(m_runs.size());
    // The least round distance at which the labels fit.
    double mark = std::pow(10.0, std::floor(std::log10(m_longest)) - 1);
    for (const double factor : {2.0, 2.5, 2.0, 2.0, 2.5, 2.0}) // 1, 2, 5, 10, ...
        mark *= pixels(mark) < kMarkWidth ? factor : 1;
    painter.setFont(uiFont(11));
    for (double value = 0; value <= m_longest * 1.0001; value += mark) {
        const double x = std::round(kNames + pixels(value));
        painter.fillRect(QRectF(x, kTop, 1, bottom - kTop), theme().chrome.grid);
        painter.setPen(theme().chrome.text3);
        painter.drawText(QRectF(x - 30, bottom + 3, 60, 15), Qt::AlignCenter,
                         number(value, mark < 1 ? 1 : 0));
    }
}

void CauseBars::paintBar(QPainter& painter, std::size_t run) const
{
    const QRectF row = rectOf(run);
    const Chrome& chrome = theme().chrome;
    const bool isCurrent = static_cast<int>(run) == current();
    const bool isBaseline = run == numbers()->comparison.baseline;
    if (isCurrent)
        painter.fillRect(row, chrome.selected);
    if (isBaseline && m_runs.size() > 1)
        painter.fillRect(QRectF(0, row.top(), row.width(), 1), chrome.lineStrong);
    painter.setFont(uiFont(12, isCurrent || isBaseline ? QFont::Medium : QFont::Normal));
    painter.setPen(chrome.text);
    const QFontMetricsF metrics(painter.font());
    painter.drawText(QRectF(8, row.top(), kNames - 20, row.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     elidedTitle(metrics, titleOf(run), kNames - 20));
    painter.setFont(uiFont(11));
    const QFontMetricsF small(painter.font());
    double before = 0;
    for (const Part& part : partsOf(run)) {
        const double left = std::round(kNames + pixels(before));
        before += part.value;
        const double right = std::round(kNames + pixels(before));
        const QRectF box(left, row.top() + 2, right - left - 1, row.height() - 4);
        if (box.width() < 1)
            continue;
        painter.fillRect(box, toQt(part.colour));
        const QString text = number(part.value, numbers()->time().decimals());
        if (small.horizontalAdvance(text) + 6 > box.width())
            continue;
        painter.setPen(toQt(theme().palette.inkOn(part.colour)));
        painter.drawText(box, Qt::AlignCenter, text);
    }
    painter.setPen(chrome.text);
    painter.drawText(QRectF(kNames + pixels(before) + 6, row.top(), kTotal, row.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     number(totalOf(run), numbers()->time().decimals()));
}

void CauseBars::paintChart(QPainter& painter)
{
    paintLegend(painter);
    paintAxis(painter);
    for (const std::size_t run : m_runs)
        paintBar(painter, run);
}

QString CauseBars::toolTip(std::size_t run, QPointF at) const
{
    const Scale time = numbers()->time();
    double before = 0;
    QString text = titleOf(run);
    for (const Part& part : partsOf(run)) {
        const double left = kNames + pixels(before);
        before += part.value;
        const bool isUnder = at.x() >= left && at.x() < kNames + pixels(before);
        text += QStringLiteral("\n%1%2 %3 %4")
                    .arg(isUnder ? QStringLiteral("› ") : QString(), part.name,
                         number(part.value, time.decimals()), time.unit());
    }
    return text;
}

} // namespace app
