#include "app/ledger/ledger_page.h"

#include "app/plan/run_plan.h"
#include "app/timeline/details/details.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QFileInfo>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QWidgetAction>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace app {
namespace {

using Line = LedgerLine;
using Column = TableColumn<Line>;
using State = LedgerRun::State;

constexpr double kUnknownLast = 1e300; // sort value of an unknown number; greater than all others
constexpr int kMostWidth = 180;        // longer texts end with "…"
constexpr int kOpenRole = Qt::UserRole + 40; // a bool: the run has a tab

QString stateOf(const RunDocument& document)
{
    const RunProgress& progress = document.progress();
    if (document.isQueued())
        return QStringLiteral("queued");
    if (progress.planned == 0)
        return QStringLiteral("starting");
    return (document.isPaused() ? QStringLiteral("paused, %1 of %2")
                                : QStringLiteral("running, %1 of %2"))
        .arg(progress.done)
        .arg(progress.planned);
}

} // namespace

std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles, const QStringList& searches)
{
    std::vector<LedgerFacet> facets{
        {QStringLiteral("All runs")},
        {QStringLiteral("Open now"),
         [openFiles](const LedgerRun& run) { return openFiles.contains(run.file); }},
        {QStringLiteral("Running"), &LedgerRun::isUnderWay},
        {QStringLiteral("Failed or killed"), &LedgerRun::isFailed},
        {QStringLiteral("Imported"),
         [](const LedgerRun& run) { return run.mode == QStringLiteral("imported"); }},
        {QStringLiteral("Trash"), &LedgerRun::isTrashed, LedgerFacet::Of::Trash}};
    for (const QString& tag : tagsOf(runs))
        facets.push_back({tag, [tag](const LedgerRun& run) { return run.tags.contains(tag); },
                          LedgerFacet::Of::Tag});
    for (const QString& search : searches)
        facets.push_back({search, [search](const LedgerRun& run) { return run.matches(search); },
                          LedgerFacet::Of::Search});
    for (LedgerFacet& facet : facets)
        facet.count = static_cast<int>(
            std::ranges::count_if(runs, [&](const LedgerRun& run) { return facet.contains(run); }));
    return facets;
}

std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs,
                                        const std::vector<std::shared_ptr<RunDocument>>& open)
{
    for (const auto& document : open) {
        if (!document->isQueued() && !document->isRunning())
            continue;
        const QString file = QFileInfo(document->file()).absoluteFilePath();
        auto known = std::ranges::find(runs, file, &LedgerRun::file);
        if (known == runs.end()) {
            LedgerRun started;
            started.file = file;
            started.label = document->label();
            started.number = document->number();
            known = runs.insert(runs.begin(), std::move(started));
        }
        // Some results are known only when all iterations are complete, and the file may be
        // unreadable only because it is incomplete.
        known->state = stateOf(*document);
        known->share = document->isRunning() && document->progress().planned > 0
            ? document->progress().iterations() / document->progress().planned
            : -1;
        known->problem.clear();
        for (auto* result : {&known->iteration, &known->least, &known->most, &known->bubble,
                             &known->tokensPerSecond})
            result->reset();
    }
    return runs;
}

namespace {

// A column of a number: its text in the unit of the group, which the head of the group shows.
Column numberColumn(const QString& title, std::function<std::optional<double>(const LedgerRun&)> of,
                    Scale Line::*scale, std::function<QString(const Line&, double)> text = nullptr)
{
    return Column(title,
                  [=](const Line& line) {
                      const auto value = of(line.run);
                      return line.isHead() ? (line.*scale).unit()
                          : !value         ? kNoValue
                          : text           ? text(line, *value)
                                           : (line.*scale).text(*value);
                  })
        .sortedBy([of](const Line& line) { return of(line.run).value_or(kUnknownLast); })
        .with(kHintRole, &Line::isHead);
}

Column textColumn(const QString& title, std::function<QString(const LedgerRun&)> of)
{
    return Column(
               title, [of](const Line& line) { return line.isHead() ? QString() : of(line.run); },
               Qt::AlignLeft)
        .sortedBy([of](const Line& line) { return settingSort(of(line.run)); })
        .tip([of](const Line& line) { return line.isHead() ? QString() : of(line.run); });
}

bool hasReason(const Line& line)
{
    return !line.isHead() && !line.run.reason().isEmpty();
}

Column iterationColumn(const QString& title)
{
    return numberColumn(title, &LedgerRun::iteration, &Line::time)
        .with(Qt::DisplayRole,
              [](const Line& line) {
                  return hasReason(line) ? QVariant(line.run.reason()) : QVariant();
              })
        .with(Qt::TextAlignmentRole,
              [](const Line& line) {
                  return hasReason(line)
                      ? QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter))
                      : QVariant();
              })
        .with(kStrongRole, [](const Line& line) { return !line.isHead() && !hasReason(line); })
        .with(kExceedsRole, [](const Line& line) { return hasReason(line) && line.run.isFailed(); })
        .with(kShareRole,
              [](const Line& line) {
                  return line.run.share < 0 ? QVariant() : QVariant(line.run.share);
              })
        .tip([](const Line& line) { return line.run.reason(); });
}

// The columns after those of state, number and name, and whether they are shown at first.
using ChosenColumns = std::vector<std::pair<Column, bool>>;

ChosenColumns scheduleColumns()
{
    using Run = const LedgerRun&;
    return {{textColumn(QStringLiteral("Scheme"), [](Run run) { return run.label; }), true},
            {textColumn(QStringLiteral("D × N"), &LedgerRun::size), true}};
}

ChosenColumns resultColumns()
{
    using Run = const LedgerRun&;
    return {{iterationColumn(QStringLiteral("Iteration")), true},
            {numberColumn(
                 QStringLiteral("95 % interval"),
                 [](Run run) { return run.most ? run.least : run.most; }, &Line::time,
                 [](const Line& line, double least) {
                     return QStringLiteral("%1 to %2")
                         .arg(line.time.text(least), line.time.text(*line.run.most));
                 }),
             false},
            {numberColumn(QStringLiteral("Per token"), &LedgerRun::perToken, &Line::token), true},
            {numberColumn(QStringLiteral("Bubble"), &LedgerRun::bubble, &Line::share), true},
            {numberColumn(QStringLiteral("Peak"), &LedgerRun::peakBytes, &Line::bytes), true},
            {numberColumn(
                 QStringLiteral("Loss"),
                 [](Run run) { return run.lossFirst ? run.lossLast : run.lossFirst; }, &Line::plain,
                 [](const Line& line, double last) {
                     return QStringLiteral("%1 → %2").arg(number(*line.run.lossFirst, 2),
                                                          number(last, 2));
                 }),
             false}};
}

ChosenColumns lastColumns(const LedgerView& view)
{
    using Run = const LedgerRun&;
    return {{textColumn(QStringLiteral("Tags"),
                        [](Run run) { return run.tags.join(QStringLiteral(", ")); })
                 .flag(kHintRole),
             true},
            {textColumn(QStringLiteral("When"),
                        [now = view.now](Run run) {
                            return run.isUnderWay() ? QStringLiteral("now")
                                : !run.when().isValid()
                                ? kNoValue
                                : (run.isTrashed() ? QStringLiteral("deleted %1")
                                                   : QStringLiteral("%1"))
                                      .arg(whenText(run.when().toLocalTime(), now));
                        })
                 .sortedBy([](const Line& line) {
                     return line.run.isUnderWay()
                         ? kUnknownLast // counts as the newest
                         : static_cast<double>(line.run.when().toMSecsSinceEpoch());
                 })
                 .flag(kHintRole),
             true}};
}

std::vector<Column> firstColumns()
{
    return {Column(
                QStringLiteral("State"),
                [](const Line& line) {
                    return line.isHead() ? QStringLiteral("%1   %2").arg(line.head, line.remark)
                                         : line.run.stateName();
                },
                Qt::AlignLeft)
                .with(kSpanRole,
                      [](const Line& line) { return line.isHead() ? QVariant(3) : QVariant(); })
                .with(kStrongRole,
                      [](const Line& line) { return line.isHead() || line.run.isFailed(); })
                .with(kExceedsRole,
                      [](const Line& line) { return !line.isHead() && line.run.isFailed(); })
                .with(kWarnsRole,
                      [](const Line& line) {
                          return !line.isHead() && line.run.kind() == State::Stopped;
                      })
                .with(kIconRole,
                      [](const Line& line) {
                          return line.isHead() ? QVariant()
                                               : QVariant(static_cast<int>(line.run.stateIcon()));
                      }),
            Column(QStringLiteral("No."),
                   [](const Line& line) {
                       return line.run.number > 0 ? QStringLiteral("#%1").arg(line.run.number)
                                                  : QString();
                   })
                .sortedBy([](const Line& line) { return static_cast<double>(line.run.number); })
                .flag(kHintRole),
            Column(
                QStringLiteral("Name"), [](const Line& line) { return line.run.title(); },
                Qt::AlignLeft)
                .with(kOpenRole, [](const Line& line) { return line.isOpen; })
                .flag(kStrongRole)
                .tip([](const Line& line) { return line.run.file; })};
}

constexpr int kCheckRoom = 26; // for a check box, or the chevron of a group

// Draws a check box, which is on if the run is selected, and the tag "open" after the name of a run
// that has a tab.
class LedgerDelegate : public CellDelegate
{
public:
    LedgerDelegate(const ThemeController& theme, LedgerTable* table) // `table` owns it
        : CellDelegate(theme, table)
        , m_table(*table)
    { }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const bool isOpen = index.data(kOpenRole).toBool();
        QStyleOptionViewItem cell = option;
        if (isOpen)
            cell.rect.setRight(cell.rect.right() - tagWidth(kOpen) - 6);
        const Chrome& chrome = theme().chrome;
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        if (index.siblingAtColumn(0).data(kSpanRole).isValid() || isSelected)
            painter->fillRect(option.rect, isSelected ? chrome.selected : chrome.surfaceAlt);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                          chrome.grid);
        if (index.column() == LedgerModel::State) {
            paintCheck(*painter, option, m_table.model().at(index.row()).head);
            cell.rect.setLeft(cell.rect.left() + kCheckRoom);
        }
        CellDelegate::paint(painter, cell, index);
        if (isOpen)
            paintTag(*painter,
                     QRectF(option.rect.right() - tagWidth(kOpen) - 6, option.rect.center().y() - 9,
                            tagWidth(kOpen), 18),
                     kOpen, theme());
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.data(kSpanRole).toBool())
            return {0, option.rect.height()}; // it has the rest of the row
        QSize size = CellDelegate::sizeHint(option, index);
        if (index.data(kOpenRole).toBool())
            size.rwidth() += tagWidth(kOpen) + 6;
        if (index.column() == LedgerModel::State)
            size.rwidth() += kCheckRoom;
        return size.boundedTo({kMostWidth, size.height()});
    }

private:
    void paintCheck(QPainter& painter, QStyleOptionViewItem box, const QString& head) const
    {
        box.rect.setWidth(kCheckRoom);
        if (!head.isEmpty())
            return paintIcon(
                painter, m_table.isFolded(head) ? Icon::ChevronRight : Icon::ChevronDown,
                QRect(box.rect.center() - QPoint(7, 7), QSize(14, 14)), theme().chrome.text2);
        box.state.setFlag(QStyle::State_On, box.state.testFlag(QStyle::State_Selected));
        m_table.style()->drawPrimitive(QStyle::PE_IndicatorCheckBox, &box, &painter, &m_table);
    }

    const LedgerTable& m_table;
    static inline const QString kOpen = QStringLiteral("open");
};

// The group of a run: an order, and its title.
std::pair<QString, QString> groupOf(const LedgerRun& run, LedgerView::Groups by)
{
    static const QStringList kModes{QStringLiteral("emulated"), QStringLiteral("live"),
                                    QStringLiteral("imported"), QStringLiteral("simulated")};
    const bool isSimulated = run.mode == kModes.back();
    const QString mode = run.mode.isEmpty() ? QStringLiteral("Not read")
        : !isSimulated                      ? capitalized(run.mode)
        : run.isInUnits                     ? QStringLiteral("Simulated, units")
                                            : QStringLiteral("Simulated, model on hardware");
    const QString key
        = QStringLiteral("%1%2")
              .arg(run.mode.isEmpty() ? 9 : kModes.indexOf(run.mode.section(u',', 0, 0)))
              .arg(run.isInUnits ? 1 : 0);
    if (by == LedgerView::Groups::Mode)
        return {key, mode};
    const bool isModel = by == LedgerView::Groups::Model;
    const QString first = isModel ? run.setting(QStringLiteral("model")) : run.tags.value(0);
    return {(first.isEmpty() ? QStringLiteral("~") : first.toLower()) + QLatin1Char('\n') + key,
            QStringLiteral("%1, %2").arg(!first.isEmpty() ? first
                                             : isModel    ? QStringLiteral("No model")
                                                          : QStringLiteral("No tag"),
                                         uncapitalized(mode))};
}

} // namespace

LedgerModel::LedgerModel(QObject* parent)
    : TableModel(parent)
{
    show({}, {});
}

void LedgerModel::addColumn(const TableColumn<Line>& column, bool isShown, Columns& columns)
{
    const QString title = column.title.shown();
    m_all.append(title);
    if (!isShown)
        return;
    m_shown.append(title);
    columns.push_back(column);
}

LedgerModel::Columns LedgerModel::chooseColumns(const std::vector<LedgerRun>& runs,
                                                const LedgerView& view)
{
    Columns columns = firstColumns();
    m_all.clear();
    m_shown.clear();
    const auto add = [&](const ChosenColumns& all) {
        for (const auto& [column, isShown] : all)
            addColumn(column,
                      view.columns.isEmpty() ? isShown
                                             : view.columns.contains(column.title.shown()),
                      columns);
    };
    add(scheduleColumns());
    const qsizetype first = m_shown.size();
    const std::size_t firstColumn = columns.size();
    add(resultColumns());
    const auto results = static_cast<int>(m_shown.size() - first);
    if (results > 1 && m_shown[first] == QStringLiteral("Iteration"))
        columns[firstColumn].with(kSpanRole, [results](const Line& line) {
            return hasReason(line) ? QVariant(results) : QVariant();
        });
    add(lastColumns(view));
    const QStringList varying = varyingSettings(runs);
    for (const QString& setting : knownSettings(runs)) {
        const QString title = settingTitle(setting);
        if (setting != u"mode" && setting != u"D" && setting != u"N") // these are in other columns
            addColumn(
                textColumn(title, [setting](const LedgerRun& run) { return run.setting(setting); }),
                view.columns.contains(title) || (view.hasVarying && varying.contains(setting)),
                columns);
    }
    return columns;
}

namespace {

// The head of a group, with the units of its runs.
Line headOf(const std::vector<const LedgerRun*>& members, const QString& title, std::size_t group)
{
    Line head{LedgerRun(), title, countOf(std::ssize(members), "run"), group};
    const auto most = [&](auto of) {
        double largest = 0;
        for (const LedgerRun* run : members)
            largest = std::max(largest, std::invoke(of, *run).value_or(0));
        return largest;
    };
    head.time = members.front()->isInUnits ? Scale{1, 1, QStringLiteral("units")}
                                           : timeScale(std::llround(most(&LedgerRun::iteration)));
    if (const double token = most(&LedgerRun::perToken); token > 0)
        head.token = timeScale(std::llround(token));
    if (const double bytes = most(&LedgerRun::peakBytes); bytes > 0)
        head.bytes = byteScale(std::llround(bytes));
    return head;
}

} // namespace

void LedgerModel::show(const std::vector<LedgerRun>& runs, const LedgerView& view)
{
    std::map<std::pair<QString, QString>, std::vector<const LedgerRun*>> groups;
    for (const LedgerRun& run : runs)
        groups[groupOf(run, view.groups)].push_back(&run);
    std::vector<Line> lines;
    std::size_t group = 0;
    for (const auto& [title, members] : groups) {
        const Line head = headOf(members, title.second, group++);
        lines.push_back(head);
        for (const LedgerRun* run : members) {
            Line& line = lines.emplace_back(head);
            line.head.clear();
            line.run = *run;
            line.isOpen = view.openFiles.contains(run->file);
        }
    }
    reset(chooseColumns(runs, view), std::move(lines));
}

std::vector<LedgerRun> LedgerModel::runs() const
{
    std::vector<LedgerRun> runs;
    for (int row = 0; row < rowCount(); ++row)
        if (!at(row).isHead())
            runs.push_back(at(row).run);
    return runs;
}

LedgerTable::LedgerTable(const ThemeController& theme)
    : DataTable(theme, 26)
    , m_model(new LedgerModel(this))
{
    setItemDelegate(new LedgerDelegate(theme, this));
    setFrozen(LedgerModel::Name + 1);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSortingEnabled(true);
    setModel(m_model);
    setRestColumn(LedgerModel::Name);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        if (!m_isShowing)
            m_sortedBy = m_model->titleOf(column);
    });
    connect(m_model, &QAbstractItemModel::layoutChanged, this, &LedgerTable::fold);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_isShowing)
            Q_EMIT selectionChangedByUser();
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const LedgerLine& line = m_model->at(index.row()); !line.isHead() && !m_isOnCheck)
            Q_EMIT openRequested(line.run);
    });
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
        const QString head = m_model->at(index.row()).head;
        if (!head.isEmpty() && m_folded.erase(head) == 0)
            m_folded.insert(head);
        fold();
    });
}

// Hides the runs of folded groups.
void LedgerTable::fold()
{
    bool isFolded = false;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const LedgerLine& line = m_model->at(row);
        isFolded = line.isHead() ? m_folded.contains(line.head) : isFolded;
        setRowHidden(row, isFolded && !line.isHead());
    }
}

void LedgerTable::show(const std::vector<LedgerRun>& runs, const LedgerView& view)
{
    const LedgerRun* now = current();
    const QString currentFile = now == nullptr ? QString() : now->file;
    QStringList files;
    for (const LedgerRun& run : selected())
        files.append(run.file);
    const int scrolled = verticalScrollBar()->value();
    m_isShowing = true;
    m_model->show(runs, view);
    if (m_sortedBy.isEmpty()) // the newest runs come first
        sort(QStringLiteral("When"), Qt::DescendingOrder);
    else
        sort(m_sortedBy, horizontalHeader()->sortIndicatorOrder());
    fold();
    QItemSelection selection;
    const int last = m_model->columnCount() - 1;
    int first = -1;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const LedgerLine& line = m_model->at(row);
        if (line.isHead())
            continue;
        first = first < 0 ? row : first;
        if (files.contains(line.run.file))
            selection.select(m_model->index(row, 0), m_model->index(row, last));
        if (line.run.file == currentFile)
            selectionModel()->setCurrentIndex(m_model->index(row, 0),
                                              QItemSelectionModel::NoUpdate);
    }
    // Keeps the scroll position; the current run may be out of sight.
    verticalScrollBar()->setValue(scrolled);
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (currentFile.isEmpty() && first >= 0)
        selectRow(first);
    m_isShowing = false;
    Q_EMIT selectionChangedByUser();
}

void LedgerTable::sort(const QString& title, Qt::SortOrder order)
{
    for (int column = 0; column < m_model->columnCount(); ++column)
        if (m_model->titleOf(column) == title)
            sortByColumn(column, order);
}

std::vector<LedgerRun> LedgerTable::selected() const
{
    std::vector<LedgerRun> runs;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (selectionModel()->isRowSelected(row) && !m_model->at(row).isHead())
            runs.push_back(m_model->at(row).run);
    return runs;
}

const LedgerRun* LedgerTable::current() const
{
    const QModelIndex index = currentIndex();
    return index.isValid() && selectionModel()->isRowSelected(index.row())
            && !m_model->at(index.row()).isHead()
        ? &m_model->at(index.row()).run
        : nullptr;
}

// Each number has its own unit, because the heads of the groups are not copied.
QString LedgerTable::csv() const
{
    std::vector<LedgerRun> runs = selected();
    if (runs.size() < 2)
        runs = m_model->runs();
    return ledgerCsv(runs);
}

void LedgerTable::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    m_isOnCheck = index.isValid() && index.column() == LedgerModel::State
        && event->pos().x() - visualRect(index).left() < kCheckRoom;
    DataTable::mousePressEvent(event);
}

// The second of two quick clicks on a check box is a click, too.
void LedgerTable::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (m_isOnCheck)
        mousePressEvent(event);
    else
        DataTable::mouseDoubleClickEvent(event);
}

// Space and a click on a check box add a run to the selection or remove it. A click on the head of
// a group does not change the selection.
QItemSelectionModel::SelectionFlags LedgerTable::selectionCommand(const QModelIndex& index,
                                                                  const QEvent* event) const
{
    const bool isPress = event != nullptr && event->type() == QEvent::MouseButtonPress;
    const auto* key = dynamic_cast<const QKeyEvent*>(event);
    if ((key != nullptr && key->key() == Qt::Key_Space) || (isPress && m_isOnCheck))
        return QItemSelectionModel::Toggle | QItemSelectionModel::Rows;
    const bool isHead = index.isValid() && m_model->at(index.row()).isHead();
    if (dynamic_cast<const QMouseEvent*>(event) != nullptr && (m_isOnCheck || isHead))
        return QItemSelectionModel::NoUpdate;
    return DataTable::selectionCommand(index, event);
}

void LedgerTable::keyPressEvent(QKeyEvent* event)
{
    const bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (opens && current() != nullptr)
        return Q_EMIT openRequested(*current());
    DataTable::keyPressEvent(event);
}

namespace {

using Rows = std::vector<std::pair<QString, QString>>;
using Runs = std::vector<LedgerRun>;

constexpr int kMostOpened = 10;
constexpr int kProgressEvery = 500, kUndoFor = 10'000; // ms
constexpr int kFacetRole = Qt::UserRole; // position in the list of facets; the heading has none

// Leaves out rows without a value.
void addSection(Details& details, const char* title, const Rows& rows)
{
    DetailsSection section;
    section.title = fromUtf8(title);
    for (const auto& [name, value] : rows)
        if (!value.isEmpty())
            section.add(name, value);
    if (!section.rows.empty())
        details.sections.push_back(std::move(section));
}

template<class Text>
QString textOf(const std::optional<double>& value, Text text)
{
    return value ? text(*value) : QString();
}

Details describe(const LedgerRun& run)
{
    Details details;
    details.title
        = run.number > 0 ? QStringLiteral("%1 #%2").arg(run.title()).arg(run.number) : run.title();
    const Scale time = run.time();
    if (run.iteration) {
        details.value = time.text(*run.iteration);
        details.unit = time.unit();
    }
    details.right = run.isUnderWay() ? run.state : run.stateName();
    details.left = run.mode;
    if (!run.label.isEmpty() && run.label != run.title())
        details.left += details.left.isEmpty() ? run.label : QStringLiteral(", ") + run.label;
    details.sentence = run.problem.toHtmlEscaped();
    addSection(details, "Results",
               {{QStringLiteral("95 % interval, %1").arg(time.unit()),
                 run.least && run.most
                     ? QStringLiteral("%1 to %2").arg(time.text(*run.least), time.text(*run.most))
                     : QString()},
                {QStringLiteral("Bubble"),
                 textOf(run.bubble, [](double share) { return percent(share); })},
                {QStringLiteral("Peak memory"),
                 textOf(run.peakBytes, [](double bytes) { return bytesText(bytes); })},
                {QStringLiteral("Tokens/s"),
                 textOf(run.tokensPerSecond, [](double value) { return number(value, 0); })},
                {QStringLiteral("Loss"),
                 run.lossFirst && run.lossLast ? QStringLiteral("%1 → %2").arg(
                     number(*run.lossFirst, 3), number(*run.lossLast, 3))
                                               : QString()}});
    Rows parameters;
    for (const auto& [title, value] : run.settings)
        parameters.emplace_back(settingTitle(title), value);
    addSection(details, "Parameters", parameters);
    const QFileInfo file(run.file);
    addSection(
        details, "File",
        {{QStringLiteral("Size"),
          run.bytes > 0 ? dataScale(run.bytes).withUnit(run.bytes) : QString()},
         {QStringLiteral("Name"), file.fileName()},
         {QStringLiteral("Folder"),
          run.isTrashed() ? QStringLiteral("trash, from %1").arg(run.origin) : file.absolutePath()},
         {run.isTrashed() ? QStringLiteral("Deleted") : QStringLiteral("Recorded"),
          run.when().isValid()
              ? QLocale::c().toString(run.when().toLocalTime(), QStringLiteral("d MMM yyyy, HH:mm"))
              : QString()}});
    return details;
}

constexpr std::ptrdiff_t kMostColumns = 3; // of a table of differences, one per run

// What differs between runs and what does not: a table of two or three runs; of more runs, the
// values without repetitions, or the range of numbers.
class LedgerDifferences
{
public:
    explicit LedgerDifferences(const Runs& runs)
        : m_runs(runs)
    {
        for (const LedgerRun& run : runs)
            m_different.table.columns.append(QStringLiteral("#%1").arg(run.number));
    }

    void add(const QString& title, QStringList values, const QString& range = {})
    {
        constexpr qsizetype kMost = 6;
        std::ranges::replace(values, QString(), kNoValue);
        QStringList distinct = values;
        distinct.removeDuplicates();
        if (distinct.size() == 1)
            return distinct.front() == kNoValue ? void() : m_equal.add(title, distinct.front());
        if (std::ssize(m_runs) > kMostColumns)
            return m_different.add(title,
                                   !range.isEmpty() ? range
                                                    : distinct.mid(0, kMost).join(tr(", "))
                                           + (distinct.size() > kMost ? tr(", …") : QString()));
        DetailsTable::Row& row = m_different.table.rows.emplace_back();
        row.name = title;
        constexpr int kRoom = 190; // beside the names of the rows
        const int room = kRoom / static_cast<int>(values.size());
        for (const QString& value : values)
            row.cells.push_back(
                {QFontMetrics(uiFont(12)).elidedText(value, Qt::ElideRight, room).toHtmlEscaped()});
    }
    template<class Of, class ScaleOf> // the unit of the largest number
    void addNumber(const QString& title, Of of, ScaleOf scaleOf)
    {
        std::vector<double> known;
        for (const LedgerRun& run : m_runs)
            if (const std::optional<double> number = std::invoke(of, run))
                known.push_back(*number);
        if (known.empty())
            return;
        const auto [least, most] = std::ranges::minmax(known);
        const Scale scale = scaleOf(most);
        QStringList texts;
        for (const LedgerRun& run : m_runs) {
            const std::optional<double> number = std::invoke(of, run);
            texts.append(number ? scale.text(*number) : QString());
        }
        add(QStringLiteral("%1, %2").arg(title, scale.unit()), texts,
            QStringLiteral("%1 to %2").arg(scale.text(least), scale.text(most)));
    }
    Details details() &&
    {
        Details details;
        details.title = tr("%1 selected").arg(countOf(std::ssize(m_runs), "run"));
        details.add(std::move(m_different));
        details.add(std::move(m_equal));
        return details;
    }

private:
    static QString tr(const char* text) { return QObject::tr(text); }
    const Runs& m_runs;
    DetailsSection m_different{tr("Different")}, m_equal{tr("Equal")};
};

QTreeWidget* makeTree()
{
    auto* tree = new QTreeWidget;
    tree->setColumnCount(2);
    tree->setHeaderHidden(true);
    tree->setRootIsDecorated(false);
    tree->setFrameShape(QFrame::NoFrame);
    tree->setIndentation(0);
    tree->setProperty("kind", QStringLiteral("lines"));
    tree->header()->setStretchLastSection(false);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    return tree;
}

} // namespace

Details describeLedgerRuns(const Runs& runs)
{
    if (runs.size() == 1)
        return describe(runs.front());
    LedgerDifferences all(runs);
    const auto add = [&](const QString& title, auto of) {
        QStringList values;
        for (const LedgerRun& run : runs)
            values.append(std::invoke(of, run));
        all.add(title, values);
    };
    add(QStringLiteral("Scheme"), &LedgerRun::label);
    add(QStringLiteral("Mode"), &LedgerRun::mode);
    for (const bool isInUnits : {false, true}) // which share no row
        all.addNumber(
            QStringLiteral("Iteration"),
            [isInUnits](const LedgerRun& run) {
                return run.isInUnits == isInUnits ? run.iteration : std::nullopt;
            },
            [isInUnits](double most) {
                return isInUnits ? Scale{1, 1, QStringLiteral("units")}
                                 : timeScale(std::llround(most));
            });
    all.addNumber(QStringLiteral("Bubble"), &LedgerRun::bubble, [](double) {
        return Scale{0.01, 1, QStringLiteral("%")};
    });
    all.addNumber(QStringLiteral("Peak"), &LedgerRun::peakBytes,
                  [](double most) { return byteScale(std::llround(most)); });
    for (const QString& setting : knownSettings(runs))
        if (setting != QStringLiteral("mode"))
            add(settingTitle(setting),
                [&setting](const LedgerRun& run) { return run.setting(setting); });
    return std::move(all).details();
}

namespace {

// The field of a search (LedgerRun::matches()). A word such as "scheme:zb-v,bitpipe" becomes a chip
// when a space follows it. A click on a chip lists the values of the runs; several values of a chip
// mean "or", several chips "and". Backspace in an empty field removes the last chip.
class SearchField : public QWidget
{
public:
    // Lists the values of `runs`, which must outlive the field.
    SearchField(const ThemeController& theme, const std::vector<LedgerRun>& runs,
                std::function<void()> changed)
        : m_theme(theme)
        , m_runs(runs)
        , m_changed(std::move(changed))
        , m_row(spaced(new QHBoxLayout(this), {}, 6))
        , m_words(named(new QLineEdit, "ledgerFilter", tr("Search runs")))
    {
        m_words->setClearButtonEnabled(true);
        m_words->installEventFilter(this);
        m_row->addWidget(m_words, 1);
        connect(m_words, &QLineEdit::textChanged, this, &SearchField::edit);
        setFocusProxy(m_words);
        showChips();
    }

    QString text() const
    {
        return (m_chips + QStringList(m_words->text())).join(QLatin1Char(' ')).trimmed();
    }

    void setText(const QString& text)
    {
        m_chips.clear();
        m_words->clear();
        edit(text.isEmpty() ? text : text + QLatin1Char(' '));
    }

    void select()
    {
        m_words->setFocus();
        m_words->selectAll();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool removes = event->type() == QEvent::KeyPress
            && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Backspace
            && m_words->text().isEmpty() && !m_chips.isEmpty();
        if (removes)
            removeChip(m_chips.size() - 1);
        return removes || QWidget::eventFilter(watched, event);
    }

private:
    // Takes the finished words with a key out of the text.
    void edit(const QString& text)
    {
        QStringList words = text.split(QLatin1Char(' '));
        const QString last = words.takeLast(); // not finished
        QStringList left;
        for (const QString& word : words)
            (word.indexOf(QLatin1Char(':')) > 0 && !word.endsWith(QLatin1Char(':')) ? m_chips
                                                                                    : left)
                .append(word);
        if (left.size() < words.size() || m_words->text() != text) {
            const QString rest = (left << last).join(QLatin1Char(' '));
            const QSignalBlocker silent(m_words);
            m_words->setText(rest.trimmed().isEmpty() ? QString() : rest);
        }
        showChips();
        m_changed();
    }

    void showChips()
    {
        m_words->setPlaceholderText(
            m_chips.isEmpty()
                ? tr("Name, tag, note or parameter, such as scheme:zb-v state:finished,failed D:4")
                : tr("Name, tag, note or parameter"));
        if (m_shown != nullptr)
            m_shown->deleteLater(); // after the click on one of its buttons
        m_shown = new QWidget;
        auto* row = spaced(new QHBoxLayout(m_shown), {}, 2);
        for (qsizetype chip = 0; chip < m_chips.size(); ++chip) {
            const QString key = m_chips[chip].section(QLatin1Char(':'), 0, 0);
            const QStringList values
                = m_chips[chip].section(QLatin1Char(':'), 1).split(QLatin1Char(','));
            auto* button = makeButton(values.size() <= 2 ? QStringLiteral("%1: %2").arg(
                                          key, values.join(QStringLiteral(", ")))
                                                         : QStringLiteral("%1: %2, %3 +%4")
                                                               .arg(key, values[0], values[1])
                                                               .arg(values.size() - 2),
                                      "searchChip", "tool");
            connect(button, &QPushButton::clicked, this,
                    [this, chip, button] { showValues(chip, button); });
            auto* remove
                = makeIconButton("removeChip", Icon::Close, tr("Remove %1").arg(m_chips[chip]),
                                 m_theme, this, [this, chip] { removeChip(chip); });
            row->addWidget(button);
            row->addWidget(remove);
        }
        m_row->insertWidget(0, m_shown);
        m_shown->setVisible(!m_chips.isEmpty());
    }

    // A menu of the values that runs have for the key of the chip. A tick acts at once.
    void showValues(qsizetype chip, QWidget* button)
    {
        const QString key = m_chips[chip].section(QLatin1Char(':'), 0, 0);
        std::map<QString, int> counts;
        for (const LedgerRun& run : m_runs)
            for (const QString& value : run.values(key))
                ++counts[value];
        auto* menu = named(new QMenu(this), "chipValues");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (const auto& [value, count] : counts) {
            auto* action
                = menu->addAction(menuText(QStringLiteral("%1\t%2").arg(value).arg(count)));
            action->setCheckable(true);
            action->setChecked(m_chips[chip]
                                   .section(QLatin1Char(':'), 1)
                                   .split(QLatin1Char(','))
                                   .contains(value, Qt::CaseInsensitive));
            connect(action, &QAction::toggled, this, [this, chip, key, value](bool isChosen) {
                QStringList values
                    = m_chips[chip].section(QLatin1Char(':'), 1).split(QLatin1Char(','));
                values.removeIf([&](const QString& one) {
                    return one.compare(value, Qt::CaseInsensitive) == 0;
                });
                if (isChosen)
                    values.append(value);
                if (values.isEmpty())
                    return removeChip(chip);
                m_chips[chip] = key + QLatin1Char(':') + values.join(QLatin1Char(','));
                showChips();
                m_changed();
            });
        }
        menu->popup(button->mapToGlobal(button->rect().bottomLeft()));
    }

    void removeChip(qsizetype chip)
    {
        m_chips.removeAt(chip);
        showChips();
        m_words->setFocus();
        m_changed();
    }

    const ThemeController& m_theme;
    const std::vector<LedgerRun>& m_runs;
    std::function<void()> m_changed;
    QStringList m_chips; // "scheme:zb-v,bitpipe"
    QHBoxLayout* m_row;
    QWidget* m_shown = nullptr; // the chips
    QLineEdit* m_words;
};

QStringList tagsIn(const QString& text)
{
    QStringList tags;
    for (const QString& tag : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!tag.simplified().isEmpty())
            tags.append(tag.simplified());
    tags.removeDuplicates();
    return tags;
}

// Fields for what the user adds to a run: its name, tags and note.
class Notes : public QWidget
{
public:
    explicit Notes(RunLedger& ledger)
        : m_ledger(ledger)
    {
        m_tags->setPlaceholderText(tr("Tags, separated by commas"));
        m_note->setPlaceholderText(tr("Note"));
        m_note->setTabChangesFocus(true);
        m_note->setFixedHeight(76);
        m_note->installEventFilter(this);
        spaced(new QVBoxLayout(this), {14, 12, 14, 4}, 8, {m_name, m_tags, m_note});
        for (const QLineEdit* field : {m_name, m_tags})
            connect(field, &QLineEdit::editingFinished, this, &Notes::save);
    }

    using QWidget::show;
    void show(const LedgerRun& run)
    {
        const bool isSame = run.file == m_run.file;
        if (!isSame)
            save(); // the text typed for the previous run
        m_name->setPlaceholderText(run.label);
        // Keeps the text of a focused field, unless only another window has changed it.
        const auto mayReplace = [&](const QWidget* field, bool isEdited, bool isOther) {
            return !isSame || !field->hasFocus() || (!isEdited && isOther);
        };
        if (mayReplace(m_name, m_name->text() != m_run.name, run.name != m_run.name))
            m_name->setText(run.name);
        if (mayReplace(m_tags, tagsIn(m_tags->text()) != m_run.tags, run.tags != m_run.tags))
            m_tags->setText(run.tags.join(QStringLiteral(", ")));
        if (mayReplace(m_note, m_note->toPlainText() != m_run.note, run.note != m_run.note))
            m_note->setPlainText(run.note);
        m_run = run;
    }

    void editName()
    {
        m_name->setFocus();
        m_name->selectAll();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override // of the note
    {
        if (event->type() == QEvent::FocusOut)
            save();
        return QWidget::eventFilter(watched, event);
    }

private:
    void save()
    {
        if (m_run.file.isEmpty())
            return;
        const LedgerRun before = m_run;
        m_run.name = m_name->text().simplified();
        m_run.tags = tagsIn(m_tags->text());
        m_run.note = m_note->toPlainText();
        if (m_run.name != before.name || m_run.tags != before.tags || m_run.note != before.note)
            m_ledger.setUserData(before, m_run);
    }

    RunLedger& m_ledger;
    LedgerRun m_run;
    QLineEdit *m_name = named(new QLineEdit, "ledgerName", tr("Name of the run")),
              *m_tags = named(new QLineEdit, "ledgerTags", tr("Tags of the run"));
    QPlainTextEdit* m_note = named(new QPlainTextEdit, "ledgerNote", tr("Note on the run"));
};

class LedgerPage : public Page
{
public:
    LedgerPage(const ThemeController& theme, Settings& settings, RunLibrary& library,
               RunLedger& ledger)
        : m_theme(theme)
        , m_settings(settings)
        , m_library(library)
        , m_ledger(ledger)
    {
        setObjectName(QStringLiteral("ledgerPage"));
        makeActions();
        m_groupsColumn
            = makeLined({makeBar(40, 8, {makeLabel(tr("Runs"), "dock"), kStretch}), {m_groups, 1}});
        m_groupsColumn->setMinimumWidth(180);
        m_detailsColumn = makeDetails();
        m_detailsColumn->setFixedWidth(292);
        m_band->hide();
        spaced(
            new QVBoxLayout(this), {}, 0,
            {m_band,
             {makeSplitter(Qt::Horizontal,
                           {{m_groupsColumn, 216}, {makeList(), 1092, 1}, {m_detailsColumn, 292}}),
              1}});
        setInitialFocus(m_table);
        connectAll();
        showRuns();
    }

    QString title() const override { return tr("Runs"); }
    QStringList statusTexts() const override
    {
        const auto count
            = [this](auto of) { return static_cast<int>(std::ranges::count_if(m_runs, of)); };
        QStringList texts{tr("%1 of %2 shown")
                              .arg(m_table->model().runs().size())
                              .arg(countOf(std::ssize(m_runs), "run"))};
        if (const int running = count(&LedgerRun::isUnderWay); running > 0)
            texts.append(tr("%1 running").arg(running));
        if (const int trashed = count(&LedgerRun::isTrashed); trashed > 0)
            texts.append(tr("%1 in the trash").arg(trashed));
        return texts;
    }
    QString statusNote() const override
    {
        qint64 bytes = 0;
        for (const LedgerRun& run : m_ledger.runs())
            bytes += run.bytes;
        return bytes == 0 ? QString()
                          : tr("%1 on this machine").arg(dataScale(bytes).withUnit(bytes));
    }
    QJsonObject state() const override
    {
        return {{QStringLiteral("columns"), QJsonArray::fromStringList(m_view.columns)},
                {QStringLiteral("groups"), static_cast<int>(m_view.groups)},
                {QStringLiteral("search"), m_filter->text()}};
    }
    void restoreState(const QJsonObject& state) override
    {
        for (const QJsonValue column : state.value(QStringLiteral("columns")).toArray())
            m_view.columns.append(column.toString());
        m_groupBy->setCurrent(std::clamp(state.value(QStringLiteral("groups")).toInt(), 0, 2));
        m_filter->setText(state.value(QStringLiteral("search")).toString());
        showRuns();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        m_ledger.refresh();
        Page::showEvent(event);
    }
    void resizeEvent(QResizeEvent* event) override
    {
        m_detailsColumn->setVisible(width() >= 1360);
        m_groupsColumn->setVisible(width() >= 1180);
        Page::resizeEvent(event);
    }

private:
    void makeActions()
    {
        m_open = makeAction(
            "openLedgerRun", tr("Open"), {}, [this] { open(m_table->selected()); },
            tr("open up to %1 runs; Compare shows any number of them").arg(kMostOpened));
        m_close = makeAction(
            "closeLedgerRuns", tr("Close"), {}, [this] { close(m_table->selected()); },
            tr("remove the selected runs from the open ones; their files stay"));
        m_compare
            = makeAction("compareLedgerRuns", tr("Compare"), Qt::CTRL | Qt::Key_Return, [this] {
                  Q_EMIT pageRequested({"compare", paths(m_table->selected())});
              });
        m_repeat = makeAction(
            "repeatLedgerRuns", tr("Repeat"), {}, [this] { repeat(); },
            tr("open one run in the set-up page; start several sequentially"));
        m_rename = makeAction("renameLedgerRun", tr("Rename"), Qt::Key_F2, [this] {
            m_detailsColumn->show();
            m_notes->editName();
        });
        m_tag = makeAction(
            "tagLedgerRun", tr("Tag…"), Qt::Key_T, [this] { showTags(); },
            tr("add a tag to the selected runs, or remove it"));
        m_trash = makeAction("trashLedgerRuns", tr("Move to trash"), Qt::Key_Delete,
                             [this] { trash(m_table->selected()); });
        m_empty = makeAction("emptyTrash", tr("Empty the trash…"), {}, [this] {
            Runs all = m_runs;
            std::erase_if(all, [](const LedgerRun& run) { return !run.isTrashed(); });
            trash(all);
        });
        m_restore = makeAction("restoreLedgerRuns", tr("Restore"), {}, [this] {
            for (const LedgerRun& run : m_table->selected())
                if (run.isTrashed())
                    m_ledger.restore(run);
        });
        m_copy = makeAction(
            "copyLedger", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
            [this] { copyText(m_table->csv()); },
            tr("copy the selected runs, or all runs shown if fewer than two are selected"));
        m_find = makeAction("filterLedger", tr("Search runs"), QKeySequence::Find,
                            [this] { m_filter->select(); });
        inMenu(Menu::File, {m_open, m_close, m_rename, m_tag, m_trash, m_restore, m_empty});
        inMenu(Menu::Run, {m_repeat});
        inMenu(Menu::View, {m_find});
        inMenu(Menu::Compare, {m_compare});
        inMenu(Menu::Export, {m_copy});
    }

    QWidget* makeList()
    {
        m_hasVarying->setToolTip(
            tr("Show a column for every setting that differs between the runs"));
        m_groupBy->setName(tr("Group by"));
        m_groupBy->setCompact();
        auto* columns = makeButton(tr("Columns"), "ledgerColumns", "tool");
        connect(columns, &QPushButton::clicked, this, [this, columns] { showColumns(columns); });
        m_nothing->setFixedHeight(160);
        m_ofRuns = {makeButton(m_compare, "compareLedgerButton", "primary"),
                    makeButton(m_tag, "tagLedgerButton", "tool"),
                    makeButton(m_repeat, "repeatLedgerButton", "tool"),
                    makeButton(m_close, "closeLedgerButton", "tool")};
        m_ofTrash = {makeButton(m_restore, "restoreLedgerButton", "tool"),
                     makeButton(m_empty, "emptyTrashButton", "tool")};
        m_stack->addWidget(m_table);
        m_stack->addWidget(makeColumn({40, 40, 40, 40}, 0, {m_nothing, kStretch}, ""));
        return makeLined({makeRow({12, 6, 12, 6}, 10, {{m_filter, 1}, m_save, columns}),
                          makeBar(36, 12,
                                  {m_count, makeLabel(tr("Group by"), "small"), m_groupBy,
                                   m_hasVarying, kStretch}),
                          {m_stack, 1},
                          makeBar(53, 8,
                                  {m_selected,
                                   m_ofRuns[0],
                                   m_ofRuns[1],
                                   m_ofRuns[2],
                                   m_ofRuns[3],
                                   m_ofTrash[0],
                                   makeButton(m_trash, "trashLedgerButton", "tool"),
                                   {m_difference, 1},
                                   m_ofTrash[1]})});
    }

    QWidget* makeDetails()
    {
        return makeLined(
            {makeBar(40, 8, {makeLabel(tr("Run details"), "dock"), kStretch}),
             makeColumn({}, 0, {m_notes, {m_details, 1}}),
             makeFoot({{makeButton(tr("Open timeline"), "openLedgerButton", "", m_open), 1}})});
    }

    void connectAll()
    {
        const auto later = [this] { m_late.start(0); };
        connect(&m_ledger, &RunLedger::changed, this, later);
        connect(&m_ledger, &RunLedger::changed, this, &LedgerPage::offerUndo);
        const auto report = [this](const QString& fact, const QString& reason) {
            m_undo->hide();
            m_undoEnds->stop();
            m_band->show(Band::Kind::Error, fact, capitalized(reason) + QLatin1Char('.'));
        };
        connect(&m_ledger, &RunLedger::failed, this, [report](const QString& reason) {
            report(tr("The list of runs was not changed."), reason);
        });
        connect(&m_ledger, &RunLedger::unreadable, this, [this, report](const QString& reason) {
            report(tr("The list of runs cannot be read."), reason);
            connect(&m_ledger, &RunLedger::changed, m_band, &Band::hide, Qt::SingleShotConnection);
        });
        m_undo = m_band->addAction(tr("Undo"), "undoTrash", this, [this] {
            m_band->hide();
            for (const LedgerRun& run : m_ledger.runs())
                if (run.isTrashed() && m_undone.contains(run.number))
                    m_ledger.restore(run);
        });
        m_undoEnds->setSingleShot(true);
        connect(m_undoEnds, &QTimer::timeout, m_band, &Band::hide);
        connect(m_groups, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
            if (item != nullptr) // not while the tree is destroyed
                showRuns();
        });
        m_groups->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(m_groups, &QWidget::customContextMenuRequested, this, &LedgerPage::offerRemoval);
        connect(m_hasVarying, &QCheckBox::toggled, this, &LedgerPage::showRuns);
        connect(m_groupBy, &SegmentControl::currentChanged, this, &LedgerPage::showRuns);
        connect(m_table, &LedgerTable::selectionChangedByUser, this, &LedgerPage::showSelection);
        connect(m_table, &LedgerTable::openRequested, this,
                [this](const LedgerRun& run) { open({run}); });
        connect(m_nothing, &EmptyState::activated, this, &LedgerPage::fillEmptyList);
        connect(&m_library, &RunLibrary::listChanged, this, later);
        connect(&m_library, &RunLibrary::runChanged, this, [this] {
            if (!m_late.isActive())
                m_late.start(kProgressEvery);
        });
    }

    static QStringList paths(const Runs& runs)
    {
        QStringList files;
        for (const LedgerRun& run : runs)
            if (!run.isTrashed())
                files.append(run.file);
        return files;
    }

    QStringList openFiles() const
    {
        QStringList files;
        for (const auto& run : m_library.runs())
            files.append(QFileInfo(run->file()).absoluteFilePath());
        return files;
    }

    // Keeps the chosen group, or chooses the first one if it no longer exists.
    void showFacets(std::vector<LedgerFacet> facets)
    {
        const LedgerFacet before = facet();
        const QSignalBlocker silent(m_groups);
        m_groups->clear();
        m_facets = std::move(facets);
        QTreeWidgetItem* chosen = nullptr;
        auto last = LedgerFacet::Of::Runs;
        for (std::size_t i = 0; i < m_facets.size(); ++i) {
            const LedgerFacet& facet = m_facets[i];
            const bool isTag = facet.of == LedgerFacet::Of::Tag;
            if (std::exchange(last, facet.of) != facet.of
                && (isTag || facet.of == LedgerFacet::Of::Search)) {
                auto* heading
                    = new QTreeWidgetItem(m_groups, {isTag ? tr("Tags") : tr("Saved searches")});
                heading->setFlags(Qt::NoItemFlags);
                heading->setFont(0, uiFont(12, QFont::Medium));
            }
            auto* item = new QTreeWidgetItem(m_groups, {facet.title, QString::number(facet.count)});
            item->setToolTip(0, toolTipText(facet.title));
            item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
            item->setData(0, kFacetRole, static_cast<int>(i));
            if (chosen == nullptr || facet.isSame(before))
                chosen = item;
        }
        m_groups->setCurrentItem(chosen);
    }

    // The menu of a saved search.
    void offerRemoval(const QPoint& position)
    {
        const QTreeWidgetItem* item = m_groups->itemAt(position);
        const QVariant at = item == nullptr ? QVariant() : item->data(0, kFacetRole);
        if (!at.isValid())
            return;
        const LedgerFacet& facet = m_facets[static_cast<std::size_t>(at.toInt())];
        if (facet.of != LedgerFacet::Of::Search)
            return;
        auto* menu = named(new QMenu(this), "searchMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Remove this search"), this, [this, search = facet.title] {
            QStringList searches = m_settings.searches();
            searches.removeAll(search);
            m_settings.setSearches(searches);
            showRuns();
        });
        menu->popup(m_groups->viewport()->mapToGlobal(position));
    }

    LedgerFacet facet() const // the chosen group
    {
        const QTreeWidgetItem* item = m_groups->currentItem();
        const QVariant at = item == nullptr ? QVariant() : item->data(0, kFacetRole);
        return at.isValid() ? m_facets[static_cast<std::size_t>(at.toInt())] : LedgerFacet{};
    }

    void showRuns()
    {
        m_view.groups = static_cast<LedgerView::Groups>(m_groupBy->current());
        m_view.hasVarying = m_hasVarying->isChecked();
        m_view.openFiles = openFiles();
        m_view.now = QDateTime::currentDateTime();
        m_runs = withRunsUnderWay(m_ledger.runs(), m_library.runs());
        const QStringList searches = m_settings.searches();
        showFacets(ledgerFacets(m_runs, m_view.openFiles, searches));
        m_save->setEnabled(!m_filter->text().isEmpty() && !searches.contains(m_filter->text()));
        const LedgerFacet chosen = facet();
        Runs shown;
        for (const LedgerRun& run : m_runs)
            if (chosen.contains(run) && run.matches(m_filter->text()))
                shown.push_back(run);
        m_table->show(shown, m_view);
        const auto all = std::ssize(m_runs);
        QString count = tr("%1 of %2").arg(shown.size()).arg(countOf(all, "run"));
        if (m_ledger.unread() > 0)
            count += tr(", reading %1").arg(countOf(m_ledger.unread(), "file"));
        if (chosen.of == LedgerFacet::Of::Trash)
            count += tr(". Trashed runs are kept until you delete them.");
        m_count->setText(all == 0 && m_ledger.unread() == 0 ? QString() : count);
        if (m_runs.empty())
            m_nothing->setTexts(tr("No run yet"),
                                tr("Runs that are recorded or opened are listed here."),
                                tr("New run"));
        else
            m_nothing->setTexts(
                tr("No run matches"), tr("Change the search, or choose another group."),
                m_filter->text().isEmpty() ? tr("Show all runs") : tr("Clear the search"));
        m_stack->setCurrentIndex(shown.empty() ? 1 : 0);
        Q_EMIT statusChanged();
    }

    // The action of the empty list. Starts a new run if no runs exist. Otherwise clears the search
    // or, if there is none, selects the first group.
    void fillEmptyList()
    {
        if (m_runs.empty())
            Q_EMIT pageRequested({"setup"});
        else if (!m_filter->text().isEmpty())
            m_filter->setText({});
        else
            m_groups->setCurrentItem(m_groups->topLevelItem(0));
    }

    // Ticks act at once.
    void showColumns(QWidget* button)
    {
        auto* menu = named(new QMenu(this), "ledgerColumnMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        const LedgerModel& model = m_table->model();
        for (const QString& title : model.allColumns()) {
            auto* box = new QCheckBox(title);
            box->setChecked(model.shownColumns().contains(title));
            box->setContentsMargins(12, 4, 12, 4);
            connect(box, &QCheckBox::toggled, this, [this, title](bool isShown) {
                if (m_view.columns.isEmpty())
                    m_view.columns = m_table->model().shownColumns();
                m_view.columns.removeAll(title);
                if (isShown)
                    m_view.columns.append(title);
                showRuns();
            });
            auto* action = new QWidgetAction(menu);
            action->setDefaultWidget(makeRow({12, 3, 12, 3}, 0, {box}, ""));
            menu->addAction(action);
        }
        menu->addSeparator();
        menu->addAction(tr("Reset"), this, [this] {
            m_view.columns.clear();
            showRuns();
        });
        menu->popup(button->mapToGlobal(button->rect().bottomLeft()));
    }

    // A menu of all tags: a tick adds the tag to all selected runs, or removes it from them.
    void showTags()
    {
        const Runs runs = m_table->selected();
        auto* menu = named(new QMenu(this), "ledgerTagMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        auto* added = named(new QLineEdit, "newTag", tr("New tag"));
        added->setPlaceholderText(tr("New tag"));
        auto* first = new QWidgetAction(menu);
        first->setDefaultWidget(makeRow({10, 6, 10, 6}, 0, {added}, ""));
        menu->addAction(first);
        const auto set = [this, runs, menu](const QString& tag, bool isSet) {
            for (const LedgerRun& before : runs) {
                LedgerRun run = before;
                run.tags.removeAll(tag);
                if (isSet)
                    run.tags.append(tag);
                m_ledger.setUserData(before, run);
            }
            menu->close();
        };
        connect(added, &QLineEdit::returnPressed, menu, [=] {
            if (const QString tag = added->text().simplified(); !tag.isEmpty())
                set(QString(tag).remove(QLatin1Char(',')), true);
        });
        for (const QString& tag : tagsOf(m_runs)) {
            QAction* action = menu->addAction(menuText(tag));
            action->setCheckable(true);
            action->setChecked(std::ranges::all_of(
                runs, [&](const LedgerRun& run) { return run.tags.contains(tag); }));
            connect(action, &QAction::toggled, menu, [=](bool isSet) { set(tag, isSet); });
        }
        menu->popup(m_selected->mapToGlobal(QPoint(0, -menu->sizeHint().height())));
        added->setFocus();
    }

    void showSelection()
    {
        const Runs runs = m_table->selected();
        const auto count = runs.size();
        const QStringList open = openFiles();
        bool areTrashed = count > 0, canRepeat = count > 0, areStored = count > 0, isOpen = false,
             areEnded = count > 0;
        for (const LedgerRun& run : runs) {
            areTrashed = areTrashed && run.isTrashed();
            areStored = areStored && run.bytes > 0; // unlike queued runs
            areEnded = areEnded && !run.isUnderWay();
            isOpen = isOpen || (open.contains(run.file) && !run.isUnderWay());
            canRepeat = canRepeat && !run.experiment.isEmpty() && !run.isTrashed();
        }
        const bool isTrash = facet().of == LedgerFacet::Of::Trash;
        m_selected->setText(count == 0
                                ? tr("Nothing selected")
                                : tr("%1 selected").arg(countOf(static_cast<int>(count), "run")));
        const QStringList varying = varyingSettings(runs);
        m_difference->setText(differenceText(varying));
        m_difference->setToolTip(settingTitles(varying).join(tr(", ")));
        m_open->setEnabled(count > 0 && count <= kMostOpened && !areTrashed);
        m_close->setEnabled(isOpen);
        m_compare->setEnabled(count > 1 && !areTrashed);
        m_repeat->setEnabled(canRepeat);
        m_rename->setEnabled(areStored && count == 1);
        m_tag->setEnabled(areStored && !areTrashed);
        m_trash->setEnabled(areEnded);
        m_trash->setText(areTrashed ? tr("Delete forever…") : tr("Move to trash"));
        m_trash->setToolTip(
            count == 0 || areEnded ? QString() : tr("A run that has not ended cannot be moved"));
        m_restore->setEnabled(areTrashed);
        m_empty->setEnabled(isTrash && !m_table->model().runs().empty());
        for (QWidget* button : m_ofRuns)
            button->setVisible(!isTrash);
        for (QWidget* button : m_ofTrash)
            button->setVisible(isTrash);
        m_notes->setVisible(count == 1);
        m_notes->setEnabled(count == 1 && areStored);
        m_notes->show(count == 1 ? runs.front() : LedgerRun());
        m_details->show(runs.empty() ? Details() : describeLedgerRuns(runs));
        Q_EMIT statusChanged();
    }

    // Opens one run per iteration of the event loop, because each takes about 0.1 s.
    void open(Runs runs)
    {
        const LedgerRun first = runs.front();
        runs.erase(runs.begin());
        if (!runs.empty())
            QTimer::singleShot(0, this, [this, runs] { open(runs); });
        if (!first.isTrashed())
            Q_EMIT pageRequested({"run", {first.file}});
    }

    // Returns the runs without those of which the user keeps a page.
    Runs close(Runs runs)
    {
        const QStringList open = openFiles();
        std::erase_if(runs, [&](const LedgerRun& run) {
            return open.contains(run.file) && !run.isUnderWay() && !m_ledger.close(run);
        });
        return runs;
    }

    void repeat()
    {
        const Runs runs = m_table->selected();
        if (runs.size() == 1)
            return Q_EMIT pageRequested(
                {.kind = "setup", .plan = planFromExperiment(runs.front().experiment)});
        QList<QStringList> options;
        for (const LedgerRun& run : runs)
            options.append(runOptions(planFromExperiment(run.experiment)));
        Q_EMIT startRequested(options);
    }

    bool confirmsDeletion(const Runs& runs) // asks the user
    {
        qint64 bytes = 0;
        QStringList names;
        for (const LedgerRun& run : runs) {
            bytes += run.bytes;
            names.append(tr("#%1 %2").arg(run.number).arg(run.title()));
        }
        const QString which
            = names.size() <= 3 ? names.join(tr(", ")) : countOf(names.size(), "run");
        QMessageBox box(
            QMessageBox::Warning, tr("Delete %1 forever?").arg(countOf(std::ssize(runs), "run")),
            tr("Delete the files of %1 (%2)? This cannot be undone. Their numbers are not used "
               "again.")
                .arg(which, dataScale(bytes).withUnit(bytes)),
            QMessageBox::Cancel, this);
        box.setTextFormat(Qt::PlainText);
        const auto* remove = named(
            box.addButton(tr("Delete forever"), QMessageBox::DestructiveRole), "deleteForever");
        box.setDefaultButton(QMessageBox::Cancel);
        box.exec();
        return box.clickedButton() == remove;
    }

    // Moves the runs to the trash, and closes those that are open. If all of them are already
    // there, deletes them after a confirmation.
    void trash(const Runs& runs)
    {
        const bool areTrashed = std::ranges::all_of(runs, &LedgerRun::isTrashed);
        if (runs.empty() || (areTrashed && !confirmsDeletion(runs)))
            return;
        m_undone.clear();
        for (const LedgerRun& run : close(runs))
            if (areTrashed) {
                m_ledger.deleteForever(run);
            } else if (!run.isTrashed()) {
                m_ledger.moveToTrash(run);
                m_undone.append(run.number);
            }
        m_undo->setVisible(!m_undone.isEmpty());
        m_undo->setEnabled(false);
        m_undoEnds->stop();
        if (areTrashed || m_undone.isEmpty())
            return m_band->hide();
        m_band->show(Band::Kind::Neutral,
                     tr("%1 moved to the trash.").arg(countOf(m_undone.size(), "run")), {});
    }

    // Undo finds the runs when they are listed in the trash.
    void offerUndo()
    {
        if (m_undo->isEnabled() || !std::ranges::any_of(m_ledger.runs(), [this](const auto& run) {
                return run.isTrashed() && m_undone.contains(run.number);
            }))
            return;
        m_undo->setEnabled(true);
        m_undoEnds->start(kUndoFor);
    }

    const ThemeController& m_theme;
    Settings& m_settings;
    RunLibrary& m_library;
    RunLedger& m_ledger;
    LedgerView m_view;
    Runs m_runs;                       // runs of all groups, including those in progress
    std::vector<LedgerFacet> m_facets; // in the order of the items, without the heading of tags
    QTreeWidget* m_groups = named(makeTree(), "ledgerFacets", tr("Groups of runs"));
    LedgerTable* m_table = named(new LedgerTable(m_theme), "ledgerTable", tr("Runs"));
    Notes* m_notes = new Notes(m_ledger);
    SearchField* m_filter = new SearchField(m_theme, m_runs, [this] { showRuns(); });
    QPushButton* m_save = makeButton(tr("Save search"), "saveSearch", "tool", this, [this] {
        m_settings.setSearches(m_settings.searches() << m_filter->text());
        showRuns();
    });
    QCheckBox* m_hasVarying = named(new QCheckBox(tr("Settings that vary")), "onlyVarying");
    SegmentControl* m_groupBy
        = named(new SegmentControl(m_theme, {tr("Mode"), tr("Model"), tr("Tag")}), "ledgerGroups");
    QLabel *m_count = named(makeLabel({}, "hint"), "ledgerCount"),
           *m_selected = named(makeLabel({}, "dock"), "ledgerSelected"),
           *m_difference = named(new ElidedLabel("hint"), "ledgerDifference");
    Band* m_band = named(new Band(m_theme, Band::Shape::State), "ledgerBand");
    QPushButton* m_undo = nullptr;
    QList<QWidget*> m_ofRuns, m_ofTrash; // buttons that the trash does not have, and its own
    QList<int> m_undone;                 // numbers of the runs that were moved to the trash last
    QTimer* m_undoEnds = named(new QTimer(this), "undoEnds");
    EmptyState* m_nothing
        = named(new EmptyState(m_theme, {Icon::Compare, {}, {}, tr("New run")}), "ledgerEmpty");
    Later m_late{0, [this] {
                     if (isVisible()) // otherwise, showEvent() lists the runs again
                         showRuns();
                 }}; // delays showRuns(), so that several changes cause one update
    QStackedWidget* m_stack = new QStackedWidget;
    DetailsView* m_details = new DetailsView(
        m_theme, "ledgerDetails", tr("Details of the selected runs"),
        {Icon::Info, tr("No run is selected"), tr("Select a run to see its details."), {}});
    QWidget *m_groupsColumn = nullptr, *m_detailsColumn = nullptr;
    QAction *m_open, *m_close, *m_compare, *m_repeat, *m_rename, *m_tag, *m_trash, *m_empty,
        *m_restore, *m_copy, *m_find;
};

} // namespace

Page* makeLedger(const ThemeController& theme, Settings& settings, RunLibrary& library,
                 RunLedger& ledger)
{
    return new LedgerPage(theme, settings, library, ledger);
}

} // namespace app
