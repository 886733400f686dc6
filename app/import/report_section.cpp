#include "app/import/report_section.h"

#include "app/ui/data_table.h"

#include <QVBoxLayout>

#include <algorithm>

namespace app {

QLabel* makePlainLabel(const QString& text, const char* role)
{
    QLabel* label = makeLabel(text, role);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* makeSectionHint(const QString& text)
{
    return named(makeLabel(text, "hint"), "sectionHint");
}

QWidget* makeSection(QLabel* title, QLabel* hint, std::initializer_list<Cell> cells)
{
    constexpr int kTitle = 34;
    auto* section = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(section), {}, 0,
                          {makeBar(kTitle, 8, {title, kStretch, hint}), makeLine(Qt::Horizontal)});
    fill(*column, cells);
    column->addStretch(1);
    return section;
}

QLabel* makeEmptyText(const QString& text)
{
    QLabel* label = makeLabel(text, "small");
    label->setContentsMargins(kSectionPadding);
    label->setWordWrap(true);
    return label;
}

void showRows(DataTable& table, QLabel& empty, int tallest)
{
    const bool hasRows = table.model()->rowCount() > 0;
    table.setVisible(hasRows);
    empty.setVisible(!hasRows);
    table.setFixedHeight(std::min(table.fittingHeight(), tallest));
}

} // namespace app
