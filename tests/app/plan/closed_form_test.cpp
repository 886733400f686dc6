#include "app/plan/run_plan.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

using namespace app;

TEST_CASE("a closed form is filled in with the numbers and evaluated")
{
    const ClosedForm form = closedForm("(D-2)/(3N+D-2) at N = D", {4, 4, 2, 1});
    CHECK(form.applies);
    CHECK(form.formula == QStringLiteral("(D−2)/(3N+D−2) at N = D"));
    CHECK(form.filled == QStringLiteral("(4−2)/(3·4+4−2)"));
    REQUIRE(form.value);
    CHECK(*form.value == Approx(1.0 / 7));
}

TEST_CASE("a closed form has no value if its condition does not hold")
{
    CHECK_FALSE(closedForm("(D-2)/(3N+D-2) at N = D", {4, 8, 2, 1}).applies);
    const char* withRemark = "(D-1)/(6N+D-1) for N >= 2D-1; 0 without fill and drain";
    CHECK_FALSE(closedForm(withRemark, {4, 6, 2, 1}).applies);
    CHECK(closedForm(withRemark, {4, 7, 2, 1}).value);
}

TEST_CASE("neighbours in a closed form are multiplied, from the left")
{
    CHECK(*closedForm("1 - 3N/(3D+(N-1)(2D+1))", {4, 4, 1, 1}).value == Approx(1 - 12.0 / 39));
    CHECK(*closedForm("(D-2)(N/D+1)/(3N+(D-2)(N/D+1))", {4, 8, 1, 1}).value == Approx(0.2));
    CHECK(*closedForm("(D-1)/(SN+D-1) for S equal slices", {4, 4, 1, 2}).value == Approx(3.0 / 11));
}

TEST_CASE("a closed form of several cases takes the one that holds")
{
    const char* half = "(3D-7)/(6N+3D-7) for even D, (3D-4)/(6N+3D-4) for odd D; N >= D > 2";
    CHECK(*closedForm(half, {4, 8, 2, 1}).value == Approx(5.0 / 53));
    CHECK(*closedForm(half, {5, 8, 2, 1}).value == Approx(11.0 / 59));
    CHECK_FALSE(closedForm(half, {2, 8, 2, 1}).applies);
    const char* least = "(4D-5)/(6N+4D-5) for D = 3k+1, else (4D-7)/(6N+4D-7); N >= D > 1";
    CHECK(*closedForm(least, {4, 8, 2, 1}).value == Approx(11.0 / 59));
    CHECK(*closedForm(least, {6, 8, 2, 1}).value == Approx(17.0 / 65));
    CHECK_FALSE(closedForm(least, {6, 5, 2, 1}).applies);
}

TEST_CASE("a formula in other words is shown and not evaluated")
{
    const ClosedForm form = closedForm("about half of 1F1B", {4, 4, 1, 1});
    CHECK(form.applies);
    CHECK_FALSE(form.value);
    CHECK(form.filled.isEmpty());
    CHECK_FALSE(closedForm("(D-1)/(N-N)", {4, 4, 1, 1}).value); // 3 / 0
}

TEST_CASE("a closed form for multiples of D does not apply to other numbers")
{
    const auto form = [](int microBatches) {
        return closedForm("(D-1)/(vN+D-1) for N = kD", {4, microBatches, 2, 1});
    };
    CHECK(form(8).value == Approx(3.0 / 19));
    CHECK(form(4).applies);
    CHECK_FALSE(form(10).applies);
    CHECK_FALSE(form(3).value);
}

TEST_CASE("every scheme's formula is one that can be filled in")
{
    for (const engine::Scheme& scheme : engine::schemes()) {
        if (scheme.bubbleFormula.empty() || scheme.bubbleFormula.starts_with("at most"))
            continue; // a bound is no closed form
        INFO(scheme.name << ": " << scheme.bubbleFormula);
        const bool holdsSomewhere = closedForm(scheme.bubbleFormula, {4, 4, 2, 2}).value
            || closedForm(scheme.bubbleFormula, {4, 8, 2, 2}).value;
        CHECK(holdsSomewhere);
    }
}
