#include "app/ledger/ledger_table.h"

#include "app/ui/csv.h"
#include "app/ui/numbers.h"
#include "app/ui/table_roles.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kLedgerRow = 26, kSparkWidth = 72, kSparkHeight = 14, kSparkPadding = 9;
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

LedgerTable::LedgerTable(const ThemeController& theme, QWidget* parent)
    : DataTable(theme, kLedgerRow, parent)
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
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == 0)
            Q_EMIT starToggled(m_model->at(index.row()));
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() != 0)
            Q_EMIT openRequested(m_model->at(index.row()));
    });
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
        selectionModel()->setCurrentIndex(m_model->index(row, 1), QItemSelectionModel::NoUpdate);
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
    if (event->key() == Qt::Key_Asterisk && current() != nullptr)
        return Q_EMIT starToggled(*current());
    DataTable::keyPressEvent(event);
}

} // namespace app
