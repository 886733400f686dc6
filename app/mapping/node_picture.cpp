#include "app/mapping/node_picture.h"

#include "app/mapping/mapping_text.h"
#include "app/mapping/node_painter.h"

#include <QFontMetricsF>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

QString elided(const QPainter& painter, const QString& text, double width)
{
    return QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, width);
}

// Returns a line between two boxes: straight between neighbours, otherwise through the gap below
// the upper one. The lines of the two directions are offset.
QPolygonF pathInNode(const QRectF& from, const QRectF& to)
{
    constexpr double kSide = 3;
    const QPointF a = from.center() + QPointF(0, kSlotCaption / 2.0);
    const QPointF b = to.center() + QPointF(0, kSlotCaption / 2.0);
    const bool isForth = a.y() < b.y() || (a.y() == b.y() && a.x() < b.x());
    const double side = isForth ? kSide : -kSide;
    const bool sameRow = a.y() == b.y(), sameColumn = a.x() == b.x();
    if (sameRow && std::abs(a.x() - b.x()) < 2 * from.width())
        return {a + QPointF(0, side), b + QPointF(0, side)};
    if (sameColumn)
        return {a + QPointF(side, 0), b + QPointF(side, 0)};
    const double gap = std::min(from.bottom(), to.bottom()) + 4 + side / 2;
    return {a + QPointF(2 * side, 0),
            {a.x() + 2 * side, gap},
            {b.x() + 2 * side, gap},
            b + QPointF(2 * side, 0)};
}

} // namespace

NodePicture::NodePicture(const ThemeController& theme, QWidget* parent)
    : LinkChooser(theme, parent)
{
    setObjectName(QStringLiteral("nodePicture"));
}

void NodePicture::arrange()
{
    m_layout = {};
    if (study() != nullptr)
        m_layout = layoutOf(*study(), links(), width());
    m_areDirectionsNamed = fitDirections();
    setFixedHeight(std::max(1, static_cast<int>(std::ceil(m_layout.height))));
}

bool NodePicture::fitDirections() const
{
    for (std::size_t node = 0; node < m_layout.places.size(); ++node)
        for (std::size_t i = 0; i < m_layout.places[node].size(); ++i)
            if (const NodeSlot& slot = study()->nodes[node].slots[i];
                slot.device >= 0 && !fitsDirections(slot.stages, m_layout.places[node][i].width()))
                return false;
    return true;
}

QRectF NodePicture::placeOf(const Nodes& nodes) const
{
    if (nodes.first == nodes.second)
        return m_layout.frames.at(static_cast<std::size_t>(nodes.first));
    for (const LinkArrow& arrow : m_layout.arrows)
        if (Nodes(arrow.from, arrow.to) == nodes)
            return arrow.bounds();
    return {};
}

std::optional<NodePicture::Nodes> NodePicture::linkAt(const QPointF& position) const
{
    for (const LinkArrow& arrow : m_layout.arrows)
        if (arrow.isNear(position))
            return Nodes(arrow.from, arrow.to);
    const auto frame = std::ranges::find_if(
        m_layout.frames, [&](const QRectF& box) { return box.contains(position); });
    if (frame == m_layout.frames.end())
        return {};
    const int node = static_cast<int>(frame - m_layout.frames.begin());
    const auto all = links();
    const bool carries = std::ranges::find(all, Nodes(node, node)) != all.end();
    return carries ? std::optional(Nodes(node, node)) : std::nullopt;
}

QString NodePicture::toolTipAt(QPoint at) const
{
    for (std::size_t node = 0; node < m_layout.frames.size(); ++node)
        if (m_layout.frames[node].contains(at))
            return tr("Node %1: %2").arg(node).arg(study()->nodes[node].summary);
    return {};
}

void NodePicture::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (study() == nullptr)
        return;
    for (std::size_t node = 0; node < m_layout.frames.size(); ++node)
        if (m_layout.frames[node].intersects(event->rect()))
            paintNode(painter, node);
    for (const LinkArrow& arrow : m_layout.arrows)
        if (arrow.bounds().united(arrow.label).intersects(event->rect()))
            paintArrow(painter, arrow);
    painter.setFont(uiFont(11));
    for (const LinkArrow& unused : m_layout.unused) {
        painter.setPen(QPen(theme().chrome.lineStrong, 1, Qt::DashLine));
        painter.drawLine(unused.path.front(), unused.path.back());
        painter.setPen(theme().chrome.text3);
        painter.drawText(unused.label, unused.alignment | Qt::AlignVCenter, tr("no traffic"));
    }
}

void NodePicture::paintNode(QPainter& painter, std::size_t node) const
{
    const Chrome& c = theme().chrome;
    const QRectF frame = m_layout.frames[node].adjusted(0.5, 0.5, -0.5, -0.5);
    const int number = static_cast<int>(node);
    const bool isChosen = highlighted() == Nodes(number, number);
    painter.setPen(QPen(isChosen ? c.text : c.lineStrong, isChosen ? 2 : 1));
    painter.setBrush(c.surface);
    painter.drawRoundedRect(frame, 4, 4);
    const QString title = tr("Node %1").arg(number);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(c.text);
    const QRectF line(frame.left() + 12, frame.top() + 6, frame.width() - 24, 18);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
    const double after = QFontMetricsF(painter.font()).horizontalAdvance(title) + 12;
    painter.setFont(uiFont(11));
    painter.setPen(c.text2);
    painter.drawText(line.adjusted(after, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fittingSummary(study()->nodes[node].summary, line.width() - after));
    paintLinesInNode(painter, node);
    const auto& slots = study()->nodes[node].slots;
    for (std::size_t i = 0; i < m_layout.places[node].size(); ++i)
        paintSlot(painter, slots[i], m_layout.places[node][i]);
    if (slots.size() > m_layout.places[node].size()) {
        painter.setFont(uiFont(11));
        painter.setPen(c.text2);
        painter.drawText(
            line, Qt::AlignRight | Qt::AlignVCenter,
            tr("the first %1 of %2").arg(m_layout.places[node].size()).arg(slots.size()));
    }
}

// Paints the lines between the devices of a node. Call it before painting the boxes, which cover
// parts of the lines.
void NodePicture::paintLinesInNode(QPainter& painter, std::size_t node) const
{
    const auto& places = m_layout.places[node];
    const int first = study()->nodes[node].slots.front().slot;
    const auto place = [&](int slot) -> const QRectF* {
        const int at = slot - first;
        return at >= 0 && at < static_cast<int>(places.size())
            ? &places[static_cast<std::size_t>(at)]
            : nullptr;
    };
    const auto& loads = study()->shown().loads.slots;
    auto load = std::ranges::lower_bound(loads, first, {}, &profiler::SlotLoad::from);
    for (; load != loads.end() && place(load->from) != nullptr; ++load) {
        const QRectF* to = place(load->to);
        if (to == nullptr || shownLoads().of(*load) <= 0)
            continue;
        const bool isSum = shownLoads().allReduces && load->allReduces > load->messages;
        painter.setPen(penInNode(theme(), isSum));
        painter.drawPolyline(pathInNode(*place(load->from), *to));
    }
}

void NodePicture::paintSlot(QPainter& painter, const NodeSlot& slot, const QRectF& box) const
{
    const Chrome& c = theme().chrome;
    const bool isFree = slot.device < 0;
    const bool hasCopies = study()->prediction->run->schedule.shape.dataParallel > 1;
    const QRectF rows = box.adjusted(0, kSlotCaption, 0, 0);
    painter.fillRect(box.adjusted(0, 1, 0, 0), c.surface);
    painter.setFont(uiFont(11));
    painter.setPen(c.text2);
    const QString caption = isFree ? tr("free")
        : hasCopies                ? tr("device %1, w%2").arg(slot.device).arg(slot.copy)
                                   : tr("device %1").arg(slot.device);
    painter.drawText(QRectF(box.left(), box.top(), box.width(), kSlotCaption), Qt::AlignLeft,
                     elided(painter, caption, box.width()));
    if (isFree) {
        painter.setPen(QPen(c.lineStrong, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rows.adjusted(0.5, 0.5, -0.5, -0.5));
        return;
    }
    paintStages(painter, theme(), rows, slot.stages, m_areDirectionsNamed);
}

void NodePicture::paintArrow(QPainter& painter, const LinkArrow& arrow) const
{
    const Chrome& c = theme().chrome;
    const profiler::LinkLoad* link = study()->shown().loads.find(arrow.from, arrow.to);
    if (link == nullptr)
        return;
    const double bytes = shownLoads().of(*link);
    const int load = scale().classOf(bytes);
    const bool isChosen = highlighted() == Nodes(arrow.from, arrow.to);
    if (isChosen) {
        painter.setPen(QPen(c.text, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(
            arrow.path.size() == 2
                ? arrow.bounds().adjusted(1, 1, -1, -1)
                : QRectF(arrow.path[1], arrow.path[2]).normalized().adjusted(-6, -6, 6, 6));
    }
    QPolygonF line;
    for (const QPointF& point : arrow.path)
        line << point;
    paintLoadArrow(painter, theme(), line, load);
    if (arrow.label.isNull())
        return;
    painter.setFont(uiFont(11, isChosen ? QFont::Medium : QFont::Normal));
    painter.setPen(isChosen ? c.text : c.text2);
    painter.drawText(arrow.label, arrow.alignment | Qt::AlignVCenter, loadText(bytes));
}

} // namespace app
