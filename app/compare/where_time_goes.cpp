#include "app/compare/where_time_goes.h"

#include "app/timeline/paint/box_colours.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
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

// The smallest round step that gives at most five marks.
double markStep(double longest)
{
    const double power = std::pow(10.0, std::floor(std::log10(longest)));
    for (const double step : {0.2, 0.25, 0.5, 1.0, 2.0})
        if (longest / (step * power) <= 5)
            return step * power;
    return 5 * power;
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
    for (double mark = 0; mark <= units * 1.0001; mark += markStep(units)) {
        const double x = std::round(left + room * mark / units);
        painter.fillRect(QRectF(x, kFirstBar, 1, bottom - kFirstBar), theme().chrome.grid);
        painter.setPen(theme().chrome.text3);
        painter.drawText(QRectF(x - 30, bottom + 2, 60, 15), Qt::AlignCenter,
                         number(mark, mark == std::floor(mark) ? 0 : 1));
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

} // namespace app
