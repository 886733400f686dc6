#include "app/run/loss_plot.h"

#include "app/ui/numbers.h"
#include "profiler/analysis/ticks.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr int kLeft = 34, kRight = 12, kTop = 10, kBottom = 22;
constexpr double kTickDistance = 26;
constexpr int kFewIterations = 12; // up to this many iterations have labels and values

} // namespace

LossPlot::LossPlot(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("lossPlot"));
}

void LossPlot::show(LossSeries series)
{
    m_series = std::move(series);
    m_top = m_series.highest() > 0 ? 1.05 * m_series.highest() : 1;
    update();
}

double LossPlot::xOf(double iteration) const
{
    return m_plot.left() + m_plot.width() * iteration / std::max(1, m_series.planned);
}

// A loss that is infinite or not a number is at the top.
double LossPlot::yOf(double loss) const
{
    return std::isfinite(loss) ? m_plot.bottom() - m_plot.height() * loss / m_top : m_plot.top();
}

void LossPlot::paintGround(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const auto warmup = std::ranges::count(m_series.points, true, &LossPoint::isWarmup);
    painter.fillRect(
        QRectF(m_plot.topLeft(), QPointF(xOf(static_cast<double>(warmup)), m_plot.bottom())),
        chrome.surfaceAlt);
    painter.setFont(uiFont(11));
    const auto ticks
        = profiler::ticks(0, m_top, kTickDistance * m_top / std::max(1.0, m_plot.height()));
    painter.setPen(chrome.text3);
    for (const double loss : ticks.major) {
        const double y = std::round(yOf(loss));
        painter.fillRect(QRectF(m_plot.left(), y, m_plot.width(), 1),
                         loss == 0 ? chrome.line : chrome.grid);
        painter.drawText(QRectF(0, y - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(loss, ticks.decimals));
    }
}

void LossPlot::paintReference(QPainter& painter, double loss, const QString& name, bool below) const
{
    const double y = std::round(yOf(loss)) + 0.5;
    QPen pen(theme().chrome.text2, 1);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
    const QString text = name + QLatin1Char(' ') + number(loss, 2);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
    const QRectF box(m_plot.right() - width - 2, below ? y + 1 : y - 15, width + 2, 14);
    painter.fillRect(box, theme().chrome.surface);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, text);
}

void LossPlot::paintDots(QPainter& painter) const
{
    constexpr double kRadius = 1.7;
    QColor colour = theme().chrome.text3;
    colour.setAlphaF(0.75F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (std::size_t i = 0; i < m_series.points.size(); ++i) {
        const auto& losses = m_series.points[i].microBatches;
        for (std::size_t m = 0; m < losses.size(); ++m) {
            const double share
                = 0.15 + 0.7 * (static_cast<double>(m) + 0.5) / static_cast<double>(losses.size());
            painter.drawEllipse(
                QPointF(xOf(static_cast<double>(i) + share), yOf(static_cast<double>(losses[m]))),
                kRadius, kRadius);
        }
    }
}

void LossPlot::paintMean(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const bool isFew = m_series.planned <= kFewIterations;
    QPolygonF line;
    for (std::size_t i = 0; i < m_series.points.size(); ++i)
        line << QPointF(xOf(static_cast<double>(i) + 0.5), yOf(m_series.points[i].mean));
    painter.setPen(QPen(chrome.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    painter.setBrush(chrome.text);
    for (qsizetype i = 0; i < line.size(); ++i) {
        const bool isLast = i + 1 == line.size();
        if (!isFew && !isLast)
            continue;
        painter.setPen(Qt::NoPen);
        painter.drawEllipse(line[i], 4, 4);
        const LossPoint& point = m_series.points[static_cast<std::size_t>(i)];
        if (point.isWarmup && !isLast)
            continue;
        painter.setFont(uiFont(11, isLast ? QFont::Medium : QFont::Normal));
        painter.setPen(isLast ? chrome.text : chrome.text2);
        const double x = std::min(line[i].x() + 7, m_plot.right() - 26);
        const bool isHigh = line[i].y() < m_plot.top() + 13; // no space for the text above the dot
        painter.drawText(QPointF(x, line[i].y() + (isHigh ? 16 : -5)), number(point.mean, 2));
    }
}

void LossPlot::paintIterationNames(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const auto warmup
        = static_cast<int>(std::ranges::count(m_series.points, true, &LossPoint::isWarmup));
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text3);
    const QFontMetrics metrics(painter.font());
    double end = m_plot.left(); // right end of the labels so far
    if (warmup > 0) {
        const double room = std::max(60.0, xOf(warmup) - m_plot.left());
        painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 4, room, 16),
                         Qt::AlignHCenter | Qt::AlignTop, tr("warm-up"));
        end += (room + metrics.horizontalAdvance(tr("warm-up"))) / 2 + 4;
    }
    const int measured = m_series.planned - warmup;
    const int step = measured <= kFewIterations
        ? 1
        : std::max(1, static_cast<int>(profiler::ticks(0, measured, measured / 10.0).step));
    for (std::int64_t i = 0; i < measured; i += step) {
        const double middle = xOf(static_cast<double>(warmup + i) + 0.5);
        if (middle - metrics.horizontalAdvance(QString::number(i)) / 2.0 < end)
            continue;
        painter.drawText(QRectF(middle - 30, m_plot.bottom() + 4, 60, 16),
                         Qt::AlignHCenter | Qt::AlignTop, QString::number(i));
    }
}

void LossPlot::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    m_plot = QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
    if (m_series.points.empty()) {
        painter.setFont(uiFont(11));
        painter.setPen(theme().chrome.text3);
        painter.drawText(m_plot, Qt::AlignCenter,
                         tr("The first loss appears with the first iteration."));
        return;
    }
    paintGround(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintIterationNames(painter);
    painter.setFont(uiFont(11));
    const double gap = 1.4 * painter.font().pixelSize();
    const bool areClose = m_series.unigramEntropy && m_series.entropyRate
        && std::abs(yOf(*m_series.unigramEntropy) - yOf(*m_series.entropyRate)) < gap;
    if (m_series.unigramEntropy)
        paintReference(painter, *m_series.unigramEntropy, tr("unigram entropy"), false);
    if (m_series.entropyRate)
        paintReference(painter, *m_series.entropyRate, tr("entropy rate, estimate"), areClose);
    paintDots(painter);
    paintMean(painter);
}

} // namespace app
