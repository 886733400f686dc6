#include "app/shell/runs_dock.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace app {

struct RunRow
{
    std::shared_ptr<RunDocument> run; // null: a header
    RunLibrary::Runs group;           // of a header: the runs below it
    QString title, value, subtitle, mode;
    Qt::CheckState ticked = Qt::Unchecked;

    // A run that has not ended cannot be ticked with the mouse.
    bool hasEnded() const { return !run || !(run->isRunning() || run->isQueued()); }
    bool isQueued() const { return run && run->isQueued(); }
    bool isSamePlace(const RunRow& other) const
    {
        return run == other.run && (run || title == other.title);
    }
};

namespace {

constexpr std::size_t kHeadersFrom = 5; // runs
constexpr int kTextLeft = 32, kPadding = 10;

// The title of the runs that can be compared with a run; "": none.
QString groupTitle(const RunDocument& document)
{
    const RunPointer data = document.run();
    if (!data || document.isRunning() || document.isQueued())
        return {};
    QStringList parts{shapeText(*data), modeText(data->info)};
    if (data->info.inUnits())
        parts << QStringLiteral("units");
    return parts.join(QStringLiteral(", "));
}

RunRow rowOf(const RunLibrary& library, const std::shared_ptr<RunDocument>& run)
{
    return {run,
            {},
            run->run() ? fromUtf8(run->run()->info.label) : run->title(),
            run->value(),
            run->subtitle(),
            run->mode(),
            library.isTicked(*run) ? Qt::Checked : Qt::Unchecked};
}

RunRow headerOf(const RunLibrary& library, const QString& title, const RunLibrary::Runs& group)
{
    const auto ticked
        = std::ranges::count_if(group, [&](const auto& run) { return library.isTicked(*run); });
    return {nullptr,
            group,
            title,
            QString::number(group.size()),
            {},
            {},
            ticked == 0                       ? Qt::Unchecked
                : ticked == std::ssize(group) ? Qt::Checked
                                              : Qt::PartiallyChecked};
}

// The groups are in the order of their first runs; runs without a group come first.
std::vector<RunRow> rowsOf(const RunLibrary& library, const RunLibrary::Runs& shown,
                           bool hasHeaders)
{
    std::vector<std::pair<QString, RunLibrary::Runs>> groups{{QString(), {}}};
    for (const auto& run : shown) {
        const QString title = hasHeaders ? groupTitle(*run) : QString();
        auto group = std::ranges::find(groups, title, &std::pair<QString, RunLibrary::Runs>::first);
        if (group == groups.end())
            group = groups.insert(groups.end(), {title, {}});
        group->second.push_back(run);
    }
    std::vector<RunRow> rows;
    for (const auto& [title, group] : groups) {
        if (!title.isEmpty())
            rows.push_back(headerOf(library, title, group));
        for (const auto& run : group)
            rows.push_back(rowOf(library, run));
    }
    return rows;
}

QRect checkBox(const QRect& row)
{
    return {row.left() + 10, row.top() + 7, 14, 14};
}

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

void paintCheck(QPainter& painter, const QRectF& box, Qt::CheckState state, const Chrome& chrome)
{
    const bool isChecked = state != Qt::Unchecked;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isChecked ? chrome.primary : chrome.lineStrong);
    painter.setBrush(isChecked ? chrome.primary : chrome.surface);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    if (state == Qt::PartiallyChecked)
        painter.fillRect(box.adjusted(3, 6, -3, -6), chrome.primaryText);
    else if (isChecked)
        paintIcon(painter, Icon::Check, box.adjusted(1, 1, -1, -1), chrome.primaryText);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

// The name and the value of a run above its size and mode, and 3 px of progress while it runs.
void paintTexts(QPainter& painter, const QRect& box, const RunRow& row, const Chrome& chrome,
                bool isSelected)
{
    const QRect text = box.adjusted(kTextLeft, 0, -kPadding, 0);
    painter.setPen(chrome.text);
    if (!row.run) {
        painter.setFont(uiFont(12, QFont::Medium));
        return drawLine(painter, text, row.title, row.value);
    }
    painter.setFont(uiFont(13, isSelected ? QFont::Medium : QFont::Normal));
    drawLine(painter, QRect(text.left(), box.top() + 4, text.width(), 18), row.title, row.value);
    painter.setFont(uiFont(11));
    painter.setPen(isSelected ? chrome.text2 : chrome.text3);
    drawLine(painter, QRect(text.left(), box.top() + 21, text.width(), 15), row.subtitle, row.mode,
             Qt::ElideMiddle);
    const RunProgress& progress = row.run->progress();
    if (!row.run->isRunning() || progress.planned <= 0)
        return;
    const QRect bar(text.left(), box.top() + 40, text.width(), 3);
    const int done = qRound(bar.width() * progress.iterations() / progress.planned);
    painter.fillRect(bar, chrome.pressed);
    painter.fillRect(QRect(bar.topLeft(), QSize(done, 3)), chrome.text);
}

} // namespace

class RunRows : public TableModel<RunRow>
{
public:
    using TableModel::TableModel;

    static Columns columns()
    {
        return {
            TableColumn<RunRow>(QString(), &RunRow::title)
                .with(Qt::CheckStateRole, [](const RunRow& row) { return QVariant(row.ticked); })
                .tip([](const RunRow& row) { return row.run ? row.run->file() : row.title; })};
    }
    QModelIndex find(const RunDocument* run) const
    {
        const auto is = [run](const RunRow& row) { return row.run && row.run.get() == run; };
        const auto found = std::ranges::find_if(rows(), is);
        return found == rows().end() ? QModelIndex()
                                     : index(static_cast<int>(found - rows().begin()), 0);
    }
    Qt::ItemFlags flags(const QModelIndex& index) const override
    {
        return TableModel::flags(index) | Qt::ItemIsUserCheckable;
    }
};

namespace {

class RunsDelegate : public QStyledItemDelegate
{
public:
    RunsDelegate(const ThemeController& theme, const RunRows& rows, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
        , m_rows(rows)
    { }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const RunRow& row = m_rows.at(index.row());
        return {200, !row.run ? 28 : row.run->isRunning() ? 48 : 40};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Chrome& chrome = m_theme.theme().chrome;
        const RunRow& row = m_rows.at(index.row());
        const QRect box = checkBox(option.rect);
        const bool isSelected = option.state & QStyle::State_Selected;
        painter->save();
        if (isSelected)
            painter->fillRect(option.rect, chrome.selected);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, chrome.hover);
        if (row.isQueued())
            paintGrip(*painter, box, chrome.text3);
        else if (!row.hasEnded())
            paintIcon(*painter, Icon::Run, QRectF(box), chrome.text);
        else
            paintCheck(*painter, QRectF(box), row.ticked, chrome);
        paintTexts(*painter, option.rect, row, chrome, isSelected);
        painter->restore();
    }

private:
    const ThemeController& m_theme;
    const RunRows& m_rows;
};

} // namespace

// A click on a row opens the run, unless it hits the check mark. Space ticks the run. A queued run
// has a drag handle instead of the check mark: the mouse, or Alt and the arrow keys, move the run
// in the queue.
class RunsDock::List : public QListView
{
public:
    explicit List(RunsDock& dock)
        : m_dock(dock)
    { }

protected:
    void mousePressEvent(QMouseEvent* event) override
    {
        const QModelIndex index = indexAt(event->position().toPoint());
        const bool isDragged = event->button() == Qt::LeftButton && isOnCheck(index, *event)
            && row(index).isQueued();
        m_dragged = isDragged ? row(index).run : nullptr;
        if (m_dragged)
            viewport()->setCursor(Qt::ClosedHandCursor);
        else
            QListView::mousePressEvent(event);
    }
    void mouseMoveEvent(QMouseEvent* event) override
    {
        const QModelIndex over = indexAt(event->position().toPoint());
        if (!m_dragged)
            QListView::mouseMoveEvent(event);
        else if (over.isValid())
            m_dock.moveTo(m_dragged.get(), over.row());
    }
    void mouseReleaseEvent(QMouseEvent* event) override
    {
        if (std::exchange(m_dragged, nullptr)) {
            viewport()->unsetCursor();
            return;
        }
        QListView::mouseReleaseEvent(event);
        const QModelIndex index = indexAt(event->position().toPoint());
        if (isOnCheck(index, *event) && row(index).hasEnded())
            m_dock.toggle(index);
        else if (index.isValid() && !isOnCheck(index, *event) && event->button() == Qt::LeftButton)
            m_dock.activate(index);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        const int step = stepOf(*event);
        if (event->key() == Qt::Key_Space && currentIndex().isValid())
            m_dock.toggle(currentIndex());
        else if (step != 0 && currentIndex().isValid())
            m_dock.moveBy(row(currentIndex()).run.get(), step);
        else
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
    const RunRow& row(const QModelIndex& index) const { return m_dock.m_rows->at(index.row()); }
    bool isOnCheck(const QModelIndex& index, const QMouseEvent& event) const
    {
        return index.isValid() && event.position().x() <= checkBox(visualRect(index)).right() + 6;
    }

    RunsDock& m_dock;
    std::shared_ptr<RunDocument> m_dragged; // a queued run
};

RunsDock::RunsDock(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : QWidget(parent)
    , m_library(library)
    , m_rows(new RunRows(this))
    , m_list(named(new List(*this), "runsList", tr("Runs")))
    , m_compare(makeButton({}, "compareRuns", "", this,
                           [this] {
                               Q_EMIT pageRequested({"compare", {}, m_library.ticked()});
                           }))
    , m_queue(named(makeLabel({}, "small"), "queueSum"))
{
    setObjectName(QStringLiteral("runsDock"));
    setAttribute(Qt::WA_StyledBackground);
    setLook(this, "surface", QStringLiteral("plain"));
    auto* add = makeIconButton("addRun", Icon::Plus, tr("New run"), theme, this,
                               [this] { Q_EMIT pageRequested({"setup"}); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Runs"), "dock"), 1}, add});
    m_filterRow = makeFilter();
    m_list->setModel(m_rows);
    m_list->setMinimumWidth(160); // the dock's button may need more width
    m_list->setItemDelegate(new RunsDelegate(theme, *m_rows, m_list));
    m_list->setMouseTracking(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
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

    connect(m_list, &QListView::activated, this, &RunsDock::activate);
    connect(m_list, &QWidget::customContextMenuRequested, this, &RunsDock::showMenu);
    const auto later = [this] {
        if (isVisible())
            m_soon.start();
    };
    connect(&library, &RunLibrary::listChanged, this, later);
    connect(&library, &RunLibrary::runChanged, this, later);
    refresh();
}

void RunsDock::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

QWidget* RunsDock::makeFilter()
{
    m_filter = named(new QLineEdit, "filterRuns", tr("Filter the runs"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsDock::refresh);
    auto* row = makeSurface("plain");
    spaced(new QHBoxLayout(row), {8, 6, 8, 6}, 0)->addWidget(m_filter);
    return row;
}

bool RunsDock::matches(const RunDocument& document) const
{
    const QStringList texts{document.title(), document.subtitle(), document.mode(),
                            groupTitle(document)};
    const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [text = texts.join(QLatin1Char(' '))](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

// Keeps the current row unless rows come, go or move.
void RunsDock::refresh()
{
    m_soon.stop();
    const Runs runs = m_library.runs();
    Runs shown;
    std::ranges::copy_if(runs, std::back_inserter(shown),
                         [this](const auto& run) { return matches(*run); });
    std::vector<RunRow> rows = rowsOf(m_library, shown, runs.size() >= kHeadersFrom);
    if (std::ranges::equal(rows, m_rows->rows(), &RunRow::isSamePlace)) {
        m_rows->update(0, std::move(rows));
    } else {
        m_rows->reset(RunRows::columns(), std::move(rows));
        setCurrent(m_current);
    }
    m_filter->setPlaceholderText(
        tr("Filter %1").arg(countOf(static_cast<std::int64_t>(runs.size()), "run")));
    m_filterRow->setVisible(runs.size() >= kHeadersFrom || !m_filter->text().isEmpty());
    showSum();
}

// Shows the number of queued runs and, if known, the time until all are complete.
void RunsDock::showSum()
{
    int queued = 0;
    double seconds = 0;
    bool isKnown = true;
    for (const auto& run : m_library.runs()) {
        queued += run->isQueued() ? 1 : 0;
        if (!run->isQueued() && !run->isRunning())
            continue;
        isKnown = isKnown && run->progress().secondsLeft >= 0;
        seconds += std::max(0.0, run->progress().secondsLeft);
    }
    const QString waiting = countOf(queued, "run");
    m_queue->setVisible(queued > 0);
    m_queue->setText(isKnown ? tr("Queue: %1, all done in %2").arg(waiting, takesText(seconds))
                             : tr("Queue: %1").arg(waiting));
    const auto count = m_library.ticked().size();
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
    m_list->setCurrentIndex(m_rows->find(document));
}

void RunsDock::activate(const QModelIndex& index)
{
    const std::shared_ptr<RunDocument> run = m_rows->at(index.row()).run;
    if (!run)
        return;
    setCurrent(m_current); // keeps the current row until the window shows the activated run
    Q_EMIT pageRequested({"run", {}, {run}});
}

void RunsDock::toggle(const QModelIndex& index)
{
    const RunRow row = m_rows->at(index.row());
    for (const auto& run : row.run ? Runs{row.run} : row.group)
        m_library.tick(*run, row.ticked != Qt::Checked);
    refresh();
}

// Moves a queued run to the place of another one. The moved run becomes the current row, so that it
// can be moved again.
void RunsDock::moveTo(const RunDocument* run, int row)
{
    const RunDocument* other = m_rows->at(row).run.get();
    Runs queue = m_library.runs();
    std::erase_if(queue, [](const auto& one) { return !one->isQueued(); });
    const auto from = std::ranges::find(queue, run, &std::shared_ptr<RunDocument>::get),
               to = std::ranges::find(queue, other, &std::shared_ptr<RunDocument>::get);
    if (from == queue.end() || to == queue.end() || from == to)
        return;
    m_library.moveInQueue(*run, static_cast<int>(to - from));
    refresh();
    m_list->setCurrentIndex(m_rows->find(run));
}

// Moves a queued run past the next one that is shown; `step` is 1 or -1.
void RunsDock::moveBy(const RunDocument* run, int step)
{
    int row = m_rows->find(run).row() + step;
    while (row >= 0 && row < m_rows->rowCount() && !m_rows->at(row).isQueued())
        row += step;
    if (row >= 0 && row < m_rows->rowCount())
        moveTo(run, row);
}

void RunsDock::showMenu(const QPoint& position)
{
    const QModelIndex index = m_list->indexAt(position);
    if (!index.isValid())
        return;
    QMenu menu(this);
    const RunRow row = m_rows->at(index.row()); // while the menu is open, rows may move
    const std::shared_ptr<RunDocument>& run = row.run;
    const auto add = [&](const QString& text, const std::function<void()>& trigger) {
        QAction* action = menu.addAction(text);
        connect(action, &QAction::triggered, this, trigger);
        return action;
    };
    if (run)
        add(tr("Show"), [=, this] { Q_EMIT pageRequested({"run", {}, {run}}); });
    if (row.isQueued()) {
        add(tr("Run sooner"), [=, this] { moveBy(run.get(), -1); });
        add(tr("Run later"), [=, this] { moveBy(run.get(), 1); });
    }
    addTickActions(menu, run ? Runs{run} : row.group);
    if (run) {
        add(tr("Copy the file's path"), [=] { copyText(run->file()); });
        add(row.isQueued() ? tr("Remove from the queue") : tr("Remove from the list"), [=, this] {
            m_library.close(*run);
        })->setEnabled(!run->isRunning());
    }
    menu.exec(m_list->viewport()->mapToGlobal(position));
}

void RunsDock::addTickActions(QMenu& menu, const Runs& clicked)
{
    const auto add
        = [&](const QString& text, const std::function<bool(const RunDocument&)>& isTicked) {
              menu.addAction(text, this, [this, isTicked] {
                  for (const auto& run : m_library.runs())
                      m_library.tick(*run, isTicked(*run));
                  refresh();
              });
          };
    menu.addSeparator();
    add(clicked.size() == 1 ? tr("Tick only this run") : tr("Tick only these runs"),
        [clicked](const RunDocument& run) {
            return std::ranges::any_of(clicked, [&](const auto& one) { return one.get() == &run; });
        });
    add(tr("Tick all runs"), [](const auto&) { return true; });
    add(tr("Untick all runs"), [](const auto&) { return false; });
    add(tr("Invert the ticks"), [this](const auto& run) { return !m_library.isTicked(run); });
    menu.addSeparator();
}

} // namespace app
