#include "app/figures/scene_view.h"

#include "app/figures/paint_scene.h"
#include "app/ui/text.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

using profiler::ChartMark;

QPointF centre(const ChartMark& mark)
{
    return app::toQt(mark.rect).center();
}

// Returns the distance of a mark in the direction of an arrow key; infinite if it is not in that
// direction. Left and right prefer marks of the same row; up and down prefer the same column.
double distance(int key, const ChartMark& from, const ChartMark& to)
{
    constexpr double kAside = 8, kNone = std::numeric_limits<double>::infinity();
    const QPointF way = centre(to) - centre(from);
    const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
    const double sign = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : -1;
    const double ahead = sign * (isSideways ? way.x() : way.y());
    const double aside = std::abs(isSideways ? way.y() : way.x());
    if (ahead < 0.5)
        return kNone;
    return ahead + (isSideways && from.row == to.row ? 0 : kAside * aside);
}

} // namespace

profiler::ChartStyle chartStyle(const Theme& theme, QSize size)
{
    const auto of = [](const QColor& colour) {
        return profiler::Colour{static_cast<std::uint8_t>(colour.red()),
                                static_cast<std::uint8_t>(colour.green()),
                                static_cast<std::uint8_t>(colour.blue())};
    };
    profiler::ChartStyle style;
    style.width = size.width();
    style.height = size.height();
    style.fillsHeight = true;
    style.ground = of(theme.chrome.surface);
    style.ink = of(theme.chrome.text);
    style.text = of(theme.chrome.text2);
    style.grid = of(theme.chrome.line);
    style.shade = of(theme.chrome.surfaceAlt);
    if (theme.isDark()) {
        style.low = of(theme.chrome.hover);
        style.high = of(theme.chrome.text2);
    }
    return style;
}

SceneView::SceneView(const ThemeController& theme, Describe describe, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
    , m_describe(std::move(describe))
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&theme, &ThemeController::changed, this, &SceneView::redraw);
}

void SceneView::draw(DrawChart chart)
{
    m_draw = std::move(chart);
    if (!m_draw)
        show(nullptr);
    redraw();
}

void SceneView::redraw()
{
    if (m_draw && !viewport()->size().isEmpty())
        show(std::make_shared<const profiler::DrawnChart>(
            m_draw({chartStyle(m_theme.theme(), viewport()->size()), m_theme.theme().palette})));
}

void SceneView::show(std::shared_ptr<const profiler::DrawnChart> chart)
{
    m_hovered = nullptr;
    m_band = {};
    m_chart = std::move(chart);
    m_picture = {};
    fitScrollBar();
    describeSelection();
    viewport()->update();
}

void SceneView::select(std::size_t point)
{
    m_point = point;
    describeSelection();
    viewport()->update();
}

void SceneView::describeSelection()
{
    const ChartMark* const mark = selected();
    setAccessibleDescription(mark == nullptr ? tr("No point of this chart is selected")
                                             : m_describe(mark->point));
}

const ChartMark* SceneView::selected() const
{
    if (m_chart == nullptr)
        return nullptr;
    const auto found = std::ranges::find(m_chart->marks, m_point, &ChartMark::point);
    return found == m_chart->marks.end() ? nullptr : &*found;
}

QRect SceneView::rectOf(std::size_t point) const
{
    if (m_chart != nullptr)
        for (const ChartMark& mark : m_chart->marks)
            if (mark.point == point)
                return toQt(mark.rect).translated(0, -verticalScrollBar()->value()).toAlignedRect();
    return {};
}

const ChartMark* SceneView::markAt(const QPoint& position) const
{
    const QPointF at = position + QPoint(0, verticalScrollBar()->value());
    const ChartMark* nearest = nullptr;
    const auto away
        = [&at](const ChartMark& mark) { return (centre(mark) - at).manhattanLength(); };
    if (m_chart != nullptr)
        for (const ChartMark& mark : m_chart->marks)
            if (toQt(mark.rect).contains(at) && (nearest == nullptr || away(mark) < away(*nearest)))
                nearest = &mark;
    return nearest;
}

void SceneView::choose(const ChartMark& mark)
{
    const std::size_t point = mark.point; // copied, because the signal may replace the chart
    select(point);
    const QRect rect = toQt(mark.rect).toAlignedRect();
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < bar->value() || rect.bottom() > bar->value() + viewport()->height())
        bar->setValue(rect.center().y() - viewport()->height() / 2);
    Q_EMIT pointChosen(point);
}

void SceneView::hover(const ChartMark* mark)
{
    if (mark == m_hovered)
        return;
    m_hovered = mark;
    viewport()->setCursor(mark != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void SceneView::mark(std::set<std::size_t> points)
{
    m_marked = std::move(points);
    viewport()->update();
    Q_EMIT markedChanged();
}

void SceneView::mouseMoveEvent(QMouseEvent* event)
{
    constexpr double kLeastDrag = 6;
    hover(markAt(event->pos()));
    if (!m_canMark || m_chart == nullptr || !event->buttons().testFlag(Qt::LeftButton)
        || (event->position() - m_pressed).manhattanLength() < kLeastDrag)
        return;
    m_band = QRectF(m_pressed, event->position()).normalized();
    std::set<std::size_t> inside;
    for (const ChartMark& one : m_chart->marks)
        if (m_band.contains(centre(one)))
            inside.insert(one.point);
    mark(std::move(inside));
}

void SceneView::mouseReleaseEvent(QMouseEvent*)
{
    if (m_canMark && m_band.isEmpty()) // a click
        mark({});
    m_band = {};
    viewport()->update();
}

void SceneView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    if (const ChartMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        choose(*mark);
}

void SceneView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const ChartMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        Q_EMIT pointOpened(mark->point);
}

const ChartMark* SceneView::next(int key) const
{
    const ChartMark* const from = selected();
    if (from == nullptr || m_chart->marks.empty())
        return m_chart == nullptr || m_chart->marks.empty() ? nullptr : &m_chart->marks.front();
    const auto away = [&](const ChartMark& mark) { return distance(key, *from, mark); };
    const auto nearest = std::ranges::min_element(m_chart->marks, {}, away);
    return std::isfinite(away(*nearest)) ? &*nearest : nullptr;
}

// Shift and an arrow key marks the selected point and the next one.
bool SceneView::markByKey(QKeyEvent& event)
{
    const int key = event.key();
    if (!m_marked.empty() && key == Qt::Key_Escape)
        return mark({}), true;
    if (m_marked.size() > 1 && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        Q_EMIT markedOpened();
        return true;
    }
    const ChartMark* const to = key >= Qt::Key_Left && key <= Qt::Key_Down ? next(key) : nullptr;
    if (!event.modifiers().testFlag(Qt::ShiftModifier) || to == nullptr)
        return false;
    std::set<std::size_t> points = m_marked;
    points.insert({m_point, to->point});
    choose(*to);
    mark(std::move(points));
    return true;
}

void SceneView::keyPressEvent(QKeyEvent* event)
{
    const ChartMark* const mark = selected();
    if (m_canMark && markByKey(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (const ChartMark* const to = next(event->key()))
            choose(*to);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (mark != nullptr)
            Q_EMIT pointOpened(mark->point);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool SceneView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        hover(nullptr);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const ChartMark* const mark = markAt(help->pos());
        mark == nullptr ? QToolTip::hideText()
                        : QToolTip::showText(help->globalPos(),
                                             toolTipText(m_describe(mark->point)), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SceneView::fitScrollBar()
{
    const int height = m_chart == nullptr ? 0 : static_cast<int>(std::ceil(m_chart->scene.height));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(20);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
}

void SceneView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
    redraw();
    Q_EMIT resized();
}

void SceneView::paintRing(QPainter& painter, const ChartMark& mark, double width) const
{
    constexpr double kMarker = 16; // marks up to this size are point markers and get a round ring
    const QRectF rect = toQt(mark.rect).adjusted(-1, -1, 1, 1);
    const double radius = rect.width() <= kMarker && rect.height() <= kMarker ? kMarker / 2 : 0;
    const Chrome& chrome = m_theme.theme().chrome;
    if (rect.width() >= m_chart->scene.width) { // a whole row
        QColor ground = chrome.text;
        ground.setAlphaF(width > 1 ? 0.09F : 0.04F);
        return painter.fillRect(rect, ground);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chrome.surface, width + 2));
    painter.drawRoundedRect(rect, radius, radius);
    painter.setPen(QPen(chrome.text, width));
    painter.drawRoundedRect(rect, radius, radius);
}

void SceneView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_chart == nullptr)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatioF() != ratio) {
        const QSizeF size(m_chart->scene.width, m_chart->scene.height);
        m_picture = QPixmap((size * ratio).toSize().expandedTo({1, 1}));
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(Qt::transparent);
        QPainter picture(&m_picture);
        paintScene(picture, m_chart->scene);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -verticalScrollBar()->value());
    painter.drawPixmap(QPointF(), m_picture);
    const Chrome& chrome = m_theme.theme().chrome;
    painter.setPen(QPen(chrome.text2, 1));
    for (const ChartMark& one : m_chart->marks)
        if (m_marked.contains(one.point))
            painter.drawRect(QRectF(centre(one) - QPointF(6, 6), QSizeF(12, 12)));
    if (!m_band.isEmpty()) {
        painter.setPen(QPen(chrome.text2, 1, Qt::DashLine));
        painter.drawRect(m_band);
    }
    if (m_hovered != nullptr)
        paintRing(painter, *m_hovered, 1);
    if (const ChartMark* const mark = selected())
        paintRing(painter, *mark, 2);
}

} // namespace app
