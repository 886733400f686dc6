#include "app/ledger/ledger_table.h"

#include "app/ui/csv.h"
#include "app/ui/settings.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
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

} // namespace app
