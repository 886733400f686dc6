#include "app/timeline/widget/time_canvas.h"

#include "app/ui/text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace app {
namespace {

struct KeyOfView
{
    int key;
    ViewKey view;
    bool isLetter = false; // with Shift or Ctrl, a letter is the shortcut of an action
};
constexpr KeyOfView kViewKeys[]
    = {{Qt::Key_W, ViewKey::ZoomIn, true}, {Qt::Key_S, ViewKey::ZoomOut, true},
       {Qt::Key_A, ViewKey::Left, true},   {Qt::Key_D, ViewKey::Right, true},
       {Qt::Key_Backspace, ViewKey::Back}, {Qt::Key_F, ViewKey::Selection},
       {Qt::Key_Home, ViewKey::Fit},       {Qt::Key_0, ViewKey::All},
       {Qt::Key_Plus, ViewKey::ZoomIn},    {Qt::Key_Equal, ViewKey::ZoomIn},
       {Qt::Key_Minus, ViewKey::ZoomOut},  {Qt::Key_Left, ViewKey::Left},
       {Qt::Key_Right, ViewKey::Right},    {Qt::Key_Escape, ViewKey::Clear}};

constexpr double kDragFrom = 4; // pixels
constexpr double kNotch = 120;  // one notch of a mouse wheel, in eighths of a degree

QRect emptyStateRect(QSize size)
{
    QRect card(0, 0, std::min(size.width() - 32, 400), std::min(size.height() - 32, 132));
    card.moveCenter(QRect({}, size).center());
    return card;
}

} // namespace

ViewKey viewKey(int key, Qt::KeyboardModifiers modifiers)
{
    if (modifiers & Qt::AltModifier)
        return key == Qt::Key_Left ? ViewKey::Back
            : key == Qt::Key_Right ? ViewKey::Forward
                                   : ViewKey::None;
    const bool isPlain
        = !(modifiers & (Qt::ShiftModifier | Qt::ControlModifier | Qt::MetaModifier));
    const auto* found = std::ranges::find(kViewKeys, key, &KeyOfView::key);
    return found == std::end(kViewKeys) || (found->isLetter && !isPlain) ? ViewKey::None
                                                                         : found->view;
}

std::optional<ViewWindow> steppedView(ViewWindow window, ViewKey key)
{
    switch (key) {
    case ViewKey::ZoomIn:
        return window.zoomed(0.8, window.centre());
    case ViewKey::ZoomOut:
        return window.zoomed(1.25, window.centre());
    case ViewKey::Left:
        return window.moved(-window.duration() / 10);
    case ViewKey::Right:
        return window.moved(window.duration() / 10);
    default:
        return std::nullopt;
    }
}

ViewWindow centredThenFitted(ViewWindow window, ViewWindow box)
{
    const double away = box.centre() - window.centre();
    return std::abs(away) / window.duration() > 0.01 ? window.moved(away)
                                                     : box.zoomed(1.25, box.centre());
}

const QPixmap& CachedPicture::get(const Key& key, const QColor& ground,
                                  const std::function<void(QPainter&)>& paint)
{
    if (key == m_key && !m_picture.isNull())
        return m_picture;
    m_key = key;
    const QSize size = (key.size * key.dpr).toSize();
    if (m_picture.size() != size)
        m_picture = QPixmap(size);
    m_picture.setDevicePixelRatio(key.dpr);
    m_picture.fill(ground);
    QPainter painter(&m_picture);
    paint(painter);
    return m_picture;
}

TimeCanvas::TimeCanvas(const QString& name, const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_scrollBar(new QScrollBar(Qt::Vertical, this))
{
    setObjectName(name);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_scrollBar->setObjectName(name + QStringLiteral("Scroll"));
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    connect(m_scrollBar, &QScrollBar::valueChanged, this, [this] {
        updateAxis();
        update();
        Q_EMIT viewChanged();
    });
    connect(&theme, &ThemeController::changed, this, [this] {
        m_colours.reset();
        update();
    });
}

TimeCanvas::~TimeCanvas() = default;

BoxColours& TimeCanvas::colours()
{
    if (!m_colours || m_coloursDpr != devicePixelRatioF()) {
        m_coloursDpr = devicePixelRatioF();
        m_colours = std::make_shared<BoxColours>(look(), m_coloursDpr);
        m_colours->setColourBy(m_colourBy);
        contentChanged();
        coloursChanged();
    }
    return *m_colours;
}

void TimeCanvas::setColoursBy(ColourBy by)
{
    m_colourBy = by;
    m_colours.reset();
    update();
}

void TimeCanvas::contentChanged()
{
    ++m_serial;
    update();
}

void TimeCanvas::moveTo(ViewWindow to, Remember remember)
{
    if (isEmpty())
        return;
    to = limited(to, extent());
    if (to == m_window)
        return;
    if (remember == Remember::Yes)
        m_history.push(m_window);
    m_zoomed.reset();
    m_window = to;
    updateAxis();
    if (isHovering())
        hover(m_pointer);
    sightChanged();
    update();
    Q_EMIT viewChanged();
}

void TimeCanvas::userMovesTo(ViewWindow to, Remember remember)
{
    aboutToMove();
    moveTo(to, remember);
}

void TimeCanvas::zoomToSelection()
{
    const auto box = isEmpty() ? std::nullopt : selectedBox();
    if (box && box->duration() > 0)
        userMovesTo(centredThenFitted(m_window, *box), Remember::Yes);
    else
        zoomToFit();
}

void TimeCanvas::zoomBack()
{
    ViewWindow to = m_window;
    if (m_history.back(to))
        userMovesTo(to, Remember::No);
}

void TimeCanvas::zoomForward()
{
    ViewWindow to = m_window;
    if (m_history.forward(to))
        userMovesTo(to, Remember::No);
}

int TimeCanvas::scrollY() const
{
    return m_scrollBar->value();
}

void TimeCanvas::scrollTo(int y)
{
    m_scrollBar->setValue(y);
}

void TimeCanvas::revealLane(double top, double bottom)
{
    const double height = timeArea().height();
    if (top < scrollY())
        scrollTo(static_cast<int>(top));
    if (bottom > scrollY() + height)
        scrollTo(static_cast<int>(std::ceil(bottom - height)));
}

void TimeCanvas::keepFit(const std::function<void()>& change)
{
    const bool wasFitted = fit() == m_window;
    change();
    if (wasFitted)
        moveTo(*fit(), Remember::No);
}

void TimeCanvas::layoutScrollBar(double contentHeight)
{
    const QRectF area = timeArea();
    const double hidden = contentHeight - area.height();
    m_scrollBar->setVisible(hidden > 0 && !isEmpty());
    m_scrollBar->setRange(0, static_cast<int>(std::max(0.0, std::ceil(hidden))));
    m_scrollBar->setPageStep(static_cast<int>(area.height()));
    m_scrollBar->setSingleStep(20);
    m_scrollBar->setGeometry(width() - 10, static_cast<int>(area.top()), 10,
                             static_cast<int>(area.height()));
    if (m_empty)
        m_empty->setGeometry(emptyStateRect(size()));
    updateAxis();
    contentChanged();
    Q_EMIT viewChanged();
}

void TimeCanvas::setEmptyState(const std::optional<EmptyState::Texts>& texts)
{
    delete std::exchange(m_empty, nullptr);
    if (!texts)
        return;
    m_empty = new EmptyState(m_theme, *texts, this);
    m_empty->setObjectName(objectName() + QStringLiteral("Empty"));
    m_empty->setGeometry(emptyStateRect(size()));
    m_empty->show();
}

bool TimeCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && !m_hiddenLegend.isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (help->y() >= height() - kLegend) {
            QToolTip::showText(help->globalPos(),
                               toolTipText(m_hiddenLegend.join(QLatin1Char('\n'))), this);
            return true;
        }
    }
    return QWidget::event(event);
}

void TimeCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), look().chrome.surface);
    if (isEmpty())
        return;
    colours();
    updateAxis(); // the pixel ratio may have changed
    paintCanvas(painter);
}

void TimeCanvas::hideToolTip()
{
    m_toolTipTimer.stop();
    QToolTip::hideText();
}

void TimeCanvas::mousePressEvent(QMouseEvent* event)
{
    if (isEmpty())
        return;
    m_isByKeyboard = false;
    hideToolTip();
    m_pressedAt = event->position();
    m_pressedWindow = m_window;
    if (ownPress(*event)) {
        m_dragging = Drag::Own;
        return;
    }
    const bool isLeft = event->button() == Qt::LeftButton;
    const bool pans
        = event->button() == Qt::MiddleButton || (isLeft && event->modifiers() & Qt::ShiftModifier);
    m_dragging = pans ? Drag::Pan : isLeft ? Drag::Press : Drag::None;
    if (pans)
        m_history.push(m_window);
}

void TimeCanvas::showToolTip()
{
    if (!isEmpty() && isHovering())
        QToolTip::showText(mapToGlobal(m_pointer.toPoint() + QPoint(8, 8)), toolTip(), this);
}

void TimeCanvas::drag(QPointF to)
{
    const QRectF area = timeArea();
    const double moved = to.x() - m_pressedAt.x();
    if (m_dragging == Drag::Press && std::abs(moved) >= kDragFrom)
        m_dragging = Drag::Range;
    if (m_dragging == Drag::Own)
        ownDrag(m_pressedAt, to);
    else if (m_dragging == Drag::Pan)
        userMovesTo(m_pressedWindow.moved(-moved * m_window.duration() / area.width()),
                    Remember::No);
    else if (m_dragging == Drag::Range)
        selectRange(m_pressedAt, std::clamp(to.x(), area.left(), area.right()));
}

void TimeCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (isEmpty())
        return;
    if (m_dragging != Drag::None)
        drag(event->position());
    else
        hoverAt(event->position());
}

void TimeCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (!isEmpty() && m_dragging == Drag::Press && event->button() == Qt::LeftButton)
        click(event->position());
    m_dragging = Drag::None;
}

void TimeCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (isEmpty())
        return;
    const std::optional<ViewWindow> box = openAt(event->position());
    if (box && box->duration() > 0)
        userMovesTo(box->zoomed(1.25, box->centre()), Remember::Yes);
}

void TimeCanvas::hoverAt(QPointF at)
{
    m_pointer = at;
    if (!hover(at))
        return;
    hideToolTip();
    if (isHovering())
        m_toolTipTimer.start();
    update();
}

void TimeCanvas::leaveEvent(QEvent*)
{
    m_toolTipTimer.stop();
    endHover();
    update();
}

void TimeCanvas::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (isEmpty())
        return;
    const QPoint delta = event->angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    const QPointF at = event->position();
    const QRectF area = timeArea();
    if (ownWheel(*event, notches)) {
    } else if (at.x() < area.left() || at.x() > area.right()) {
        scrollTo(scrollY() - static_cast<int>(notches * 60));
    } else if (event->modifiers() & Qt::ShiftModifier || delta.y() == 0) {
        userMovesTo(m_window.moved(-notches * m_window.duration() / 10), Remember::No);
    } else {
        const double about
            = m_window.begin + (at.x() - area.left()) * m_window.duration() / area.width();
        zoomByWheel(*event, m_window.zoomed(zoomStep(*event, notches), about));
    }
    hoverAt(at);
}

void TimeCanvas::zoomByWheel(const QWheelEvent& event, ViewWindow to)
{
    constexpr quint64 kPause = 500; // ms between two gestures
    const bool continues = m_zoomed && event.timestamp() - *m_zoomed < kPause;
    const ViewWindow before = m_window;
    userMovesTo(to, continues ? Remember::No : Remember::Yes);
    if (m_window != before)
        m_zoomed = event.timestamp();
}

bool TimeCanvas::perform(ViewKey key)
{
    switch (key) {
    case ViewKey::None:
        return false;
    case ViewKey::Back:
        return zoomBack(), true;
    case ViewKey::Forward:
        return zoomForward(), true;
    case ViewKey::Selection:
        return zoomToSelection(), true;
    case ViewKey::Fit:
        return zoomToFit(), true;
    case ViewKey::All:
        return zoomToAll(), true;
    case ViewKey::Clear:
        return clearSelection(), true;
    default: // zooming is recorded in the history, moving is not
        const bool isMove = key == ViewKey::Left || key == ViewKey::Right;
        userMovesTo(*steppedView(m_window, key), isMove ? Remember::No : Remember::Yes);
        return true;
    }
}

void TimeCanvas::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (!isEmpty() && perform(viewKey(key, event->modifiers())))
        return;
    if (isEmpty() || !ownKey(key, event->modifiers()))
        QWidget::keyPressEvent(event);
}

} // namespace app
