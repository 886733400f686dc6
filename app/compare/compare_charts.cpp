#include "app/compare/compare_charts.h"

#include "app/timeline/paint/box_colours.h"
#include "app/ui/focus_ring.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/ticks.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
    painter.setFont(uiFont(11));
    const profiler::Ticks marks = profiler::ticks(0, m_longest, kMarkWidth / pixels(1));
    for (const double value : marks.major) {
        const double x = std::round(kNames + pixels(value));
        painter.fillRect(QRectF(x, kTop, 1, bottom - kTop), theme().chrome.grid);
        painter.setPen(theme().chrome.text3);
        painter.drawText(QRectF(x - 30, bottom + 3, 60, 15), Qt::AlignCenter,
                         number(value, marks.decimals));
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

namespace {

constexpr int kMostName = 104, kNameMargins = 22, kValueGap = 8, kValueMargins = 16, kFirstBar = 14,
              kBarStep = 30, kBarHeight = 18;

double lengthOf(const WhereTimeGoes::Bar& bar)
{
    double ticks = 0;
    for (const TimeShare& share : bar.shares)
        ticks += share.ticks;
    return ticks / bar.time.perUnit();
}

} // namespace

QString shareName(const TimeShare& share)
{
    switch (share.kind) {
    case TimeShare::Kind::Exposed:
        return WhereTimeGoes::tr("exposed communication");
    case TimeShare::Kind::Optimizer:
        return WhereTimeGoes::tr("optimizer");
    case TimeShare::Kind::Bubble:
        return WhereTimeGoes::tr("bubble");
    case TimeShare::Kind::Compute:
        break;
    }
    const std::string_view title = engine::kindTitle(share.op);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())).toLower();
}

WhereTimeGoes::WhereTimeGoes(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("whereTimeGoes"));
}

void WhereTimeGoes::show(std::vector<Bar> bars)
{
    m_bars = std::move(bars);
    setMinimumHeight(kFirstBar + static_cast<int>(m_bars.size()) * kBarStep + 30);
    update();
}

int WhereTimeGoes::nameWidth() const
{
    int widest = 0;
    for (const Bar& bar : m_bars)
        widest = std::max(widest, QFontMetrics(uiFont(12)).horizontalAdvance(bar.name));
    return std::min(kMostName, widest + kNameMargins);
}

// Returns the width that the names and the values leave for the bars.
double WhereTimeGoes::barsWidth() const
{
    int widest = 0;
    for (const Bar& bar : m_bars)
        widest
            = std::max(widest,
                       QFontMetrics(uiFont(12))
                           .horizontalAdvance(bar.time.text(lengthOf(bar) * bar.time.perUnit())));
    return width() - nameWidth() - widest - kValueMargins;
}

double WhereTimeGoes::longest() const
{
    double longest = 0;
    for (const Bar& bar : m_bars)
        longest = std::max(longest, lengthOf(bar));
    return longest;
}

QRectF WhereTimeGoes::barRect(std::size_t bar) const
{
    const double length = longest() > 0 ? barsWidth() * lengthOf(m_bars[bar]) / longest() : 0;
    return {static_cast<double>(nameWidth()), kFirstBar + static_cast<double>(bar) * kBarStep + 6,
            std::round(length), static_cast<double>(kBarHeight)};
}

void WhereTimeGoes::paintShare(QPainter& painter, const QRectF& box, const TimeShare& share) const
{
    const profiler::Palette& palette = theme().palette;
    switch (share.kind) {
    case TimeShare::Kind::Bubble:
        Hatch(toQt(palette.bubble), toQt(palette.bubbleLine), devicePixelRatioF())
            .fill(painter, box, nameWidth());
        return;
    case TimeShare::Kind::Exposed:
        painter.fillRect(box, toQt(palette.exposed()));
        return;
    case TimeShare::Kind::Optimizer:
        painter.fillRect(box, toQt(palette.optimizer));
        return;
    case TimeShare::Kind::Compute:
        break;
    }
    const BoxColours colours(theme(), devicePixelRatioF());
    fillLook(painter, box, colours.look(share.op, 0, BoxColours::Emphasis::Normal), nameWidth());
}

void WhereTimeGoes::paintBar(QPainter& painter, std::size_t bar) const
{
    const Bar& shown = m_bars[bar];
    const Chrome& chrome = theme().chrome;
    const QRectF whole = barRect(bar);
    const double total = lengthOf(shown) * shown.time.perUnit();
    double before = 0;
    for (const TimeShare& share : shown.shares) {
        const double left = std::round(whole.left() + whole.width() * before / total);
        before += share.ticks;
        const double right = std::round(whole.left() + whole.width() * before / total);
        // Leaves out the last pixel of each part, which is its border, as in the lanes.
        paintShare(painter, QRectF(left, whole.top(), std::max(1.0, right - left - 1), kBarHeight),
                   share);
    }
    painter.setFont(uiFont(12));
    painter.setPen(chrome.text);
    const QString name
        = QFontMetrics(painter.font())
              .elidedText(shown.name, Qt::ElideRight, nameWidth() - kNameMargins + 1);
    painter.drawText(QRectF(0, whole.top(), nameWidth() - 10, kBarHeight),
                     Qt::AlignRight | Qt::AlignVCenter, name);
    painter.setPen(chrome.text2);
    painter.drawText(QRectF(whole.right() + kValueGap, whole.top(), width(), kBarHeight),
                     Qt::AlignLeft | Qt::AlignVCenter, shown.time.text(total));
}

void WhereTimeGoes::paintAxis(QPainter& painter) const
{
    const double units = longest();
    if (units <= 0)
        return;
    const double room = barsWidth(), left = nameWidth();
    const int bottom = kFirstBar + static_cast<int>(m_bars.size()) * kBarStep + 4;
    painter.setFont(uiFont(11));
    const profiler::Ticks marks = profiler::ticks(0, units, units / 5);
    for (const double mark : marks.major) {
        const double x = std::round(left + room * mark / units);
        painter.fillRect(QRectF(x, kFirstBar, 1, bottom - kFirstBar), theme().chrome.grid);
        painter.setPen(theme().chrome.text3);
        painter.drawText(QRectF(x - 30, bottom + 2, 60, 15), Qt::AlignCenter,
                         number(mark, marks.decimals));
    }
}

void WhereTimeGoes::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    paintAxis(painter);
    for (std::size_t bar = 0; bar < m_bars.size(); ++bar)
        if (!m_bars[bar].shares.empty())
            paintBar(painter, bar);
}

QString WhereTimeGoes::toolTipAt(QPoint at) const
{
    for (std::size_t bar = 0; bar < m_bars.size(); ++bar) {
        const QRectF whole = barRect(bar);
        if (!whole.contains(at))
            continue;
        const double time = (at.x() - whole.left()) / whole.width() * lengthOf(m_bars[bar])
            * m_bars[bar].time.perUnit();
        double before = 0;
        for (const TimeShare& share : m_bars[bar].shares) {
            before += share.ticks;
            if (time <= before)
                return shareName(share) + QLatin1Char(' ') + m_bars[bar].time.withUnit(share.ticks);
        }
    }
    return {};
}

namespace {

constexpr double kLeft = 44, kRight = 16, kHeader = 26, kFoot = 34, kRadius = 3.5;
constexpr double kLeastDrag = 6;

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
    const profiler::Ticks rows = profiler::ticks(
        m_time[0], m_time[1], (m_time[1] - m_time[0]) / std::max(2.0, area.height() / 32));
    for (const double mark : rows.major) {
        const double y = std::round(at(m_memory[0], mark).y());
        painter.fillRect(QRectF(area.left(), y, area.width(), 1), chrome.grid);
        painter.drawText(QRectF(0, y - 8, kLeft - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(mark, rows.decimals));
    }
    const profiler::Ticks columns = profiler::ticks(
        m_memory[0], m_memory[1], (m_memory[1] - m_memory[0]) / std::max(2.0, area.width() / 56));
    for (const double mark : columns.major) {
        const double x = at(mark, m_time[0]).x();
        painter.drawText(QRectF(x - 30, area.bottom() + 2, 60, 15), Qt::AlignCenter,
                         number(mark, columns.decimals));
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
