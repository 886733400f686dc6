#include "app/ledger/ledger_table.h"

#include "app/ui/controls.h"
#include "app/ui/icons.h"
#include "app/ui/settings.h"
#include "app/ui/table_text.h"
#include "app/ui/text.h"

#include <QFileInfo>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

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
                 .with(kHintRole, kAlways),
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
                 .with(kHintRole, kAlways),
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
                .with(kHintRole, kAlways),
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

} // namespace app
