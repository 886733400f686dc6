#include "app/why/path_bar.h"

#include "app/timeline/paint/hatch.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kBar = 12, kTick = 18;

} // namespace

PathBar::PathBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("whyBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void PathBar::show(const profiler::PathShares& shares, std::int64_t bound, const Scale& scale)
{
    m_shares = shares;
    m_bound = bound;
    m_scale = scale;
    setAccessibleName(tr("Shares of the critical path; lower bound %1")
                          .arg(scale.withUnit(static_cast<double>(bound))));
    update();
}

void PathBar::paintEvent(QPaintEvent*)
{
    const auto total = static_cast<double>(m_shares.total());
    if (total <= 0)
        return;
    QPainter painter(this);
    const Theme& theme = this->theme();
    const profiler::Palette& palette = theme.palette;
    const QRectF bar(0, 3, width(), kBar);
    double begin = 0;
    // The parts share their edges, so that the bar has no gaps.
    const auto place = [&](std::int64_t ticks) {
        const double left = std::round(begin / total * width());
        begin += static_cast<double>(ticks);
        return QRectF(left, bar.top(), std::round(begin / total * width()) - left, kBar);
    };
    for (const engine::OpKind kind : m_shares.work.enumerators()) {
        engine::Op op;
        op.kind = kind;
        if (m_shares.work[kind] > 0)
            painter.fillRect(place(m_shares.work[kind]), toQt(palette.fill(op, 0)));
    }
    const QRectF waits = place(m_shares.waits);
    if (!waits.isEmpty())
        Hatch(toQt(palette.bubble), toQt(palette.bubbleLine), devicePixelRatioF())
            .fill(painter, waits, waits.left());
    engine::Op message;
    message.kind = engine::OpKind::SendActivation;
    painter.fillRect(place(m_shares.messages + m_shares.otherTransfers),
                     toQt(palette.fill(message, 0)));

    const double tick = std::round(std::min(1.0, static_cast<double>(m_bound) / total) * width());
    painter.fillRect(QRectF(std::clamp(tick - 1, 0.0, width() - 2.0), 0, 2, kTick),
                     theme.chrome.text);
    painter.setFont(uiFont(11));
    painter.setPen(theme.chrome.text2);
    const QString text = tr("%1 at least").arg(m_scale.text(static_cast<double>(m_bound)));
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text);
    const double left = std::clamp(tick - wide / 2, 0.0, std::max(0.0, width() - wide));
    painter.drawText(QPointF(left, height() - 4), text);
}

} // namespace app
