#include "app/timeline/widget/iteration_segments.h"

#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr int kSegment = 20, kGap = 2, kHeight = 4;
constexpr int kMostSegments = 8, kBarWidth = 160;

} // namespace

IterationSegments::IterationSegments(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("iterationSegments"));
}

void IterationSegments::show(const RunProgress& progress)
{
    m_progress = progress;
    setToolTip(tr("%1 of %2 iterations are complete").arg(progress.done).arg(progress.planned));
    updateGeometry();
    update();
}

QSize IterationSegments::sizeHint() const
{
    const int count = m_progress.planned;
    return {count > kMostSegments ? kBarWidth : std::max(0, count * (kSegment + kGap)), 16};
}

void IterationSegments::paintEvent(QPaintEvent*)
{
    const Chrome& chrome = theme().chrome;
    QPainter painter(this);
    const int top = (height() - kHeight) / 2;
    if (m_progress.planned > kMostSegments) {
        painter.fillRect(QRect(0, top, kBarWidth, kHeight), chrome.pressed);
        const int done = static_cast<int>(kBarWidth * m_progress.iterations() / m_progress.planned);
        painter.fillRect(QRect(0, top, std::min(done, kBarWidth), kHeight), chrome.text);
        return;
    }
    for (int i = 0; i < m_progress.planned; ++i) {
        const QColor whole = i < m_progress.warmup ? chrome.text3 : chrome.text;
        const QRect segment(i * (kSegment + kGap), top, kSegment, kHeight);
        painter.fillRect(segment, chrome.pressed);
        const double share = std::clamp(m_progress.iterations() - i, 0.0, 1.0);
        painter.fillRect(QRect(segment.left(), top, static_cast<int>(kSegment * share), kHeight),
                         whole);
    }
}

} // namespace app
