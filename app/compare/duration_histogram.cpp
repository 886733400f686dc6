#include "app/compare/duration_histogram.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/ticks.h"

#include <QComboBox>
#include <QPainter>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr std::size_t kClasses = 40;
constexpr engine::OpKind kHistogramKinds[]
    = {engine::OpKind::Forward,        engine::OpKind::Backward,  engine::OpKind::BackwardInput,
       engine::OpKind::BackwardWeight, engine::OpKind::Recompute, engine::OpKind::OptimizerStep};

} // namespace

DurationHistogram::DurationHistogram(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_kind(named(new QComboBox(this), "histogramKind", tr("Kind of op")))
{
    named(this, "durationHistogram", tr("Distribution of op durations"));
    m_kind->setGeometry(12, 6, 190, 24);
    connect(m_kind, &QComboBox::activated, this, qOverload<>(&QWidget::update));
}

void DurationHistogram::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    m_titles = titles;
    fillKinds();
    update();
}

void DurationHistogram::setCurrent(int run)
{
    // Ignores a run in another unit, because the axis has the unit of the baseline.
    m_current
        = run >= 0 && m_numbers && m_numbers->isInUnitOfBaseline(static_cast<std::size_t>(run))
        ? run
        : -1;
    update();
}

// Offers the kinds that occur in any run; keeps the chosen one.
void DurationHistogram::fillKinds()
{
    const QSignalBlocker blocker(m_kind);
    const QVariant chosen = m_kind->currentData();
    m_kind->clear();
    for (const engine::OpKind kind : kHistogramKinds) {
        const bool occurs = m_numbers
            && std::ranges::any_of(m_numbers->ops,
                                   [&](const OpTimes& times) { return !times.of[kind].empty(); });
        if (occurs)
            m_kind->addItem(fromUtf8(engine::kindTitle(kind)), static_cast<int>(kind));
    }
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(chosen)));
    m_kind->setVisible(m_kind->count() > 0);
}

engine::OpKind DurationHistogram::kind() const
{
    return static_cast<engine::OpKind>(m_kind->currentData().toInt());
}

double DurationHistogram::timeOf(std::size_t run, std::int64_t ticks) const
{
    return m_numbers->inTime(run, static_cast<double>(ticks));
}

std::pair<double, double> DurationHistogram::range() const
{
    double least = 0, most = 0;
    bool isFirst = true;
    for (const int run : {static_cast<int>(m_numbers->comparison.baseline), m_current}) {
        const auto index = static_cast<std::size_t>(std::max(0, run));
        if (run < 0 || m_numbers->ops[index].of[kind()].empty())
            continue;
        const auto& durations = m_numbers->ops[index].of[kind()];
        least = isFirst ? timeOf(index, durations.front())
                        : std::min(least, timeOf(index, durations.front()));
        most = std::max(most, timeOf(index, durations.back()));
        isFirst = false;
    }
    const double margin = std::max(0.05 * (most - least), 0.01 * most);
    return {std::max(0.0, least - margin), most + std::max(margin, 1e-9)};
}

std::vector<double> DurationHistogram::shares(std::size_t run) const
{
    const auto& durations = m_numbers->ops[run].of[kind()];
    if (durations.empty())
        return {};
    const auto [least, most] = range();
    std::vector<double> shares(kClasses, 0.0);
    for (const std::int64_t ticks : durations) {
        const double place = (timeOf(run, ticks) - least) / (most - least) * kClasses;
        const auto index = static_cast<std::size_t>(std::clamp(place, 0.0, kClasses - 1.0));
        shares[index] += 1.0 / static_cast<double>(durations.size());
    }
    return shares;
}

void DurationHistogram::paintBars(QPainter& painter, const QRectF& plot) const
{
    const Chrome& chrome = theme().chrome;
    const std::size_t baseline = m_numbers->comparison.baseline;
    const auto own = m_current >= 0 && static_cast<std::size_t>(m_current) != baseline
        ? shares(static_cast<std::size_t>(m_current))
        : std::vector<double>();
    const auto base = shares(baseline);
    double highest = 1e-9;
    for (const auto& all : {own, base})
        for (const double share : all)
            highest = std::max(highest, share);
    const double step = plot.width() / kClasses;
    const auto top
        = [&](double share) { return std::round(plot.bottom() - plot.height() * share / highest); };
    const auto left
        = [&](std::size_t k) { return std::round(plot.left() + step * static_cast<double>(k)); };
    for (std::size_t k = 0; k < own.size(); ++k)
        painter.fillRect(
            QRectF(left(k), top(own[k]), left(k + 1) - left(k) - 1, plot.bottom() - top(own[k])),
            chrome.text3);
    for (std::size_t k = 0; k < base.size(); ++k) { // the outline
        const double before = k == 0 ? plot.bottom() : top(base[k - 1]);
        const double y = top(base[k]);
        painter.fillRect(QRectF(left(k), y, left(k + 1) - left(k), 1.5), chrome.text);
        painter.fillRect(QRectF(left(k), std::min(before, y), 1.5, std::abs(before - y)),
                         chrome.text);
    }
}

void DurationHistogram::paintAxis(QPainter& painter, const QRectF& plot) const
{
    constexpr double kLabel = 80; // pixels
    const Chrome& chrome = theme().chrome;
    const auto [least, most] = range();
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text3);
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), chrome.lineStrong);
    const profiler::Ticks marks
        = profiler::ticks(least, most, kLabel * (most - least) / plot.width());
    for (const double mark : marks.major) {
        const double x = plot.left() + plot.width() * (mark - least) / (most - least);
        painter.fillRect(QRectF(std::round(x), plot.bottom(), 1, 4), chrome.lineStrong);
        painter.drawText(QRectF(x - kLabel / 2, plot.bottom() + 3, kLabel, 15), Qt::AlignCenter,
                         number(mark, marks.decimals));
    }
    painter.drawText(QRectF(plot.left(), plot.bottom() + 17, plot.width(), 15),
                     Qt::AlignRight | Qt::AlignVCenter,
                     tr("duration of an op, %1").arg(m_numbers->time().unit()));
}

QString DurationHistogram::summary(std::size_t run) const
{
    const auto median = m_numbers->ops[run].median(kind());
    const QString title = m_titles.value(static_cast<qsizetype>(run));
    if (!median)
        return tr("%1: no op of this kind").arg(title);
    return tr("%1: %2 ops, median %3 %4")
        .arg(title)
        .arg(m_numbers->ops[run].of[kind()].size())
        .arg(number(m_numbers->inTime(run, *median), m_numbers->time().decimals() + 1),
             m_numbers->time().unit());
}

void DurationHistogram::paintLegend(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const std::size_t baseline = m_numbers->comparison.baseline;
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    const double x = m_kind->geometry().right() + 20;
    const bool hasOwn = m_current >= 0 && static_cast<std::size_t>(m_current) != baseline;
    if (hasOwn) {
        painter.fillRect(QRectF(x, 6, 11, 10), chrome.text3);
        painter.drawText(QPointF(x + 18, 15), summary(static_cast<std::size_t>(m_current)));
    }
    const double line = hasOwn ? 31 : 22; // baseline of the text
    painter.fillRect(QRectF(x, line - 5, 11, 1.5), chrome.text);
    painter.drawText(QPointF(x + 18, line), summary(baseline));
}

void DurationHistogram::paintEvent(QPaintEvent*)
{
    const Chrome& chrome = theme().chrome;
    QPainter painter(this);
    painter.fillRect(rect(), chrome.surface);
    if (m_kind->count() == 0) {
        painter.setFont(uiFont(12));
        painter.setPen(chrome.text2);
        painter.drawText(rect(), Qt::AlignCenter, tr("No op was recorded"));
        return;
    }
    constexpr int kPlotTop = 44, kPlotFoot = 36;
    const QRectF plot(24, kPlotTop, std::max(10, width() - 48),
                      std::max(10, height() - kPlotTop - kPlotFoot));
    paintLegend(painter);
    paintBars(painter, plot);
    paintAxis(painter, plot);
}

} // namespace app
