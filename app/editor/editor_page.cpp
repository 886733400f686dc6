#include "app/editor/editor_page.h"

#include "app/documents/run_library.h"
#include "app/plan/cost_form.h"
#include "app/plan/schedule_preview.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/predicted_info.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>
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

// A schedule as a table: a row per device and a cell per op, in issue order. The view scrolls,
// selects and has the headers; we paint the cells ourselves, because arrows lead from cell to cell.
// The mouse drags an op within its device. Violations are framed; ops that never run are dimmed.
class GridModel : public QAbstractTableModel
{
public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(const EditedSchedule* schedule, std::shared_ptr<const ScheduleCheck> check)
    {
        beginResetModel();
        m_schedule = schedule;
        m_check = std::move(check);
        endResetModel();
    }
    const EditedSchedule* schedule() const { return m_schedule; }
    const ScheduleCheck* check() const { return m_check.get(); }

    int rowCount(const QModelIndex& = {}) const override
    {
        return m_schedule == nullptr ? 0 : std::ssize(m_schedule->schedule().program);
    }
    int opsOf(int device) const { return std::ssize(m_schedule->schedule().program[{device}]); }
    int columnCount(const QModelIndex& = {}) const override // with a place to drop the last op
    {
        int most = -1;
        for (int device = 0; device < rowCount(); ++device)
            most = std::max(most, opsOf(device));
        return most + 1;
    }
    QVariant data(const QModelIndex& index, int role) const override
    {
        const OpPlace place{index.row(), index.column()};
        if (m_schedule == nullptr || !m_schedule->has(place))
            return {};
        return role == Qt::DisplayRole ? QVariant(fromUtf8(engine::toString(m_schedule->at(place))))
            : role == Qt::ToolTipRole  ? QVariant(toolTipText(describe(place)))
                                       : QVariant();
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        const bool isDevice = orientation == Qt::Vertical;
        return role == Qt::DisplayRole
            ? QVariant(isDevice ? tr("device %1").arg(section) : QString::number(section))
            : role == Qt::TextAlignmentRole && isDevice
            ? QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter))
            : QVariant();
    }
    QString describe(OpPlace place) const;

private:
    const EditedSchedule* m_schedule = nullptr;
    std::shared_ptr<const ScheduleCheck> m_check;
};

QString GridModel::describe(OpPlace place) const
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

class ScheduleGrid : public QTableView
{
public:
    using Move = std::function<void(const OpPlace& from, int before)>; // the index to drop before

    ScheduleGrid(const ThemeController& theme, Move move)
        : m_theme(theme)
        , m_move(std::move(move))
    {
        setFrameShape(QFrame::NoFrame);
        setShowGrid(false);
        setCornerButtonEnabled(false);
        setTabKeyNavigation(false);
        setSelectionMode(QAbstractItemView::SingleSelection);
        setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
        setMinimumHeight(kGridRuler + 3 * kGridRow);
        setModel(&m_model);
        for (const auto& [header, each] :
             {std::pair(horizontalHeader(), kGridCell), {verticalHeader(), kGridRow}}) {
            header->setMinimumSectionSize(each);
            header->setDefaultSectionSize(each);
            header->setSectionResizeMode(QHeaderView::Fixed);
            header->setHighlightSections(false);
            header->setSectionsClickable(false);
            header->setProperty("kind", QStringLiteral("grid"));
        }
        horizontalHeader()->setFixedHeight(kGridRuler);
        verticalHeader()->setFixedWidth(kGridHead);
        viewport()->setMouseTracking(true);
        connect(&theme, &ThemeController::changed, viewport(), qOverload<>(&QWidget::update));
        connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
                [this] { setAccessibleDescription(m_model.describe(selected())); });
    }

    // Keeps the selection. `schedule` is not owned; nullptr: empty.
    void show(const EditedSchedule* schedule, std::shared_ptr<const ScheduleCheck> check)
    {
        const OpPlace kept = selected();
        const QPoint scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
        m_model.show(schedule, std::move(check));
        horizontalScrollBar()->setValue(scrolled.x());
        verticalScrollBar()->setValue(scrolled.y());
        select(kept);
    }
    OpPlace selected() const { return {currentIndex().row(), currentIndex().column()}; }
    void select(OpPlace place) // an invalid place clears the selection
    {
        setCurrentIndex(m_model.schedule() != nullptr && m_model.schedule()->has(place)
                            ? m_model.index(place.device, place.index)
                            : QModelIndex());
        viewport()->update();
    }

protected:
    void paintEvent(QPaintEvent* event) override;

    void mousePressEvent(QMouseEvent* event) override
    {
        if (event->button() != Qt::LeftButton)
            return;
        select(placeAt(event->position().toPoint()));
        m_drag.reset();
        if (selected().isValid())
            m_drag = Drag{event->position().toPoint(), false, -1};
    }

    void mouseMoveEvent(QMouseEvent* event) override
    {
        const QPoint position = event->position().toPoint();
        if (!m_drag)
            return viewport()->setCursor(placeAt(position).isValid() ? Qt::OpenHandCursor
                                                                     : Qt::ArrowCursor);
        const int moved = (position - m_drag->from).manhattanLength();
        m_drag->isOn = m_drag->isOn || moved >= QApplication::startDragDistance();
        if (m_drag->isOn)
            dragTo(position);
    }

    void mouseReleaseEvent(QMouseEvent*) override
    {
        const std::optional<Drag> drag = m_drag;
        endDrag();
        if (drag && drag->isOn && drag->before >= 0)
            m_move(selected(), drag->before);
    }

    void mouseDoubleClickEvent(QMouseEvent* event) override { mousePressEvent(event); }

    // Devices have different numbers of ops.
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers) override
    {
        if (m_model.rowCount() == 0 || !currentIndex().isValid())
            return m_model.index(0, 0);
        const int rows = (action == MoveDown ? 1 : 0) - (action == MoveUp ? 1 : 0);
        const int row = std::clamp(currentIndex().row() + rows, 0, m_model.rowCount() - 1);
        const int last = std::max(0, m_model.opsOf(row) - 1), now = currentIndex().column();
        return m_model.index(row,
                             std::clamp(action == MoveLeft        ? now - 1
                                            : action == MoveRight ? now + 1
                                            : action == MoveHome  ? 0
                                            : action == MoveEnd   ? last
                                                                  : now,
                                        0, last));
    }

    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))
            event->ignore();
        else if (event->key() != Qt::Key_Escape)
            QTableView::keyPressEvent(event);
        else if (m_drag)
            endDrag();
        else
            select({});
    }

private:
    struct Drag
    {
        QPoint from;       // where the button was pressed
        bool isOn = false; // whether the pointer moved by at least the drag distance
        int before = -1;   // index in front of which the op would be dropped; -1: on another device
    };

    QRect box(OpPlace place) const // in the viewport
    {
        return {columnViewportPosition(place.index), rowViewportPosition(place.device) + 4,
                kGridCell, kGridBox};
    }

    OpPlace placeAt(const QPoint& position) const
    {
        const QModelIndex at = indexAt(position);
        const OpPlace place{at.row(), at.column()};
        return at.isValid() && m_model.schedule()->has(place) ? place : OpPlace{};
    }

    void dragTo(const QPoint& position)
    {
        if (position.x() < kGridCell / 2)
            horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        else if (position.x() > viewport()->width() - kGridCell / 2)
            horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        const OpPlace from = selected();
        const bool isOwn = position.y() >= 0 && rowAt(position.y()) == from.device;
        m_drag->before = isOwn
            ? std::clamp((position.x() - columnViewportPosition(0) + kGridCell / 2) / kGridCell, 0,
                         m_model.opsOf(from.device))
            : -1;
        // An op cannot be dropped on another device, because it belongs to the device of its stage.
        viewport()->setCursor(isOwn ? Qt::ClosedHandCursor : Qt::ForbiddenCursor);
        viewport()->update();
    }

    void endDrag()
    {
        m_drag.reset();
        viewport()->setCursor(Qt::ArrowCursor);
        viewport()->update();
    }

    void paintOp(QPainter& painter, BoxPainter& boxes, const BoxColours& colours,
                 OpPlace place) const;
    void paintWaits(QPainter& painter) const;
    void paintSelection(QPainter& painter) const;

    const ThemeController& m_theme;
    Move m_move;
    GridModel m_model;
    std::optional<Drag> m_drag;
};

void ScheduleGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme& theme = m_theme.theme();
    painter.fillRect(viewport()->rect(), theme.chrome.surface);
    const int rows = m_model.rowCount();
    if (rows == 0)
        return;
    TimeAxis axis; // only its pixel ratio is used
    axis.dpr = devicePixelRatioF();
    const BoxColours colours(theme, axis.dpr);
    BoxPainter boxes(painter, axis, colours);
    const int left = std::max(0, columnAt(0)), wide = viewport()->width() / kGridCell + 1;
    for (int row = std::max(0, rowAt(0)); row < rows && box({row, 0}).top() < height(); ++row) {
        painter.fillRect(QRect(0, rowViewportPosition(row) + kGridRow - 1, viewport()->width(), 1),
                         theme.chrome.grid);
        for (int op = left; op < std::min(m_model.opsOf(row), left + wide + 1); ++op)
            paintOp(painter, boxes, colours, {row, op});
    }
    if (m_model.check() != nullptr && m_model.check()->waits.size() <= kMostArrows)
        paintWaits(painter);
    if (box(selected()).intersects(viewport()->rect()))
        paintSelection(painter);
    if (!m_drag || !m_drag->isOn || m_drag->before < 0)
        return;
    const QPoint drop = box({selected().device, m_drag->before}).topLeft();
    for (const QRect& bar :
         {QRect(-2, -3, 3, kGridBox + 6), QRect(-5, -4, 9, 2), QRect(-5, kGridBox + 2, 9, 2)})
        painter.fillRect(bar.translated(drop), theme.chrome.text);
}

void ScheduleGrid::paintOp(QPainter& painter, BoxPainter& boxes, const BoxColours& colours,
                           OpPlace place) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const ScheduleCheck* check = m_model.check();
    const engine::Op& op = m_model.schedule()->at(place);
    const int chunk
        = std::max(0, op.stage.value) / std::max(1, m_model.schedule()->schedule().shape.devices);
    const int reached = check == nullptr ? place.index + 1 : check->reached[{place.device}];
    const QRect area = box(place);
    boxes.draw(area,
               colours.look(op.kind, chunk,
                            place.index <= reached ? BoxColours::Emphasis::Normal
                                                   : BoxColours::Emphasis::Dimmed),
               boxText(op, area.width()));
    if (op.flags == engine::OpFlag::JointWithNext) // a line below both joint ops
        painter.fillRect(QRect(area.left() + 8, area.bottom() + 2, kGridCell, 2), chrome.text2);
    if (place.index != reached && (check == nullptr || !check->messages.contains(place)))
        return;
    painter.setPen(QPen(chrome.error, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(0, 0, -2, -1));
}

// Draws an arrow from each awaited op to its waiting op.
void ScheduleGrid::paintWaits(QPainter& painter) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    for (const bool isOutline : {true, false}) // all outlines first: they must cover no line
        for (const Wait& wait : m_model.check()->waits) {
            if (!wait.awaited.isValid())
                continue;
            const WaitArrow arrow = arrowOf(box(wait.awaited), box(wait.waiting));
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(isOutline ? QPen(chrome.surface, 4) : QPen(chrome.error, 1.6));
            painter.drawPath(arrow.line);
            if (!isOutline)
                fillPolygon(painter, arrow.head, chrome.error);
        }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void ScheduleGrid::paintSelection(QPainter& painter) const
{
    const QRect cell = box(selected()).adjusted(0, 0, -1, -1);
    const auto frame = [&](const QRect& around, const QPen& pen) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(pen);
        painter.drawRect(around.intersected(viewport()->rect().adjusted(1, 1, -1, -1)));
    };
    const QColor ink = m_theme.theme().chrome.text;
    frame(cell.adjusted(-1, -1, 0, 1), QPen(ink, 2));
    if (hasFocus())
        frame(cell.adjusted(-4, -3, 2, 2), QPen(ink, 1, Qt::DashLine));
}

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

namespace {

// The grid, the validator's findings next to it, and the simulated times below. Every edit updates
// findings and times. While the schedule is not valid, the times of the last valid order stay.
class Editor : public EditorPage
{
public:
    explicit Editor(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("editorPage"));
        makeActions();
        m_list = makeList();
        auto* body = makeLined(
            {makeToolbar(),
             spaced(new QVBoxLayout, {12, 8, 12, 8}, 0, {m_band}),
             {spaced(new QHBoxLayout, {}, 0, {{m_grid, 1}, makeLine(Qt::Vertical), m_list}), 1},
             makeTimes()});
        m_stack->addWidget(body);
        m_stack->addWidget(makeColumn({40, 40, 40, 40}, 0, {m_refused}, ""));
        setInitialFocus(m_grid);
        connectAll();
        updateActions();
    }
    ~Editor() override
    {
        m_grid->show(nullptr, nullptr); // before its schedule is destroyed
        if (m_edited != nullptr)        // clearing the stack would emit signals
            m_edited->undoStack().disconnect(this);
    }

    void edit(const Schedule& schedule, const QString& name,
              const PredictionRequest& request) override
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

    void open(const QString& file) override
    {
        auto opened = m_file->read(file);
        if (!opened)
            return refuse(opened.error().fact, opened.error().advice);
        take(*std::move(opened));
        // Reports a foreign format, unless another message is shown that says what to repair.
        if (m_file->foreign().isEmpty() || m_edited == nullptr || !m_check->isValid()
            || m_edited->leftOut() > 0)
            return;
        m_band->show(Band::Kind::Ok, tr("Read."),
                     tr("%1 is %2 and is not changed. Save writes CSV to a new file.")
                         .arg(m_file->name(), m_file->foreign()));
        Q_EMIT statusChanged();
    }

    void showRequest(const PageRequest& request) override
    {
        if (m_edited == nullptr && !request.files.isEmpty())
            open(request.files.front());
    }

    const RunPlan& plan() const override { return m_plan; }
    void setPlan(const RunPlan& plan) override
    {
        if (plan == m_plan)
            return;
        m_plan = plan;
        costsDialog().findChild<CostForm*>()->showPlan(); // reads the run that the costs are from
        checkAgain();
    }
    QJsonObject state() const override { return {{QStringLiteral("plan"), planState(m_plan)}}; }
    void restoreState(const QJsonObject& state) override
    {
        if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
            setPlan(restoredPlan(plan.toObject()));
    }

    bool isModified() const override
    {
        return m_edited != nullptr && !m_edited->undoStack().isClean();
    }
    bool saveTo(const QString& file) override { return m_file->saveTo(file, m_edited->schedule()); }
    const ScheduleCheck& check() const override { return *m_check; }
    const EditedSchedule* schedule() const override { return m_edited.get(); }

    QString file() const override { return m_file->path(); }
    QString title() const override
    {
        return isModified() ? m_file->name() + QStringLiteral(" \u2022") : m_file->name();
    }
    QStringList statusTexts() const override
    {
        if (m_edited == nullptr)
            return {tr("no schedule is open")};
        const engine::Shape& shape = m_edited->schedule().shape;
        QStringList texts{tr("D %1, N %2, %3 stages")
                              .arg(shape.devices)
                              .arg(shape.microBatches)
                              .arg(shape.stages)};
        if (const OpPlace place = m_grid->selected(); m_edited->has(place))
            texts.append(tr("%1 on device %2, index %3")
                             .arg(fromUtf8(engine::toString(m_edited->at(place))))
                             .arg(place.device)
                             .arg(place.index));
        return texts;
    }
    QString statusNote() const override
    {
        return m_edited == nullptr     ? QString()
            : m_file->path().isEmpty() ? tr("not saved yet")
            : isModified()             ? tr("%1, changed").arg(m_file->path())
                                       : m_file->path();
    }
    bool queryClose() override
    {
        if (!isModified())
            return true;
        const QUndoStack& steps = m_edited->undoStack();
        const int saved = steps.cleanIndex(); // -1: no step leads to the saved schedule
        return mayDiscard(m_file->name(), saved < 0 ? 0 : std::abs(steps.index() - saved), this,
                          [this] { return save(); });
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kLow = 720, kPicture = 184, kLowPicture = 84;
        constexpr int kNarrow = 1180, kList = 300, kNarrowList = 220;
        const bool isLow = height() < kLow;
        m_preview->setRowsHeight(isLow ? kLowPicture : kPicture);
        m_numbers->setVisible(!isLow);
        m_list->setFixedWidth(width() < kNarrow ? kNarrowList : kList);
        fitToolbar();
        EditorPage::resizeEvent(event);
    }

private:
    void makeActions()
    {
        const auto make = [this](const char* name, const QString& text, const QString& key,
                                 const QString& tip, const std::function<void()>& trigger) {
            return makeAction(name, text, key, trigger, tip);
        };
        m_undo = make("undo", tr("&Undo"), tr("Ctrl+Z"), tr("undo the last change"),
                      [this] { m_edited->undoStack().undo(); });
        m_redo = make("redo", tr("&Redo"), tr("Ctrl+Shift+Z"), tr("redo the last undone change"),
                      [this] { m_edited->undoStack().redo(); });
        m_redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
        m_revert = make("revertSchedule", tr("Re&vert"), tr("Ctrl+Shift+Backspace"),
                        tr("undo all changes since opening or saving"), [this] {
                            QUndoStack& stack = m_edited->undoStack(); // redo leads back
                            stack.setIndex(std::max(0, stack.cleanIndex()));
                        });
        m_earlier = make("opEarlier", tr("&Earlier"), tr("Ctrl+Left"),
                         tr("swap the op with the one before it"),
                         [this] { select(m_edited->swap(m_grid->selected(), -1)); });
        m_later = make("opLater", tr("&Later"), tr("Ctrl+Right"),
                       tr("swap the op with the one after it"),
                       [this] { select(m_edited->swap(m_grid->selected(), 1)); });
        m_delete = make("opDelete", tr("&Delete"), tr("Del"), tr("remove the op"),
                        [this] { select(m_edited->remove(m_grid->selected())); });
        m_restore = make("opRestore", tr("Re&store"), tr("Ins"),
                         tr("restore the chosen missing op, or the last removed one"),
                         [this] { restore(m_absentList->currentRow()); });
        m_next = make("nextViolation", tr("&Next violation"), tr("F8"),
                      tr("go to the next op with a violation"), [this] { nextViolation(); });
        m_costs = make("editorCosts", tr("&Costs"), tr("Ctrl+T"),
                       tr("set the costs of F, B, messages and all-reduces"), [this] {
                           QDialog& dialog = costsDialog();
                           dialog.show();
                           dialog.raise();
                           dialog.activateWindow();
                       });
        m_save = make("saveSchedule", tr("&Save"), tr("Ctrl+S"), tr("save the schedule as CSV"),
                      [this] { save(); });
        m_saveAs = make("saveScheduleAs", tr("Save &as…"), tr("Ctrl+Shift+S"),
                        tr("save the schedule under another name"),
                        [this] { m_file->saveAs(m_edited->schedule()); });
        m_copy
            = make("copyScheduleCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
                   tr("copy the command that simulates the saved file"), [this] { copyCommand(); });
        m_simulate = make("simulateSchedule", tr("Open as a &run"), tr("Ctrl+Return"),
                          tr("simulate the schedule and open it as a run"), [this] { simulate(); });
        m_train = make("trainSchedule", tr("&Train with it"), tr("Ctrl+R"),
                       tr("train the tiny model in this order"), [this] { train(); });
        inMenu(Menu::File, {m_save, m_saveAs});
        inMenu(Menu::Run, {m_simulate, m_train, m_copy});
        inMenu(
            Menu::View,
            {m_undo, m_redo, m_revert, m_earlier, m_later, m_delete, m_restore, m_next, m_costs});
    }

    QWidget* makeToolbar()
    {
        auto* row = spaced(new QHBoxLayout, {}, kToolGap);
        const auto add = [row](const QList<QAction*>& actions) {
            QList<QWidget*> buttons;
            for (QAction* action : actions) {
                QPushButton* button = makeActionButton(action);
                button->setText(withoutMnemonic(action->text()));
                row->addWidget(button);
                buttons.append(button);
            }
            return buttons;
        };
        m_tools = add(menuActions(Menu::View));
        auto* menu = new QMenu(m_moreTools);
        menu->addActions(menuActions(Menu::View));
        m_moreTools->setMenu(menu);
        m_moreTools->setPopupMode(QToolButton::InstantPopup);
        row->addWidget(m_moreTools);
        row->addStretch(1);
        m_lastTools = add({m_copy, m_simulate, m_train, m_save});
        return makeBar(40, 0, {row});
    }

    // Hides the buttons that do not fit. The menu beside the others has their actions.
    void fitToolbar()
    {
        constexpr int kMargins = 32;
        int room = width() - kMargins - m_moreTools->sizeHint().width() - kToolGap;
        const auto take = [&room](const QWidget* tool) {
            return (room -= tool->sizeHint().width() + kToolGap) >= 0;
        };
        std::ranges::for_each(m_lastTools, take);
        bool areAllShown = true;
        for (QWidget* tool : m_tools) {
            areAllShown = take(tool) && areAllShown;
            tool->setVisible(areAllShown);
        }
        m_moreTools->setVisible(!areAllShown);
    }

    QWidget* makeList()
    {
        auto* nothing
            = new EmptyState(m_theme,
                             {Icon::Check,
                              tr("No violations"),
                              tr("The schedule is complete and in order, without a deadlock."),
                              {}});
        m_nothing = makeColumn({12, 12, 12, 12}, 0, {nothing}, "");
        return makeColumn({}, 0,
                          {makeBar(32, 8, {{m_title, 1}}),
                           makeLine(Qt::Horizontal),
                           {m_nothing, 1},
                           {m_violations, 2},
                           makeLine(Qt::Horizontal),
                           makeBar(32, 8, {{m_absentTitle, 1}}),
                           makeLine(Qt::Horizontal),
                           {m_absentList, 1}},
                          "");
    }

    QWidget* makeTimes()
    {
        m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        return makeLined(
            {makeBar(32, 8, {makeLabel(tr("Times of this order"), "dock"), {m_note, 1}}),
             spaced(new QVBoxLayout, {14, 4, 8, 4}, 0, {m_preview}), m_numbers});
    }

    void connectAll()
    {
        const auto choose = [this] {
            const int row = m_violations->currentRow();
            if (row >= 0 && row < std::ssize(m_places))
                select(m_places[static_cast<std::size_t>(row)]);
        };
        connect(m_violations, &QListWidget::currentRowChanged, this, choose);
        connect(m_violations, &QListWidget::itemClicked, this, choose); // also of the current row
        connect(m_violations, &QListWidget::itemActivated, this, choose);
        connect(m_absentList, &QListWidget::itemActivated, this,
                [this](const QListWidgetItem* item) { restore(m_absentList->row(item)); });
        connect(m_grid->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
            updateActions();
            Q_EMIT statusChanged();
        });
        connect(m_refused, &EmptyState::activated, this,
                [this] { Q_EMIT filesRequested(FileKind::Runs); });
        connect(&m_theme, &ThemeController::unitsChanged, this, &Editor::checkAgain);
        connect(m_file, &ScheduleFile::saved, this, &Editor::showSaved);
        connect(m_file, &ScheduleFile::failed, this, [this](const QString& message) {
            m_band->show(Band::Kind::Error, tr("Not saved."), message);
        });
    }

    void take(Schedule opened)
    {
        auto edited = std::make_unique<EditedSchedule>(std::move(opened));
        const std::size_t ops = engine::opCount(edited->schedule()), leftOut = edited->leftOut();
        if (ops > kMostOps || ops == 0)
            return refuse(
                ops == 0
                    ? tr("%1 has no ops").arg(m_file->name())
                    : tr("%1 has %2 ops").arg(m_file->name(), number(static_cast<double>(ops), 0)),
                tr("The editor takes schedules of 1 to %1 compute ops; use fewer devices or "
                   "micro-batches.")
                    .arg(number(kMostOps, 0)));
        m_stack->setCurrentIndex(0);
        m_grid->show(edited.get(), nullptr);
        m_edited = std::move(edited);
        connect(m_edited.get(), &EditedSchedule::changed, this, [this](const OpPlace& place) {
            checkAgain();
            select(place);
        });
        const QUndoStack& stack = m_edited->undoStack();
        connect(&stack, &QUndoStack::indexChanged, this, &Editor::updateActions);
        connect(&stack, &QUndoStack::indexChanged, this, &Page::titleChanged);
        connect(&stack, &QUndoStack::cleanChanged, this, &Page::titleChanged);
        checkAgain();
        select({0, 0});
        if (leftOut > 0)
            m_band->show(Band::Kind::Warning, tr("Compute ops only."),
                         tr("%1 transfers, all-reduces and optimizer steps of the file were left "
                            "out: they follow from the order.")
                             .arg(leftOut));
        Q_EMIT titleChanged();
    }

    void refuse(const QString& fact, const QString& advice)
    {
        m_refused->setTexts(fact, advice);
        m_stack->setCurrentIndex(1);
        updateActions();
        Q_EMIT titleChanged();
    }

    void checkAgain()
    {
        if (m_edited == nullptr) // the file was refused
            return;
        m_check = std::make_shared<const ScheduleCheck>(
            checkSchedule(m_edited->schedule(), m_file->name(), m_plan.request()));
        m_grid->show(m_edited.get(), m_check);
        listViolations();
        listAbsent();
        showTimes();
        showVerdict();
        updateActions();
        Q_EMIT statusChanged();
    }

    void addLine(const QString& text, OpPlace place)
    {
        auto* item = new QListWidgetItem(text);
        item->setToolTip(toolTipText(text));
        m_violations->addItem(item);
        m_places.push_back(place);
    }

    // Lists the violations, then the explanations of a deadlock. The title counts only the
    // violations.
    void listViolations()
    {
        const auto& violations = m_check->prediction.violations;
        m_places.clear();
        m_violations->clear();
        for (const Violation& violation : violations)
            if (m_violations->count() < kMostShown)
                addLine(capitalized(fromUtf8(violation.message)),
                        {violation.device.value, violation.index});
        if (violations.size() > kMostShown)
            addLine(tr("and %1 more").arg(std::ssize(violations) - kMostShown), {});
        for (const Wait& wait : m_check->waits)
            if (m_violations->count() < 2 * kMostShown)
                addLine(tr("Why: %1").arg(sentence(m_edited->schedule(), wait)), wait.waiting);
        if (!m_check->problem.isEmpty())
            m_violations->addItem(m_check->problem);
        const bool isFine = m_violations->count() == 0;
        m_nothing->setVisible(isFine);
        m_violations->setVisible(!isFine);
        m_title->setText(violations.empty() ? tr("Validator")
                                            : countOf(std::ssize(violations), "violation"));
    }

    // The ops removed from the opened schedule, then other ops that the validator reports as
    // missing. Chooses the op that was removed last, or the last one.
    void listAbsent()
    {
        m_absent = m_edited->removed();
        for (const AbsentOp& missing : m_check->missing)
            if (std::ranges::none_of(m_absent, [&missing](const AbsentOp& absent) {
                    return absent.place.device == missing.place.device
                        && engine::toString(absent.op) == engine::toString(missing.op);
                }))
                m_absent.push_back(missing);
        m_absentList->clear();
        for (const AbsentOp& absent : m_absent)
            m_absentList->addItem(tr("%1 of device %2")
                                      .arg(fromUtf8(engine::toString(absent.op)))
                                      .arg(absent.place.device));
        m_absentTitle->setText(
            m_absent.empty()
                ? tr("No op is missing")
                : tr("Missing ops: %1 (Ins restores the selected one)").arg(m_absent.size()));
        m_absentList->setVisible(!m_absent.empty());
        const int removed = m_edited->lastRemoved(), last = m_absentList->count() - 1;
        m_absentList->setCurrentRow(removed >= 0 && removed <= last ? removed : last);
    }

    void showTimes()
    {
        const Prediction& prediction = m_check->prediction;
        const bool isValid = m_check->isValid();
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

    void showVerdict()
    {
        const Prediction& prediction = m_check->prediction;
        if (!m_check->problem.isEmpty())
            m_band->show(Band::Kind::Error, tr("Cannot be simulated."), m_check->problem);
        else if (prediction.isValid())
            m_band->show(Band::Kind::Ok, tr("Valid."),
                         tr("%1 ops on %2, no deadlock.")
                             .arg(number(static_cast<double>(prediction.computeOps), 0),
                                  countOf(m_edited->schedule().shape.devices, "device")));
        else if (const QString deadlock = deadlockSentence(m_edited->schedule(), *m_check);
                 !deadlock.isEmpty())
            m_band->show(Band::Kind::Error, tr("Deadlock."), deadlock);
        else
            m_band->show(Band::Kind::Error,
                         countOf(std::ssize(prediction.violations), "violation") + QLatin1Char('.'),
                         capitalized(fromUtf8(prediction.violations.front().message)));
    }

    void updateActions()
    {
        const bool isOpen = m_edited != nullptr;
        const bool isChosen = isOpen && m_edited->has(m_grid->selected());
        const auto offer = [](QAction* action, bool can, const QString& what,
                              const QString& plain) {
            action->setEnabled(can);
            const QString tip = what.isEmpty() ? plain : plain + QStringLiteral(": ") + what;
            action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString()));
        };
        const QUndoStack none, &stack = isOpen ? m_edited->undoStack() : none;
        offer(m_undo, stack.canUndo(), stack.undoText(), tr("undo"));
        offer(m_redo, stack.canRedo(), stack.redoText(), tr("redo"));
        m_revert->setEnabled(isModified());
        for (QAction* action : {m_earlier, m_later, m_delete})
            action->setEnabled(isChosen);
        m_restore->setEnabled(isOpen && !m_absent.empty());
        m_next->setEnabled(!m_check->messages.empty());
        for (QAction* action : {m_costs, m_save, m_saveAs})
            action->setEnabled(isOpen);
        for (QAction* action : {m_copy, m_simulate, m_train})
            action->setEnabled(isOpen && m_check->isValid());
    }

    void select(OpPlace place)
    {
        if (m_edited != nullptr && m_edited->has(place))
            m_grid->select(place);
    }

    void restore(int row) // of the list of absent ops
    {
        if (row < 0 || row >= std::ssize(m_absent))
            return;
        AbsentOp absent = m_absent[static_cast<std::size_t>(row)];
        if (absent.place.index < 0)
            absent.place = placeFor(m_edited->schedule(), absent);
        select(m_edited->restore(absent));
    }

    void nextViolation()
    {
        const auto& messages = m_check->messages;
        if (messages.empty())
            return;
        const auto next = messages.upper_bound(m_grid->selected());
        select((next == messages.end() ? messages.begin() : next)->first);
        m_grid->setFocus();
    }

    QDialog& costsDialog() // made by the first call
    {
        if (auto* made = findChild<QDialog*>(QStringLiteral("costsDialog")))
            return *made;
        auto* dialog = named(new QDialog(this), "costsDialog");
        dialog->setWindowTitle(tr("Costs for the simulated times"));
        dialog->resize(330, 420);
        auto* form = CostForm::make(m_theme, m_plan, CostForm::Order::Given);
        form->showPlan();
        connect(form, &CostForm::edited, this, &Editor::checkAgain);
        connect(form, &CostForm::planChanged, this, &Editor::checkAgain);
        spaced(new QVBoxLayout(dialog), {}, 0,
               {makeScroll(makeColumn({}, 0, {form, kStretch}, ""))});
        return *dialog;
    }

    bool save() { return m_file->save(m_edited->schedule()); }
    // Commands name a file. Returns false if the user cancelled or the file cannot be written.
    bool saveFirst() { return (!m_file->path().isEmpty() && !isModified()) || save(); }

    QString simulateCommand() const // of the saved file
    {
        RunPlan plan = m_plan;
        plan.experiment.mode = engine::Mode::Simulate;
        plan.experiment.scheduleFile = QFileInfo(m_file->path()).absoluteFilePath().toStdString();
        return commandText(plan);
    }

    void copyCommand()
    {
        if (!saveFirst())
            return;
        const QString command = simulateCommand();
        copyText(command);
        m_band->show(Band::Kind::Ok, tr("Copied."),
                     tr("%1 (`bscope run --schedule` trains with the file.)").arg(command));
    }

    void simulate()
    {
        engine::Run run = *m_check->prediction.run;
        run.info.scheme = "file";
        run.info.label = m_file->name().toStdString();
        if (!m_file->path().isEmpty() && !isModified())
            run.info.command = simulateCommand().toStdString();
        if (const auto file = writeNewRun(std::move(run)); !file)
            m_band->show(Band::Kind::Error, tr("Not written."), fromUtf8(file.error().message));
        else
            Q_EMIT pageRequested({"run", {*file}});
    }

    void train()
    {
        const QString problem = planProblem(RunPlan(), m_check->prediction.run->schedule);
        if (!problem.isEmpty())
            m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
        else if (saveFirst())
            Q_EMIT startRequested({{QStringLiteral("--schedule"), m_file->path()}});
    }

    void showSaved()
    {
        m_edited->undoStack().setClean();
        if (m_check->isValid())
            m_band->show(Band::Kind::Ok, tr("Saved."), m_file->path());
        else
            m_band->show(Band::Kind::Warning, tr("Saved, but not valid."),
                         tr("%1 can be edited, but not simulated or trained.").arg(m_file->path()));
        Q_EMIT titleChanged();
        Q_EMIT statusChanged();
    }

    static constexpr int kToolGap = 6;

    const ThemeController& m_theme;
    RunPlan m_plan; // has the costs and the all-reduce for the simulated times
    ScheduleFile* m_file = new ScheduleFile(this);
    std::unique_ptr<EditedSchedule> m_edited; // nullptr: no schedule is open
    std::shared_ptr<const ScheduleCheck> m_check = std::make_shared<ScheduleCheck>();
    std::vector<OpPlace> m_places;  // of the violations, in the order of the list
    std::vector<AbsentOp> m_absent; // in the order of the list

    QStackedLayout* m_stack = new QStackedLayout(this);
    EmptyState* m_refused = named(
        new EmptyState(m_theme, {Icon::Error, {}, {}, tr("Open another file")}), "refusedSchedule");
    Band* m_band = named(new Band(m_theme, Band::Shape::Verdict), "verdict");
    ScheduleGrid* m_grid = named(new ScheduleGrid(m_theme,
                                                  [this](const OpPlace& from, int before) {
                                                      select(m_edited->move(from, before));
                                                  }),
                                 "grid", tr("Order of ops"));
    QLabel *m_title = makeLabel({}, "dock"), *m_absentTitle = makeLabel({}, "dock"),
           *m_note = named(makeLabel({}, "small"), "timesNote");
    QListWidget *m_violations = makeLines("violations", tr("Violations")),
                *m_absentList = makeLines("absentOps", tr("Missing ops"));
    SchedulePreview* m_preview = named(new SchedulePreview(m_theme), "preview");
    // Hidden in a low window; the note has the main ones.
    KeyNumbers* m_numbers = named(new KeyNumbers(m_theme), "keyNumbers");
    QWidget *m_list, *m_nothing;
    QAction *m_undo, *m_redo, *m_revert, *m_earlier, *m_later, *m_delete, *m_restore, *m_next;
    QAction *m_costs, *m_save, *m_saveAs, *m_copy, *m_simulate, *m_train;
    QList<QWidget*> m_tools, m_lastTools; // buttons; m_lastTools are always shown
    QToolButton* m_moreTools
        = makeIconButton("moreEditorTools", Icon::More, tr("More tools"), m_theme);
};

} // namespace

EditorPage* EditorPage::make(const ThemeController& theme)
{
    return new Editor(theme);
}

} // namespace app
