#include "app/import/rank_chips.h"

#include "app/ui/icons.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr int kChipHeight = 36, kChipGap = 6, kChipRows = 2, kMark = 14, kChipPadding = 6;
constexpr int kNarrowestChip = 84, kWidestChip = 168;

} // namespace

RankChips::RankChips(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void RankChips::show(std::vector<RankFact> ranks)
{
    m_ranks = std::move(ranks);
    int widest = kNarrowestChip;
    for (const RankFact& rank : m_ranks)
        widest = std::max(widest,
                          QFontMetrics(uiFont(11)).horizontalAdvance(rank.note) + kMark
                              + 3 * kChipPadding);
    m_fullWidth = std::min(widest, kWidestChip);
    QStringList missing;
    for (const RankFact& rank : m_ranks)
        if (rank.isMissing)
            missing.append(rank.title);
    setAccessibleName(missing.isEmpty()
                          ? tr("All ranks are present")
                          : tr("Missing: %1").arg(missing.join(QStringLiteral(", "))));
    fit();
    update();
}

void RankChips::fit()
{
    m_chipWidth = std::min(m_fullWidth, std::max(kNarrowestChip, width()));
    if (fitting() < static_cast<int>(m_ranks.size()))
        m_chipWidth = kNarrowestChip; // with shorter notes
    const int rows = static_cast<int>(m_ranks.size()) > columns() ? kChipRows : 1;
    setFixedHeight(rows * (kChipHeight + kChipGap) - kChipGap);
}

void RankChips::resizeEvent(QResizeEvent*)
{
    fit();
}

int RankChips::columns() const
{
    return std::max(1, (width() + kChipGap) / (m_chipWidth + kChipGap));
}

int RankChips::fitting() const
{
    const int all = static_cast<int>(m_ranks.size()), most = columns() * kChipRows;
    return all <= most ? all : most - 1;
}

QSize RankChips::sizeHint() const
{
    constexpr int kUsual = 4; // chips beside each other
    return {std::min(static_cast<int>(m_ranks.size()), kUsual) * (m_fullWidth + kChipGap),
            height()};
}

QRect RankChips::box(int rank) const
{
    return {rank % columns() * (m_chipWidth + kChipGap),
            rank / columns() * (kChipHeight + kChipGap), m_chipWidth, kChipHeight};
}

void RankChips::paintChip(QPainter& painter, const QRect& area, const RankFact& rank) const
{
    const Chrome& chrome = theme().chrome;
    painter.setPen(QPen(chrome.lineStrong, 1, rank.isMissing ? Qt::DashLine : Qt::SolidLine));
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRect mark(area.left() + kChipPadding, area.top() + 3, kMark, kMark);
    if (!rank.isMissing)
        paintIcon(painter, Icon::Check, mark, chrome.ok);
    const QRect text = area.adjusted(kMark + kChipPadding + 3, 2, -kChipPadding, -2);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(rank.isMissing ? chrome.text3 : chrome.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, rank.title);
    painter.setFont(uiFont(11));
    painter.setPen(rank.isMissing ? chrome.text3 : chrome.text2);
    painter.drawText(
        text, Qt::AlignLeft | Qt::AlignBottom,
        QFontMetrics(painter.font()).elidedText(rank.note, Qt::ElideMiddle, text.width()));
}

void RankChips::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int shown = fitting(), all = static_cast<int>(m_ranks.size());
    for (int i = 0; i < shown; ++i)
        paintChip(painter, box(i), m_ranks[static_cast<std::size_t>(i)]);
    if (shown == all)
        return;
    painter.setFont(uiFont(12));
    painter.setPen(theme().chrome.text2);
    painter.drawText(box(shown), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("and %1 more").arg(all - shown));
}

QString RankChips::toolTipAt(QPoint at) const
{
    for (int i = 0; i < fitting(); ++i)
        if (box(i).contains(at))
            return m_ranks[static_cast<std::size_t>(i)].toolTip;
    return {};
}

} // namespace app
