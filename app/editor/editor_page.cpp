#include "app/editor/editor_page.h"

#include "app/documents/run_library.h"
#include "app/plan/cost_form.h"
#include "app/plan/key_numbers.h"
#include "app/plan/prediction.h"
#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/shell/page.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/ui/unsaved_dialog.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/predicted_info.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QListWidget>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
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
        m_painter.save();
        m_painter.setClipRect(kGridHead, kGridRuler, size.width(), size.height());
        m_painter.setRenderHint(QPainter::Antialiasing);
        for (const bool isOutline : {true, false}) // all outlines first: they must cover no line
            for (const WaitBoxes& wait : waits) {
                const WaitArrow arrow = arrowOf(wait.awaited, wait.waiting);
                m_painter.setBrush(Qt::NoBrush);
                m_painter.setPen(isOutline ? QPen(m_theme.chrome.surface, 4)
                                           : QPen(m_theme.chrome.error, 1.6));
                m_painter.drawPath(arrow.line);
                if (!isOutline)
                    fillPolygon(m_painter, arrow.head, m_theme.chrome.error);
                m_painter.setRenderHint(QPainter::Antialiasing);
            }
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

std::optional<std::size_t> hashOf(const QString& file)
{
    const auto text = engine::readFile(file.toStdString());
    return text ? std::optional(std::hash<std::string>()(*text)) : std::nullopt;
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

ScheduleFile::ScheduleFile(QWidget* parent)
    : QObject(parent)
    , m_window(parent)
{ }

tl::expected<engine::Schedule, ScheduleFile::Refusal> ScheduleFile::read(const QString& file)
{
    m_name = QFileInfo(file).fileName();
    m_path = file;
    m_hash = hashOf(file);
    const auto text = engine::readFile(file.toStdString());
    if (!text)
        return tl::unexpected(
            Refusal{tr("%1 cannot be read").arg(m_name),
                    tr("%1. Nothing was changed.").arg(fromUtf8(text.error().message))});
    auto schedule = engine::readScheduleText(*text);
    if (!schedule)
        return tl::unexpected(
            Refusal{tr("%1 is not a schedule").arg(m_name),
                    fromUtf8(schedule.error().message) + tr(". Nothing was changed.")});
    const auto format = engine::scheduleFormat(*text);
    if (format != engine::ScheduleFormat::Csv) {
        m_path.clear();
        m_foreign = fromUtf8(engine::formatTitle(*format));
    }
    return *std::move(schedule);
}

ScheduleFile::Answer ScheduleFile::askBeforeSaving() const
{
    if (m_path.isEmpty())
        return Answer::SaveAs;
    const auto hash = hashOf(m_path);
    if (!hash || hash == m_hash)
        return Answer::Overwrite;
    QMessageBox box(
        QMessageBox::NoIcon, tr("%1 has changed").arg(m_name),
        tr("Another program has changed %1 since it was opened or saved here.").arg(m_name),
        QMessageBox::Cancel, m_window);
    box.setObjectName(QStringLiteral("changedOnDisk"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(tr("Overwriting loses the changes of the other program."));
    const auto* overwrite
        = named(box.addButton(tr("Overwrite"), QMessageBox::DestructiveRole), "overwrite");
    const auto* saveAs
        = named(box.addButton(tr("Save as…"), QMessageBox::AcceptRole), "saveAsInstead");
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == overwrite ? Answer::Overwrite
        : box.clickedButton() == saveAs     ? Answer::SaveAs
                                            : Answer::Cancel;
}

bool ScheduleFile::save(const engine::Schedule& schedule)
{
    const Answer answer = askBeforeSaving();
    if (answer == Answer::SaveAs)
        return saveAs(schedule);
    return answer == Answer::Overwrite && saveTo(m_path, schedule);
}

bool ScheduleFile::saveAs(const engine::Schedule& schedule)
{
    QFileDialog dialog(m_window, tr("Save the schedule"), m_path,
                       tr("Schedules (*.csv);;All files (*)"));
    dialog.setObjectName(QStringLiteral("saveScheduleDialog"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("csv"));
    if (m_path.isEmpty())
        dialog.selectFile(QString::fromStdString(schedule.scheme) + QStringLiteral("-edited.csv"));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().value(0), schedule);
}

bool ScheduleFile::saveTo(const QString& file, const engine::Schedule& schedule)
{
    const auto written = engine::saveFile(file.toStdString(), engine::writeCsv(schedule),
                                          engine::IfExists::Replace);
    if (!written) {
        Q_EMIT failed(tr("%1. The changes are not lost.").arg(fromUtf8(written.error().message)));
        return false;
    }
    m_path = file;
    m_name = QFileInfo(file).fileName();
    m_hash = hashOf(file);
    Q_EMIT saved();
    return true;
}

EditorPage::EditorPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_file(new ScheduleFile(this))
    , m_stack(new QStackedLayout(this))
    , m_refused(named(new EmptyState(theme, {Icon::Error, {}, {}, tr("Open another file")}),
                      "refusedSchedule"))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "verdict"))
    , m_editor(new ScheduleEditor(theme, *this))
    , m_preview(named(new SchedulePreview(theme), "preview"))
    , m_numbers(named(new KeyNumbers(theme), "keyNumbers"))
    , m_note(named(makeLabel({}, "small"), "timesNote"))
{
    setObjectName(QStringLiteral("editorPage"));
    makeActions();
    buildLayout();
    connectParts();
    updateActions();
}

void EditorPage::makeActions()
{
    m_costs = makeAction(
        "editorCosts", tr("&Costs"), tr("Ctrl+T"), [this] { showCosts(); },
        tr("set the costs of F, B, messages and all-reduces"));
    m_save = makeAction(
        "saveSchedule", tr("&Save"), tr("Ctrl+S"), [this] { m_file->save(schedule()->schedule()); },
        tr("save the schedule as CSV"));
    m_saveAs = makeAction(
        "saveScheduleAs", tr("Save &as…"), tr("Ctrl+Shift+S"),
        [this] { m_file->saveAs(schedule()->schedule()); },
        tr("save the schedule under another name"));
    m_copy = makeAction(
        "copyScheduleCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
        [this] { copyCommand(); }, tr("copy the command that simulates the saved file"));
    m_simulate = makeAction(
        "simulateSchedule", tr("Open as a &run"), tr("Ctrl+Return"), [this] { simulate(); },
        tr("simulate the schedule and open it as a run"));
    m_train = makeAction(
        "trainSchedule", tr("&Train with it"), tr("Ctrl+R"), [this] { train(); },
        tr("train the tiny model in this order"));
}

QWidget* EditorPage::makeToolbar()
{
    auto* row = new QHBoxLayout;
    const auto add = [row](const QList<QAction*>& actions) {
        for (QAction* action : actions) {
            QPushButton* button = makeActionButton(action);
            button->setText(withoutMnemonic(action->text()));
            row->addWidget(button);
        }
    };
    add(m_editor->editActions() + QList{m_costs});
    row->addStretch(1);
    add({m_copy, m_simulate, m_train, m_save});
    return makeBar(40, 0, {spaced(row, {}, 6)});
}

void EditorPage::buildLayout()
{
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), {}, 0,
           {makeToolbar(),
            makeLine(Qt::Horizontal),
            spaced(new QVBoxLayout, {12, 8, 12, 8}, 0, {m_band}),
            makeLine(Qt::Horizontal),
            {m_editor, 1},
            makeLine(Qt::Horizontal),
            makeTimes()});
    auto* error = new QWidget;
    spaced(new QVBoxLayout(error), {40, 40, 40, 40}, 0, {m_refused});
    m_stack->addWidget(body);
    m_stack->addWidget(error);
    setInitialFocus(m_editor);
}

QWidget* EditorPage::makeTimes()
{
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* times = new QWidget;
    spaced(new QVBoxLayout(times), {}, 0,
           {makeBar(32, 8, {makeLabel(tr("Times of this order"), "dock"), {m_note, 1}}),
            makeLine(Qt::Horizontal), spaced(new QVBoxLayout, {14, 4, 8, 4}, 0, {m_preview}),
            makeLine(Qt::Horizontal), m_numbers});
    return times;
}

void EditorPage::showTimes()
{
    const Prediction& prediction = check().prediction;
    const bool isValid = check().isValid();
    m_numbers->show(isValid ? &prediction : nullptr);
    if (isValid) {
        m_preview->show(std::make_shared<RunView>(prediction.run));
        return m_note->setText(tr("%1, bubble %2, peak stash %3 Mₐ. %4")
                                   .arg(timeText(prediction.metrics.duration, prediction.info),
                                        bubbleText(prediction.metrics),
                                        number(prediction.metrics.peakStash(), 1),
                                        costsText(m_plan.request())));
    }
    m_preview->setPlaceholder(tr("No times: the schedule is not valid"));
    m_preview->setStale();
    m_note->setText(m_preview->hasPicture() ? tr("of the last valid order") : tr("none yet"));
}

void EditorPage::connectParts()
{
    connect(m_refused, &EmptyState::activated, this,
            [this] { Q_EMIT filesRequested(FileKind::Runs); });
    connect(m_editor, &ScheduleEditor::changed, this, &EditorPage::checkAgain);
    connect(&m_theme, &ThemeController::unitsChanged, this, &EditorPage::checkAgain);
    connect(m_editor, &ScheduleEditor::modifiedChanged, this, &Page::titleChanged);
    connect(m_editor, &ScheduleEditor::selectionChanged, this, &Page::statusChanged);
    connect(m_file, &ScheduleFile::saved, this, &EditorPage::showSaved);
    connect(m_file, &ScheduleFile::failed, this, [this](const QString& message) {
        m_band->show(Band::Kind::Error, tr("Not saved."), message);
    });
}

void EditorPage::edit(const engine::Schedule& schedule, const QString& name,
                      const PredictionRequest& request)
{
    m_file->setName(name);
    // Does not copy `evict` and `recompute` to the plan, because `schedule` already has the ops
    // that they add. The plan needs only the cost of recomputation.
    m_plan = {};
    m_plan.experiment.schedule = request.schedule;
    m_plan.experiment.sync = request.sync;
    m_plan.costs = request.costs;
    m_plan.source = request.source;
    if (request.recompute == engine::Recompute::Attention && !request.costs.recompute)
        m_plan.costs.recompute = profiler::kAttentionShare;
    take(schedule);
}

void EditorPage::open(const QString& file)
{
    auto opened = m_file->read(file);
    if (!opened) {
        refuse(opened.error().fact, opened.error().advice);
        return;
    }
    take(*std::move(opened));
    const bool isEdited = schedule() != nullptr;
    // Reports a foreign format, unless another message is shown that says what to repair.
    if (m_file->foreign().isEmpty() || !isEdited || !check().isValid() || schedule()->leftOut() > 0)
        return;
    m_band->show(Band::Kind::Ok, tr("Read."),
                 tr("%1 is %2 and is not changed. Save writes CSV to a new file.")
                     .arg(m_file->name(), m_file->foreign()));
    Q_EMIT statusChanged();
}

void EditorPage::take(engine::Schedule opened)
{
    auto edited = std::make_unique<EditedSchedule>(std::move(opened));
    const std::size_t ops = engine::opCount(edited->schedule()), leftOut = edited->leftOut();
    if (ops > kMostOps || ops == 0) {
        refuse(ops == 0
                   ? tr("%1 has no ops").arg(m_file->name())
                   : tr("%1 has %2 ops").arg(m_file->name(), number(static_cast<double>(ops), 0)),
               tr("The editor takes schedules of 1 to %1 compute ops; use fewer devices or "
                  "micro-batches.")
                   .arg(number(kMostOps, 0)));
        return;
    }
    m_stack->setCurrentIndex(0);
    m_editor->setSchedule(std::move(edited));
    if (leftOut > 0)
        m_band->show(Band::Kind::Warning, tr("Compute ops only."),
                     tr("%1 transfers, all-reduces and optimizer steps of the file were left out: "
                        "they follow from the order.")
                         .arg(leftOut));
    Q_EMIT titleChanged();
}

void EditorPage::refuse(const QString& fact, const QString& advice)
{
    m_refused->setTexts(fact, advice);
    m_stack->setCurrentIndex(1);
    updateActions();
    Q_EMIT titleChanged();
}

void EditorPage::checkAgain()
{
    if (schedule() == nullptr) // the file was refused
        return;
    m_editor->check(m_file->name(), m_plan.request());
    showTimes();
    showVerdict();
    updateActions();
    Q_EMIT statusChanged();
}

void EditorPage::updateActions()
{
    for (QAction* action : {m_costs, m_save, m_saveAs})
        action->setEnabled(schedule() != nullptr);
    for (QAction* action : {m_copy, m_simulate, m_train})
        action->setEnabled(schedule() != nullptr && check().isValid());
}

void EditorPage::showVerdict()
{
    const Prediction& prediction = check().prediction;
    if (!check().problem.isEmpty())
        m_band->show(Band::Kind::Error, tr("Cannot be simulated."), check().problem);
    else if (prediction.isValid())
        m_band->show(Band::Kind::Ok, tr("Valid."),
                     tr("%1 ops on %2, no deadlock.")
                         .arg(number(static_cast<double>(prediction.computeOps), 0),
                              countOf(schedule()->schedule().shape.devices, "device")));
    else if (const QString deadlock = deadlockSentence(schedule()->schedule(), check());
             !deadlock.isEmpty())
        m_band->show(Band::Kind::Error, tr("Deadlock."), deadlock);
    else
        m_band->show(Band::Kind::Error,
                     countOf(static_cast<std::int64_t>(prediction.violations.size()), "violation")
                         + QLatin1Char('.'),
                     capitalized(fromUtf8(prediction.violations.front().message)));
}

QDialog& EditorPage::costsDialog()
{
    if (auto* made = findChild<QDialog*>(QStringLiteral("costsDialog")))
        return *made;
    auto* dialog = named(new QDialog(this), "costsDialog");
    dialog->setWindowTitle(tr("Costs for the simulated times"));
    dialog->resize(330, 420);
    auto* form = CostForm::make(m_theme, m_plan, CostForm::Order::Given);
    form->showPlan();
    connect(form, &CostForm::edited, this, &EditorPage::checkAgain);
    connect(form, &CostForm::planChanged, this, &EditorPage::checkAgain);
    auto* content = new QWidget;
    spaced(new QVBoxLayout(content), {}, 0, {form, kStretch});
    spaced(new QVBoxLayout(dialog), {}, 0, {makeScroll(content)});
    return *dialog;
}

void EditorPage::showCosts()
{
    QDialog& dialog = costsDialog();
    dialog.show();
    dialog.raise();
    dialog.activateWindow();
}

void EditorPage::setPlan(const RunPlan& plan)
{
    if (plan == m_plan)
        return;
    m_plan = plan;
    costsDialog().findChild<CostForm*>()->showPlan(); // reads the run that the costs are from
    checkAgain();
}

QString EditorPage::simulateCommand() const
{
    RunPlan plan = m_plan;
    plan.experiment.mode = engine::Mode::Simulate;
    plan.experiment.scheduleFile = QFileInfo(m_file->path()).absoluteFilePath().toStdString();
    return commandText(plan);
}

// Saves first, because commands name a file.
bool EditorPage::saveFirst()
{
    return (!m_file->path().isEmpty() && !isModified()) || m_file->save(schedule()->schedule());
}

void EditorPage::copyCommand()
{
    if (!saveFirst())
        return;
    const QString command = simulateCommand();
    QGuiApplication::clipboard()->setText(command);
    m_band->show(Band::Kind::Ok, tr("Copied."),
                 tr("%1 (`bscope run --schedule` trains with the file.)").arg(command));
}

void EditorPage::simulate()
{
    engine::Run run = *check().prediction.run;
    run.info.scheme = "file";
    run.info.label = m_file->name().toStdString();
    if (!m_file->path().isEmpty() && !isModified())
        run.info.command = simulateCommand().toStdString();
    if (const auto file = writeNewRun(std::move(run)); !file)
        m_band->show(Band::Kind::Error, tr("Not written."), fromUtf8(file.error().message));
    else
        Q_EMIT pageRequested({"run", {*file}});
}

void EditorPage::train()
{
    const QString problem = planProblem(RunPlan(), check().prediction.run->schedule);
    if (!problem.isEmpty())
        m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
    else if (saveFirst())
        Q_EMIT startRequested({{QStringLiteral("--schedule"), m_file->path()}});
}

void EditorPage::showSaved()
{
    m_editor->schedule()->undoStack().setClean();
    if (check().isValid())
        m_band->show(Band::Kind::Ok, tr("Saved."), m_file->path());
    else
        m_band->show(Band::Kind::Warning, tr("Saved, but not valid."),
                     tr("%1 can be edited, but not simulated or trained.").arg(m_file->path()));
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

bool EditorPage::queryClose()
{
    if (!isModified())
        return true;
    const QUndoStack& steps = m_editor->schedule()->undoStack();
    const int saved = steps.cleanIndex(); // -1: no step leads to the saved schedule
    return mayDiscard(m_file->name(), saved < 0 ? 0 : std::abs(steps.index() - saved), this,
                      [this] { return m_file->save(schedule()->schedule()); });
}

QString EditorPage::title() const
{
    return isModified() ? m_file->name() + QStringLiteral(" \u2022") : m_file->name();
}

QStringList EditorPage::statusTexts() const
{
    if (schedule() == nullptr)
        return {tr("no schedule is open")};
    const engine::Shape& shape = schedule()->schedule().shape;
    QStringList texts = {
        tr("D %1, N %2, %3 stages").arg(shape.devices).arg(shape.microBatches).arg(shape.stages)};
    const OpPlace place = m_editor->selected();
    if (schedule()->has(place))
        texts.append(tr("%1 on device %2, index %3")
                         .arg(QString::fromStdString(engine::toString(schedule()->at(place))))
                         .arg(place.device)
                         .arg(place.index));
    return texts;
}

QString EditorPage::statusNote() const
{
    if (schedule() == nullptr)
        return {};
    return m_file->path().isEmpty() ? tr("not saved yet")
        : isModified()              ? tr("%1, changed").arg(m_file->path())
                                    : m_file->path();
}

QList<QAction*> EditorPage::menuActions(Menu menu) const
{
    if (menu == Menu::File)
        return {m_save, m_saveAs};
    if (menu == Menu::Run)
        return {m_simulate, m_train, m_copy};
    if (menu == Menu::View)
        return m_editor->editActions() + QList{m_costs};
    return {};
}

void EditorPage::resizeEvent(QResizeEvent* event)
{
    constexpr int kLow = 720, kPicture = 184, kLowPicture = 84;
    const bool isLow = event->size().height() < kLow;
    m_preview->setRowsHeight(isLow ? kLowPicture : kPicture);
    m_numbers->setVisible(!isLow);
    Page::resizeEvent(event);
}

void EditorPage::showRequest(const PageRequest& request)
{
    if (schedule() == nullptr && !request.files.isEmpty())
        open(request.files.front());
}

void EditorPage::restoreState(const QJsonObject& state)
{
    if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
        setPlan(restoredPlan(plan.toObject()));
}

} // namespace app
