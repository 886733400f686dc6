#pragma once

#include "app/compare/compare_layout.h"
#include "app/compare/compare_numbers.h"
#include "app/ui/table_roles.h"

#include <QString>

#include <vector>

namespace app {

// A column of numbers beside the lanes of a compact comparison.
struct CompareColumn
{
    enum class Kind { Iteration, Difference, Percent, Bubble, Peak, Messages };

    Kind kind = Kind::Iteration;
    QString title; // includes the unit
    double left = 0, width = 0;

    // The metric by which a click on the title ranks the runs.
    profiler::RankBy ranksBy() const;
};

// Lays out the columns at the right of a widget that is `width` pixels wide. Leaves out columns so
// that the time area keeps at least 320 pixels. `headers` is the width of the headers, which are to
// the left of the time area.
std::vector<CompareColumn> layoutColumns(const CompareNumbers& numbers, const CompareLayout& layout,
                                         double headers, double width);

struct CompareCell
{
    QString text;
    Verdict verdict = Verdict::Neutral; // colour of a difference
    bool isHint = false;                // "baseline"
    double share = -1;                  // length of the bar before the text, 0 to 1; < 0: no bar
};
// The cell of a run, or of one of its devices.
CompareCell compareCell(const CompareNumbers& numbers, const CompareLayout& layout,
                        const CompareRow& row, CompareColumn::Kind kind);
CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        engine::DeviceId device, CompareColumn::Kind kind);

} // namespace app
