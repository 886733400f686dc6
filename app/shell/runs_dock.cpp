#include "app/shell/runs_dock.h"

#include "app/documents/runs_model.h"
#include "app/ui/controls.h"
#include "app/ui/icons.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QClipboard>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace app {

GroupedRuns::GroupedRuns(RunsModel& runs, QObject* parent)
    : QAbstractListModel(parent)
    , m_runs(runs)
    , m_rows(arranged())
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    // Rearranging can wait, because new runs are at the end and leave the rows of the others valid.
    connect(&runs, &RunsModel::rowsInserted, &m_soon, qOverload<>(&QTimer::start));
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (arranged() != m_rows)
            rebuild();
    });
    connect(&runs, &RunsModel::rowsRemoved, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::rowsMoved, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::modelReset, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::dataChanged, this, &GroupedRuns::runsChanged);
}

QString GroupedRuns::groupTitle(int run) const
{
    const RunPointer data = m_runs.at(run)->run();
    if (!data || m_runs.at(run)->isRunning() || m_runs.at(run)->isQueued())
        return {};
    QStringList parts{shapeText(*data), modeText(data->info)};
    if (data->info.inUnits())
        parts << tr("units");
    return parts.join(QStringLiteral(", "));
}

bool GroupedRuns::matches(int run) const
{
    if (m_words.isEmpty())
        return true;
    const QModelIndex index = m_runs.index(run);
    const QString text
        = QStringList{index.data().toString(), index.data(RunsModel::SubtitleRole).toString(),
                      index.data(RunsModel::ModeRole).toString(), groupTitle(run)}
              .join(QLatin1Char(' '));
    return std::ranges::all_of(
        m_words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

std::vector<GroupedRuns::Row> GroupedRuns::arranged() const
{
    const bool hasHeaders = m_runs.rowCount() >= kHeadersFrom;
    std::vector<Row> rows;
    QStringList groups; // in the order of their first runs; runs without a group come first
    groups << QString();
    std::vector<Row> shown;
    for (int run = 0; run < m_runs.rowCount(); ++run) {
        if (!matches(run))
            continue;
        shown.push_back({run, hasHeaders ? groupTitle(run) : QString()});
        if (!groups.contains(shown.back().group))
            groups << shown.back().group;
    }
    for (const QString& group : groups) {
        if (!group.isEmpty())
            rows.push_back({-1, group});
        std::ranges::copy_if(shown, std::back_inserter(rows),
                             [&](const Row& row) { return row.group == group; });
    }
    return rows;
}

void GroupedRuns::rebuild()
{
    m_soon.stop();
    std::vector<Row> rows = arranged();
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

// A change of a run may also move it to another group.
void GroupedRuns::runsChanged(const QModelIndex& from, const QModelIndex& to)
{
    m_soon.start();
    for (int row = 0; row < rowCount(); ++row) {
        const int run = m_rows[static_cast<std::size_t>(row)].run;
        if (run < 0 || (run >= from.row() && run <= to.row()))
            Q_EMIT dataChanged(index(row), index(row));
    }
}

void GroupedRuns::setFilter(const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words == m_words)
        return;
    m_words = words;
    rebuild();
}

int GroupedRuns::runOf(const QModelIndex& index) const
{
    return index.isValid() ? m_rows[static_cast<std::size_t>(index.row())].run : -1;
}

QModelIndex GroupedRuns::indexOf(int run) const
{
    const auto found = std::ranges::find(m_rows, run, &Row::run);
    return run < 0 || found == m_rows.end() ? QModelIndex()
                                            : index(static_cast<int>(found - m_rows.begin()));
}

std::vector<int> GroupedRuns::groupOf(const QModelIndex& index) const
{
    std::vector<int> runs;
    if (!index.isValid())
        return runs;
    const QString& group = m_rows[static_cast<std::size_t>(index.row())].group;
    for (const Row& row : m_rows)
        if (row.run >= 0 && row.group == group)
            runs.push_back(row.run);
    return runs;
}

int GroupedRuns::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

Qt::CheckState GroupedRuns::checkOf(const QString& group) const
{
    int runs = 0, checked = 0;
    for (const Row& row : m_rows) {
        if (row.run < 0 || row.group != group)
            continue;
        ++runs;
        checked += m_runs.index(row.run).data(Qt::CheckStateRole).toInt() == Qt::Checked ? 1 : 0;
    }
    return checked == 0 ? Qt::Unchecked : checked == runs ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant GroupedRuns::groupData(const Row& header, int role) const
{
    switch (role) {
    case HeaderRole:
        return true;
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return role == Qt::DisplayRole ? header.group : toolTipText(header.group);
    case Qt::CheckStateRole:
        return checkOf(header.group);
    case RunsModel::ValueRole:
        return QString::number(std::ranges::count_if(
            m_rows, [&](const Row& row) { return row.run >= 0 && row.group == header.group; }));
    default:
        return {};
    }
}

QVariant GroupedRuns::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (row.run < 0)
        return groupData(row, role);
    return role == HeaderRole ? QVariant(false) : m_runs.index(row.run).data(role);
}

bool GroupedRuns::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    const std::vector<int> runs
        = runOf(index) < 0 ? groupOf(index) : std::vector<int>{runOf(index)};
    for (const int run : runs)
        m_runs.setData(m_runs.index(run), value, role);
    return true;
}

Qt::ItemFlags GroupedRuns::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
            | Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

namespace {

constexpr int kTextLeft = 32, kPadding = 10;

void drawLine(QPainter& painter, const QRect& row, const QString& left, const QString& right,
              Qt::TextElideMode elide = Qt::ElideRight)
{
    const QFontMetrics metrics(painter.font());
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, right);
    const int room = row.width() - metrics.horizontalAdvance(right) - 6;
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(left, elide, room));
}

void paintGrip(QPainter& painter, const QRect& box, const QColor& colour)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 2; ++column)
            painter.fillRect(box.left() + 3 + 5 * column, box.top() + 2 + 4 * row, 2, 2, colour);
}

} // namespace

RunsDelegate::RunsDelegate(const ThemeController& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{ }

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    if (index.data(GroupedRuns::HeaderRole).toBool())
        return {200, 28};
    return {200, index.data(RunsModel::RunningRole).toBool() ? 48 : 40};
}

QRect RunsDelegate::checkBox(const QRect& row)
{
    return {row.left() + 10, row.top() + 7, 14, 14};
}

void RunsDelegate::paintCheck(QPainter& painter, const QRect& row, const QModelIndex& index) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const int state = index.data(Qt::CheckStateRole).toInt();
    const bool isChecked = state != Qt::Unchecked;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isChecked ? chrome.primary : chrome.lineStrong);
    painter.setBrush(isChecked ? chrome.primary : chrome.surface);
    painter.drawRoundedRect(QRectF(checkBox(row)).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    if (state == Qt::PartiallyChecked)
        painter.fillRect(QRectF(checkBox(row)).adjusted(3, 6, -3, -6), chrome.primaryText);
    else if (isChecked)
        paintIcon(painter, Icon::Check, QRectF(checkBox(row)).adjusted(1, 1, -1, -1),
                  chrome.primaryText);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RunsDelegate::paintTexts(QPainter& painter, const QRect& row, const QModelIndex& index,
                              bool isSelected) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const QRect text = row.adjusted(kTextLeft, 0, -kPadding, 0);
    if (index.data(GroupedRuns::HeaderRole).toBool()) {
        painter.setFont(uiFont(12, QFont::Medium));
        painter.setPen(chrome.text);
        drawLine(painter, text, index.data().toString(),
                 index.data(RunsModel::ValueRole).toString());
        return;
    }
    painter.setFont(uiFont(13, isSelected ? QFont::Medium : QFont::Normal));
    painter.setPen(chrome.text);
    drawLine(painter, QRect(text.left(), row.top() + 4, text.width(), 18), index.data().toString(),
             index.data(RunsModel::ValueRole).toString());
    painter.setFont(uiFont(11));
    painter.setPen(isSelected ? chrome.text2 : chrome.text3);
    drawLine(painter, QRect(text.left(), row.top() + 21, text.width(), 15),
             index.data(RunsModel::SubtitleRole).toString(),
             index.data(RunsModel::ModeRole).toString(), Qt::ElideMiddle);
    const double progress = index.data(RunsModel::ProgressRole).toDouble();
    if (progress < 0)
        return;
    const QRect bar(text.left(), row.top() + 40, text.width(), 3);
    painter.fillRect(bar, chrome.pressed);
    painter.fillRect(QRect(bar.topLeft(), QSize(qRound(bar.width() * progress), 3)), chrome.text);
}

void RunsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const bool isSelected = option.state & QStyle::State_Selected;
    painter->save();
    if (isSelected)
        painter->fillRect(option.rect, chrome.selected);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, chrome.hover);
    if (index.data(RunsModel::QueuedRole).toBool())
        paintGrip(*painter, checkBox(option.rect), chrome.text3);
    else if (index.data(RunsModel::RunningRole).toBool())
        paintIcon(*painter, Icon::Run, QRectF(checkBox(option.rect)), chrome.text);
    else
        paintCheck(*painter, option.rect, index);
    paintTexts(*painter, option.rect, index, isSelected);
    painter->restore();
}

// Only a click on the check mark ticks a run; elsewhere a click opens it.
bool RunsDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (event->type() != QEvent::MouseButtonRelease)
        return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QRect target = checkBox(option.rect).adjusted(-8, -6, 6, 14);
    if (!target.contains(mouse->position().toPoint()) || index.data(RunsModel::RunningRole).toBool()
        || index.data(RunsModel::QueuedRole).toBool())
        return false;
    const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

namespace {

// A click on a row opens the run, unless it hits the check mark. Space ticks the run. A queued run
// has a drag handle instead of the check mark: the mouse, or Alt and the arrow keys, move the run
// in the queue.
class RunsList : public QListView
{
public:
    // Moves the queued run of a row past the next one that is shown; `step` is 1 or -1. Returns
    // the new row, or -1 if the run did not move.
    using MoveInQueue = std::function<int(int row, int step)>;

    explicit RunsList(MoveInQueue moveInQueue)
        : m_moveInQueue(std::move(moveInQueue))
    { }
    // A drag ends if other rows come or go, because then m_dragged is the row of another run.
    void reset() override
    {
        m_dragged = -1;
        QListView::reset();
    }

protected:
    // Claims Alt+Up and Alt+Down, with which the page moves a lane.
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride
            || stepOf(static_cast<const QKeyEvent&>(*event)) == 0
            || !currentIndex().data(RunsModel::QueuedRole).toBool())
            return QListView::event(event);
        event->accept();
        return true;
    }
    void mousePressEvent(QMouseEvent* event) override
    {
        const QModelIndex index = indexAt(event->position().toPoint());
        m_isDragging = index.isValid() && event->button() == Qt::LeftButton
            && index.data(RunsModel::QueuedRole).toBool()
            && event->position().x() <= RunsDelegate::checkBox(visualRect(index)).right() + 6;
        m_dragged = m_isDragging ? index.row() : -1;
        if (m_isDragging)
            viewport()->setCursor(Qt::ClosedHandCursor);
        else
            QListView::mousePressEvent(event);
    }
    void mouseMoveEvent(QMouseEvent* event) override
    {
        if (!m_isDragging) {
            QListView::mouseMoveEvent(event);
            return;
        }
        const QModelIndex over = indexAt(event->position().toPoint());
        if (!over.isValid() || !over.data(RunsModel::QueuedRole).toBool())
            return;
        const int to = over.row();
        const int step = to > m_dragged ? 1 : -1;
        while (m_dragged >= 0 && m_dragged != to) // the pointer may skip rows
            m_dragged = m_moveInQueue(m_dragged, step);
    }
    void mouseReleaseEvent(QMouseEvent* event) override
    {
        m_dragged = -1;
        if (std::exchange(m_isDragging, false)) {
            viewport()->unsetCursor();
            return;
        }
        QListView::mouseReleaseEvent(event);
        const QModelIndex index = indexAt(event->position().toPoint());
        const bool isRun = index.isValid() && !index.data(GroupedRuns::HeaderRole).toBool();
        if (isRun && event->button() == Qt::LeftButton
            && event->position().x() > RunsDelegate::checkBox(visualRect(index)).right() + 6)
            Q_EMIT activated(index);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Space && currentIndex().isValid()) {
            const bool isChecked = currentIndex().data(Qt::CheckStateRole).toInt() == Qt::Checked;
            model()->setData(currentIndex(), isChecked ? Qt::Unchecked : Qt::Checked,
                             Qt::CheckStateRole);
            return;
        }
        if (const int step = stepOf(*event); step != 0 && currentIndex().isValid()) {
            m_moveInQueue(currentIndex().row(), step);
            return;
        }
        QListView::keyPressEvent(event);
    }

private:
    // Returns -1 for Alt+Up, 1 for Alt+Down, and 0 for other keys.
    static int stepOf(const QKeyEvent& event)
    {
        if (!(event.modifiers() & Qt::AltModifier))
            return 0;
        return event.key() == Qt::Key_Up ? -1 : event.key() == Qt::Key_Down ? 1 : 0;
    }

    MoveInQueue m_moveInQueue;
    bool m_isDragging = false;
    int m_dragged = -1; // row of the queued run that is dragged; -1: none
};

} // namespace

RunsDock::RunsDock(const ThemeController& theme, RunsModel& runs, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_groups(new GroupedRuns(runs, this))
    , m_list(named(new RunsList([this](int row, int step) { return moveInQueue(row, step); }),
                   "runsList", tr("Runs")))
    , m_compare(makeButton({}, QStringLiteral("compareRuns")))
    , m_queue(named(makeLabel({}, "small"), "queueSum"))
{
    setObjectName(QStringLiteral("runsDock"));
    setAttribute(Qt::WA_StyledBackground);
    setLook(this, "surface", QStringLiteral("plain"));
    auto* add = makeIconButton("addRun", Icon::Plus, tr("New run"), theme);
    auto* title = makeBar(40, 4, {{makeLabel(tr("Runs"), "dock"), 1}, add});
    m_filterRow = makeFilter();
    m_list->setModel(m_groups);
    m_list->setMinimumWidth(160); // the dock's button may need more width
    m_list->setItemDelegate(new RunsDelegate(theme, m_list));
    m_list->setMouseTracking(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    followTheme(m_compare, Icon::Compare, theme);
    m_queue->setWordWrap(true);
    auto* sum = spaced(new QHBoxLayout, {12, 6, 12, 0}, 0, {m_queue});
    auto* foot = spaced(new QHBoxLayout, {8, 8, 8, 8}, 0, {m_compare});

    spaced(new QVBoxLayout(this), {}, 0,
           {title,
            makeLine(Qt::Horizontal),
            m_filterRow,
            {m_list, 1},
            makeLine(Qt::Horizontal),
            sum,
            foot});

    connect(add, &QToolButton::clicked, this, &RunsDock::addRequested);
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) {
        if (m_groups->runOf(index) < 0)
            return;
        const auto run = m_runs.at(m_groups->runOf(index));
        setCurrent(m_current); // keeps the current row until the window shows the activated run
        Q_EMIT activated(run);
    });
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QWidget::customContextMenuRequested, this, &RunsDock::showMenu);
    connect(m_compare, &QPushButton::clicked, this,
            [this] { Q_EMIT compareRequested(m_runs.checked()); });
    for (const auto signal : {&RunsModel::rowsInserted, &RunsModel::rowsRemoved})
        connect(&runs, signal, this, &RunsDock::refresh);
    connect(&runs, &RunsModel::dataChanged, this, &RunsDock::refresh);
    // Restores the current row, which a reset of the model clears.
    connect(m_groups, &QAbstractItemModel::modelReset, this, [this] { setCurrent(m_current); });
    refresh();
}

QWidget* RunsDock::makeFilter()
{
    m_filter = named(new QLineEdit, "filterRuns", tr("Filter the runs"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_groups->setFilter(text); });
    auto* row = makeSurface("plain");
    spaced(new QHBoxLayout(row), {8, 6, 8, 6}, 0)->addWidget(m_filter);
    return row;
}

// See RunsList::MoveInQueue. Also moves past queued runs that the filter hides. The moved run stays
// the current row, so that it can be moved again.
int RunsDock::moveInQueue(int row, int step)
{
    const auto isQueued = [this](int run) { return run >= 0 && m_runs.at(run)->isQueued(); };
    const auto runIn = [this](int at) { return m_groups->runOf(m_groups->index(at)); };
    int to = row + step;
    while (to >= 0 && to < m_groups->rowCount() && !isQueued(runIn(to)))
        to += step;
    const int run = runIn(row), other = runIn(to);
    if (!isQueued(run) || !isQueued(other))
        return -1;
    int by = 0;
    for (int at = run; at != other; at += step)
        by += isQueued(at + step) ? step : 0;
    const auto document = m_runs.at(run);
    Q_EMIT moveInQueueRequested(*document, by);
    m_list->setCurrentIndex(m_groups->indexOf(m_runs.rowOf(document.get())));
    return m_list->currentIndex().row() == row ? -1 : m_list->currentIndex().row();
}

// Shows the filter only if there are more than a few runs, the number of queued runs and, if known,
// the time until all are complete.
void RunsDock::refresh()
{
    const int runs = m_runs.rowCount();
    m_filter->setPlaceholderText(tr("Filter %1").arg(countOf(runs, "run")));
    m_filterRow->setVisible(runs >= GroupedRuns::kHeadersFrom || m_groups->isFiltered());
    int queued = 0;
    double seconds = 0;
    bool isKnown = true;
    for (int row = 0; row < runs; ++row) {
        const auto document = m_runs.at(row);
        queued += document->isQueued() ? 1 : 0;
        if (!document->isQueued() && !document->isRunning())
            continue;
        isKnown = isKnown && document->progress().secondsLeft >= 0;
        seconds += std::max(0.0, document->progress().secondsLeft);
    }
    const QString waiting = countOf(queued, "run");
    m_queue->setVisible(queued > 0);
    m_queue->setText(isKnown ? tr("Queue: %1, all done in %2").arg(waiting, takesText(seconds))
                             : tr("Queue: %1").arg(waiting));
    const auto count = m_runs.checked().size();
    m_compare->setText(count == 1 ? tr("Start a comparison") : tr("Compare %1 runs").arg(count));
    m_compare->setEnabled(count > 0);
    m_compare->setToolTip(count > 1 ? QString()
                              : count == 1
                              ? tr("Opens the run alone, to add another one or its prediction")
                              : tr("Tick two runs to compare them"));
}

void RunsDock::setCurrent(const RunDocument* document)
{
    m_current = document;
    m_list->setCurrentIndex(m_groups->indexOf(m_runs.rowOf(document)));
}

void RunsDock::showMenu(const QPoint& position)
{
    const QModelIndex index = m_list->indexAt(position);
    if (!index.isValid())
        return;
    QMenu menu(this);
    const QPoint at = m_list->viewport()->mapToGlobal(position);
    if (m_groups->runOf(index) < 0) {
        std::vector<const RunDocument*> group;
        for (const int run : m_groups->groupOf(index))
            group.push_back(m_runs.at(run).get());
        addTickActions(menu, group);
        menu.exec(at);
        return;
    }
    const std::shared_ptr<RunDocument> document = m_runs.at(m_groups->runOf(index));
    const QAction* show = menu.addAction(tr("Show"));
    const QAction* sooner = document->isQueued() ? menu.addAction(tr("Run sooner")) : nullptr;
    const QAction* later = document->isQueued() ? menu.addAction(tr("Run later")) : nullptr;
    addTickActions(menu, {document.get()});
    const QAction* copy = menu.addAction(tr("Copy the file's path"));
    QAction* remove = menu.addAction(document->isQueued() ? tr("Remove from the queue")
                                                          : tr("Remove from the list"));
    remove->setEnabled(!document->isRunning());
    const QAction* chosen = menu.exec(at); // meanwhile the run may start, and rows may move
    if (chosen == show)
        Q_EMIT activated(document);
    else if (chosen != nullptr && (chosen == sooner || chosen == later))
        moveInQueue(m_groups->indexOf(m_runs.rowOf(document.get())).row(),
                    chosen == sooner ? -1 : 1);
    else if (chosen == copy)
        QGuiApplication::clipboard()->setText(document->file());
    else if (chosen == remove)
        Q_EMIT removeRequested(*document);
}

void RunsDock::addTickActions(QMenu& menu, const std::vector<const RunDocument*>& clicked)
{
    using IsTicked = std::function<bool(const RunDocument*, bool wasTicked)>;
    const auto add = [&](const QString& text, const IsTicked& isTicked) {
        connect(menu.addAction(text), &QAction::triggered, this, [this, isTicked] {
            for (int row = 0; row < m_runs.rowCount(); ++row) {
                const bool was = m_runs.index(row).data(Qt::CheckStateRole).toInt() == Qt::Checked;
                const RunDocument* document = m_runs.at(row).get();
                m_runs.setChecked(document, isTicked(document, was));
            }
        });
    };
    menu.addSeparator();
    const auto isClicked
        = [clicked](const RunDocument* one, bool) { return std::ranges::count(clicked, one) > 0; };
    add(clicked.size() == 1 ? tr("Tick only this run") : tr("Tick only these runs"), isClicked);
    add(tr("Tick all runs"), [](const auto*, bool) { return true; });
    add(tr("Untick all runs"), [](const auto*, bool) { return false; });
    add(tr("Invert the ticks"), [](const auto*, bool wasTicked) { return !wasTicked; });
    menu.addSeparator();
}

} // namespace app
