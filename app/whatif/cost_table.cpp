#include "app/whatif/cost_table.h"

#include "app/ui/controls.h"
#include "app/ui/table_roles.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QValidator>

#include <cmath>

namespace app {
namespace {

constexpr int kCostRow = 26, kStruckGap = 5, kCellPadding = 9;

class AboveZero : public QValidator
{
public:
    using QValidator::QValidator;

    State validate(QString& text, int&) const override
    {
        bool isNumber = false;
        QString plain = text;
        const double value = plain.replace(QLatin1Char(','), QLatin1Char('.')).toDouble(&isNumber);
        if (plain.isEmpty() || plain == QLatin1String("."))
            return Intermediate;
        if (!isNumber || !std::isfinite(value) || plain.startsWith(QLatin1Char('-')))
            return Invalid;
        return value > 0 ? Acceptable : Intermediate;
    }
};

} // namespace

void CostDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    CellDelegate::paint(painter, option, index);
    const Chrome& chrome = theme().chrome;
    const QString before = index.data(kBeforeRole).toString();
    painter->save();
    if (!before.isEmpty()) {
        const int now
            = QFontMetrics(uiFont(12, QFont::Medium)).horizontalAdvance(index.data().toString());
        QFont struck = uiFont(11);
        struck.setStrikeOut(true);
        painter->setFont(struck);
        painter->setPen(chrome.text2);
        painter->drawText(option.rect.adjusted(2, 0, -kCellPadding - now - kStruckGap, 0),
                          Qt::AlignRight | Qt::AlignVCenter, before);
        painter->setPen(QPen(chrome.text, 1));
        painter->drawRect(option.rect.adjusted(1, 1, -3, -3));
    }
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(chrome.text, 2));
        painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
    }
    painter->restore();
}

QSize CostDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = CellDelegate::sizeHint(option, index);
    const QString before = index.data(kBeforeRole).toString();
    if (!before.isEmpty())
        size.rwidth() += QFontMetrics(uiFont(11)).horizontalAdvance(before) + kStruckGap;
    return size;
}

QWidget* CostDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex& index) const
{
    auto* field = named(new QLineEdit(parent), "costEditor", tr("Time"));
    field->setProperty("small", true);
    field->setAlignment(Qt::AlignRight);
    field->setValidator(new AboveZero(field));
    field->setAccessibleName(
        index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
    field->setToolTip(tr("Type a number above 0"));
    connect(field, &QLineEdit::textChanged, field,
            [field] { setLook(field, "invalid", !field->hasAcceptableInput()); });
    return field;
}

void CostDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                        const QModelIndex&) const
{
    constexpr int kLeastEditor = 64;
    QRect box = option.rect;
    box.setLeft(std::min(box.left(), box.right() - kLeastEditor));
    editor->setGeometry(box);
}

CostTable::CostTable(const ThemeController& theme, QWidget* parent)
    : DataTable(theme, kCostRow, parent)
{
    setItemDelegate(new CostDelegate(theme, this));
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                    | QAbstractItemView::AnyKeyPressed);
}

// Starts editing with Enter. While a cell is edited, its editor handles Enter.
void CostTable::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && state() != EditingState && currentIndex().flags().testFlag(Qt::ItemIsEditable)) {
        edit(currentIndex());
        return;
    }
    DataTable::keyPressEvent(event);
}

} // namespace app
