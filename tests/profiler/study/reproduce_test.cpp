#include "profiler/study/reproduce.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

using namespace profiler;

namespace {

const Reproduction& ofBitPipe()
{
    static const Reproduction kAll = reproduce(Paper::BitPipe).value();
    return kAll;
}

// The computed values of the rows with these texts.
std::vector<double> computed(const Reproduction& all, const std::string& what,
                             const std::string& conditions, const std::string& mapping = "")
{
    std::vector<double> values;
    for (const Reproduced& row : all.rows)
        if (row.what.find(what) != std::string::npos
            && row.conditions.find(conditions) != std::string::npos
            && row.mapping.starts_with(mapping))
            values.push_back(std::round(1000 * row.computed) / 1000);
    return values;
}

} // namespace

TEST_CASE("numbers outside their tolerance are BitPipe's formula at N > D, and speed-ups")
{
    for (const Paper paper : {Paper::BitPipe, Paper::Bpipe}) {
        const auto all = reproduce(paper);
        REQUIRE(all);
        CHECK(all->rows.size() > 20);
        CHECK(!all->answers.empty());
        for (const Reproduced& row : all->rows) {
            INFO(row.what << ", " << row.conditions << ": published " << row.published
                          << ", computed " << row.computed);
            CHECK(!row.conditions.empty());
            const bool isFormula
                = row.what.find("bubble (D-2)/(3N+D-2)") != std::string::npos && !row.cause.empty();
            const bool isBeyond = row.what.find("(1.05 to 1.28)") != std::string::npos
                && (row.computed < 1.05 || row.computed > 1.28);
            CHECK(row.isWithin() == !(isFormula || isBeyond));
            CHECK((row.isWithin() || !row.cause.empty()));
        }
    }
}

// The cause was the communication, although the ratio without it is outside, too.
TEST_CASE("the cause of a speed-up outside the range brings it inside")
{
    for (const Reproduced& row : ofBitPipe().rows) {
        if (row.isWithin() || row.what.find("speed-up") == std::string::npos)
            continue;
        INFO(row.what << ", " << row.conditions << ": " << row.cause);
        REQUIRE((row.cause.starts_with("With N = ") || row.cause.starts_with("With concat = ")));
        const double ratio = std::stod(row.cause.substr(row.cause.find("ratio is ") + 9));
        CHECK(ratio > 1.05);
        CHECK(ratio < 1.28);
        const std::string condition = row.cause.substr(5, row.cause.find(" the") - 5); // "N = 16"
        const auto others = computed(
            ofBitPipe(), row.what, condition.substr(condition.find("concat = ") == 0 ? 9 : 0) + ",",
            row.mapping);
        CHECK(std::ranges::find(others, ratio) != others.end());
    }
    for (const Reproduced& row :
         ofBitPipe().rows) // the bubble of the schedule that the cause names
        if (row.cause.find("adds (D-2)(N/D-1)/2 units") != std::string::npos) {
            int d = 0, n = 0;
            REQUIRE(std::sscanf(row.conditions.c_str(), "D = %d, N = %d", &d, &n) == 2);
            const double bubble = (d - 2.0) * (1 + (1.0 * n / d - 1) / 2);
            CHECK(row.computed == Approx(100 * bubble / (3 * n + bubble)));
        }
}

// BitPipe's replicas were in one node and those of the others were not: 1.86 times 1F1B.
TEST_CASE("BitPipe is compared with other schemes at equal placement, and with the best of each")
{
    const auto best = [](const char* concat, const char* mapping) {
        std::vector<double> values;
        for (const char* size : {"N = 8, ", "N = 16, ", "N = 32, "})
            std::ranges::copy(
                computed(ofBitPipe(), "the best other scheme", std::string(size) + concat, mapping),
                std::back_inserter(values));
        return values;
    };
    using Values = std::vector<double>;
    // BERT-64 and GPT-96 at N = 8, 16 and 32
    CHECK(best("direct", "replicas-together") == Values{1.184, 1.158, 1.072, 1.051, 1.009, 0.99});
    CHECK(best("early", "replicas-together") == Values{1.184, 1.158, 1.138, 1.12, 1.096, 1.085});
    CHECK(best("direct", "fastest of each scheme: replicas-together, replicas-together")
          == Values{1.184, 1.158, 1.072, 1.051, 1.009, 0.99});
    const std::string setUp = "bert-64, b = 4, D = 8, N = 16, direct";
    CHECK(computed(ofBitPipe(), "over 1F1B", setUp) == Values{1.256});
    CHECK(computed(ofBitPipe(), "over Chimera", setUp) == Values{1.158});
    CHECK(computed(ofBitPipe(), "over MixPipe", setUp) == Values{1.14});
}

// V and looping had different orders, so that fewer messages seemed to make BitPipe slower.
TEST_CASE("the placement of BitPipe is compared in one order of ops")
{
    CHECK(ofBitPipe().answers.back().starts_with(
        "In one order of ops (alternate), the V takes 130.0 units and looping 132.5: fewer "
        "messages (896 against 960) gain 2.5; the order of early costs the V 8.0 units, so that it "
        "takes 138.0, because its critical path passes 82 messages and 97.0 units of compute, that "
        "of looping 71 messages and 97.0 units"));
}

TEST_CASE("the speed-ups of BPipe miss their tolerance without the rules of attention kernels")
{
    const auto all = reproduce(Paper::Bpipe).value();
    const auto row = std::ranges::find(
        all.rows, "GPT-3 96B, attention recomputed, b 1 -> 2: speed-up", &Reproduced::what);
    REQUIRE(row != all.rows.end());
    CHECK(row->deviation() == Approx(-0.057).margin(0.001));
    CHECK(row->published - row->tolerance > 0.988); // with the same kernel at both sizes
    CHECK(computed(all, "LLaMA 65B, flash attention", "") == std::vector<double>{0.931});
}
