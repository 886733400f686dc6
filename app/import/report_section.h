#pragma once

#include "app/ui/controls.h"

#include <initializer_list>

namespace app {

class DataTable;

// Parts of the import report: a section has a title, a hint at its right, and cells below a line.

inline const QMargins kSectionPadding(14, 10, 14, 12);
inline constexpr int kReportRow = 26, kTallestTable = 260; // longer tables scroll

QLabel* makePlainLabel(const QString& text, const char* role); // for texts that come from files
QLabel* makeSectionHint(const QString& text);                  // hidden in a narrow window
QWidget* makeSection(QLabel* title, QLabel* hint, std::initializer_list<Cell> cells);
// A text in place of a table without rows.
QLabel* makeEmptyText(const QString& text);
// Shows the table with as many rows as fit into `tallest` pixels, or `empty` if it has none.
void showRows(DataTable& table, QLabel& empty, int tallest = kTallestTable);

} // namespace app
