#pragma once

#include <QString>

#include <optional>
#include <string_view>

namespace app {

// What the letters of a scheme's formula stand for.
struct FormulaNumbers
{
    int devices = 1, microBatches = 1, chunks = 1, slices = 1; // D, N, v, S
};

// A closed form with the numbers filled in.
struct ClosedForm
{
    QString formula; // "(D−2)/(3N+D−2) at N = D": as the scheme states it
    QString filled;  // "(4−2)/(3·4+4−2)"; "" where it says nothing about these numbers
    std::optional<double> value; // 0.1428...: only where it applies
    bool applies = true;         // false: its condition ("at N = D") does not hold

    friend bool operator==(const ClosedForm&, const ClosedForm&) = default;
};

// Reads the notation of Scheme::bubbleFormula: + - * / and parentheses over numbers and D N v S,
// neighbours are multiplied ("3N", "2(D-1)"); "at" or "for" begins a condition ("N >= D > 2", "even
// D", "D = 3k+1"), a comma another case, ";" a condition for all of it, or a remark. A formula with
// other words is shown and not evaluated.
ClosedForm closedForm(std::string_view formula, const FormulaNumbers& numbers);

} // namespace app
