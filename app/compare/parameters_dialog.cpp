#include "app/compare/parameters_dialog.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kRow = 26, kValuePadding = 9;
constexpr int kValue = 2; // column

// Wraps long values instead of eliding them, because they often differ only at their ends.
class ValueDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Chrome& chrome = theme().chrome;
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, chrome.selected);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                          chrome.grid);
        painter->setFont(uiFont(12));
        painter->setPen(chrome.text);
        painter->drawText(option.rect.adjusted(kValuePadding, 0, -kValuePadding, 0),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                          index.data().toString());
        painter->restore();
    }
};

// Makes every row high enough for its wrapped value.
void fitHeights(DataTable& table)
{
    const QFontMetrics metrics(uiFont(12));
    const QRect room(0, 0, table.columnWidth(kValue) - 2 * kValuePadding, 10000);
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString value = table.model()->index(row, kValue).data().toString();
        const int height = metrics.boundingRect(room, Qt::TextWordWrap, value).height();
        table.setRowHeight(row, std::max(kRow, height + kRow - metrics.height()));
    }
}

} // namespace

ParametersDialog::ParametersDialog(const ThemeController& theme,
                                   std::vector<RunParameter> parameters, const QStringList& titles,
                                   QWidget* parent)
    : QDialog(parent)
{
    constexpr QSize kSize(760, 620);
    setObjectName(QStringLiteral("parametersDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Parameters of the compared runs"));
    auto* model = new ParametersModel(this);
    model->show(std::move(parameters), titles);
    auto* table = named(new DataTable(theme, kRow), "parametersTable", windowTitle());
    table->setModel(model);
    table->setRestColumn(kValue);
    table->setItemDelegateForColumn(kValue, new ValueDelegate(theme, table));
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, table,
            [table] { fitHeights(*table); });
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeParameters"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* row = spaced(new QHBoxLayout, {12, 10, 12, 10}, 8, {kStretch, close});
    spaced(new QVBoxLayout(this), {}, 0, {{table, 1}, makeLine(Qt::Horizontal), row});
    resize(kSize);
    fitToScreen(*this);
}

} // namespace app
