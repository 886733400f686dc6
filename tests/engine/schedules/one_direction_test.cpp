#include "engine/schedule/check/validate.h"
#include "tests/support/pipelines.h"

#include <functional>
#include <random>

using namespace engine;
using namespace tests;

namespace {

// The row of a scheme in the table of closed forms; D, N, v and S of the schedule.
struct Setting
{
    int devices = 0, microBatches = 0, chunks = 1, slices = 1;

    int parts() const { return chunks * slices; } // a device's work on one micro-batch is so many
};
struct Row
{
    std::string scheme;
    std::function<bool(const Setting&)> inDomain;
    std::function<double(const Setting&)> bubbleTime;    // makespan - 3N
    std::function<int(const Setting&, int device)> peak; // in chunks of a micro-batch or slices
    std::function<int(const Setting&)> messages;
    std::map<std::string, std::string, std::less<>> options = {};
    bool spanIsFull = false; // no device idles between its own first and last op
    int chunks = 1, slices = 1;
    std::function<int(const Setting&, int device)> copies = [](const Setting&, int) { return 0; };
};

std::function<double(const Setting&)> ramp(int ops)
{
    return
        [ops](const Setting& s) { return ops * (s.devices - 1) / static_cast<double>(s.parts()); };
}
bool always(const Setting&)
{
    return true;
}
bool multipleOfDevices(const Setting& s)
{
    return s.microBatches % s.devices == 0;
}
bool fillsTheWarmUp(const Setting& s)
{
    return s.microBatches >= 2 * s.devices - 1;
}
int everyHop(const Setting& s)
{
    return 2 * s.microBatches * s.slices * (s.devices * s.chunks - 1);
}

std::vector<Row> oneChunk()
{
    const auto warm = [](int factor, int more) {
        return [factor, more](const Setting& s, int d) {
            return std::min(s.microBatches, factor * (s.devices - 1 - d) + more);
        };
    };
    const auto ofFirst = [](const Setting& s, int) { return s.devices; };
    const auto twice = [](const Setting& s, int) { return 2 * s.devices - 1; };
    const auto all = [](const Setting& s, int) { return s.microBatches; };
    return {
        {"gpipe", always, ramp(3), all, everyHop},
        {"1f1b", always, ramp(3), warm(1, 1), everyHop},
        {"eager-1f1b", always, ramp(3), warm(2, 1), everyHop},
        {"1f1b-overlap", always, ramp(3), warm(2, 2), everyHop},
        {"zb-h1", always, ramp(1), ofFirst, everyHop},
        {"zb-h2", fillsTheWarmUp, ramp(1), twice, everyHop, {}, true},
    };
}

std::vector<Row> looping(int chunks)
{
    const auto groupOf
        = [](const Setting& s) { return s.microBatches / std::max(1, s.microBatches / s.devices); };
    const auto interleaved = [](const Setting& s, int d) {
        return std::min(s.microBatches * s.chunks,
                        2 * (s.devices - 1 - d) + (s.chunks - 1) * s.devices + 1);
    };
    const auto grouped = [](const Setting& s, int d) { return s.chunks * s.devices - d; };
    const auto all = [](const Setting& s, int) { return s.chunks * s.microBatches; };
    const auto equalGroups
        = [=](const Setting& s) { return s.microBatches % (s.microBatches / s.devices) == 0; };
    const auto zeroBubble
        = [=](const Setting& s, int) { return (s.chunks - 1) * groupOf(s) + s.devices; };
    std::vector<Row> rows{
        {"interleaved-1f1b", multipleOfDevices, ramp(3), interleaved, everyHop},
        {"grouped-interleaved", multipleOfDevices, ramp(2), grouped, everyHop},
        {"looped-bfs", always, ramp(3), all, everyHop},
        {"looped-bfs", always, ramp(3), all, everyHop, {{"backward", "fifo"}}},
        {"interleaved-zb", equalGroups, ramp(1), zeroBubble, everyHop},
    };
    for (Row& row : rows)
        row.chunks = chunks;
    return rows;
}

Row slicedRow(int slices)
{
    const auto peak = [](const Setting& s, int d) {
        return std::min(s.microBatches * s.slices, s.devices - 1 - d + s.slices);
    };
    Row row{"seq1f1b", always, ramp(3), peak, everyHop, {{"slices", std::to_string(slices)}}};
    row.slices = slices;
    return row;
}

// Nothing is sent where the stages turn round.
Row vShaped()
{
    Row row{"zb-v",
            fillsTheWarmUp,
            ramp(1),
            [](const Setting& s, int) { return 2 * s.devices; },
            [](const Setting& s) { return 4 * s.microBatches * (s.devices - 1); },
            {},
            true,
            2};
    row.copies
        = [](const Setting& s, int d) { return d == s.devices - 1 ? 2 * s.microBatches : 0; };
    return row;
}

Result<Schedule> built(const Row& row, const Setting& setting)
{
    ScheduleRequest request = requestOf(row.scheme, setting.devices, setting.microBatches);
    request.options = row.options;
    request.chunks = row.chunks;
    return buildSchedule(request);
}

int peakStash(const Schedule& schedule, int device)
{
    int held = 0;
    int peak = 0;
    for (const Op& op : schedule.on(DeviceId{device})) {
        held += op.kind == OpKind::Forward ? 1 : op.kind == OpKind::BackwardInput ? 0 : -1;
        peak = std::max(peak, held);
    }
    return peak;
}

void checkTimes(const Row& row, const Setting& setting, const Schedule& schedule)
{
    const Simulated run = simulated(schedule);
    const double work = 3.0 * setting.microBatches;
    const double makespan = work + row.bubbleTime(setting);
    double span = 0;
    for (int d = 0; d < setting.devices; ++d)
        span = std::max(span, run.span(d));
    CHECK(run.iteration() == Approx(makespan));
    CHECK(1 - work / run.iteration() == Approx(row.bubbleTime(setting) / makespan));
    CHECK(span == Approx(row.spanIsFull ? work : makespan));
}

void checkPlaces(const Row& row, const Setting& setting, const Schedule& schedule)
{
    int sent = 0;
    for (const int ofDevice : messagesSent(addP2P(schedule)))
        sent += ofDevice;
    CHECK(sent == row.messages(setting));
    const auto copies = localCopies(schedule);
    for (int d = 0; d < setting.devices; ++d) {
        INFO("device " << d);
        CHECK(peakStash(schedule, d) == row.peak(setting, d));
        CHECK(copies[{d}] == row.copies(setting, d));
        CHECK(std::ranges::count(schedule.deviceOf[0], DeviceId{d}) == row.chunks);
    }
    CHECK(schedule.deviceOf.size() == 1); // one replica: weights 1
}

// Every N from D to 8D on few devices; on many those at which something begins or ends.
std::vector<int> microBatchesFor(int devices)
{
    if (devices > 8)
        return {devices,     devices + 1,     2 * devices - 2, 2 * devices - 1,
                2 * devices, 2 * devices + 1, 3 * devices,     8 * devices};
    std::vector<int> counts;
    for (int n = devices; n <= 8 * devices; ++n)
        counts.push_back(n);
    return counts;
}

void checkRow(const Row& row)
{
    int checked = 0;
    for (const int devices : {2, 3, 4, 5, 6, 7, 8, 11, 16, 25, 32, 47, 64})
        for (const int microBatches : microBatchesFor(devices)) {
            const Setting setting{devices, microBatches, row.chunks, row.slices};
            if (!row.inDomain(setting))
                continue;
            INFO(row.scheme << " D=" << devices << " N=" << microBatches << " v=" << row.chunks
                            << " S=" << row.slices);
            const auto schedule = built(row, setting);
            REQUIRE(schedule);
            checkTimes(row, setting, *schedule);
            checkPlaces(row, setting, *schedule);
            ++checked;
        }
    CHECK(checked >= 20);
}

} // namespace

TEST_CASE("one chunk: makespan, span, peak stash and messages are those of the closed forms")
{
    for (const Row& row : oneChunk())
        checkRow(row);
}

TEST_CASE("looping chunks: makespan, peak stash and messages are those of the closed forms")
{
    for (const int chunks : {1, 2, 3, 4})
        for (const Row& row : looping(chunks))
            checkRow(row);
}

TEST_CASE("Seq1F1B of S equal slices has the bubble of S times as many micro-batches")
{
    for (const int slices : {1, 2, 3, 4})
        checkRow(slicedRow(slices));
}

TEST_CASE("no device idles in ZB-V, and the turn is a local copy")
{
    checkRow(vShaped());
}

TEST_CASE("whatever the sizes, a schedule that is built is complete, in order and never stuck")
{
    std::mt19937 random(20251121);
    const auto upTo
        = [&random](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
    std::map<std::string, int> valid;
    for (const Scheme& scheme : schemes())
        for (int round = 0; round < 60; ++round) {
            ScheduleRequest request = requestOf(std::string(scheme.name), upTo(10), upTo(30));
            request.chunks = scheme.chunksFixed ? 0 : upTo(4);
            for (const SchemeOption& option : scheme.options)
                if (round % 2 == 0)
                    request.options[std::string(option.key)] = option.smallest
                        ? std::to_string(*option.smallest - 1 + upTo(15))
                        : std::string(option.values[static_cast<std::size_t>(
                            upTo(static_cast<int>(option.values.size())) - 1)]);
            const auto schedule = buildSchedule(request);
            if (!schedule)
                continue;
            INFO(scheme.name << " D=" << request.devices << " N=" << request.microBatches
                             << " v=" << request.chunks);
            CHECK(validate(lower(*schedule)).empty());
            ++valid[std::string(scheme.name)];
        }
    CHECK(valid.size() == schemes().size());
}
