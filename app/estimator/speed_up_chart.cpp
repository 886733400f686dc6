#include "app/estimator/speed_up_chart.h"

#include "app/ui/numbers.h"
#include "profiler/analysis/ticks.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kLeft = 40, kRight = 64, kTop = 22, kBottom = 36;
constexpr double kRadius = 5;

} // namespace

SpeedUpChart::SpeedUpChart(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setMinimumSize(300, 190);
}

void SpeedUpChart::show(const std::vector<BpipeStep>& steps, int size)
{
    m_steps = steps;
    m_size = size;
    scale();
    QStringList texts;
    for (const BpipeStep& step : steps)
        texts.append(tr("b %1 to %2: a gain of %3 in stage MFU gives %4")
                         .arg(step.from)
                         .arg(step.to)
                         .arg(factorText(step.gain), factorText(step.speedUp())));
    for (const BpipePoint& point : publishedPoints())
        texts.append(point.text);
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    update();
}

void SpeedUpChart::scale()
{
    double left = 1, right = 1, bottom = 1, top = 1;
    const auto include = [&](double gain, double speedUp) {
        left = std::min(left, gain);
        right = std::max(right, gain);
        bottom = std::min(bottom, speedUp);
        top = std::max(top, speedUp);
    };
    for (const BpipePoint& point : publishedPoints())
        include(point.gain, point.speedUp);
    for (const BpipeStep& step : m_steps)
        include(step.gain, step.speedUp());
    constexpr double kMargin = 0.05;
    m_left = left - kMargin;
    m_right = right + kMargin;
    m_bottom = bottom - kMargin;
    m_top = top + kMargin;
}

QPointF SpeedUpChart::place(double gain, double speedUp) const
{
    return {m_plot.left() + m_plot.width() * (gain - m_left) / (m_right - m_left),
            m_plot.bottom() - m_plot.height() * (speedUp - m_bottom) / (m_top - m_bottom)};
}

void SpeedUpChart::paintGround(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const double even = std::round(place(1, 1).y());
    painter.fillRect(QRectF(m_plot.left(), even, m_plot.width(), m_plot.bottom() - even),
                     chrome.surfaceAlt);
    painter.setFont(uiFont(11));
    constexpr double kMost = 8; // ticks of an axis
    const auto x = profiler::ticks(m_left, m_right, (m_right - m_left) / kMost);
    const auto y = profiler::ticks(m_bottom, m_top, (m_top - m_bottom) / kMost);
    for (const double at : y.major) {
        const double top = std::round(place(1, at).y());
        painter.fillRect(QRectF(m_plot.left(), top, m_plot.width(), 1), chrome.grid);
        painter.setPen(chrome.text3);
        painter.drawText(QRectF(0, top - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(at, y.decimals));
    }
    painter.fillRect(QRectF(m_plot.left(), m_plot.bottom(), m_plot.width(), 1), chrome.line);
    for (const double at : x.major) {
        const double left = std::round(place(at, 1).x());
        painter.fillRect(QRectF(left, m_plot.bottom(), 1, 4), chrome.line);
        painter.setPen(chrome.text3);
        painter.drawText(QRectF(left - 24, m_plot.bottom() + 4, 48, 14), Qt::AlignCenter,
                         number(at, x.decimals));
    }
    painter.setPen(chrome.text2);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 18, m_plot.width(), 16),
                     Qt::AlignCenter, tr("gain in stage MFU, ×"));
    painter.drawText(QPointF(8, 14), tr("speed-up, ×"));
    QPen dashed(chrome.text2, 1);
    dashed.setDashPattern({4, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(m_plot.left(), even + 0.5), QPointF(m_plot.right(), even + 0.5));
}

void SpeedUpChart::paintLines(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    double lastLabel = -1e9; // y
    for (const BpipeStep& step : m_steps) {
        const bool isShown = step.to == m_size;
        painter.save();
        painter.setClipRect(m_plot);
        painter.setPen(QPen(isShown ? chrome.text : chrome.text3, isShown ? 1.6 : 1.2));
        const QPointF end = place(m_right, m_right / step.needed);
        painter.drawLine(place(m_left, m_left / step.needed), end);
        painter.restore();
        const double y = std::clamp(end.y(), m_plot.top() + 4, m_plot.bottom());
        if (y - lastLabel < 13)
            continue;
        lastLabel = y;
        painter.setPen(isShown ? chrome.text : chrome.text2);
        const bool isCut = end.y() < m_plot.top();
        const double x = isCut ? std::min(place(m_top * step.needed, m_top).x() + 4, m_plot.right())
                               : m_plot.right() + 5;
        painter.drawText(QPointF(x, y + 4), tr("b %1 → %2").arg(step.from).arg(step.to));
    }
}

void SpeedUpChart::paintMarks(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    for (const BpipeStep& step : m_steps) {
        const QPointF at = place(step.gain, step.speedUp());
        const bool isShown = step.to == m_size;
        painter.setPen(Qt::NoPen);
        painter.setBrush(isShown ? chrome.text : chrome.text3);
        painter.drawEllipse(at, kRadius - 1, kRadius - 1);
        if (!isShown)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(chrome.text, 1.4));
        painter.drawEllipse(at, kRadius + 3, kRadius + 3);
        painter.setPen(QPen(chrome.text2, 1, Qt::DotLine));
        painter.drawLine(at + QPointF(0, kRadius + 3), QPointF(at.x(), m_plot.bottom()));
    }
    painter.setPen(chrome.text);
    painter.setFont(uiFont(15));
    for (const BpipePoint& point : publishedPoints())
        painter.drawText(
            QRectF(place(point.gain, point.speedUp), QSizeF()).adjusted(-12, -12, 12, 12),
            Qt::AlignCenter, QString(point.mark));
}

void SpeedUpChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    m_plot = QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
    paintGround(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLines(painter);
    paintMarks(painter);
}

} // namespace app
