#pragma once

#include <span>
#include <string>
#include <string_view>

namespace profiler {

// The meaning of a number. The tooltips of the window, `bscope analyze --definitions`, the manual
// and the HTML report take their texts from one table.
struct Definition
{
    std::string_view term;    // "Bubble ratio"
    std::string_view formula; // "sum of bubbles / (D x iteration)"
    std::string_view meaning; // one sentence
    std::string_view source;  // paper and section, or where the program defines it
    // Column titles and labels that show this number, without units, separated by "|".
    std::string_view labels;
};

std::span<const Definition> definitions();

// The definition of the number with this column title or label; nullptr if it has none. Ignores
// case, and a unit or index after a comma, as in "Peak stash, M_a".
const Definition* findDefinition(std::string_view label);

// All definitions as text for a terminal, at most 100 columns wide.
std::string definitionsText();

} // namespace profiler
