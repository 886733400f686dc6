#include "app/ui/data_table.h"

#include "app/ui/thumbnail.h"

#include <QAbstractItemModel>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QModelIndex>
#include <QPainter>
#include <QScrollBar>
#include <QStringList>
#include <QWheelEvent>

#include <cmath>
#include <limits>
#include <numeric>

namespace app {

SortValue settingSort(const QString& value)
{
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber ? SortValue(number) : SortValue(value);
}

QVariant SortedTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t row = rowAt(index.row());
    if (QVariant value = cellRole(index.column(), row, role); value.isValid())
        return role == Qt::ToolTipRole ? toolTipText(value.toString()) : value;
    switch (role) {
    case Qt::DisplayRole:
        return cellText(index.column(), row);
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

QVariant SortedTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ColumnHead& head = columnHead(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(head.alignment | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        return headerToolTip(section, head.title.shown());
    if (role == kSpanRole)
        return mayHave(section, role);
    return role == Qt::DisplayRole ? QVariant(head.title.shown()) : QVariant();
}

QVariant SortedTable::headerToolTip(int section, const QString& title) const
{
    const QString text = definitionText(title) + columnHead(section).remark;
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

void SortedTable::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_sortColumn = column;
    m_sortOrder = order;
    const std::vector<std::size_t> before = m_order;
    sortRows(before.size());
    std::vector<int> shown(m_order.size());
    for (std::size_t i = 0; i < m_order.size(); ++i)
        shown[m_order[i]] = static_cast<int>(i);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& place : from)
        to.append(index(shown[before[static_cast<std::size_t>(place.row())]], place.column()));
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void SortedTable::sortRows(std::size_t rows)
{
    m_order.resize(rows);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    const bool isSorted = m_sortColumn >= 0 && m_sortColumn < columnCount();
    if (!isSorted && std::ranges::all_of(m_order, [&](auto row) { return rowRank(row) == 0; }))
        return;
    using Key = std::pair<int, SortValue>;
    const auto keyOf = [&](std::size_t row) {
        return Key(rowRank(row), isSorted ? cellSort(m_sortColumn, row) : SortValue(0.0));
    };
    const auto isBefore = [this](const Key& a, const Key& b) {
        if (a.first != b.first)
            return a.first < b.first;
        return m_sortOrder == Qt::AscendingOrder ? a.second < b.second : b.second < a.second;
    };
    // Millions of events come in the order of time, and their keys would take 0.3 GB.
    Key last;
    if (std::ranges::all_of(m_order, [&](std::size_t row) {
            const Key before = std::exchange(last, keyOf(row));
            return row == 0 || !isBefore(last, before);
        }))
        return;
    std::vector<Key> keys(rows);
    std::ranges::transform(m_order, keys.begin(), keyOf);
    std::ranges::stable_sort(m_order, isBefore,
                             [&](std::size_t row) -> const Key& { return keys[row]; });
}

void SortedTable::appendRows(std::size_t rows)
{
    while (m_order.size() < rows)
        m_order.push_back(m_order.size());
}

namespace {

constexpr int kPadding = 9, kLeastPadding = 4; // kLeastPadding: left of a number, if space is short
constexpr int kSwatch = 10, kLeastSection = 30; // kLeastSection: width of a column
constexpr int kLevels = 3, kLevelMark = 8, kLevelRoom = kLevels * (kLevelMark + 2) + 2;
constexpr int kShareWidth = 56, kShareHeight = 10;
constexpr int kThumbnailWidth = 62, kThumbnailHeight = 16, kThumbnailRoom = 74;
constexpr int kIconSize = 14, kIconRoom = 18;
constexpr int kScrollStep = 60;      // pixels
constexpr int kDifferenceWidth = 46; // minimum width of a difference, at the right of its value
const QString kUp = QStringLiteral(" ↑"), kDown = QStringLiteral(" ↓");
constexpr int kDifferenceGap = 9, kDifferenceSize = 11;

QColor cellInk(const Chrome& chrome, const QModelIndex& index)
{
    const QColor ink = index.data(kHintRole).toBool() ? chrome.text2 : chrome.text;
    return index.data(kExceedsRole).toBool()    ? chrome.error
        : index.data(kWarnsRole).toBool()       ? chrome.warning
        : index.data(kDifferenceRole).isValid() ? ink
                                                : verdictInk(chrome, index, ink);
}

QFont cellFont(const QModelIndex& index)
{
    if (index.data(kCodeRole).toBool())
        return codeFont(12);
    return uiFont(12, index.data(kStrongRole).toBool() ? QFont::Medium : QFont::Normal);
}

// The line of the value; a tall cell has a second line below it.
QRect firstLine(const QRect& cell)
{
    constexpr int kHeight = 20, kAbove = 7;
    return cell.height() < kTwoLines
        ? cell
        : QRect(cell.left(), cell.top() + kAbove, cell.width(), kHeight);
}

// Right-aligned text needs less padding at its left.
QRect textBox(const QRect& rest, Qt::Alignment alignment)
{
    return rest.adjusted(alignment.testFlag(Qt::AlignRight) ? kLeastPadding : kPadding, 0,
                         -kPadding, 0);
}

} // namespace

CellDelegate::CellDelegate(const ThemeController& theme, DataTable* table)
    : QStyledItemDelegate(table)
    , m_theme(theme)
    , m_table(*table)
{ }

void CellDelegate::paintShare(QPainter& painter, const QRect& cell, double share) const
{
    const QRect bar(cell.left() + kPadding, cell.center().y() - kShareHeight / 2, kShareWidth,
                    kShareHeight);
    painter.fillRect(bar, theme().chrome.hover);
    const double part = std::clamp(share, 0.0, 1.0);
    painter.fillRect(QRect(bar.topLeft(), QSize(qRound(bar.width() * part), bar.height())),
                     toQt(theme().palette.gradients));
}

// Returns the space that is left for the text.
QRect CellDelegate::paintPicture(QPainter& painter, const QRect& cell,
                                 const QModelIndex& index) const
{
    if (const QVariant kind = index.data(kKernelKindRole); kind.isValid()) {
        painter.fillRect(
            QRect(cell.left() + kPadding, cell.center().y() - kSwatch / 2, kSwatch, kSwatch),
            toQt(kernelColour(static_cast<profiler::KernelKind>(kind.toInt()),
                              m_theme.theme().palette)));
        return cell.adjusted(kSwatch + kPadding - 2, 0, 0, 0);
    }
    if (const QVariant icon = index.data(kIconRole); icon.isValid()) {
        const QRect line = firstLine(cell);
        paintIcon(
            painter, static_cast<Icon>(icon.toInt()),
            QRect(line.left() + kPadding, line.center().y() - kIconSize / 2, kIconSize, kIconSize),
            cellInk(m_theme.theme().chrome, index));
        return cell.adjusted(kIconRoom, 0, 0, 0);
    }
    if (index.data(kLevelRole).isValid())
        return paintLevel(painter, cell, index.data(kLevelRole).toInt());
    const QVariant picture = index.data(kThumbnailRole);
    if (!picture.isValid())
        return cell;
    const int height = cell.height() < kTwoLines ? kThumbnailHeight : 2 * kThumbnailHeight;
    const QRectF box(
        QRect(cell.left() + kPadding, cell.center().y() - height / 2, kThumbnailWidth, height));
    if (const auto* thumbnail = picture.value<const Thumbnail*>()) {
        paintThumbnail(painter, box, *thumbnail, index.data(kThumbnailWidthRole).toDouble(),
                       m_theme.theme().palette, m_theme.theme().chrome.text2);
    } else {
        painter.setPen(QPen(m_theme.theme().chrome.lineStrong, 1, Qt::DashLine));
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    return cell.adjusted(kThumbnailRoom, 0, 0, 0);
}

// Returns the space that is left for the text.
QRect CellDelegate::paintLevel(QPainter& painter, const QRect& cell, int filled) const
{
    const Theme& theme = m_theme.theme();
    QRect mark(cell.left() + kPadding, cell.center().y() - kLevelMark / 2, kLevelMark, kLevelMark);
    for (int level = 0; level < kLevels; ++level, mark.translate(kLevelMark + 2, 0)) {
        if (level < filled)
            painter.fillRect(mark, theme.chrome.text2);
        painter.setPen(theme.chrome.text3);
        painter.drawRect(mark.adjusted(0, 0, -1, -1));
    }
    return cell.adjusted(kLevelRoom, 0, 0, 0);
}

// Draws the second line of a tall cell. Returns the space for the first line.
QRect CellDelegate::paintBelow(QPainter& painter, const QRect& cell, const QModelIndex& index) const
{
    constexpr int kSecond = 16;
    const QRect first = firstLine(cell);
    if (first == cell)
        return cell;
    const int room = m_table.differenceRoom(index.column());
    QRect second = first.translated(0, first.height());
    second.setHeight(kSecond);
    second = room > 0 ? second.adjusted(second.width() - room + kDifferenceGap, 0, 0, 0)
                      : second.adjusted(kPadding, 0, -kPadding, 0);
    painter.setFont(uiFont(kDifferenceSize));
    painter.setPen(m_theme.theme().chrome.text2);
    painter.drawText(
        second, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(painter.font())
            .elidedText(index.data(kBelowRole).toString(), Qt::ElideMiddle, second.width()));
    return first;
}

// Returns the space that is left for the value.
QRect CellDelegate::paintDifference(QPainter& painter, const QRect& cell,
                                    const QModelIndex& index) const
{
    const int room = m_table.differenceRoom(index.column());
    const QString text = index.data(kDifferenceRole).toString();
    if (!text.isEmpty()) {
        const Chrome& chrome = m_theme.theme().chrome;
        painter.setFont(uiFont(kDifferenceSize));
        painter.setPen(verdictInk(chrome, index, chrome.text3));
        painter.drawText(QRect(cell.right() - room + kDifferenceGap, cell.top(),
                               room - kDifferenceGap, cell.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    return cell.adjusted(0, 0, -room, 0);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, chrome.selected);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                      chrome.grid);
    const QVariant share = index.data(kShareRole);
    if (share.isValid() && std::isfinite(share.toDouble())) // NaN: unknown
        paintShare(*painter, option.rect, share.toDouble());
    const QRect line = paintBelow(*painter, paintPicture(*painter, option.rect, index), index);
    const QRect rest = paintDifference(*painter, line, index);
    painter->setFont(cellFont(index));
    painter->setPen(cellInk(chrome, index));
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    drawSubscripted(*painter, textBox(rest, alignment), alignment, index.data().toString());
    painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (index.data(kSpanRole).toBool())
        return {0, option.rect.height()};
    constexpr int kMostBelow = 160; // a longer second line is elided
    int width = QFontMetrics(cellFont(index)).horizontalAdvance(index.data().toString());
    if (m_table.differenceRoom(index.column()) == 0)
        width = std::max(width,
                         std::min(kMostBelow,
                                  QFontMetrics(uiFont(kDifferenceSize))
                                      .horizontalAdvance(index.data(kBelowRole).toString())));
    width += 2 * kPadding;
    if (index.data(kShareRole).isValid())
        width += kShareWidth + kPadding;
    if (index.data(kIconRole).isValid())
        width += kIconRoom;
    if (index.data(kLevelRole).isValid())
        width += kLevelRoom;
    if (index.data(kKernelKindRole).isValid())
        width += kSwatch + kPadding - 2;
    if (index.data(kThumbnailRole).isValid())
        width += kThumbnailRoom;
    return {width + m_table.differenceRoom(index.column()), option.rect.height()};
}

TableHeader::TableHeader(const ThemeController& theme, DataTable* table)
    : QHeaderView(Qt::Horizontal, table)
    , m_theme(theme)
    , m_table(*table)
{
    setFixedHeight(28);
    setHighlightSections(false);
    setMinimumSectionSize(kLeastSection);
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    painter->save();
    painter->fillRect(rect, chrome.surface);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), chrome.line);
    const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    QString text = model()->headerData(section, orientation()).toString();
    if (isSorted)
        text += sortIndicatorOrder() == Qt::AscendingOrder ? kUp : kDown;
    painter->setFont(uiFont(12, QFont::Medium));
    const bool isStrong = model()->headerData(section, orientation(), kStrongRole).toBool();
    painter->setPen(isSorted || isStrong ? chrome.text : chrome.text2);
    const auto alignment
        = model()->headerData(section, orientation(), Qt::TextAlignmentRole).value<Qt::Alignment>();
    // The title of a narrow column reaches above the differences.
    const int needed = subscriptedWidth(painter->font(), text) + kPadding + kLeastPadding;
    const int room = std::clamp(rect.width() - needed, 0, m_table.differenceRoom(section));
    drawSubscripted(*painter, textBox(rect.adjusted(0, 0, -room, 0), alignment), alignment, text);
    painter->restore();
}

// Paints the columns that stay in sight over those that scroll, and a mark if there are more at the
// right.
void TableHeader::paintEvent(QPaintEvent* event)
{
    QHeaderView::paintEvent(event);
    const Chrome& chrome = m_theme.theme().chrome;
    QPainter painter(viewport());
    if (const QScrollBar& bar = *m_table.horizontalScrollBar(); bar.value() < bar.maximum()) {
        const QRect end(viewport()->width() - kIconSize, 0, kIconSize, height() - 1);
        painter.fillRect(end, chrome.surface);
        paintIcon(painter, Icon::ChevronRight, end, chrome.text2);
    }
    const int width = m_table.frozenWidth();
    if (width == 0)
        return;
    painter.setClipRect(0, 0, width, height());
    for (int section = 0; section < m_table.frozenColumns(); ++section)
        paintSection(&painter, {sectionPosition(section), 0, sectionSize(section), height()},
                     section);
    painter.fillRect(width - 1, 0, 1, height(), chrome.line);
}

// The mouse over a column that stays in sight is meant for this column.
bool TableHeader::viewportEvent(QEvent* event)
{
    const auto isFrozen = [this](const QPointF& at) { return at.x() < m_table.frozenWidth(); };
    if (auto* mouse = dynamic_cast<QMouseEvent*>(event); mouse && isFrozen(mouse->position())) {
        QMouseEvent moved(mouse->type(), mouse->position() - QPointF(offset(), 0),
                          mouse->globalPosition(), mouse->button(), mouse->buttons(),
                          mouse->modifiers());
        return QHeaderView::viewportEvent(&moved);
    }
    if (const auto* help = dynamic_cast<QHelpEvent*>(event); help && isFrozen(help->pos())) {
        QHelpEvent moved(help->type(), help->pos() - QPoint(offset(), 0), help->globalPos());
        return QHeaderView::viewportEvent(&moved);
    }
    return QHeaderView::viewportEvent(event);
}

QSize TableHeader::sectionSizeFromContents(int section) const
{
    if (model() == nullptr) // a page's member, which is destroyed before the table is hidden
        return {};
    const QString text = model()->headerData(section, orientation()).toString();
    // Reserves space for the sort arrow in every column, because any column can get it.
    const int arrow = isSortIndicatorShown()
        ? QFontMetrics(uiFont(12, QFont::Medium)).horizontalAdvance(kDown)
        : 0;
    return {subscriptedWidth(uiFont(12, QFont::Medium), text) + 2 * kPadding + arrow, height()};
}

DataTable::DataTable(const ThemeController& theme, int rowHeight, QWidget* parent)
    : QTableView(parent)
{
    setItemDelegate(new CellDelegate(theme, this));
    setHorizontalHeader(new TableHeader(theme, this));
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(rowHeight);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false);
    connect(horizontalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        viewport()->update(); // columns that stay in sight do not move with the rest
        horizontalHeader()->viewport()->update();
    });
    connect(&theme, &ThemeController::changed, this, [this] {
        forgetWidths();
        viewport()->update();
        horizontalHeader()->viewport()->update();
    });
    connect(&theme, &ThemeController::unitsChanged, this, [this] {
        forgetWidths();
        shareWidth();
    });
}

void DataTable::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = named(new QMenu(this), "tableMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, QString (*textOf)(const QAbstractItemModel&)) {
        menu->addAction(text, this, [this, textOf] { copyText(textOf(*model())); })
            ->setEnabled(model() != nullptr);
    };
    add(tr("Copy the table as CSV"), csvOf);
    add(tr("Copy the table as LaTeX"), latexOf);
    menu->popup(event->globalPos());
}

void DataTable::setModel(QAbstractItemModel* shown)
{
    QTableView::setModel(shown);
    const auto arrange = [this] {
        forgetWidths();
        spanCells();
        shareWidth();
    };
    connect(shown, &QAbstractItemModel::modelReset, this, arrange);
    connect(shown, &QAbstractItemModel::layoutChanged, this, arrange);
    connect(shown, &QAbstractItemModel::rowsInserted, this, arrange);
    connect(shown, &QAbstractItemModel::rowsRemoved, this, [this] { forgetWidths(); });
    connect(shown, &QAbstractItemModel::dataChanged, this, [this] { forgetWidths(); });
    arrange();
}

void DataTable::spanCells()
{
    clearSpans();
    for (int column = 0; column < model()->columnCount(); ++column) {
        if (!model()->headerData(column, Qt::Horizontal, kSpanRole).toBool())
            continue;
        for (int row = 0; row < model()->rowCount(); ++row)
            if (const int span = model()->index(row, column).data(kSpanRole).toInt(); span > 0)
                setSpan(row, column, 1, span > 1 ? span : model()->columnCount() - column);
    }
}

int DataTable::fittingHeight() const
{
    const std::vector<int> least = widths(0);
    const bool scrolls = std::accumulate(least.begin(), least.end(), 2) > width();
    const int rows = model()->rowCount() * verticalHeader()->defaultSectionSize();
    return horizontalHeader()->height() + rows + 2
        + (scrolls ? horizontalScrollBar()->sizeHint().height() : 0);
}

int DataTable::neededWidth() const
{
    const std::vector<int> all = allWidths();
    return std::accumulate(all.begin(), all.end(), 2);
}

int DataTable::frozenWidth() const
{
    const int width = m_frozen > 0 && m_frozen < horizontalHeader()->count()
        ? horizontalHeader()->sectionPosition(m_frozen)
        : 0;
    return horizontalScrollBar()->value() > 0 && 3 * width < 2 * viewport()->width() ? width : 0;
}

QModelIndex DataTable::indexAt(const QPoint& point) const
{
    const int moved = point.x() < frozenWidth() ? horizontalOffset() : 0;
    return QTableView::indexAt(point - QPoint(moved, 0));
}

QRect DataTable::visualRect(const QModelIndex& index) const
{
    const bool isFrozen = index.column() < m_frozen && frozenWidth() > 0;
    return QTableView::visualRect(index).translated(isFrozen ? horizontalOffset() : 0, 0);
}

void DataTable::scrollTo(const QModelIndex& index, ScrollHint hint)
{
    const int left = horizontalScrollBar()->value();
    QTableView::scrollTo(index, hint);
    if (selectionBehavior() == SelectRows) // otherwise the cell must be in sight
        horizontalScrollBar()->setValue(left);
}

void DataTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    const int width = frozenWidth();
    if (width == 0)
        return;
    QPainter painter(viewport());
    painter.setClipRect(0, 0, width, viewport()->height());
    painter.fillRect(painter.clipBoundingRect(), palette().base());
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    const QStyle::State state = option.state;
    for (int row = std::max(0, rowAt(0)); row < model()->rowCount(); ++row) {
        if (isRowHidden(row))
            continue;
        if (rowViewportPosition(row) >= viewport()->height())
            break;
        for (int column = 0; column < m_frozen; column += columnSpan(row, column)) {
            const QModelIndex index = model()->index(row, column);
            option.rect = visualRect(index);
            option.state = state;
            option.state.setFlag(QStyle::State_Selected, selectionModel()->isSelected(index));
            itemDelegateForIndex(index)->paint(&painter, option, index);
        }
    }
    const auto& header = static_cast<const TableHeader&>(*horizontalHeader());
    painter.fillRect(width - 1, 0, 1, viewport()->height(), header.lineColour());
}

void DataTable::keyPressEvent(QKeyEvent* event)
{
    QScrollBar* bar = horizontalScrollBar();
    const bool isRight = event->key() == Qt::Key_Right;
    if (selectionBehavior() == SelectRows && bar->maximum() > 0
        && (isRight || event->key() == Qt::Key_Left))
        bar->setValue(bar->value() + (isRight ? 1 : -1) * kScrollStep);
    else
        QTableView::keyPressEvent(event);
}

void DataTable::wheelEvent(QWheelEvent* event)
{
    QScrollBar* bar = horizontalScrollBar();
    if (event->modifiers() == Qt::ShiftModifier)
        bar->setValue(bar->value() - event->angleDelta().y() * kScrollStep / 120);
    else
        QTableView::wheelEvent(event);
}

void DataTable::forgetWidths()
{
    m_ofCells.clear();
    m_ofDifferences.clear();
}

int DataTable::differenceRoom(int column) const
{
    if (const auto known = m_ofDifferences.find(column); known != m_ofDifferences.end())
        return known->second;
    const auto text = [&](int row) { return model()->index(row, column).data(kDifferenceRole); };
    const int rows = model() == nullptr ? 0 : model()->rowCount(); // null until setModel()
    const bool hasAny = (rows > 0 && text(0).isValid()) || (rows > 1 && text(1).isValid());
    const QFontMetrics metrics(uiFont(kDifferenceSize));
    int widest = hasAny ? kDifferenceWidth : 0;
    const auto width = [&](int row, int role) {
        const QString shown = model()->index(row, column).data(role).toString();
        return kDifferenceGap + metrics.horizontalAdvance(shown)
            + (role == kBelowRole ? kLeastPadding : kPadding);
    };
    for (int row = 0; hasAny && row < rows; ++row)
        widest = std::max({widest, width(row, kDifferenceRole), width(row, kBelowRole)});
    return m_ofDifferences[column] = widest;
}

std::vector<int> DataTable::allWidths() const
{
    const int columns = model()->columnCount();
    if (m_ofCells.size() != static_cast<std::size_t>(columns))
        m_ofCells.clear();
    for (int column = static_cast<int>(m_ofCells.size()); column < columns; ++column)
        m_ofCells.push_back(sizeHintForColumn(column)); // measures every cell
    std::vector<int> widths = m_ofCells;
    const auto* header = static_cast<TableHeader*>(horizontalHeader());
    for (int column = 0; int& width : widths)
        width = std::max({width, header->widthOf(column++), kLeastSection});
    return widths;
}

// Reduces the padding of number columns by up to `tooMuch` pixels in total.
void DataTable::squeeze(std::vector<int>& widths, int tooMuch) const
{
    const auto isOfNumbers = [this](std::size_t column) {
        const auto alignment
            = model()->headerData(static_cast<int>(column), Qt::Horizontal, Qt::TextAlignmentRole);
        return alignment.value<Qt::Alignment>().testFlag(Qt::AlignRight);
    };
    for (int given = 0; given < kPadding - kLeastPadding; ++given)
        for (std::size_t column = 0; column < widths.size(); ++column)
            if (tooMuch > 0 && widths[column] > kLeastSection && isOfNumbers(column)) {
                --widths[column];
                --tooMuch;
            }
}

void DataTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    shareWidth();
    if (event->oldSize().width() != event->size().width()) // the scroll bar comes or goes
        fitHeight();
}

void DataTable::fitHeight()
{
    const int height = m_fit == Fit::None ? 0 : std::min(fittingHeight(), m_tallest);
    if (m_fit == Fit::Fixed)
        setFixedHeight(height);
    else if (m_fit == Fit::AtMost)
        setMaximumHeight(height);
}

// The width of each column in a table of `room` pixels: what it needs, with less padding if the
// room is short. The rest column and, last, the first column become narrower than their texts.
std::vector<int> DataTable::widths(int room) const
{
    constexpr int kLeastFirst = 120, kLeastRest = 160; // least widths
    std::vector<int> widths = allWidths();
    for (int column = 0; int& width : widths)
        width = isColumnHidden(column++) ? 0 : width;
    const auto left = [&] { return room - std::accumulate(widths.begin(), widths.end(), 0); };
    squeeze(widths, -left());
    const auto shrink = [](int& width, int by, int least) {
        width = std::max(std::min(width, least), width + by);
    };
    if (m_restColumn >= 0)
        shrink(widths[static_cast<std::size_t>(m_restColumn)], left(), kLeastRest);
    const bool hasPicture = model()->index(0, 0).data(kThumbnailRole).isValid();
    if (left() < 0)
        shrink(widths[0], left(), kLeastFirst + (hasPicture ? kThumbnailRoom : 0));
    return widths;
}

// The width that is left is distributed evenly, or the rest column has it.
void DataTable::shareWidth()
{
    const int columns = model() == nullptr ? 0 : model()->columnCount();
    if (columns == 0)
        return;
    const std::vector<int> widths = this->widths(viewport()->width());
    const int left = viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0);
    const int rest = m_restColumn >= 0 ? 0 : std::max(0, left);
    const int shown = columns - horizontalHeader()->hiddenSectionCount();
    int place = 0;
    for (int column = 0; column < columns; ++column)
        if (!isColumnHidden(column)) {
            const int before = rest * place / shown, after = rest * ++place / shown;
            horizontalHeader()->resizeSection(
                column, widths[static_cast<std::size_t>(column)] + after - before);
        }
}

namespace {

// The cells of a row; row -1: the header.
QStringList cellsOf(const QAbstractItemModel& model, int row)
{
    QStringList cells;
    for (int i = 0; i < model.columnCount(); ++i) {
        const QModelIndex cell = model.index(row, i);
        const QString difference = cell.data(kDifferenceRole).toString();
        cells.append(row < 0 ? model.headerData(i, Qt::Horizontal).toString()
                         : difference.isEmpty()
                         ? cell.data().toString()
                         : cell.data().toString() + QLatin1Char(' ') + difference);
    }
    return cells;
}

QString latexText(const QString& text)
{
    static const std::pair<QChar, const char*> kCommands[] = {{u'\\', "\\textbackslash{}"},
                                                              {u'~', "\\textasciitilde{}"},
                                                              {u'^', "\\textasciicircum{}"},
                                                              {u'−', "$-$"},
                                                              {u'±', "$\\pm$"},
                                                              {u'×', "$\\times$"},
                                                              {u'µ', "$\\mu$"},
                                                              {u'–', "--"},
                                                              {u'…', "\\ldots{}"},
                                                              {u'ₐ', "$_a$"},
                                                              {u'θ', "$\\theta$"},
                                                              {u'→', "$\\to$"},
                                                              {u'\u202F', "\\,"},
                                                              {u'\u00A0', "~"}};
    QString latex;
    for (const QChar character : text) {
        const auto* found
            = std::ranges::find(kCommands, character, [](const auto& each) { return each.first; });
        if (found != std::end(kCommands))
            latex += QLatin1String(found->second);
        else if (QStringLiteral("&%$#_{}").contains(character))
            latex += QLatin1Char('\\') + QString(character);
        else
            latex += character;
    }
    return latex;
}

} // namespace

QString csvOf(const QAbstractItemModel& model)
{
    QString all;
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells = cellsOf(model, row);
        std::ranges::transform(cells, cells.begin(), quotedCell);
        all += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return all;
}

QString latexOf(const QAbstractItemModel& model)
{
    QString columns, all;
    for (int i = 0; i < model.columnCount(); ++i) {
        const auto alignment = model.index(0, i).data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        columns += QLatin1Char((alignment & Qt::AlignRight) != 0 ? 'r' : 'l');
    }
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells = cellsOf(model, row);
        std::ranges::transform(cells, cells.begin(), latexText);
        all += QStringLiteral("  %1 \\\\\n").arg(cells.join(QStringLiteral(" & ")));
        if (row < 0)
            all += QStringLiteral("  \\hline\n");
    }
    return QStringLiteral("\\begin{tabular}{%1}\n%2\\end{tabular}\n").arg(columns, all);
}

Verdict differenceVerdict(double difference, double baseline, int decimals, Verdict more)
{
    constexpr double kColouredFrom = 0.01; // share of the baseline
    if (std::abs(difference) <= kColouredFrom * std::abs(baseline)
        || signedNumber(difference, decimals) == QStringLiteral("0"))
        return Verdict::Neutral;
    if (difference > 0)
        return more;
    return more == Verdict::Worse ? Verdict::Better : Verdict::Worse;
}

QColor verdictInk(const Chrome& chrome, Verdict verdict, const QColor& neutral)
{
    switch (verdict) {
    case Verdict::Better:
        return chrome.ok;
    case Verdict::Worse:
        return chrome.error;
    case Verdict::Neutral:
        break;
    }
    return neutral;
}

QColor verdictInk(const Chrome& chrome, const QModelIndex& cell, const QColor& neutral)
{
    return verdictInk(chrome, static_cast<Verdict>(cell.data(kVerdictRole).toInt()), neutral);
}

} // namespace app
