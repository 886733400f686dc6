#include "app/mapping/node_picture.h"

#include "app/mapping/mapping_text.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kNodeTitle = 30, kSlotCaption = 15, kSlotRow = 20;
// Slots that are drawn per node. If the hardware defines no nodes, all devices are in one node,
// which may have more.
constexpr std::size_t kMostSlots = 64;
constexpr double kMargin = 1, kColumnGap = 112, kRowGap = 50, kInset = 12, kBetween = 13;
constexpr double kLane = 7;  // distance between routed arrows
constexpr double kApart = 9; // distance of an arrow from the middle between two nodes

int slotColumns(int slots, double width)
{
    constexpr double kLeast = 62; // width of a box
    const int wished = slots <= 4 ? slots : slots <= 8 ? 4 : 8;
    const int possible = static_cast<int>((width - 2 * kInset + kBetween) / (kLeast + kBetween));
    return std::clamp(wished, 1, std::max(1, possible));
}

struct Grid
{
    int columns = 2;

    int row(int node) const { return node / columns; }
    int column(int node) const
    {
        const int i = node % columns;
        return row(node) % 2 == 0 ? i : columns - 1 - i;
    }
};

LinkArrow besideEachOther(const std::vector<QRectF>& frames, int from, int to)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    const bool toRight = a.center().x() < b.center().x();
    const double y = a.center().y() + (toRight ? -kApart : kApart);
    const QPointF begin(toRight ? a.right() + 3 : a.left() - 3, y);
    const QPointF end(toRight ? b.left() - 2 : b.right() + 2, y);
    const QRectF label(std::min(begin.x(), end.x()), toRight ? y - 23 : y + 7,
                       std::abs(end.x() - begin.x()), 16);
    return {from, to, {begin, end}, label, Qt::AlignCenter};
}

LinkArrow aboveEachOther(const std::vector<QRectF>& frames, int from, int to)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    const bool down = a.center().y() < b.center().y();
    const double x = a.center().x() + (down ? -kApart : kApart);
    const QPointF begin(x, down ? a.bottom() + 3 : a.top() - 3);
    const QPointF end(x, down ? b.top() - 2 : b.bottom() + 2);
    const double middle = (begin.y() + end.y()) / 2;
    const QRectF label(down ? x - 108 : x + 8, middle - 8, 100, 16);
    return {from, to, {begin, end}, label, down ? Qt::AlignRight : Qt::AlignLeft};
}

// Routes an arrow through the gap between the columns. `lane` selects one of twelve positions in
// the gap.
LinkArrow throughTheGap(const std::vector<QRectF>& frames, int from, int to, int lane)
{
    const QRectF& a = frames[static_cast<std::size_t>(from)];
    const QRectF& b = frames[static_cast<std::size_t>(to)];
    constexpr int kLanes = 12;
    const double gapLeft = std::min(frames[0].right(), frames[1].right());
    const double x = gapLeft + kColumnGap / 2
        + (lane % 2 == 0 ? 1 : -1) * kLane * (0.5 + (lane / 2) % (kLanes / 2));
    const auto port = [&](const QRectF& frame, double share) {
        const bool isLeft = frame.center().x() < x;
        return QPointF(isLeft ? frame.right() + 3 : frame.left() - 3,
                       frame.top() + share * frame.height());
    };
    const double spread = 0.03 * (lane % 8);
    const bool down = a.center().y() < b.center().y();
    const QPointF begin = port(a, (down ? 0.72 : 0.06) + spread);
    const QPointF end = port(b, (down ? 0.06 : 0.72) + spread);
    return {from, to, {begin, {x, begin.y()}, {x, end.y()}, end}, {}, Qt::AlignCenter};
}

void placeSlots(NodeLayout& layout, std::size_t count, double boxHeight)
{
    for (const QRectF& frame : layout.frames) {
        const int columns = slotColumns(static_cast<int>(count), frame.width());
        const double width = (frame.width() - 2 * kInset - kBetween * (columns - 1)) / columns;
        std::vector<QRectF> places;
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
            places.emplace_back(frame.left() + kInset + column * (width + kBetween),
                                frame.top() + kNodeTitle + row * (boxHeight + kBetween), width,
                                boxHeight);
        }
        layout.places.push_back(std::move(places));
    }
}

void placeArrows(NodeLayout& layout, const std::vector<NodePair>& links, const Grid& grid)
{
    int lane = 0;
    for (const auto& [from, to] : links) {
        if (from == to)
            continue;
        const int rows = std::abs(grid.row(from) - grid.row(to));
        const bool sameColumn = grid.column(from) == grid.column(to);
        if (rows == 0)
            layout.arrows.push_back(besideEachOther(layout.frames, from, to));
        else if (rows == 1 && sameColumn)
            layout.arrows.push_back(aboveEachOther(layout.frames, from, to));
        else
            layout.arrows.push_back(throughTheGap(layout.frames, from, to, lane++));
    }
}

NodeLayout layoutOf(const MappingStudy& study, const std::vector<NodePair>& links, double width)
{
    NodeLayout layout;
    const std::size_t nodes = study.nodes.size();
    const std::size_t slots = std::min<std::size_t>(study.nodes.front().slots.size(), kMostSlots);
    const Grid grid{nodes == 1 ? 1 : 2};
    const double frameWidth
        = (width - 2 * kMargin - kColumnGap * (grid.columns - 1)) / grid.columns;
    const int replicas = study.prediction->run->schedule.shape.replicas;
    const double boxHeight = kSlotCaption + kSlotRow * replicas;
    const int columns = slotColumns(static_cast<int>(slots), frameWidth);
    const double rows = std::ceil(static_cast<double>(slots) / columns);
    const double frameHeight = kNodeTitle + rows * (boxHeight + kBetween);
    for (std::size_t node = 0; node < nodes; ++node) {
        const int i = static_cast<int>(node);
        layout.frames.emplace_back(kMargin + grid.column(i) * (frameWidth + kColumnGap),
                                   kMargin + grid.row(i) * (frameHeight + kRowGap), frameWidth,
                                   frameHeight);
        layout.height = layout.frames.back().bottom() + kMargin;
    }
    placeSlots(layout, slots, boxHeight);
    placeArrows(layout, links, grid);
    return layout;
}

constexpr int kStageText = 11;
constexpr double kStageEnd = 5, kNameGap = 5;

double stageInset(qsizetype row)
{
    return row > 0 ? 7 : 5;
}

QString directionName(qsizetype row)
{
    return row == 0 ? QStringLiteral("down") : QStringLiteral("up");
}

QPolygonF stagesBox(const QRectF& row, bool isUp)
{
    constexpr double kCut = 5;
    if (!isUp)
        return row;
    return {row.topLeft() + QPointF(kCut, 0), row.topRight(), row.bottomRight(), row.bottomLeft(),
            row.topLeft() + QPointF(0, kCut)};
}

void paintHead(QPainter& painter, const QPointF& tip, const QPointF& along, double size)
{
    const QPointF across(-along.y(), along.x()), base = tip - along * size;
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF{tip, base + across * size * 0.6, base - across * size * 0.6});
}

void paintStages(QPainter& painter, const Theme& theme, const QRectF& rows,
                 const QStringList& stages, bool areNamed)
{
    const Chrome& c = theme.chrome;
    for (qsizetype r = 0; r < stages.size(); ++r) {
        const QRectF row(rows.left(), rows.top() + kSlotRow * static_cast<double>(r), rows.width(),
                         kSlotRow - 1);
        painter.setPen(Qt::NoPen);
        painter.setBrush(r == 0 ? c.pressed : c.lineStrong);
        painter.drawPolygon(stagesBox(row, r > 0));
        const QRectF inside = row.adjusted(stageInset(r), 0, -kStageEnd, 0);
        if (areNamed) {
            painter.setFont(uiFont(kStageText));
            painter.setPen(c.text2);
            painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, directionName(r));
        }
        QFont bold = uiFont(kStageText, QFont::Medium);
        bold.setUnderline(r > 0);
        painter.setFont(bold);
        painter.setPen(c.text);
        painter.drawText(
            inside, Qt::AlignRight | Qt::AlignVCenter,
            QFontMetricsF(bold).elidedText(stages.at(r), Qt::ElideRight, inside.width()));
    }
}

void paintLoadArrow(QPainter& painter, const Theme& theme, QPolygonF path, int load)
{
    const QColor colour = LoadScale::colour(load, theme);
    const double thick = LoadScale::width(load), head = std::max(8.0, 1.6 * thick);
    const QPointF tip = path.back(), before = path[path.size() - 2];
    const QPointF way = tip - before, along = way / std::max(1.0, std::hypot(way.x(), way.y()));
    path.back() = tip - along * head * 0.8;
    painter.setPen(QPen(colour, thick, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(path);
    painter.setBrush(colour);
    paintHead(painter, tip, along, head);
}

QString elided(const QPainter& painter, const QString& text, double width)
{
    return QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, width);
}

} // namespace

LoadScale::LoadScale(const MappingStudy& study)
{
    for (const bool crossing : {true, false}) {
        for (const MappedPrediction& each : study.all)
            for (const profiler::LinkLoad& link : each.loads.links)
                if ((link.from != link.to) == crossing)
                    m_most = std::max(m_most, link.bytes());
        if (m_most > 0)
            return;
    }
}

int LoadScale::classOf(double bytes) const
{
    constexpr double kStep = 3;
    int index = kClasses - 1;
    for (double bound = m_most / kStep; index > 0 && bytes <= bound * 1.0001; bound /= kStep)
        --index;
    return index;
}

QColor LoadScale::colour(int index, const Theme& theme)
{
    constexpr double kTowardsSurface[] = {0.65, 0.45, 0.15}, kInDark[] = {0.35, 0.2, 0};
    const auto& palette = theme.palette;
    if (index < kClasses - 1)
        return toQt(profiler::mix(palette.communication, palette.surface,
                                  (theme.isDark() ? kInDark : kTowardsSurface)[index]));
    constexpr double kTowardsInk = 0.45;
    return toQt(profiler::mix(palette.communication, palette.ink, kTowardsInk));
}

double LoadScale::width(int index)
{
    constexpr double kWidths[] = {2, 3.5, 5.5, 8};
    return kWidths[index];
}

QRectF LinkArrow::bounds() const
{
    constexpr double kAround = 7;
    QRectF box;
    for (const QPointF& point : path)
        box |= QRectF(point - QPointF(kAround, kAround), QSizeF(2 * kAround, 2 * kAround));
    return box;
}

bool LinkArrow::isNear(const QPointF& point) const
{
    constexpr double kReach = 7;
    if (label.contains(point))
        return true;
    for (qsizetype i = 1; i < path.size(); ++i) {
        const QRectF segment = QRectF(path[i - 1], path[i]).normalized();
        if (segment.adjusted(-kReach, -kReach, kReach, kReach).contains(point))
            return true;
    }
    return false;
}

bool fitsDirections(const QStringList& stages, double width)
{
    const QFontMetricsF name(uiFont(kStageText)), bold(uiFont(kStageText, QFont::Medium));
    for (qsizetype r = 0; r < stages.size(); ++r)
        if (name.horizontalAdvance(directionName(r)) + kNameGap
                + bold.horizontalAdvance(stages.at(r))
            > width - stageInset(r) - kStageEnd)
            return false;
    return stages.size() > 1;
}

QString fittingSummary(const QString& summary, double width)
{
    const QFontMetricsF metrics(uiFont(kStageText));
    return metrics.elidedText(metrics.horizontalAdvance(summary) <= width
                                  ? summary
                                  : summary.section(QLatin1Char(';'), 0, 0),
                              Qt::ElideRight, width);
}

NodePicture::NodePicture(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("nodePicture"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Devices on nodes"));
}

void NodePicture::showStudy(const std::shared_ptr<const MappingStudy>& study)
{
    m_study = study;
    m_hovered.reset();
    m_scale = LoadScale(*study);
    const profiler::LinkLoads& loads = study->shown().loads;
    if (m_selected && loads.find(m_selected->first, m_selected->second) == nullptr)
        m_selected.reset();
    if (const profiler::LinkLoad* most = loads.largest(); !m_selected && !m_isCleared && most)
        m_selected = NodePair(most->from, most->to);
    arrange();
    describe();
    update();
    Q_EMIT linkChanged();
}

void NodePicture::setShownLoads(const ShownLoads& shown)
{
    m_shown = shown;
    arrange();
    update();
}

std::vector<NodePair> NodePicture::links() const
{
    std::vector<NodePair> all;
    if (m_study != nullptr)
        for (const profiler::LinkLoad& link : m_study->shown().loads.links)
            if (m_shown.of(link) > 0)
                all.emplace_back(link.from, link.to);
    return all;
}

void NodePicture::select(const std::optional<NodePair>& nodes)
{
    m_isCleared = !nodes;
    m_selected = nodes;
    m_hovered.reset();
    describe();
    update();
    Q_EMIT linkChanged();
}

void NodePicture::hover(const std::optional<NodePair>& nodes)
{
    if (nodes == m_hovered)
        return;
    m_hovered = nodes;
    setCursor(nodes ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    Q_EMIT linkChanged();
}

void NodePicture::describe()
{
    if (m_study == nullptr)
        return;
    QString text = crossingText(*m_study);
    const profiler::LinkLoad* link
        = m_selected ? m_study->shown().loads.find(m_selected->first, m_selected->second) : nullptr;
    if (link != nullptr)
        text += QLatin1Char(' ')
            + tr("Selected: %1, %2.").arg(linkTitle(*link), loadText(link->bytes()));
    setAccessibleDescription(text);
}

void NodePicture::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    setFocus(Qt::MouseFocusReason);
    if (const auto nodes = linkAt(event->position()))
        select(nodes);
}

void NodePicture::mouseMoveEvent(QMouseEvent* event)
{
    hover(linkAt(event->position()));
}

void NodePicture::leaveEvent(QEvent*)
{
    hover({});
}

void NodePicture::keyPressEvent(QKeyEvent* event)
{
    const std::vector<NodePair> all = links();
    const int last = static_cast<int>(all.size()) - 1;
    int at = -1;
    if (m_selected)
        if (const auto found = std::ranges::find(all, *m_selected); found != all.end())
            at = static_cast<int>(found - all.begin());
    switch (event->key()) {
    case Qt::Key_Escape:
        return select({});
    case Qt::Key_Right:
    case Qt::Key_Down:
        at = at >= last ? 0 : at + 1;
        break;
    case Qt::Key_Left:
    case Qt::Key_Up:
        at = at <= 0 ? last : at - 1;
        break;
    case Qt::Key_Home:
        at = 0;
        break;
    case Qt::Key_End:
        at = last;
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    if (last >= 0)
        select(all[static_cast<std::size_t>(at)]);
}

void NodePicture::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        arrange();
}

void NodePicture::arrange()
{
    m_layout = {};
    if (m_study != nullptr)
        m_layout = layoutOf(*m_study, links(), width());
    m_areDirectionsNamed = fitDirections();
    setFixedHeight(std::max(1, static_cast<int>(std::ceil(m_layout.height))));
}

bool NodePicture::fitDirections() const
{
    for (std::size_t node = 0; node < m_layout.places.size(); ++node)
        for (std::size_t i = 0; i < m_layout.places[node].size(); ++i)
            if (const NodeSlot& slot = m_study->nodes[node].slots[i];
                slot.device >= 0 && !fitsDirections(slot.stages, m_layout.places[node][i].width()))
                return false;
    return true;
}

QRectF NodePicture::placeOf(const NodePair& nodes) const
{
    if (nodes.first == nodes.second)
        return m_layout.frames.at(static_cast<std::size_t>(nodes.first));
    for (const LinkArrow& arrow : m_layout.arrows)
        if (NodePair(arrow.from, arrow.to) == nodes)
            return arrow.bounds();
    return {};
}

std::optional<NodePair> NodePicture::linkAt(const QPointF& position) const
{
    for (const LinkArrow& arrow : m_layout.arrows)
        if (arrow.isNear(position))
            return NodePair(arrow.from, arrow.to);
    const auto frame = std::ranges::find_if(
        m_layout.frames, [&](const QRectF& box) { return box.contains(position); });
    if (frame == m_layout.frames.end())
        return {};
    const int node = static_cast<int>(frame - m_layout.frames.begin());
    const auto all = links();
    const bool carries = std::ranges::find(all, NodePair(node, node)) != all.end();
    return carries ? std::optional(NodePair(node, node)) : std::nullopt;
}

QString NodePicture::toolTipAt(QPoint at) const
{
    for (std::size_t node = 0; node < m_layout.frames.size(); ++node)
        if (m_layout.frames[node].contains(at))
            return tr("Node %1: %2").arg(node).arg(m_study->nodes[node].summary);
    return {};
}

void NodePicture::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_study == nullptr)
        return;
    for (std::size_t node = 0; node < m_layout.frames.size(); ++node)
        if (m_layout.frames[node].intersects(event->rect()))
            paintNode(painter, node);
    for (const LinkArrow& arrow : m_layout.arrows)
        if (arrow.bounds().united(arrow.label).intersects(event->rect()))
            paintArrow(painter, arrow);
}

void NodePicture::paintNode(QPainter& painter, std::size_t node) const
{
    const Chrome& c = theme().chrome;
    const QRectF frame = m_layout.frames[node].adjusted(0.5, 0.5, -0.5, -0.5);
    const int number = static_cast<int>(node);
    const bool isChosen = highlighted() == NodePair(number, number);
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
                     fittingSummary(m_study->nodes[node].summary, line.width() - after));
    const auto& slots = m_study->nodes[node].slots;
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

void NodePicture::paintSlot(QPainter& painter, const NodeSlot& slot, const QRectF& box) const
{
    const Chrome& c = theme().chrome;
    const bool isFree = slot.device < 0;
    const bool hasCopies = m_study->prediction->run->schedule.shape.dataParallel > 1;
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
    const profiler::LinkLoad* link = m_study->shown().loads.find(arrow.from, arrow.to);
    if (link == nullptr)
        return;
    const double bytes = m_shown.of(*link);
    const int load = m_scale.classOf(bytes);
    const bool isChosen = highlighted() == NodePair(arrow.from, arrow.to);
    if (isChosen) {
        painter.setPen(QPen(c.text, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(
            arrow.path.size() == 2
                ? arrow.bounds().adjusted(1, 1, -1, -1)
                : QRectF(arrow.path[1], arrow.path[2]).normalized().adjusted(-6, -6, 6, 6));
    }
    paintLoadArrow(painter, theme(), arrow.path, load);
    if (arrow.label.isNull())
        return;
    painter.setFont(uiFont(11, isChosen ? QFont::Medium : QFont::Normal));
    painter.setPen(isChosen ? c.text : c.text2);
    painter.drawText(arrow.label, arrow.alignment | Qt::AlignVCenter, loadText(bytes));
}

} // namespace app
