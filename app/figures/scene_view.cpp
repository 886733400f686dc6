#include "app/figures/scene_view.h"

#include "app/figures/write_figure.h"
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

using profiler::SceneMark;

QPointF centre(const SceneMark& mark)
{
    return toQt(mark.rect).center();
}

// Returns the distance of a mark in the direction of an arrow key; infinite if it is not in that
// direction. Left and right prefer marks of the same row; up and down prefer the same column.
double distance(int key, const SceneMark& from, const SceneMark& to)
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
    style.alert = of(theme.chrome.error);
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
        show(std::make_shared<const profiler::MarkedScene>(
            m_draw({chartStyle(m_theme.theme(), viewport()->size()), m_theme.theme().palette})));
}

void SceneView::show(std::shared_ptr<const profiler::MarkedScene> scene)
{
    m_hovered = nullptr;
    m_band = {};
    m_scene = std::move(scene);
    m_picture = {};
    fitScrollBar();
    describeSelection();
    viewport()->update();
}

void SceneView::select(std::optional<std::size_t> point)
{
    m_point = point;
    describeSelection();
    viewport()->update();
    Q_EMIT highlightChanged();
}

std::optional<std::size_t> SceneView::highlighted() const
{
    return m_hovered != nullptr ? m_hovered->point : m_point;
}

void SceneView::describeSelection()
{
    const SceneMark* const mark = selected();
    setAccessibleDescription(mark == nullptr ? tr("Nothing is selected") : m_describe(mark->point));
}

const SceneMark* SceneView::selected() const
{
    if (m_scene == nullptr)
        return nullptr;
    const auto found = std::ranges::find(m_scene->marks, m_point, &SceneMark::point);
    return found == m_scene->marks.end() ? nullptr : &*found;
}

QRect SceneView::rectOf(std::size_t point) const
{
    if (m_scene != nullptr)
        for (const SceneMark& mark : m_scene->marks)
            if (mark.point == point)
                return toQt(mark.rect).translated(0, -verticalScrollBar()->value()).toAlignedRect();
    return {};
}

const SceneMark* SceneView::markAt(const QPoint& position) const
{
    const QPointF at = position + QPoint(0, verticalScrollBar()->value());
    const SceneMark* nearest = nullptr;
    const auto away
        = [&at](const SceneMark& mark) { return (centre(mark) - at).manhattanLength(); };
    if (m_scene != nullptr)
        for (const SceneMark& mark : m_scene->marks)
            if (toQt(mark.rect).contains(at) && (nearest == nullptr || away(mark) < away(*nearest)))
                nearest = &mark;
    return nearest;
}

void SceneView::choose(const SceneMark* mark)
{
    if (mark == nullptr)
        return;
    const std::size_t point = mark->point; // copied, because the signal may replace the scene
    const QRect rect = toQt(mark->rect).toAlignedRect();
    m_hovered = nullptr;
    select(point);
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < bar->value() || rect.bottom() > bar->value() + viewport()->height())
        bar->setValue(rect.center().y() - viewport()->height() / 2);
    Q_EMIT pointChosen(point);
}

void SceneView::hover(const SceneMark* mark)
{
    if (mark == m_hovered)
        return;
    m_hovered = mark;
    viewport()->setCursor(mark != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
    Q_EMIT highlightChanged();
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
    if (!m_canMark || m_scene == nullptr || !event->buttons().testFlag(Qt::LeftButton)
        || (event->position() - m_pressed).manhattanLength() < kLeastDrag)
        return;
    m_band = QRectF(m_pressed, event->position()).normalized();
    std::set<std::size_t> inside;
    for (const SceneMark& one : m_scene->marks)
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
    if (event->button() == Qt::LeftButton)
        choose(markAt(event->pos()));
}

void SceneView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const SceneMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        Q_EMIT pointOpened(mark->point);
}

const SceneMark* SceneView::next(int key) const
{
    const SceneMark* const from = selected();
    if (m_scene == nullptr || m_scene->marks.empty())
        return nullptr;
    if (from == nullptr || key == Qt::Key_Home || key == Qt::Key_End)
        return key == Qt::Key_End ? &m_scene->marks.back() : &m_scene->marks.front();
    const std::vector<SceneMark>& marks = m_scene->marks;
    if (m_isListed) {
        const std::size_t step = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : marks.size() - 1;
        return &marks[(static_cast<std::size_t>(from - marks.data()) + step) % marks.size()];
    }
    const auto away = [&](const SceneMark& mark) { return distance(key, *from, mark); };
    const auto nearest = std::ranges::min_element(m_scene->marks, {}, away);
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
    const SceneMark* const to = key >= Qt::Key_Left && key <= Qt::Key_Down ? next(key) : nullptr;
    if (!event.modifiers().testFlag(Qt::ShiftModifier) || to == nullptr)
        return false;
    std::set<std::size_t> points = m_marked;
    points.insert(to->point);
    if (m_point)
        points.insert(*m_point);
    choose(to);
    mark(std::move(points));
    return true;
}

void SceneView::keyPressEvent(QKeyEvent* event)
{
    const SceneMark* const mark = selected();
    if (m_canMark && markByKey(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        return choose(next(event->key()));
    case Qt::Key_Escape:
        if (!m_isListed)
            return QAbstractScrollArea::keyPressEvent(event);
        m_hovered = nullptr;
        select({});
        Q_EMIT cleared();
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
        const SceneMark* const mark = markAt(help->pos());
        mark == nullptr ? QToolTip::hideText()
                        : QToolTip::showText(help->globalPos(),
                                             toolTipText(m_describe(mark->point)), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SceneView::fitScrollBar()
{
    const int height = m_scene == nullptr ? 0 : static_cast<int>(std::ceil(m_scene->scene.height));
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

void SceneView::paintRing(QPainter& painter, const SceneMark& mark, double width) const
{
    constexpr double kMarker = 16; // marks up to this size are point markers and get a round ring
    const QRectF rect = toQt(mark.rect).adjusted(-1, -1, 1, 1);
    const double radius = rect.width() <= kMarker && rect.height() <= kMarker ? kMarker / 2 : 0;
    const Chrome& chrome = m_theme.theme().chrome;
    if (rect.width() >= m_scene->scene.width || rect.height() >= m_scene->scene.height) {
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

void SceneView::paintMarks(QPainter& painter) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    painter.setPen(QPen(chrome.text2, 1));
    for (const SceneMark& one : m_scene->marks)
        if (m_marked.contains(one.point))
            painter.drawRect(QRectF(centre(one) - QPointF(6, 6), QSizeF(12, 12)));
    if (!m_band.isEmpty()) {
        painter.setPen(QPen(chrome.text2, 1, Qt::DashLine));
        painter.drawRect(m_band);
    }
}

void SceneView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_scene == nullptr)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatioF() != ratio) {
        const QSizeF size(m_scene->scene.width, m_scene->scene.height);
        m_picture = QPixmap((size * ratio).toSize().expandedTo({1, 1}));
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(Qt::transparent);
        QPainter picture(&m_picture);
        paintScene(picture, m_scene->scene);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -verticalScrollBar()->value());
    painter.drawPixmap(QPointF(), m_picture);
    paintMarks(painter);
    if (m_hovered != nullptr)
        paintRing(painter, *m_hovered, 1);
    if (const SceneMark* const mark = selected())
        paintRing(painter, *mark, 2);
}

} // namespace app
