#pragma once

#include "profiler/store/query.h"

#include <QTreeWidget>

#include <vector>

namespace app {

// The tables of a run and their columns, with a description of each.
class SchemaTree : public QTreeWidget
{
    Q_OBJECT

public:
    explicit SchemaTree(QWidget* parent = nullptr);

    void show(const std::vector<profiler::SchemaTable>& tables);
    using QTreeWidget::show;
    // Keeps the tables and columns whose name or description contains `text`.
    void filter(const QString& text);

Q_SIGNALS:
    // A table or column was chosen; its name is quoted if necessary.
    void chosen(const QString& name);
    void described(const QString& text); // description of the current table or column
};

} // namespace app
