#include "app/editor/schedule_editor.h"

#include "app/shell/page.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QListWidget>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace app {
namespace {

using engine::Schedule;
using engine::Violation;

// What a schedule of compute ops does without times, until the next op of every device waits.
struct Executed
{
    std::vector<bool> made; // one flag per value
    engine::IdVector<engine::DeviceId, int> reached;
};

Executed executed(const Schedule& schedule)
{
    const engine::Shape& shape = schedule.shape;
    Executed done{std::vector<bool>(engine::valueCount(shape)),
                  engine::IdVector<engine::DeviceId, int>(schedule.program.size())};
    const auto isMade = [&](const engine::Value& value) {
        return bool(done.made[engine::valueIndex(value, shape)]);
    };
    for (bool moved = true; std::exchange(moved, false);)
        for (const engine::DeviceId device : done.reached.ids()) {
            const auto& ops = schedule.program[device];
            for (int& next = done.reached[device]; next < std::ssize(ops); ++next) {
                if (engine::exists(ops[next], shape)) {
                    if (!std::ranges::all_of(engine::consumes(ops[next], shape), isMade))
                        break;
                    for (const engine::Value& value : engine::produces(ops[next], shape))
                        done.made[engine::valueIndex(value, shape)] = true;
                }
                moved = true;
            }
        }
    return done;
}

// Returns the place of the op that produces a value. If the op is missing, the index is -1 and the
// device is the one that should execute it.
OpPlace makerOf(const engine::Value& value, const Schedule& schedule)
{
    const engine::DeviceId device = schedule.device(value.replica, value.stage);
    const auto& ops = schedule.program[device];
    const auto makes = [&](const engine::Op& op) {
        return engine::exists(op, schedule.shape)
            && std::ranges::any_of(engine::produces(op, schedule.shape),
                                   [&value](const engine::Value& made) { return made == value; });
    };
    const auto maker = std::ranges::find_if(ops, makes);
    return {device.value, maker == ops.end() ? -1 : static_cast<int>(maker - ops.begin())};
}

// The ops that wait after `done`, at most one per device.
std::vector<Wait> waitsAfter(const Schedule& schedule, const Executed& done)
{
    const auto& [made, reached] = done;
    std::vector<Wait> waits;
    for (const engine::DeviceId device : reached.ids()) {
        const int next = reached[device];
        if (next >= std::ssize(schedule.program[device]))
            continue;
        const OpPlace waiting{device.value, reached[device]};
        const engine::Values needed
            = engine::consumes(schedule.program[device][next], schedule.shape);
        const auto value
            = std::find_if(needed.begin(), needed.end(), [&](const engine::Value& one) {
                  return !done.made[engine::valueIndex(one, schedule.shape)];
              });
        if (value == needed.end())
            continue;
        const OpPlace awaited = makerOf(*value, schedule);
        const OpPlace stop{awaited.device, reached[{awaited.device}]};
        waits.push_back({waiting, awaited, awaited.index > stop.index ? stop : OpPlace{}});
    }
    return waits;
}

// "0B0 on device 0 waits for 1B0 on device 1, which comes after 1F1."
QString sentence(const Schedule& schedule, const Wait& wait)
{
    const auto nameAt = [&schedule](const OpPlace& place) {
        return QString::fromStdString(
            engine::toString(schedule.program[{place.device}][place.index]));
    };
    const QString who
        = fromUtf8("%1 on device %2 waits for ").arg(nameAt(wait.waiting)).arg(wait.waiting.device);
    if (!wait.awaited.isValid())
        return who + fromUtf8("an op that device %1 does not have.").arg(wait.awaited.device);
    const QString whom
        = who + fromUtf8("%1 on device %2").arg(nameAt(wait.awaited)).arg(wait.awaited.device);
    if (!wait.blocker.isValid())
        return whom + QLatin1Char('.');
    return whom + fromUtf8(", which comes after ")
        + (wait.blocker == wait.waiting ? fromUtf8("it") : nameAt(wait.blocker)) + QLatin1Char('.');
}

} // namespace

QString deadlockSentence(const Schedule& schedule, const ScheduleCheck& check)
{
    if (std::ranges::find(check.prediction.violations, Violation::Kind::Deadlock, &Violation::kind)
        == check.prediction.violations.end())
        return {};
    std::int64_t waiting = 0, all = 0, left = 0;
    for (const engine::DeviceId device : check.reached.ids()) {
        const std::int64_t ops = std::ssize(schedule.program[device]);
        waiting += check.reached[device] < ops ? 1 : 0;
        all += ops;
        left += ops - check.reached[device];
    }
    return fromUtf8(waiting == 1 ? "%1 waits, %2 of %3 ops never run."
                                 : "%1 wait, %2 of %3 ops never run.")
        .arg(countOf(waiting, "device"))
        .arg(left)
        .arg(all);
}

ScheduleCheck checkSchedule(const Schedule& schedule, const QString& label,
                            const PredictionRequest& request)
{
    ScheduleCheck check;
    auto predicted = predict(schedule, label, request);
    if (predicted)
        check.prediction = std::move(*predicted);
    else
        check.problem = fromUtf8(predicted.error().message);
    const Executed done = executed(schedule);
    check.reached = done.reached;
    if (!check.isValid())
        check.waits = waitsAfter(schedule, done);
    for (const Violation& violation : check.prediction.violations) {
        const QString message = fromUtf8(violation.message);
        if (violation.index >= 0) {
            QString& all = check.messages[{violation.device.value, violation.index}];
            all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + message;
        } else if (violation.kind == Violation::Kind::Missing
                   && schedule.program.has(violation.device)) {
            check.missing.push_back({violation.op, {violation.device.value, -1}});
        }
    }
    return check;
}

OpPlace placeFor(const Schedule& schedule, const AbsentOp& absent)
{
    constexpr std::size_t kTried = 2000; // ops; with more, it takes too long to try every position
    const engine::DeviceId device{absent.place.device};
    const int end = schedule.program[device].size();
    OpPlace best{absent.place.device, end};
    if (engine::opCount(schedule) > kTried)
        return best;
    std::size_t least = SIZE_MAX;
    for (int index = 0; index <= end; ++index) {
        Schedule trial = schedule;
        std::vector<engine::Op>& ops = trial.program[device];
        ops.insert(ops.begin() + index, absent.op);
        const std::size_t found = engine::validate(trial).size();
        if (found < least) {
            least = found;
            best.index = index;
        }
    }
    return best;
}

namespace {

TimeAxis axisFor(const QPainter& painter)
{
    TimeAxis axis; // only its pixel ratio is used
    axis.dpr = painter.device()->devicePixelRatioF();
    return axis;
}

// The dimensions of the grid in pixels: width and height of a cell, height of a box, width of the
// device names at the left, height of the ruler at the top.
constexpr int kGridCell = 48, kGridRow = 36, kGridBox = 28, kGridHead = 84, kGridRuler = 22;
constexpr std::size_t kMostArrows = 64; // between deadlocked ops

struct WaitArrow
{
    QPainterPath line;
    QPolygonF head;
};

WaitArrow arrowOf(const QRect& awaited, const QRect& waiting)
{
    // Rows are close, so the arrow ends within the boxes.
    constexpr double kHead = 6, kHalf = 3.5, kInside = 4;
    const bool isOwn = waiting.top() == awaited.top(); // in one row: the arrow is drawn below it
    const double direction = waiting.top() > awaited.top() ? 1 : -1;
    const auto edge = [](const QRect& box, double side) {
        return box.center().y() + side * (box.height() / 2.0 - kInside);
    };
    const double arrive = isOwn ? -1 : direction; // direction of the arrow head
    const QPointF from(awaited.center().x(), edge(awaited, isOwn ? 1 : direction));
    const QPointF tip(waiting.center().x(), edge(waiting, -arrive));
    const QPointF to(tip.x(), tip.y() - kHead * arrive);
    const double bend = std::max(isOwn ? 16.0 : 6.0, std::abs(to.y() - from.y()) * 0.4);
    QPainterPath line(from);
    line.cubicTo(from + QPointF(0, (isOwn ? 1 : direction) * bend), to - QPointF(0, arrive * bend),
                 to);
    return {line, QPolygonF({tip, to + QPointF(-kHalf, 0), to + QPointF(kHalf, 0)})};
}

// Paints the visible part of the grid. `scroll` is the distance in pixels by which the grid is
// scrolled.
class GridPainter
{
public:
    GridPainter(QPainter& painter, const EditedSchedule& schedule, const ScheduleCheck* check,
                const Theme& theme)
        : m_painter(painter)
        , m_schedule(schedule)
        , m_check(check)
        , m_theme(theme)
        , m_axis(axisFor(painter))
        , m_colours(theme, m_axis.dpr)
        , m_boxes(painter, m_axis, m_colours)
    { }

    void paint(const QSize& size, const QPoint& scroll)
    {
        const int devices = static_cast<int>(m_schedule.schedule().program.size());
        const int first = std::max(0, scroll.y() / kGridRow);
        const int last = std::min(devices - 1, (scroll.y() + size.height()) / kGridRow);
        m_painter.save();
        m_painter.setClipRect(kGridHead, kGridRuler, size.width(), size.height());
        for (int device = first; device <= last; ++device)
            paintRow(device, size, scroll);
        m_painter.restore();
        paintRuler(size, scroll);
        paintHead(size, scroll);
    }

    void paintRow(int device, const QSize& size, const QPoint& scroll)
    {
        const int count = static_cast<int>(m_schedule.schedule().program[{device}].size());
        const int first = std::max(0, scroll.x() / kGridCell);
        const int last = std::min(count - 1, (scroll.x() + size.width()) / kGridCell);
        const int top = kGridRuler + device * kGridRow - scroll.y();
        m_painter.fillRect(QRect(kGridHead, top + kGridRow - 1, size.width(), 1),
                           m_theme.chrome.grid);
        for (int index = first; index <= last; ++index)
            paintOp(
                {device, index},
                QRect(kGridHead + index * kGridCell - scroll.x(), top + 4, kGridCell, kGridBox));
    }

    void paintOp(OpPlace place, const QRect& box)
    {
        const engine::Op& op = m_schedule.at(place);
        const engine::Shape& shape = m_schedule.schedule().shape;
        const int chunk = std::max(0, op.stage.value) / std::max(1, shape.devices);
        const bool runs = m_check == nullptr || place.index < m_check->reached[{place.device}];
        const bool waits = !runs && place.index == m_check->reached[{place.device}];
        const auto emphasis
            = runs || waits ? BoxColours::Emphasis::Normal : BoxColours::Emphasis::Dimmed;
        m_boxes.draw(box, m_colours.look(op.kind, chunk, emphasis), boxText(op, box.width()));
        if (op.flags == engine::OpFlag::JointWithNext) // a line below both joint ops
            m_painter.fillRect(QRect(box.left() + 8, box.bottom() + 2, kGridCell, 2),
                               m_theme.chrome.text2);
        const bool isMarked = waits || (m_check != nullptr && m_check->messages.contains(place));
        if (!isMarked)
            return;
        m_painter.setPen(QPen(m_theme.chrome.error, 2));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(QRect(box.left(), box.top(), box.width() - 2, box.height() - 1));
    }

    void paintRuler(const QSize& size, const QPoint& scroll)
    {
        m_painter.fillRect(QRect(0, 0, size.width(), kGridRuler), m_theme.chrome.surface);
        m_painter.fillRect(QRect(0, kGridRuler - 1, size.width(), 1), m_theme.chrome.line);
        std::size_t most = 0;
        for (const auto& ops : m_schedule.schedule().program)
            most = std::max(most, ops.size());
        for (int index = scroll.x() / kGridCell; index < static_cast<int>(most); ++index) {
            const QRect box(kGridHead + index * kGridCell - scroll.x(), 0, kGridCell - 1,
                            kGridRuler - 2);
            if (box.left() > size.width())
                break;
            if (box.left() >= kGridHead)
                paintText(m_painter, box, QString::number(index), uiFont(11), m_theme.chrome.text2,
                          Qt::AlignCenter);
        }
    }

    void paintHead(const QSize& size, const QPoint& scroll)
    {
        m_painter.save();
        m_painter.setClipRect(0, kGridRuler, kGridHead, size.height());
        m_painter.fillRect(QRect(0, kGridRuler, kGridHead - 1, size.height()),
                           m_theme.chrome.surface);
        const int devices = static_cast<int>(m_schedule.schedule().program.size());
        for (int device = scroll.y() / kGridRow; device < devices; ++device) {
            const QRect box(14, kGridRuler + device * kGridRow - scroll.y() + 4, kGridHead - 18,
                            kGridBox);
            if (box.top() > size.height())
                break;
            paintText(m_painter, box, QObject::tr("device %1").arg(device), uiFont(12),
                      m_theme.chrome.text2);
        }
        m_painter.restore();
    }

    void paintSelection(const QRect& cell, bool hasFocus)
    {
        m_painter.save();
        m_painter.setClipRect(kGridHead - 4, kGridRuler, 1 << 20, 1 << 20);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.chrome.text, 2));
        m_painter.drawRect(cell.adjusted(-1, -1, 0, 1));
        if (hasFocus) {
            m_painter.setPen(QPen(m_theme.chrome.text, 1, Qt::DashLine));
            m_painter.drawRect(cell.adjusted(-4, -3, 2, 2));
        }
        m_painter.restore();
    }

    // The boxes of a deadlocked op and of the op that it waits for, in viewport coordinates.
    struct WaitBoxes
    {
        QRect awaited, waiting;
    };
    // Draws an arrow from each awaited op to its waiting op.
    void paintWaits(std::span<const WaitBoxes> waits, const QSize& size)
    {
        std::vector<WaitArrow> arrows;
        for (const WaitBoxes& wait : waits)
            arrows.push_back(arrowOf(wait.awaited, wait.waiting));
        m_painter.save();
        m_painter.setClipRect(kGridHead, kGridRuler, size.width(), size.height());
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.chrome.surface, 4));
        for (const WaitArrow& arrow :
             arrows) // all light outlines first, so that they cover no line
            m_painter.drawPath(arrow.line);
        m_painter.setPen(QPen(m_theme.chrome.error, 1.6));
        for (const WaitArrow& arrow : arrows)
            m_painter.drawPath(arrow.line);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.chrome.error);
        for (const WaitArrow& arrow : arrows)
            m_painter.drawPolygon(arrow.head);
        m_painter.restore();
    }

    // Draws where a dragged op would be dropped.
    void paintDrop(int x, int top)
    {
        m_painter.fillRect(QRect(x - 2, top - 3, 3, kGridBox + 6), m_theme.chrome.text);
        m_painter.fillRect(QRect(x - 5, top - 4, 9, 2), m_theme.chrome.text);
        m_painter.fillRect(QRect(x - 5, top + kGridBox + 2, 9, 2), m_theme.chrome.text);
    }

private:
    QPainter& m_painter;
    const EditedSchedule& m_schedule;
    const ScheduleCheck* m_check;
    const Theme& m_theme;
    TimeAxis m_axis;
    BoxColours m_colours;
    BoxPainter m_boxes;
};

} // namespace

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

QPoint ScheduleGrid::scrolled() const
{
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QRect ScheduleGrid::cell(OpPlace place) const
{
    return QRect(kGridHead + place.index * kGridCell, kGridRuler + place.device * kGridRow + 4,
                 kGridCell, kGridBox)
        .translated(-scrolled());
}

OpPlace ScheduleGrid::placeAt(const QPoint& position) const
{
    if (m_schedule == nullptr || position.x() < kGridHead || position.y() < kGridRuler)
        return {};
    const QPoint at = position + scrolled();
    const OpPlace place{(at.y() - kGridRuler) / kGridRow, (at.x() - kGridHead) / kGridCell};
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
    if (place.index > reached)
        return text + tr("\nnever runs");
    if (place.index < reached)
        return text;
    const auto wait = std::ranges::find(m_check->waits, place, &Wait::waiting);
    return text + QLatin1Char('\n')
        + (wait == m_check->waits.end() ? tr("deadlocked: its input is never produced")
                                        : sentence(m_schedule->schedule(), *wait));
}

void ScheduleGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_schedule == nullptr)
        return;
    GridPainter grid(painter, *m_schedule, m_check.get(), m_theme.theme());
    grid.paint(viewport()->size(), scrolled());
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
    const QPoint at = position + scrolled();
    const bool isOwn
        = position.y() >= kGridRuler && (at.y() - kGridRuler) / kGridRow == m_selected.device;
    m_drag->before = isOwn
        ? std::clamp((at.x() - kGridHead + kGridCell / 2) / kGridCell, 0, opsOf(m_selected.device))
        : -1;
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

namespace {

constexpr int kLeastHeight = 44;
constexpr int kMostShown = 200; // one edit of a large schedule may break thousands of ops

QListWidget* makeLines(const char* name, const QString& title)
{
    auto* list = named(new QListWidget, name, title);
    list->setFrameShape(QFrame::NoFrame);
    list->setMinimumHeight(kLeastHeight);
    list->setProperty("kind", QStringLiteral("lines"));
    list->setWordWrap(true);
    list->setFont(uiFont(12));
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return list;
}

} // namespace

ScheduleEditor::ScheduleEditor(const ThemeController& theme, Page& page)
    : m_check(std::make_shared<ScheduleCheck>())
    , m_grid(named(new ScheduleGrid(theme), "grid", tr("Order of ops")))
    , m_title(makeLabel({}, "dock"))
    , m_absentTitle(makeLabel({}, "dock"))
    , m_violations(makeLines("violations", tr("Violations")))
    , m_absentList(makeLines("absentOps", tr("Missing ops")))
    , m_list(makeList(theme))
{
    setFocusProxy(m_grid);
    spaced(new QHBoxLayout(this), {}, 0, {{m_grid, 1}, makeLine(Qt::Vertical), m_list});
    makeActions(page);
    const auto choose = [this] {
        const int row = m_violations->currentRow();
        if (row >= 0 && row < static_cast<int>(m_places.size()))
            select(m_places[static_cast<std::size_t>(row)]);
    };
    connect(m_violations, &QListWidget::currentRowChanged, this, choose);
    connect(m_violations, &QListWidget::itemClicked, this, choose); // also of the current row
    connect(m_violations, &QListWidget::itemActivated, this, choose);
    connect(m_absentList, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { restore(m_absentList->row(item)); });
    connect(m_grid, &ScheduleGrid::moveRequested, this,
            [this](const OpPlace& from, int before) { select(m_edited->move(from, before)); });
    connect(m_grid, &ScheduleGrid::selectionChanged, this, &ScheduleEditor::updateActions);
    connect(m_grid, &ScheduleGrid::selectionChanged, this, &ScheduleEditor::selectionChanged);
    updateActions();
}

QWidget* ScheduleEditor::makeList(const ThemeController& theme)
{
    auto* nothing
        = new EmptyState(theme,
                         {Icon::Check,
                          tr("No violations"),
                          tr("The schedule is complete and in order, without a deadlock."),
                          {}});
    m_nothing = new QWidget;
    spaced(new QVBoxLayout(m_nothing), {12, 12, 12, 12}, 0, {nothing});
    auto* list = new QWidget;
    spaced(new QVBoxLayout(list), {}, 0,
           {makeBar(32, 8, {{m_title, 1}}),
            makeLine(Qt::Horizontal),
            {m_nothing, 1},
            {m_violations, 2},
            makeLine(Qt::Horizontal),
            makeBar(32, 8, {{m_absentTitle, 1}}),
            makeLine(Qt::Horizontal),
            {m_absentList, 1}});
    return list;
}

ScheduleEditor::~ScheduleEditor()
{
    m_grid->setSchedule(nullptr); // before its schedule is destroyed
    if (m_edited != nullptr)      // clearing the stack would emit signals
        m_edited->undoStack().disconnect(this);
}

void ScheduleEditor::makeActions(Page& page)
{
    const auto make = [&](const char* name, const QString& text, const QString& key,
                          const QString& tip, const std::function<void()>& trigger) {
        m_actions.append(page.makeAction(name, text, key, trigger, tip));
        return m_actions.back();
    };
    m_undo = make("undo", tr("&Undo"), tr("Ctrl+Z"), tr("undo the last change"),
                  [this] { m_edited->undoStack().undo(); });
    m_redo = make("redo", tr("&Redo"), tr("Ctrl+Shift+Z"), tr("redo the last undone change"),
                  [this] { m_edited->undoStack().redo(); });
    m_redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    m_revert = make("revertSchedule", tr("Re&vert"), tr("Ctrl+Shift+Backspace"),
                    tr("undo all changes since opening or saving"), [this] { revert(); });
    m_earlier = make("opEarlier", tr("&Earlier"), tr("Ctrl+Left"),
                     tr("swap the op with the one before it"),
                     [this] { select(m_edited->swap(selected(), -1)); });
    m_later
        = make("opLater", tr("&Later"), tr("Ctrl+Right"), tr("swap the op with the one after it"),
               [this] { select(m_edited->swap(selected(), 1)); });
    m_delete = make("opDelete", tr("&Delete"), tr("Del"), tr("remove the op"),
                    [this] { select(m_edited->remove(selected())); });
    m_restore = make("opRestore", tr("Re&store"), tr("Ins"),
                     tr("restore the chosen missing op, or the last removed one"),
                     [this] { restore(m_absentList->currentRow()); });
    m_next = make("nextViolation", tr("&Next violation"), tr("F8"),
                  tr("go to the next op with a violation"), [this] { nextViolation(); });
}

void ScheduleEditor::addLine(const QString& text, OpPlace place)
{
    auto* item = new QListWidgetItem(text);
    item->setToolTip(toolTipText(text));
    m_violations->addItem(item);
    m_places.push_back(place);
}

// Lists the violations, then the explanations of a deadlock. The title counts only the violations.
void ScheduleEditor::listViolations()
{
    const auto& violations = m_check->prediction.violations;
    m_places.clear();
    m_violations->clear();
    for (const engine::Violation& violation : violations)
        if (m_violations->count() < kMostShown)
            addLine(capitalized(fromUtf8(violation.message)),
                    {violation.device.value, violation.index});
    if (violations.size() > kMostShown)
        addLine(tr("and %1 more").arg(static_cast<qsizetype>(violations.size()) - kMostShown), {});
    for (const Wait& wait : m_check->waits)
        if (m_violations->count() < 2 * kMostShown)
            addLine(tr("Why: %1").arg(sentence(m_edited->schedule(), wait)), wait.waiting);
    if (!m_check->problem.isEmpty())
        m_violations->addItem(m_check->problem);
    const bool isFine = m_violations->count() == 0;
    m_nothing->setVisible(isFine);
    m_violations->setVisible(!isFine);
    const auto count = static_cast<std::int64_t>(violations.size());
    m_title->setText(count == 0 ? tr("Validator") : countOf(count, "violation"));
}

// Chooses the op that was removed last, or the last one.
void ScheduleEditor::listAbsent()
{
    m_absent = absentOps();
    m_absentList->clear();
    for (const AbsentOp& absent : m_absent)
        m_absentList->addItem(tr("%1 of device %2")
                                  .arg(QString::fromStdString(engine::toString(absent.op)))
                                  .arg(absent.place.device));
    m_absentTitle->setText(
        m_absent.empty()
            ? tr("No op is missing")
            : tr("Missing ops: %1 (Ins restores the selected one)").arg(m_absent.size()));
    m_absentList->setVisible(!m_absent.empty());
    const int removed = m_edited->lastRemoved(), last = m_absentList->count() - 1;
    m_absentList->setCurrentRow(removed >= 0 && removed <= last ? removed : last);
}

void ScheduleEditor::setSchedule(std::unique_ptr<EditedSchedule> schedule)
{
    m_edited = std::move(schedule);
    connect(m_edited.get(), &EditedSchedule::changed, this, [this](const OpPlace& place) {
        Q_EMIT changed();
        select(place);
    });
    const QUndoStack& stack = m_edited->undoStack();
    connect(&stack, &QUndoStack::indexChanged, this, &ScheduleEditor::updateActions);
    connect(&stack, &QUndoStack::indexChanged, this, &ScheduleEditor::modifiedChanged);
    connect(&stack, &QUndoStack::cleanChanged, this, &ScheduleEditor::modifiedChanged);
    m_grid->setSchedule(m_edited.get());
    Q_EMIT changed();
    select({0, 0});
}

void ScheduleEditor::check(const QString& name, const PredictionRequest& request)
{
    m_check
        = std::make_shared<const ScheduleCheck>(checkSchedule(m_edited->schedule(), name, request));
    m_grid->setCheck(m_check);
    listViolations();
    listAbsent();
    updateActions();
}

// Returns the ops removed from the opened schedule, then other ops that the validator reports as
// missing.
std::vector<AbsentOp> ScheduleEditor::absentOps() const
{
    std::vector<AbsentOp> all = m_edited->removed();
    for (const AbsentOp& missing : m_check->missing) {
        const bool isKnown = std::ranges::any_of(all, [&missing](const AbsentOp& absent) {
            return absent.place.device == missing.place.device
                && engine::toString(absent.op) == engine::toString(missing.op);
        });
        if (!isKnown)
            all.push_back(missing);
    }
    return all;
}

void ScheduleEditor::updateActions()
{
    const bool isOpen = m_edited != nullptr;
    const bool isChosen = isOpen && m_edited->has(selected());
    m_undo->setEnabled(isOpen && m_edited->undoStack().canUndo());
    m_redo->setEnabled(isOpen && m_edited->undoStack().canRedo());
    m_revert->setEnabled(isModified());
    const auto say = [&](QAction* action, const QString& what, const QString& plain) {
        const QString tip = what.isEmpty() ? plain : plain + QStringLiteral(": ") + what;
        action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString()));
    };
    say(m_undo, isOpen ? m_edited->undoStack().undoText() : QString(), tr("undo"));
    say(m_redo, isOpen ? m_edited->undoStack().redoText() : QString(), tr("redo"));
    for (QAction* action : {m_earlier, m_later, m_delete})
        action->setEnabled(isChosen);
    m_restore->setEnabled(isOpen && !m_absent.empty());
    m_next->setEnabled(!m_check->messages.empty());
}

void ScheduleEditor::select(OpPlace place)
{
    if (m_edited != nullptr && m_edited->has(place))
        m_grid->select(place);
}

void ScheduleEditor::restore(int row)
{
    if (row < 0 || row >= static_cast<int>(m_absent.size()))
        return;
    AbsentOp absent = m_absent[static_cast<std::size_t>(row)];
    if (absent.place.index < 0)
        absent.place = placeFor(m_edited->schedule(), absent);
    select(m_edited->restore(absent));
}

// The undone steps stay on the stack for redo.
void ScheduleEditor::revert()
{
    QUndoStack& stack = m_edited->undoStack();
    stack.setIndex(std::max(0, stack.cleanIndex()));
}

void ScheduleEditor::nextViolation()
{
    const auto& messages = m_check->messages;
    if (messages.empty())
        return;
    auto next = messages.upper_bound(m_grid->selected());
    select((next == messages.end() ? messages.begin() : next)->first);
    m_grid->setFocus();
}

void ScheduleEditor::resizeEvent(QResizeEvent* event)
{
    constexpr int kNarrow = 1180, kList = 300, kNarrowList = 220;
    m_list->setFixedWidth(event->size().width() < kNarrow ? kNarrowList : kList);
    QWidget::resizeEvent(event);
}

} // namespace app
