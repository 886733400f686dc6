#pragma once

#include <QString>

#include <optional>
#include <string_view>

namespace app {

// The values of the letters in a scheme's formula.
struct FormulaNumbers
{
    int devices = 1, microBatches = 1, chunks = 1, slices = 1; // D, N, v, S
};

// A closed form with the numbers filled in.
struct ClosedForm
{
    QString formula;             // "(D−2)/(3N+D−2) at N = D": as written in the scheme
    QString filled;              // "(4−2)/(3·4+4−2)"; "" if the formula cannot be evaluated
    std::optional<double> value; // 0.1428...; nullopt if the formula does not apply
    bool applies = true;         // false: its condition, such as "at N = D", does not hold

    friend bool operator==(const ClosedForm&, const ClosedForm&) = default;
};

// Evaluates a formula in the notation of Scheme::bubbleFormula:
//  * An expression has + - * / and parentheses over numbers and the letters D, N, v and S. Adjacent
//    factors are multiplied ("3N", "2(D-1)").
//  * "at" or "for" begins a condition ("N >= D > 2", "even D", "D = 3k+1").
//  * A comma begins another case.
//  * ";" begins a condition for all cases, or a remark.
//
// A formula with other words is shown but not evaluated.
ClosedForm closedForm(std::string_view formula, const FormulaNumbers& numbers);

} // namespace app
