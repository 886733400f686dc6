#include "app/ledger/ledger_page.h"

#include "app/plan/run_plan.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/csv.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QMessageBox>
#include <QPainter>
#include <QPainterPath>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using Rows = std::vector<std::pair<QString, QString>>;

// Leaves out rows without a value.
void addSection(Details& details, const char* title, const Rows& rows)
{
    DetailsSection section;
    section.title = QString::fromLatin1(title);
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

// Sets the state of a run that has not ended. Removes the results that are known only when all
// iterations are complete.
void describeState(const RunDocument& document, LedgerRun& run)
{
    run.state = stateOf(document);
    run.share = document.isRunning() && document.progress().planned > 0
        ? document.progress().iterations() / document.progress().planned
        : -1;
    run.problem.clear(); // the file may be unreadable only because it is incomplete
    for (auto* result : {&run.iteration, &run.least, &run.most, &run.bubble, &run.tokensPerSecond})
        result->reset();
}

} // namespace

std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles)
{
    std::vector<LedgerFacet> facets{
        {QStringLiteral("All runs"), [](const LedgerRun&) { return true; }},
        {QStringLiteral("Open now"),
         [openFiles](const LedgerRun& run) { return openFiles.contains(run.file); }},
        {QStringLiteral("Failed"), &LedgerRun::isFailed},
        {QStringLiteral("Imported"),
         [](const LedgerRun& run) { return run.mode == QStringLiteral("imported"); }},
        {QStringLiteral("Trash"), &LedgerRun::isTrashed, LedgerFacet::Of::Trash}};
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    for (const QString& tag : tags)
        facets.push_back({tag, [tag](const LedgerRun& run) { return run.tags.contains(tag); },
                          LedgerFacet::Of::Tag});
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
            started.label = document->title();
            known = runs.insert(runs.begin(), std::move(started));
        }
        describeState(*document, *known);
    }
    return runs;
}

Details describeLedgerRun(const LedgerRun& run)
{
    Details details;
    details.title = run.title();
    if (run.iteration) {
        details.value = run.time().text(*run.iteration);
        details.unit = run.time().unit();
    }
    details.right = run.state;
    details.left = run.mode;
    if (!run.label.isEmpty() && run.label != run.title())
        details.left += details.left.isEmpty() ? run.label : QStringLiteral(", ") + run.label;
    details.sentence = run.problem.toHtmlEscaped();
    const Scale time = run.time();
    const auto rounded = [](double value) { return number(value, 0); };
    addSection(
        details, "Results",
        {{QStringLiteral("95 % interval, %1").arg(time.unit()),
          run.least && run.most
              ? QStringLiteral("%1 to %2").arg(time.text(*run.least), time.text(*run.most))
              : QString()},
         {QStringLiteral("Bubble"),
          textOf(run.bubble, [](double share) { return percent(share); })},
         {QStringLiteral("Peak memory"),
          textOf(run.peakBytes,
                 [](double bytes) { return byteScale(std::llround(bytes)).withUnit(bytes); })},
         {QStringLiteral("Tokens/s"), textOf(run.tokensPerSecond, rounded)},
         {QStringLiteral("Loss"),
          run.lossFirst && run.lossLast
              ? QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 3), number(*run.lossLast, 3))
              : QString()}});
    Rows parameters;
    for (const auto& [title, value] : run.settings)
        parameters.emplace_back(settingTitle(title), value);
    addSection(details, "Parameters", parameters);
    const QFileInfo file(run.file);
    addSection(
        details, "File",
        {{QStringLiteral("Size"),
          run.bytes > 0 ? dataScale(run.bytes).withUnit(static_cast<double>(run.bytes))
                        : QString()},
         {QStringLiteral("Name"), file.fileName()},
         {QStringLiteral("Folder"),
          run.isTrashed() ? QStringLiteral("trash, from %1").arg(run.origin) : file.absolutePath()},
         {QStringLiteral("Recorded"),
          run.started.isValid() ? QLocale::c().toString(run.started.toLocalTime(),
                                                        QStringLiteral("d MMM yyyy, HH:mm"))
                                : QString()}});
    return details;
}

namespace {

constexpr double kUnknownLast = 1e300; // sort value of an unknown number; greater than all others

QString orDash(const std::optional<double>& value, const std::function<QString(double)>& text)
{
    return value ? text(*value) : QStringLiteral("–");
}

SortValue byNumber(const std::optional<double>& value)
{
    return value.value_or(kUnknownLast);
}

QString lossText(const LedgerRun& run)
{
    return run.lossFirst && run.lossLast
        ? QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 2), number(*run.lossLast, 2))
        : QStringLiteral("–");
}

QString iterationCell(const LedgerRun& run)
{
    if (run.isUnderWay())
        return run.state;
    if (run.isFailed())
        return LedgerModel::tr("failed");
    const Scale time = run.time();
    return orDash(run.iteration, [&](double value) { return time.withUnit(value); });
}

QString iterationTip(const LedgerRun& run)
{
    if (run.isFailed())
        return run.problem;
    const Scale time = run.time();
    return run.least && run.most
        ? LedgerModel::tr("95 % interval %1 to %2 %3")
              .arg(time.text(*run.least), time.text(*run.most), time.unit())
        : QString();
}

constexpr int kRow = 26, kSparkWidth = 72, kSparkHeight = 14, kSparkPadding = 9;
constexpr int kMostWidth = 130, kMostName = 240; // longer texts end with "…"

// Draws the iteration times as a line that fills the height; equal times are a level line.
class SparklineDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        const auto values = index.data(kSparklineRole).value<QVector<double>>();
        if (values.size() < 2)
            return;
        const auto [least, most] = std::ranges::minmax_element(values);
        const QRectF area(option.rect.left() + kSparkPadding,
                          option.rect.center().y() - kSparkHeight / 2.0, kSparkWidth, kSparkHeight);
        const double range = *most - *least;
        QPainterPath line;
        for (qsizetype i = 0; i < values.size(); ++i) {
            const QPointF point(area.left()
                                    + area.width() * static_cast<double>(i)
                                        / static_cast<double>(values.size() - 1),
                                range > 0
                                    ? area.bottom() - area.height() * (values[i] - *least) / range
                                    : area.center().y());
            i == 0 ? line.moveTo(point) : line.lineTo(point);
        }
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme().chrome.text2, 1));
        painter->drawPath(line);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.data(kSparklineRole).isValid())
            return {kSparkWidth + 2 * kSparkPadding, option.rect.height()};
        const QSize size = CellDelegate::sizeHint(option, index);
        const bool isWide
            = index.data(kThumbnailRole).isValid() || index.data(kShareRole).isValid();
        return size.boundedTo({isWide ? kMostName : kMostWidth, size.height()});
    }
};

} // namespace

LedgerModel::LedgerModel(QObject* parent)
    : TableModel(parent)
{
    show({}, Settings::Varying, {});
}

void LedgerModel::show(std::vector<LedgerRun> runs, Settings settings, const QDateTime& now)
{
    std::vector<const LedgerRun*> shown;
    QStringList all;
    for (const LedgerRun& run : runs) {
        shown.push_back(&run);
        for (const auto& [title, value] : run.settings)
            if (!all.contains(title))
                all.append(title);
    }
    m_settings = settings == Settings::All || runs.empty() ? all : varyingSettings(shown);
    m_settings.removeOne(QStringLiteral("mode")); // "mode" always has a separate column
    m_equal = static_cast<int>(all.size() - m_settings.size())
        - (all.contains(QStringLiteral("mode")) ? 1 : 0);
    m_hasTags = std::ranges::any_of(runs, [](const LedgerRun& run) { return !run.tags.isEmpty(); });
    reset(columns(now), std::move(runs));
}

LedgerModel::Columns LedgerModel::columns(const QDateTime& now) const
{
    using Column = TableColumn<LedgerRun>;
    using Run = const LedgerRun&;
    const auto text
        = [](const QString& title, auto of) { return Column(title, of, Qt::AlignLeft); };
    const auto picture = [](Run run) {
        const bool hasPicture = run.thumbnail != nullptr && !run.thumbnail->isEmpty();
        return QVariant::fromValue<const Thumbnail*>(hasPicture ? run.thumbnail.get() : nullptr);
    };
    const auto bubble
        = [](Run run) { return orDash(run.bubble, [](double share) { return percent(share); }); };
    const auto peak = [](Run run) {
        return orDash(run.peakBytes,
                      [](double bytes) { return byteScale(std::llround(bytes)).withUnit(bytes); });
    };
    const auto share = [](Run run) { return run.share < 0 ? QVariant() : QVariant(run.share); };
    const auto times = [](Run run) {
        return QVariant::fromValue(QVector<double>(run.iterations.begin(), run.iterations.end()));
    };
    const auto when = [now](Run run) {
        return run.started.isValid() ? whenText(run.started.toLocalTime(), now)
                                     : QStringLiteral("–");
    };
    const auto tags = [](Run run) { return run.tags.join(tr(", ")); };

    Columns columns{text(tr("Name"), &LedgerRun::title)
                        .with(kThumbnailRole, picture)
                        .with(kThumbnailWidthRole, [](Run) { return QVariant(1.0); })
                        .tip(&LedgerRun::file)};
    if (m_hasTags)
        columns.push_back(
            text(tr("Tags"), tags).with(kHintRole, kAlways).with(Qt::ToolTipRole, tags));
    for (const QString& title : m_settings) {
        const auto value = [title](Run run) { return run.setting(title); };
        columns.push_back(text(settingTitle(title), value)
                              .sortedBy([value](Run run) { return settingSort(value(run)); })
                              .with(Qt::ToolTipRole, value));
    }
    columns.insert(
        columns.end(),
        {text(tr("Mode"), [](Run run) { return run.mode; }),
         Column(tr("Iteration"), iterationCell)
             .sortedBy([](Run run) { return byNumber(run.iteration); })
             .with(kShareRole, share)
             .with(Qt::ToolTipRole, [](Run run) { return QVariant(iterationTip(run)); }),
         text(tr("Iterations"), [](Run) { return QString(); })
             .sortedBy([](Run run) { return static_cast<double>(run.iterations.size()); })
             .with(kSparklineRole, times),
         Column(tr("Bubble"), bubble).sortedBy([](Run run) { return byNumber(run.bubble); }),
         Column(tr("Peak"), peak).sortedBy([](Run run) { return byNumber(run.peakBytes); }),
         Column(tr("Loss"), lossText).sortedBy([](Run run) { return byNumber(run.lossLast); }),
         Column(tr("When"), when)
             .sortedBy([](Run run) {
                 return run.isUnderWay() && !run.started.isValid()
                     ? kUnknownLast // queued runs count as the newest
                     : static_cast<double>(run.started.toMSecsSinceEpoch());
             })
             .with(kHintRole, kAlways)});
    return columns;
}

std::vector<int> LedgerModel::dispensable() const
{
    std::vector<int> columns;
    const int mode = 1 + (m_hasTags ? 1 : 0) + static_cast<int>(m_settings.size());
    for (int i = 1; i <= static_cast<int>(m_settings.size()); ++i)
        columns.push_back(mode - i);
    columns.push_back(mode + 2); // iteration times
    if (m_hasTags)
        columns.push_back(1);
    return columns;
}

int LedgerModel::rowOf(const QString& file) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).file == file)
            return row;
    return -1;
}

LedgerTable::LedgerTable(const ThemeController& theme, QWidget* parent)
    : DataTable(theme, kRow, parent)
    , m_model(new LedgerModel(this))
{
    setItemDelegate(new SparklineDelegate(theme, this));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSortingEnabled(true);
    setModel(m_model);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        if (!m_isShowing)
            m_sortedBy = m_model->titleOf(column);
    });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_isShowing)
            Q_EMIT selectionChangedByUser();
    });
    connect(this, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT openRequested(m_model->at(index.row())); });
}

void LedgerTable::show(std::vector<LedgerRun> runs, LedgerModel::Settings settings)
{
    const LedgerRun* now = current();
    const QString currentFile = now == nullptr ? QString() : now->file;
    QStringList files;
    for (const LedgerRun& run : selected())
        files.append(run.file);
    const int scrolled = verticalScrollBar()->value();
    m_isShowing = true;
    m_model->show(std::move(runs), settings, QDateTime::currentDateTime());
    if (m_sortedBy.isEmpty()) // the newest runs come first
        sort(m_model->titleOf(m_model->columnCount() - 1), Qt::DescendingOrder);
    else
        sort(m_sortedBy, horizontalHeader()->sortIndicatorOrder());
    setDispensable(m_model->dispensable());
    QItemSelection selection;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (files.contains(m_model->at(row).file))
            selection.select(m_model->index(row, 0),
                             m_model->index(row, m_model->columnCount() - 1));
    if (const int row = m_model->rowOf(currentFile); row >= 0)
        selectionModel()->setCurrentIndex(m_model->index(row, 0), QItemSelectionModel::NoUpdate);
    // Keeps the scroll position; the current run may be out of sight.
    verticalScrollBar()->setValue(scrolled);
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (currentFile.isEmpty() && m_model->rowCount() > 0)
        selectRow(0);
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
        if (selectionModel()->isRowSelected(row))
            runs.push_back(m_model->at(row));
    return runs;
}

const LedgerRun* LedgerTable::current() const
{
    const QModelIndex index = currentIndex();
    return index.isValid() && selectionModel()->isRowSelected(index.row())
        ? &m_model->at(index.row())
        : nullptr;
}

QString LedgerTable::csv() const
{
    std::vector<LedgerRun> runs = selected();
    if (runs.size() < 2) {
        runs.clear();
        for (int row = 0; row < m_model->rowCount(); ++row)
            runs.push_back(m_model->at(row));
    }
    LedgerModel model;
    model.show(std::move(runs), LedgerModel::Settings::All, QDateTime::currentDateTime());
    return csvOf(model);
}

QStringList LedgerTable::hiddenColumns() const
{
    QStringList texts;
    if (m_model->equalSettings() > 0)
        texts.append(tr("%1 hidden").arg(countOf(m_model->equalSettings(), "equal column")));
    if (const int narrow = horizontalHeader()->hiddenSectionCount(); narrow > 0)
        texts.append(tr("no space for %1").arg(countOf(narrow, "column")));
    return texts;
}

void LedgerTable::resizeEvent(QResizeEvent* event)
{
    DataTable::resizeEvent(event);
    Q_EMIT columnsChanged();
}

void LedgerTable::keyPressEvent(QKeyEvent* event)
{
    const bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (opens && current() != nullptr)
        return Q_EMIT openRequested(*current());
    DataTable::keyPressEvent(event);
}

namespace {

constexpr int kMostOpened = 10;
constexpr int kProgressEvery = 500; // ms
constexpr int kGroupsColumn = 216, kDetailsColumn = 292;
constexpr int kFoldDetails = 1240, kFoldGroups = 1000; // width of the page
constexpr int kFacetRole = Qt::UserRole; // position in the list of facets; the heading has none

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

QStringList tagsIn(const QString& text)
{
    QStringList tags;
    for (const QString& tag : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!tag.simplified().isEmpty())
            tags.append(tag.simplified());
    tags.removeDuplicates();
    return tags;
}

} // namespace

LedgerNotes::LedgerNotes(QWidget* parent)
    : QWidget(parent)
    , m_name(named(new QLineEdit, "ledgerName", tr("Name of the run")))
    , m_tags(named(new QLineEdit, "ledgerTags", tr("Tags of the run")))
    , m_note(named(new QPlainTextEdit, "ledgerNote", tr("Note on the run")))
{
    m_tags->setPlaceholderText(tr("Tags, separated by commas"));
    m_note->setPlaceholderText(tr("Note"));
    m_note->setTabChangesFocus(true);
    m_note->setFixedHeight(76);
    m_note->installEventFilter(this);
    spaced(new QVBoxLayout(this), {14, 12, 14, 4}, 8, {m_name, m_tags, m_note});
    for (const QLineEdit* field : {m_name, m_tags})
        connect(field, &QLineEdit::editingFinished, this, &LedgerNotes::save);
}

void LedgerNotes::show(const LedgerRun& run)
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

void LedgerNotes::editName()
{
    m_name->setFocus();
    m_name->selectAll();
}

void LedgerNotes::editTags()
{
    m_tags->setFocus();
    m_tags->end(false);
}

void LedgerNotes::save()
{
    if (m_run.file.isEmpty())
        return;
    const QString name = m_name->text().simplified(), note = m_note->toPlainText();
    const QStringList tags = tagsIn(m_tags->text());
    if (name == m_run.name && tags == m_run.tags && note == m_run.note)
        return;
    const LedgerRun before = m_run;
    m_run.name = name;
    m_run.tags = tags;
    m_run.note = note;
    Q_EMIT edited(before, m_run);
}

bool LedgerNotes::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut)
        save();
    return QWidget::eventFilter(watched, event);
}

LedgerPage::LedgerPage(const ThemeController& theme, RunLibrary& library, RunLedger& ledger,
                       QWidget* parent)
    : Page(parent)
    , m_library(library)
    , m_ledger(ledger)
    , m_groups(named(makeTree(), "ledgerFacets", tr("Groups of runs")))
    , m_table(named(new LedgerTable(theme), "ledgerTable", tr("Runs")))
    , m_notes(named(new LedgerNotes, "ledgerNotes"))
    , m_filter(named(new QLineEdit, "ledgerFilter", tr("Filter runs")))
    , m_onlyVarying(named(new QCheckBox(tr("Only settings that vary")), "onlyVarying"))
    , m_count(named(makeLabel({}, "hint"), "ledgerCount"))
    , m_selected(named(makeLabel({}, "dock"), "ledgerSelected"))
    , m_difference(named(makeLabel({}, "hint"), "ledgerDifference"))
    , m_band(named(new Band(theme, Band::Shape::State), "ledgerBand"))
    , m_empty(named(new EmptyState(theme, {Icon::Compare, {}, {}, tr("New run")}), "ledgerEmpty"))
    , m_stack(new QStackedWidget)
    , m_theme(theme)
    , m_details(named(new QScrollArea, "ledgerDetails", tr("Details of the run")))
{
    setObjectName(QStringLiteral("ledgerPage"));
    makeActions();
    m_groupsColumn = makeGroups();
    m_detailsColumn = makeDetails();
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {m_groupsColumn, makeList(), m_detailsColumn})
        columns->addWidget(column);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kGroupsColumn, 1092, kDetailsColumn});
    m_band->hide();
    spaced(new QVBoxLayout(this), {}, 0, {m_band, {columns, 1}});
    setInitialFocus(m_table);
    connectAll();
    showRuns();
}

void LedgerPage::makeActions()
{
    m_open = makeAction("openLedgerRun", tr("Open"), {}, [this] { open(m_table->selected()); });
    m_open->setToolTip(
        tr("Opens up to %1 runs; Compare shows any number of them").arg(kMostOpened));
    m_compare = makeAction("compareLedgerRuns", tr("Compare"), Qt::CTRL | Qt::Key_Return,
                           [this] { compare(); });
    m_repeat = makeAction("repeatLedgerRuns", tr("Repeat"), {}, [this] { repeat(); });
    m_repeat->setToolTip(tr("Opens one run in the set-up page; starts several sequentially"));
    m_rename = makeAction("renameLedgerRun", tr("Rename"), Qt::Key_F2, [this] {
        m_detailsColumn->show();
        m_notes->editName();
    });
    m_tag = makeAction("tagLedgerRun", tr("Tag"), Qt::Key_T, [this] {
        m_detailsColumn->show();
        m_notes->editTags();
    });
    m_trash
        = makeAction("trashLedgerRuns", tr("Move to trash"), Qt::Key_Delete, [this] { trash(); });
    m_restore = makeAction("restoreLedgerRuns", tr("Restore"), {}, [this] { restore(); });
    m_copy = makeAction("copyLedger", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                        [this] { QGuiApplication::clipboard()->setText(m_table->csv()); });
    m_copy->setToolTip(
        tr("Copies the selected runs, or all runs shown if fewer than two are selected"));
    m_find = makeAction("filterLedger", tr("Filter runs"), QKeySequence::Find, [this] {
        m_filter->setFocus();
        m_filter->selectAll();
    });
}

QWidget* LedgerPage::makeGroups()
{
    auto* column = makeSurface("plain");
    column->setMinimumWidth(180);
    spaced(new QVBoxLayout(column), {}, 0,
           {makeBar(40, 8, {makeLabel(tr("Runs"), "dock"), kStretch}),
            makeLine(Qt::Horizontal),
            {m_groups, 1}});
    return column;
}

QWidget* LedgerPage::makeList()
{
    m_filter->setPlaceholderText(tr("Name, tag, note or parameter, such as D:4 bitpipe"));
    m_filter->setClearButtonEnabled(true);
    m_onlyVarying->setChecked(true);
    auto* search = makeSurface("plain");
    spaced(new QHBoxLayout(search), {12, 6, 12, 6}, 10, {{m_filter, 1}});
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {40, 40, 40, 40}, 0, {m_empty, kStretch});
    m_empty->setFixedHeight(160);
    m_stack->addWidget(m_table);
    m_stack->addWidget(empty);
    auto* list = makeSurface("plain");
    spaced(new QVBoxLayout(list), {}, 0,
           {search,
            makeLine(Qt::Horizontal),
            makeBar(32, 12, {m_count, kStretch, m_onlyVarying}),
            {m_stack, 1},
            makeLine(Qt::Horizontal),
            makeSelectionBar()});
    return list;
}

QWidget* LedgerPage::makeSelectionBar()
{
    m_difference->setTextFormat(Qt::PlainText);
    auto* trash = makeButton(m_trash->text(), QStringLiteral("trashLedgerButton"), "tool", m_trash);
    connect(m_trash, &QAction::changed, trash, [this, trash] { trash->setText(m_trash->text()); });
    return makeBar(
        44, 8,
        {m_selected,
         makeButton(m_compare->text(), QStringLiteral("compareLedgerButton"), "primary", m_compare),
         makeButton(m_repeat->text(), QStringLiteral("repeatLedgerButton"), "tool", m_repeat),
         makeButton(m_tag->text(), QStringLiteral("tagLedgerButton"), "tool", m_tag),
         trash,
         makeButton(m_restore->text(), QStringLiteral("restoreLedgerButton"), "tool", m_restore),
         {m_difference, 1}});
}

QWidget* LedgerPage::makeDetails()
{
    auto* open = makeButton(tr("Open timeline"), QStringLiteral("openLedgerButton"), "", m_open);
    auto* foot = makeSurface("plain");
    spaced(new QHBoxLayout(foot), {12, 8, 12, 8}, 8, {{open, 1}});
    m_details->setWidgetResizable(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layOutDetails();
    auto* column = makeSurface("plain");
    column->setMinimumWidth(kDetailsColumn);
    column->setMaximumWidth(kDetailsColumn);
    spaced(new QVBoxLayout(column), {}, 0,
           {makeBar(40, 8, {makeLabel(tr("Run details"), "dock"), kStretch}),
            makeLine(Qt::Horizontal),
            m_notes,
            {m_details, 1},
            makeLine(Qt::Horizontal),
            foot});
    return column;
}

void LedgerPage::connectAll()
{
    m_late.setSingleShot(true);
    connect(&m_late, &QTimer::timeout, this, [this] {
        if (isVisible()) // otherwise, showEvent() lists the runs again
            showRuns();
    });
    const auto later = [this] { m_late.start(0); };
    connect(&m_ledger, &RunLedger::changed, this, later);
    const auto report = [this](const QString& fact, const QString& reason) {
        m_band->show(Band::Kind::Error, fact, capitalized(reason) + QLatin1Char('.'));
    };
    connect(&m_ledger, &RunLedger::failed, this, [report](const QString& reason) {
        report(tr("The list of runs was not changed."), reason);
    });
    connect(&m_ledger, &RunLedger::unreadable, this, [this, report](const QString& reason) {
        report(tr("The list of runs cannot be read."), reason);
        connect(&m_ledger, &RunLedger::changed, m_band, &Band::hide, Qt::SingleShotConnection);
    });
    connect(&m_theme, &ThemeController::changed, this, &LedgerPage::layOutDetails);
    connect(m_groups, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr) // not while the tree is destroyed
            showRuns();
    });
    connect(m_filter, &QLineEdit::textChanged, this, &LedgerPage::showRuns);
    connect(m_onlyVarying, &QCheckBox::toggled, this, &LedgerPage::showRuns);
    connect(m_table, &LedgerTable::selectionChangedByUser, this, &LedgerPage::showSelection);
    connect(m_table, &LedgerTable::columnsChanged, this, &LedgerPage::showCount);
    connect(m_table, &LedgerTable::openRequested, this,
            [this](const LedgerRun& run) { open({run}); });
    connect(m_notes, &LedgerNotes::edited, &m_ledger, &RunLedger::setUserData);
    connect(m_empty, &EmptyState::activated, this, &LedgerPage::fillEmptyList);
    connect(&m_library, &RunLibrary::listChanged, this, later);
    connect(&m_library, &RunLibrary::runChanged, this, [this] {
        if (!m_late.isActive())
            m_late.start(kProgressEvery);
    });
}

QStringList LedgerPage::openFiles() const
{
    QStringList files;
    for (const auto& run : m_library.runs())
        files.append(run->file());
    return files;
}

// Keeps the chosen group, or chooses the first one if it no longer exists.
void LedgerPage::showFacets(std::vector<LedgerFacet> facets)
{
    const LedgerFacet before = facet();
    const QSignalBlocker silent(m_groups);
    m_groups->clear();
    m_facets = std::move(facets);
    QTreeWidgetItem* chosen = nullptr;
    bool hasTags = false;
    for (std::size_t i = 0; i < m_facets.size(); ++i) {
        const LedgerFacet& facet = m_facets[i];
        if (facet.of == LedgerFacet::Of::Tag && !std::exchange(hasTags, true)) {
            auto* heading = new QTreeWidgetItem(m_groups, {tr("Tags")});
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

LedgerFacet LedgerPage::facet() const
{
    const QTreeWidgetItem* item = m_groups->currentItem();
    const QVariant at = item == nullptr ? QVariant() : item->data(0, kFacetRole);
    return at.isValid() ? m_facets[static_cast<std::size_t>(at.toInt())] : LedgerFacet{};
}

// Keeps the scroll position while the same run changes.
void LedgerPage::showDetails(const LedgerRun* run)
{
    const QString before = std::exchange(m_detailed, run == nullptr ? QString() : run->file);
    Details details = run == nullptr ? Details() : describeLedgerRun(*run);
    if (m_detailed == before && details == m_shown)
        return;
    m_shown = std::move(details);
    const int scrolled = m_detailed == before ? m_details->verticalScrollBar()->value() : 0;
    layOutDetails();
    m_details->verticalScrollBar()->setValue(scrolled);
}

void LedgerPage::layOutDetails()
{
    if (!m_detailed.isEmpty())
        return m_details->setWidget(app::layOutDetails(m_theme, m_shown, [](const auto&) {}));
    QLabel* hint = makeLabel(tr("Select a run to see its details."), "hint");
    hint->setContentsMargins(14, 12, 14, 12);
    hint->setAlignment(Qt::AlignTop);
    m_details->setWidget(hint);
}

void LedgerPage::showRuns()
{
    const QStringList open = openFiles();
    m_runs = withRunsUnderWay(m_ledger.runs(), m_library.runs());
    showFacets(ledgerFacets(m_runs, open));
    const LedgerFacet chosen = facet();
    std::vector<LedgerRun> shown;
    for (const LedgerRun& run : m_runs)
        if (chosen.contains(run) && run.matches(m_filter->text()))
            shown.push_back(run);
    const bool isEmpty = shown.empty();
    m_table->show(std::move(shown),
                  m_onlyVarying->isChecked() ? LedgerModel::Settings::Varying
                                             : LedgerModel::Settings::All);
    showCount();
    if (m_runs.empty())
        m_empty->setTexts(tr("No run yet"), tr("Runs that are recorded or opened are listed here."),
                          tr("New run"));
    else
        m_empty->setTexts(tr("No run matches"), tr("Change the filter, or choose another group."),
                          m_filter->text().isEmpty() ? tr("Show all runs")
                                                     : tr("Clear the filter"));
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
}

void LedgerPage::fillEmptyList()
{
    if (m_runs.empty())
        Q_EMIT pageRequested({"setup"});
    else if (!m_filter->text().isEmpty())
        m_filter->clear();
    else
        m_groups->setCurrentItem(m_groups->topLevelItem(0));
}

void LedgerPage::showCount()
{
    const auto all = static_cast<std::int64_t>(m_runs.size());
    QStringList texts{tr("%1 of %2").arg(m_table->runs().rowCount()).arg(countOf(all, "run"))};
    texts.append(m_table->hiddenColumns());
    if (m_ledger.unread() > 0)
        texts.append(tr("reading %1").arg(countOf(m_ledger.unread(), "file")));
    m_count->setText(all == 0 && m_ledger.unread() == 0 ? QString() : texts.join(tr(", ")));
    Q_EMIT statusChanged();
}

void LedgerPage::showSelection()
{
    const std::vector<LedgerRun> runs = m_table->selected();
    const auto count = runs.size();
    std::vector<const LedgerRun*> pointers;
    bool areTrashed = count > 0, canRepeat = count > 0, areStored = count > 0;
    for (const LedgerRun& run : runs) {
        pointers.push_back(&run);
        areTrashed = areTrashed && run.isTrashed();
        areStored = areStored && run.bytes > 0; // unlike queued runs
        canRepeat = canRepeat && !run.experiment.isEmpty() && !run.isTrashed();
    }
    m_selected->setText(count == 0
                            ? tr("Nothing selected")
                            : tr("%1 selected").arg(countOf(static_cast<int>(count), "run")));
    m_difference->setText(differenceText(varyingSettings(pointers)));
    m_difference->setToolTip(settingTitles(varyingSettings(pointers)).join(tr(", ")));
    m_open->setEnabled(count > 0 && count <= kMostOpened && !areTrashed);
    m_compare->setEnabled(count > 1 && !areTrashed);
    m_repeat->setEnabled(canRepeat);
    m_rename->setEnabled(areStored && count == 1);
    m_tag->setEnabled(areStored && count == 1);
    m_trash->setEnabled(count > 0);
    m_trash->setText(areTrashed ? tr("Delete forever") : tr("Move to trash"));
    m_restore->setEnabled(areTrashed);
    const LedgerRun* current = m_table->current();
    m_notes->setEnabled(current != nullptr && current->bytes > 0);
    m_notes->show(current != nullptr ? *current : LedgerRun());
    showDetails(current);
    Q_EMIT statusChanged();
}

// Opens one run per iteration of the event loop, because each takes about 0.1 s.
void LedgerPage::open(std::vector<LedgerRun> runs)
{
    const LedgerRun first = runs.front();
    runs.erase(runs.begin());
    if (!runs.empty())
        QTimer::singleShot(0, this, [this, runs] { open(runs); });
    if (!first.isTrashed())
        Q_EMIT pageRequested({"run", {first.file}});
}

void LedgerPage::compare()
{
    QStringList files;
    for (const LedgerRun& run : m_table->selected())
        if (!run.isTrashed())
            files.append(run.file);
    Q_EMIT pageRequested({"compare", files});
}

void LedgerPage::repeat()
{
    const std::vector<LedgerRun> runs = m_table->selected();
    if (runs.size() == 1)
        return Q_EMIT pageRequested(
            {.kind = "setup", .plan = planFromExperiment(runs.front().experiment)});
    QList<QStringList> options;
    for (const LedgerRun& run : runs)
        options.append(runOptions(planFromExperiment(run.experiment)));
    Q_EMIT startRequested(options);
}

bool LedgerPage::confirmsDeletion(std::size_t runs)
{
    QMessageBox box(QMessageBox::NoIcon, tr("Delete forever"),
                    tr("Delete %1 and the recorded data? This cannot be undone.")
                        .arg(countOf(static_cast<std::int64_t>(runs), "run")),
                    QMessageBox::Cancel, this);
    const auto* remove
        = named(box.addButton(tr("Delete forever"), QMessageBox::DestructiveRole), "deleteForever");
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == remove;
}

void LedgerPage::trash()
{
    const std::vector<LedgerRun> runs = m_table->selected();
    const QStringList open = openFiles();
    const bool areTrashed = std::ranges::all_of(runs, &LedgerRun::isTrashed);
    if (areTrashed && !confirmsDeletion(runs.size()))
        return;
    QStringList refused;
    for (const LedgerRun& run : runs)
        if (areTrashed)
            m_ledger.deleteForever(run);
        else if (open.contains(run.file))
            refused.append(run.title());
        else if (!run.isTrashed())
            m_ledger.moveToTrash(run);
    if (!refused.isEmpty())
        m_band->show(Band::Kind::Warning, tr("Open runs were kept."),
                     tr("Remove %1 from the list of open runs first.").arg(refused.join(tr(", "))));
    else
        m_band->hide();
}

void LedgerPage::restore()
{
    for (const LedgerRun& run : m_table->selected())
        if (run.isTrashed())
            m_ledger.restore(run);
}

void LedgerPage::showEvent(QShowEvent* event)
{
    m_ledger.refresh();
    Page::showEvent(event);
}

void LedgerPage::resizeEvent(QResizeEvent* event)
{
    m_detailsColumn->setVisible(width() >= kFoldDetails);
    m_groupsColumn->setVisible(width() >= kFoldGroups);
    Page::resizeEvent(event);
}

QString LedgerPage::statusNote() const
{
    qint64 bytes = 0;
    for (const LedgerRun& run : m_ledger.runs())
        bytes += run.bytes;
    const QString size = dataScale(bytes).withUnit(static_cast<double>(bytes));
    return bytes == 0 ? QString() : tr("%1 on this machine").arg(size);
}

QList<QAction*> LedgerPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::File:
        return {m_open, m_rename, m_tag, m_trash, m_restore};
    case Menu::Run:
        return {m_repeat};
    case Menu::View:
        return {m_find};
    case Menu::Compare:
        return {m_compare};
    case Menu::Export:
        return {m_copy};
    default:
        return {};
    }
}

} // namespace app
