#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/support/pipelines.h"

#include <random>

using namespace engine;
using namespace tests;

namespace {

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::string joinLines(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + '\n';
    return text;
}

class Mutator
{
public:
    std::string operator()(const std::string& text)
    {
        std::vector<std::string> lines = linesOf(text);
        for (int i = 0; i <= number(3); ++i)
            mutate(lines);
        return joinLines(lines);
    }

private:
    int number(std::size_t bound)
    {
        return static_cast<int>(std::uniform_int_distribution<std::size_t>(0, bound - 1)(m_random));
    }
    std::string& any(std::vector<std::string>& lines)
    {
        return lines[static_cast<std::size_t>(number(lines.size()))];
    }

    void mutate(std::vector<std::string>& lines)
    {
        static constexpr std::string_view kLetters = "0123456789,-.FBIWSRAOPTEVLDC\r \0";
        std::string& line = any(lines);
        switch (number(6)) {
        case 0:
            if (lines.size() > 1)
                lines.erase(lines.begin() + number(lines.size()));
            break;
        case 1:
            lines.insert(lines.begin() + number(lines.size()), any(lines));
            break;
        case 2:
            std::swap(line, any(lines));
            break;
        case 3: // swaps the ops of two rows: the index columns stay in order
            swapTails(line, any(lines));
            break;
        case 4:
            if (!line.empty())
                line.erase(static_cast<std::size_t>(number(line.size())), 1);
            break;
        default:
            if (!line.empty())
                line[static_cast<std::size_t>(number(line.size()))]
                    = kLetters[static_cast<std::size_t>(number(kLetters.size()))];
        }
    }

    // Everything behind device and index.
    static void swapTails(std::string& a, std::string& b)
    {
        const std::size_t inA = a.find(',', a.find(',') + 1);
        const std::size_t inB = b.find(',', b.find(',') + 1);
        if (inA == std::string::npos || inB == std::string::npos)
            return;
        const std::string tail = a.substr(inA);
        a = a.substr(0, inA) + b.substr(inB);
        b = b.substr(0, inB) + tail;
    }

    std::mt19937 m_random{7};
};

} // namespace

TEST_CASE("no mutation of a schedule file crashes, and what is valid can be simulated")
{
    Mutator mutate;
    int read = 0;
    int valid = 0;
    for (const Schedule& original :
         {scheduleOf("1f1b", 3, 4), lower(scheduleOf("1f1b", 2, 3)), scheduleOf("bitpipe", 4, 4),
          lower(scheduleOf("bitpipe", 2, 4))}) {
        const std::string text = writeCsv(original);
        for (int i = 0; i < 2000; ++i) {
            const std::string mutated = mutate(text);
            const auto schedule = readCsv(mutated);
            if (!schedule)
                continue;
            ++read;
            const bool isValid = validate(*schedule).empty();
            const bool hasTransfers
                = std::ranges::any_of(messagesSent(*schedule), [](int n) { return n > 0; });
            const Schedule lowered = isValid && !hasTransfers ? lower(*schedule) : *schedule;
            const auto costs = unitOpCosts(lowered, {});
            REQUIRE(costs);
            const auto timeline = simulate(lowered, *costs);
            if (isValid) {
                ++valid;
                INFO(mutated);
                CHECK(timeline);
            }
        }
    }
    CHECK(read > 100);
    CHECK(valid > 20);
}
