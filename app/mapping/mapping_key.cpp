#include "app/mapping/mapping_key.h"

#include "app/mapping/mapping_text.h"
#include "app/mapping/node_layout.h"
#include "app/mapping/node_painter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr double kKeyTop = 4, kKeySquare = 72, kKeyGap = 8, kKeyBetween = 28;

// The stages of the first device. The slots before it are free in the mapping of a file.
QStringList stagesOf(const MappingStudy& study)
{
    for (const NodeContents& node : study.nodes)
        for (const NodeSlot& slot : node.slots)
            if (slot.device >= 0)
                return slot.stages;
    return {};
}

} // namespace

MappingKey::MappingKey(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("mappingKey"));
    setFixedHeight(static_cast<int>(2 * kSlotRow + 2 * kKeyTop));
}

void MappingKey::show(const MappingStudy& study)
{
    const engine::HardwareSpec& hardware = study.on->hardware;
    m_stages = stagesOf(study);
    m_inNode = tr("in a node, %1: messages, all-reduces").arg(linkSpeed(hardware, false));
    m_between = study.nodes.size() < 2
        ? QString()
        : tr("between nodes, %1: width and colour by load").arg(linkSpeed(hardware, true));
    setAccessibleName(tr("Legend of the nodes"));
    setAccessibleDescription(m_inNode + QStringLiteral("; ") + m_between);
    update();
}

void MappingKey::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_stages.isEmpty())
        paintLinks(painter, paintSquare(painter) + kKeyBetween);
}

double MappingKey::paintSquare(QPainter& painter) const
{
    const Theme& theme = this->theme();
    paintStages(painter, theme, QRectF(0, kKeyTop, kKeySquare, height() - 2 * kKeyTop), m_stages,
                false);
    const QStringList texts = m_stages.size() > 1
        ? QStringList{tr("stages of the down pipeline"), tr("stages of the up pipeline")}
        : QStringList{tr("stages of the device")};
    painter.setFont(uiFont(11));
    painter.setPen(theme.chrome.text2);
    double right = 0;
    for (qsizetype r = 0; r < texts.size(); ++r) {
        const QPointF at(kKeySquare + kKeyGap, kKeyTop + 14 + kSlotRow * static_cast<double>(r));
        painter.drawText(at, texts.at(r));
        right = std::max(right,
                         at.x() + QFontMetricsF(painter.font()).horizontalAdvance(texts.at(r)));
    }
    return right;
}

void MappingKey::paintLinks(QPainter& painter, double left) const
{
    constexpr double kSample = 40;
    constexpr int kLoad = 1; // a class of the LoadScale
    const Theme& theme = this->theme();
    const double first = kKeyTop + 9, second = first + kSlotRow;
    for (const bool isAllReduce : {false, true}) {
        const double y = first + (isAllReduce ? 3 : -3);
        painter.setPen(penInNode(theme, isAllReduce));
        painter.drawLine(QPointF(left, y), QPointF(left + kSample, y));
    }
    if (!m_between.isEmpty())
        paintLoadArrow(painter, theme, {{left, second}, {left + kSample, second}}, kLoad);
    painter.setFont(uiFont(11));
    painter.setPen(theme.chrome.text2);
    const double x = left + kSample + kKeyGap;
    const QFontMetricsF metrics(painter.font());
    for (const auto& [y, text] : {std::pair(first, m_inNode), std::pair(second, m_between)})
        painter.drawText(QPointF(x, y + 5), metrics.elidedText(text, Qt::ElideRight, width() - x));
}

} // namespace app
