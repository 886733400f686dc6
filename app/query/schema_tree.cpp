#include "app/query/schema_tree.h"

#include "app/ui/text.h"

#include <QHeaderView>
#include <QRegularExpression>

namespace app {
namespace {

constexpr int kTextRole = Qt::UserRole, kNameRole = Qt::UserRole + 1;

// Quotes names that are SQL keywords, such as the columns `begin` and `end`, or that are not
// identifiers.
QString inSql(const QString& name)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
    static const QStringList keywords{QStringLiteral("begin"), QStringLiteral("end"),
                                      QStringLiteral("group"), QStringLiteral("order")};
    return plain.match(name).hasMatch() && !keywords.contains(name.toLower())
        ? name
        : QLatin1Char('"') + name + QLatin1Char('"');
}

QTreeWidgetItem* makeItem(const QString& name, const QString& second, const QString& tip)
{
    auto* item = new QTreeWidgetItem({name, second});
    item->setData(0, kNameRole, name);
    item->setData(0, kTextRole, tip.isEmpty() ? name : name + QStringLiteral(": ") + tip);
    if (!tip.isEmpty())
        for (const int column : {0, 1})
            item->setData(column, Qt::ToolTipRole, toolTipText(tip));
    return item;
}

QString columnTip(const profiler::SchemaTable::Column& column)
{
    QStringList parts;
    for (const std::string_view text : {column.meaning, column.unit})
        if (!text.empty())
            parts.append(fromUtf8(text));
    return parts.join(QStringLiteral("; "));
}

} // namespace

SchemaTree::SchemaTree(QWidget* parent)
    : QTreeWidget(parent)
{
    setColumnCount(2);
    setHeaderHidden(true);
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setIndentation(14);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    // A double click inserts the name of a table; its arrow or a key expands it.
    setExpandsOnDoubleClick(false);
    connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        Q_EMIT chosen(inSql(item->data(0, kNameRole).toString()));
    });
    connect(this, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
        Q_EMIT described(item == nullptr ? QString() : item->data(0, kTextRole).toString());
    });
}

void SchemaTree::show(const std::vector<profiler::SchemaTable>& tables)
{
    clear();
    for (const profiler::SchemaTable& table : tables) {
        QTreeWidgetItem* top = makeItem(fromUtf8(table.name), {}, fromUtf8(table.holds));
        for (const auto& column : table.columns)
            top->addChild(makeItem(fromUtf8(column.name),
                                   fromUtf8(column.type).section(QLatin1Char(' '), 0, 0).toLower(),
                                   columnTip(column)));
        addTopLevelItem(top);
    }
}

void SchemaTree::filter(const QString& text)
{
    const auto matches = [&](const QTreeWidgetItem* item) {
        return item->data(0, kTextRole).toString().contains(text, Qt::CaseInsensitive);
    };
    for (int i = 0; i < topLevelItemCount(); ++i) {
        QTreeWidgetItem* table = topLevelItem(i);
        bool hasColumn = false;
        for (int k = 0; k < table->childCount(); ++k) {
            const bool isShown = matches(table) || matches(table->child(k));
            table->child(k)->setHidden(!isShown);
            hasColumn = hasColumn || matches(table->child(k));
        }
        table->setHidden(!matches(table) && !hasColumn);
        table->setExpanded(!text.isEmpty() && hasColumn);
    }
}

} // namespace app
