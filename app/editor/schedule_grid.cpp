#include "app/editor/schedule_grid.h"

#include "app/editor/schedule_grid_paint.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace app {

ScheduleGrid::ScheduleGrid(const ThemeController& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(kGridRuler + 3 * kGridRow);
    viewport()->setMouseTracking(true);
    horizontalScrollBar()->setSingleStep(kGridCell);
    verticalScrollBar()->setSingleStep(kGridRow);
    connect(&theme, &ThemeController::changed, viewport(), qOverload<>(&QWidget::update));
}

ScheduleGrid::~ScheduleGrid() = default;

int ScheduleGrid::devices() const
{
    return m_schedule == nullptr ? 0 : static_cast<int>(m_schedule->schedule().program.size());
}

int ScheduleGrid::opsOf(int device) const
{
    return static_cast<int>(m_schedule->schedule().program[{device}].size());
}

void ScheduleGrid::setSchedule(const EditedSchedule* schedule)
{
    m_schedule = schedule;
    m_check.reset();
    m_selected = {};
    updateScrollBars();
    viewport()->update();
}

void ScheduleGrid::setCheck(std::shared_ptr<const ScheduleCheck> check)
{
    m_check = std::move(check);
    if (m_schedule != nullptr && !m_schedule->has(m_selected))
        m_selected = {};
    updateScrollBars();
    setAccessibleDescription(describe(m_selected));
    viewport()->update();
}

void ScheduleGrid::updateScrollBars()
{
    int most = 0;
    for (int device = 0; device < devices(); ++device)
        most = std::max(most, opsOf(device));
    const QSize room = viewport()->size() - QSize(kGridHead, kGridRuler);
    horizontalScrollBar()->setRange(0, std::max(0, (most + 1) * kGridCell - room.width()));
    horizontalScrollBar()->setPageStep(std::max(kGridCell, room.width()));
    verticalScrollBar()->setRange(0, std::max(0, devices() * kGridRow - room.height()));
    verticalScrollBar()->setPageStep(std::max(kGridRow, room.height()));
}

void ScheduleGrid::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

QRect ScheduleGrid::cell(OpPlace place) const
{
    return {kGridHead + place.index * kGridCell - horizontalScrollBar()->value(),
            kGridRuler + place.device * kGridRow - verticalScrollBar()->value() + 4, kGridCell,
            kGridBox};
}

OpPlace ScheduleGrid::placeAt(const QPoint& position) const
{
    if (m_schedule == nullptr || position.x() < kGridHead || position.y() < kGridRuler)
        return {};
    const OpPlace place{(position.y() - kGridRuler + verticalScrollBar()->value()) / kGridRow,
                        (position.x() - kGridHead + horizontalScrollBar()->value()) / kGridCell};
    return m_schedule->has(place) ? place : OpPlace{};
}

void ScheduleGrid::select(OpPlace place)
{
    if (m_schedule == nullptr || !m_schedule->has(place))
        place = {};
    const bool isOther = place != m_selected;
    m_selected = place;
    if (place.isValid()) {
        const QRect box = cell(place);
        const auto bring = [](QScrollBar* bar, int from, int to, int least, int most) {
            if (from < least)
                bar->setValue(bar->value() - (least - from));
            else if (to > most)
                bar->setValue(bar->value() + (to - most));
        };
        bring(horizontalScrollBar(), box.left(), box.right(), kGridHead, viewport()->width() - 8);
        bring(verticalScrollBar(), box.top() - 4, box.bottom() + 4, kGridRuler,
              viewport()->height());
    }
    setAccessibleDescription(describe(place));
    viewport()->update();
    if (isOther)
        Q_EMIT selectionChanged();
}

QString ScheduleGrid::waitText(OpPlace place) const
{
    const auto wait = std::ranges::find(m_check->waits, place, &Wait::waiting);
    return wait == m_check->waits.end() ? tr("deadlocked: its input is never produced")
                                        : sentence(m_schedule->schedule(), *wait);
}

QString ScheduleGrid::describe(OpPlace place) const
{
    if (m_schedule == nullptr || !m_schedule->has(place))
        return {};
    const engine::Op& op = m_schedule->at(place);
    QString text = tr("%1: %2, device %3, index %4")
                       .arg(QString::fromStdString(engine::toString(op)),
                            fromUtf8(engine::kindTitle(op.kind)))
                       .arg(place.device)
                       .arg(place.index);
    if (op.flags == engine::OpFlag::JointWithNext)
        text += tr("; runs jointly with the next op");
    if (m_check == nullptr)
        return text;
    if (const auto found = m_check->messages.find(place); found != m_check->messages.end())
        return text + QLatin1Char('\n') + found->second;
    const int reached = m_check->reached[{place.device}];
    if (place.index == reached)
        text += QLatin1Char('\n') + waitText(place);
    else if (place.index > reached)
        text += tr("\nnever runs");
    return text;
}

void ScheduleGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_schedule == nullptr)
        return;
    GridPainter grid(painter, *m_schedule, m_check.get(), m_theme.theme());
    grid.paint(viewport()->size(), {horizontalScrollBar()->value(), verticalScrollBar()->value()});
    if (m_check != nullptr && m_check->waits.size() <= kMostArrows) {
        std::vector<GridPainter::WaitBoxes> waits;
        for (const Wait& wait : m_check->waits)
            if (wait.awaited.isValid())
                waits.push_back({cell(wait.awaited), cell(wait.waiting)});
        grid.paintWaits(waits, viewport()->size());
    }
    if (m_selected.isValid())
        grid.paintSelection(cell(m_selected).adjusted(0, 0, -1, -1), hasFocus());
    if (m_drag && m_drag->isOn && m_drag->before >= 0) {
        const QRect before = cell({m_selected.device, m_drag->before});
        grid.paintDrop(before.left(), before.top());
    }
}

void ScheduleGrid::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const OpPlace place = placeAt(event->position().toPoint());
    select(place);
    m_drag.reset();
    if (place.isValid())
        m_drag = Drag{event->position().toPoint(), false, -1};
}

void ScheduleGrid::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint position = event->position().toPoint();
    if (!m_drag) {
        viewport()->setCursor(placeAt(position).isValid() ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    const int moved = (position - m_drag->from).manhattanLength();
    m_drag->isOn = m_drag->isOn || moved >= QApplication::startDragDistance();
    if (m_drag->isOn)
        dragTo(position);
}

void ScheduleGrid::dragTo(const QPoint& position)
{
    if (position.x() < kGridHead + kGridCell / 2)
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
    else if (position.x() > viewport()->width() - kGridCell / 2)
        horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    const int row = (position.y() - kGridRuler + verticalScrollBar()->value()) / kGridRow;
    const bool isOwn = position.y() >= kGridRuler && row == m_selected.device;
    const int x = position.x() - kGridHead + horizontalScrollBar()->value();
    m_drag->before
        = isOwn ? std::clamp((x + kGridCell / 2) / kGridCell, 0, opsOf(m_selected.device)) : -1;
    // An op cannot be dropped on another device, because it belongs to the device of its stage.
    viewport()->setCursor(isOwn ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
    viewport()->update();
}

void ScheduleGrid::mouseReleaseEvent(QMouseEvent*)
{
    const std::optional<Drag> drag = m_drag;
    endDrag();
    if (drag && drag->isOn && drag->before >= 0)
        Q_EMIT moveRequested(m_selected, drag->before);
}

void ScheduleGrid::endDrag()
{
    m_drag.reset();
    viewport()->setCursor(Qt::ArrowCursor);
    viewport()->update();
}

void ScheduleGrid::walk(int byDevices, int byOps)
{
    if (devices() == 0)
        return;
    OpPlace place = m_selected.isValid() ? m_selected : OpPlace{0, 0};
    if (m_selected.isValid()) {
        place.device = std::clamp(place.device + byDevices, 0, devices() - 1);
        place.index = std::clamp(place.index + byOps, 0, std::max(0, opsOf(place.device) - 1));
    }
    select(place);
}

void ScheduleGrid::keyPressEvent(QKeyEvent* event)
{
    constexpr int kFar = 1 << 20;
    const bool isPlain
        = (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) == Qt::NoModifier;
    if (!isPlain) {
        event->ignore();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(0, -1);
    case Qt::Key_Right:
        return walk(0, 1);
    case Qt::Key_Up:
        return walk(-1, 0);
    case Qt::Key_Down:
        return walk(1, 0);
    case Qt::Key_Home:
        return walk(0, -kFar);
    case Qt::Key_End:
        return walk(0, kFar);
    case Qt::Key_Escape:
        if (m_drag)
            return endDrag();
        return select({});
    default:
        event->ignore();
    }
}

bool ScheduleGrid::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), toolTipText(describe(placeAt(help->pos()))),
                           viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace app
