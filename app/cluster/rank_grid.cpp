#include "app/cluster/rank_grid.h"

#include "app/ui/icons.h"
#include "app/ui/text.h"

#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr int kLarge = 64; // ranks; if there are more, they are small squares
constexpr double kNodeName = 56, kChip = 60, kChipHeight = 24, kChipGap = 6;
constexpr double kSquare = 12, kSquareGap = 3;

} // namespace

QString rankStateText(RankState state)
{
    switch (state) {
    case RankState::Waiting:
        return RankGrid::tr("waiting");
    case RankState::Growing:
        return RankGrid::tr("growing");
    case RankState::Received:
        return RankGrid::tr("received");
    case RankState::Slow:
        return RankGrid::tr("slow");
    }
    return {};
}

RankGrid::RankGrid(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("rankGrid"));
    setAccessibleName(tr("Ranks"));
}

bool RankGrid::isSmall() const
{
    return m_states.size() > kLarge;
}

void RankGrid::show(const std::vector<RankState>& states, int ranksPerNode)
{
    m_states = states;
    m_perNode = std::max(1, ranksPerNode);
    QStringList parts;
    for (const RankState state :
         {RankState::Received, RankState::Slow, RankState::Growing, RankState::Waiting}) {
        const auto count = std::ranges::count(states, state);
        if (count > 0)
            parts.append(QStringLiteral("%1 %2").arg(count).arg(rankStateText(state)));
    }
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
    fit();
    update();
}

// Returns the box of a rank. Each node has one row of boxes, or several if one row would be too
// wide.
QRectF RankGrid::box(int rank) const
{
    const double step = isSmall() ? kSquare + kSquareGap : kChip + kChipGap;
    const double line = isSmall() ? kSquare + kSquareGap : kChipHeight + kChipGap;
    const int columns = std::max(1, static_cast<int>((width() - kNodeName) / step));
    const int lines = (m_perNode + columns - 1) / columns;
    const int node = rank / m_perNode, at = rank % m_perNode;
    const double nodeGap = isSmall() ? 3 : 2;
    return {kNodeName + step * (at % columns),
            node * (lines * line + nodeGap) + line * (at / columns),
            step - (isSmall() ? kSquareGap : kChipGap), line - (isSmall() ? kSquareGap : kChipGap)};
}

void RankGrid::fit()
{
    const int last = static_cast<int>(m_states.size()) - 1;
    setFixedHeight(last < 0 ? 1 : static_cast<int>(box(last).bottom()) + 2);
}

void RankGrid::paintRank(QPainter& painter, int rank) const
{
    const Chrome& c = theme().chrome;
    const RankState state = m_states[static_cast<std::size_t>(rank)];
    const QRectF area = box(rank).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool waits = state == RankState::Waiting, isSlow = state == RankState::Slow;
    painter.setPen(
        QPen(isSlow ? c.warning : c.lineStrong, 1, waits ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(waits                             ? QBrush(Qt::NoBrush)
                         : isSlow                      ? c.warningTint
                         : state == RankState::Growing ? c.surfaceAlt
                                                       : c.okTint);
    painter.drawRoundedRect(area, 3, 3);
    if (isSmall())
        return;
    painter.setFont(uiFont(11, waits ? QFont::Normal : QFont::Medium));
    painter.setPen(waits ? c.text2 : c.text);
    painter.drawText(area.adjusted(7, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::number(rank));
    painter.setFont(uiFont(10));
    painter.setPen(isSlow ? c.warning : c.text2);
    if (state == RankState::Received)
        paintIcon(painter, Icon::Check, {area.right() - 18, area.center().y() - 7, 14, 14}, c.ok);
    else
        painter.drawText(area.adjusted(0, 0, -5, 0), Qt::AlignRight | Qt::AlignVCenter,
                         isSlow                            ? tr("slow")
                             : state == RankState::Growing ? tr("grows")
                                                           : tr("waits"));
}

void RankGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int count = static_cast<int>(m_states.size());
    for (int rank = 0; rank < count; ++rank) {
        if (rank % m_perNode == 0) {
            painter.setFont(uiFont(11));
            painter.setPen(theme().chrome.text2);
            const QRectF first = box(rank);
            painter.drawText(QRectF(0, first.top(), kNodeName - 6, std::max(14.0, first.height())),
                             Qt::AlignLeft | Qt::AlignVCenter, tr("node %1").arg(rank / m_perNode));
        }
        paintRank(painter, rank);
    }
}

void RankGrid::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

QString RankGrid::toolTipAt(QPoint at) const
{
    for (int rank = 0; rank < static_cast<int>(m_states.size()); ++rank)
        if (box(rank).contains(at))
            return tr("Rank %1: %2")
                .arg(rank)
                .arg(rankStateText(m_states[static_cast<std::size_t>(rank)]));
    return {};
}

} // namespace app
