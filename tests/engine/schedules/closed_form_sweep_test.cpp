#include "profiler/analysis/metrics.h"
#include "tests/engine/schedules/closed_form_rows.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

// D in 2..64 and every N in D..8D of a row's domain.

namespace {

using namespace closed_forms;

class Comparison
{
public:
    void is(const char* what, double found, double form, Is holds = Is::Equal)
    {
        const double off = found - form; // not a number: there is no form
        if (off > 1e-6 || (off < -1e-6 && holds == Is::Equal))
            m_text += fmt::format("; {} {} for {}", what, found, form);
    }
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

// What of the schedule is not as the row has it, "" where all is.
std::string difference(const Row& row, Size size)
{
    ScheduleRequest request = requestOf(row.scheme, size.devices, size.microBatches);
    request.options = row.options;
    request.chunks = row.chunks;
    const auto schedule = buildSchedule(request, limitOfMachine(kBytesPerSummedOp));
    if (!schedule)
        return "; refused: " + schedule.error().message;
    const auto prices = unitPrices(schedule->shape, {});
    const auto summaries = summarize(*schedule, *prices);
    if (!summaries)
        return "; " + summaries.error().message;
    const auto metrics = profiler::metrics(*schedule, summaries->front());
    const auto in = [&](std::int64_t ticks) {
        return static_cast<double>(ticks) / static_cast<double>(prices->ticksPerUnit);
    };
    const double work = 3 * size.N(), bubble = row.bubble(size);
    Comparison comparison;
    comparison.is("makespan", in(metrics.duration), work + bubble, row.holds);
    comparison.is("span", in(metrics.span), work + (row.idle ? row.idle(size) : bubble), row.holds);
    comparison.is("bubble ratio", metrics.bubbleRatio, bubble / (work + bubble), row.holds);
    comparison.is("messages", metrics.messages, row.messages(size));
    comparison.is("copies", metrics.localCopies, row.copies(size));
    for (int d = 0; d < size.devices; ++d) {
        const auto& device = metrics.devices[{d}];
        comparison.is("peak stash", device.peakStash, row.peak(size, d), row.holds);
        comparison.is("weights", device.weights, row.weights(size, d));
    }
    return comparison.text();
}

std::vector<Size> domainOf(const Row& row)
{
    std::vector<Size> sizes;
    for (int devices = 2; devices <= 64; ++devices)
        for (int n = devices; n <= 8 * devices; ++n)
            if (row.domain({devices, n}))
                sizes.push_back({devices, n});
    return sizes;
}

// All of `sizes` or, evenly spread, so many that they come to about `micro-batches x devices`.
std::vector<Size> some(const std::vector<Size>& sizes, double most)
{
    double all = 0;
    for (const Size size : sizes)
        all += size.D() * size.N();
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(all / most)));
    std::vector<Size> chosen;
    for (std::size_t i = 0; i < sizes.size(); i += stride)
        chosen.push_back(sizes[i]);
    return chosen;
}

void check(const Row& row, const std::vector<Size>& sizes)
{
    int wrong = 0;
    for (const Size size : sizes)
        if (const std::string text = difference(row, size); !text.empty() && ++wrong <= 5)
            FAIL_CHECK(nameOf(row) << ", D=" << size.devices << " N=" << size.microBatches << text);
    INFO(nameOf(row));
    CHECK(wrong == 0);
}

// Of interleaved 1F1B, with what N leaves over behind the last group: whether every size that is
// accepted runs through. How many were tried.
int runLeftOvers(int fewest, int step)
{
    int tried = 0;
    for (int devices = fewest; devices <= 64; devices += step)
        for (int n = devices; n <= 8 * devices; n += 1 + (step - 1) * 3)
            for (const int chunks : {2, 3, 4}) {
                ScheduleRequest request = requestOf("interleaved-1f1b", devices, n);
                request.chunks = chunks;
                if (n % 3 == 1)
                    request.options["group"] = std::to_string(devices + n % 7);
                const auto schedule = buildSchedule(request);
                if (!schedule)
                    continue;
                ++tried;
                if (!summarize(*schedule, *unitPrices(schedule->shape, {})))
                    FAIL_CHECK("D=" << devices << " N=" << n << " v=" << chunks << " is stuck");
            }
    return tried;
}

} // namespace

TEST_CASE("interleaved 1F1B with D-2 micro-batches or more left over is never stuck")
{
    CHECK(runLeftOvers(2, 9) > 30);
}

TEST_CASE("interleaved 1F1B is never stuck for D in 2..64, N in D..8D", "[.sweep]")
{
    CHECK(runLeftOvers(2, 1) > 1000);
}

TEST_CASE("the closed forms hold at sizes spread over D in 2..64 and N in D..8D")
{
    constexpr double kMost = 300'000; // micro-batches x devices of a row
    for (const Row& row : table()) {
        const std::vector<Size> sizes = some(domainOf(row), kMost);
        CHECK(sizes.size() >= 10);
        check(row, sizes);
    }
}

TEST_CASE("the closed forms hold for D in 2..64 and every N in D..8D", "[.sweep]")
{
    for (const Row& row : table()) {
        INFO(nameOf(row));
        check(row, domainOf(row));
    }
}
