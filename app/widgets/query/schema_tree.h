#pragma once

#include "profiler/store/query.h"

#include <QTreeWidget>

#include <vector>

namespace app {

// The tables of a run and their columns, with what they hold.
class SchemaTree : public QTreeWidget
{
    Q_OBJECT

public:
    explicit SchemaTree(QWidget* parent = nullptr);

    void show(const std::vector<profiler::SchemaTable>& tables);
    using QTreeWidget::show;
    void filter(const QString& text); // of the name or the meaning of a table or a column

Q_SIGNALS:
    void chosen(const QString& name);    // of a table or a column, quoted if necessary
    void described(const QString& text); // of the current table or column: what it holds
};

} // namespace app
