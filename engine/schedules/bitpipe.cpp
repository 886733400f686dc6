#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/options.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 2> kPlacements{"v", "looping"};
constexpr std::array<std::string_view, 2> kDirectionCounts{"2", "1"};
constexpr std::array<std::string_view, 2> kConcats{"direct", "early"};
constexpr SchemeOption kPlacement{"placement", "Placement of the stages", kPlacements, {}};
constexpr SchemeOption kDirections{"directions", "Directions", kDirectionCounts, {}};
constexpr SchemeOption kConcat{"concat", "Units of D micro-batches", kConcats, {}};
constexpr std::array kOptions{kPlacement, kDirections, kConcat};

// The parts of BitPipe, each of which can be left out.
struct Parts
{
    explicit Parts(const ScheduleRequest& request)
        : looping(parts::chosen(request, kPlacement) == "looping")
        , directions(parts::chosen(request, kDirections) == "2" ? 2 : 1)
        , early(parts::chosen(request, kConcat) == "early")
    { }

    bool looping = false;
    int directions = 2;
    bool early = false;
};

// Each direction is a V of 2D stages: down goes over devices 0 .. D-1 and back, up is its mirror
// image. A device so holds four chunks: two of the direction that enters nearer (`near`), two of
// the other (`far`). Of each unit of D micro-batches the first half goes down, the second up.
//
// D = 4, N = 4; micro-batches 0, 1 go down and 2, 3 up; capitals: second chunk; one column is half
// a unit of time:
//
//   device 0 | f0 f1 .. f2 F2 f3 F3 F0 B0 B0 F1 B1 B1 .. B2 B2 b2 b2 B3 B3 b3 b3 b0 b0 .. .. b1 b1
//   device 1 | .. f0 f2 f1 f3 F2 F0 F3 F1 .. B0 B0 B2 B2 B1 B1 B3 B3 b2 b2 b0 b0 b3 b3 b1 b1 .. ..
//   device 2 | .. f2 f0 f3 f1 F0 F2 F1 F3 .. B2 B2 B0 B0 B3 B3 B1 B1 b0 b0 b2 b2 b1 b1 b3 b3 .. ..
//   device 3 | f2 f3 .. f0 F0 f1 F1 F2 B2 B2 F3 B3 B3 .. B0 B0 b0 b0 B1 B1 b1 b1 b2 b2 .. .. b3 b3
//
// Makespan 3N + (D-2)(K+1)/2 for N = KD by direct concatenation: the paper's bubble,
// (D-2)/(3N+D-2), at N = D. Peak stash (3D+2)/4 at the ends to D in the middle.
struct Chunk
{
    int replica = 0, stage = 0;
};

// The order in which one device takes up the chunks of a unit, forwards or backwards, and which of
// the unit's micro-batches of that chunk it takes.
class UnitOrder
{
public:
    void repeat(int times, std::initializer_list<Chunk> chunks)
    {
        for (int i = 0; i < times; ++i)
            for (const Chunk chunk : chunks)
                append(chunk);
    }
    std::size_t size() const { return m_steps.size(); }
    Chunk chunk(std::size_t i) const { return m_steps[i].chunk; }
    int turn(std::size_t i) const { return m_steps[i].turn; }

private:
    struct Step
    {
        Chunk chunk;
        int turn = 0; // how many steps of the same chunk came before
    };

    void append(Chunk chunk)
    {
        const auto same = [chunk](const auto& turns) { return turns.chunk.stage == chunk.stage; };
        auto turns = std::ranges::find_if(m_turns, same);
        if (turns == m_turns.end())
            turns = m_turns.insert(m_turns.end(), Step{chunk, 0});
        m_steps.push_back({chunk, turns->turn++});
    }

    std::vector<Step> m_steps, m_turns;
};

// The closed form of the unit for one device; equal to the output of the authors' code for any even
// D. near0 is the first chunk of the near direction, and so on.
class Device
{
public:
    Device(Schedule& schedule, int device)
        : m_program(schedule, device)
        , m_devices(schedule.shape.devices)
    {
        const int last = m_devices - 1 - device;
        const int half = m_devices / 2;
        const bool down = device < half;
        const std::array<Chunk, 2> downs{{{0, device}, {0, 2 * m_devices - 1 - device}}};
        const std::array<Chunk, 2> ups{{{1, last}, {1, m_devices + device}}};
        const auto [near0, near1] = down ? downs : ups;
        const auto [far0, far1] = down ? ups : downs;
        const int e = std::min(device, last);
        const int a = half - e;

        m_forwards.repeat(a, {near0});
        m_forwards.repeat(e, {far0, near0});
        m_forwards.repeat(a, {far0, far1});
        m_forwards.repeat(e, {near1, far1});
        m_forwards.repeat(a, {near1});

        m_backwards.repeat(a, {near1});
        m_backwards.repeat(e, {far1, near1});
        m_backwards.repeat(a, {far1, far0});
        m_backwards.repeat(e, {near0, far0});
        m_backwards.repeat(a, {near0});

        m_warmUp = 3 * half + e;
        m_turns = half - e;
    }

    // F^W [(F,B)^R B^(W-R+1) (F,B)^(R-1) F^(W-R+1)]^(K-1) (F,B)^R B^W: units one behind the other.
    void writeUnits(int units)
    {
        const int seam = m_warmUp - m_turns + 1;
        m_program.reserve(4 * m_devices * units);
        forwards(m_warmUp);
        for (int unit = 1; unit < units; ++unit) {
            inTurn(m_turns);
            backwards(seam);
            inTurn(m_turns - 1);
            forwards(seam);
        }
        inTurn(m_turns);
        backwards(m_warmUp);
    }

private:
    int microBatch(const UnitOrder& order, std::size_t step) const
    {
        const std::size_t unit = step / order.size();
        const std::size_t inUnit = step % order.size();
        return static_cast<int>(unit) * m_devices + order.chunk(inUnit).replica * m_devices / 2
            + order.turn(inUnit);
    }
    void forwards(int count)
    {
        for (int i = 0; i < count; ++i, ++m_forward) {
            const Chunk chunk = m_forwards.chunk(m_forward % m_forwards.size());
            m_program.forward(chunk.stage, microBatch(m_forwards, m_forward), chunk.replica);
        }
    }
    void backwards(int count)
    {
        for (int i = 0; i < count; ++i, ++m_backward) {
            const Chunk chunk = m_backwards.chunk(m_backward % m_backwards.size());
            m_program.backward(chunk.stage, microBatch(m_backwards, m_backward), chunk.replica);
        }
    }
    void inTurn(int count)
    {
        for (int i = 0; i < count; ++i) {
            forwards(1);
            backwards(1);
        }
    }

    parts::Program m_program;
    int m_devices = 0, m_warmUp = 0, m_turns = 0;
    UnitOrder m_forwards, m_backwards;
    std::size_t m_forward = 0, m_backward = 0; // steps written
};

// What is not published is our own rule: a device takes up what is due first (parts/due_order.h).
// Early: a unit starts 4D ticks behind the one before, in the time of its forwards and half its
// backwards, so that its forwards fill the bubble between units.
parts::Entry inUnits(int devices, int microBatch)
{
    const int half = devices / 2;
    const std::int64_t unit = microBatch / devices;
    const int inUnit = microBatch % devices;
    const std::int64_t turn = inUnit % half;
    return {inUnit / half, 4 * devices * unit + 2 * turn, 4 * devices * unit + 4 * turn};
}

// Where there are no whole units: down and up in turn, a pair every 4 ticks.
parts::Entry inTurn(int directions, int microBatch)
{
    const std::int64_t due = std::int64_t{2} * directions * (microBatch / directions);
    return {microBatch % directions, due, due};
}

// Units back to back: each has 6D ticks of work.
parts::Entry backToBack(int devices, int directions, int microBatch)
{
    parts::Entry entry = inTurn(directions, microBatch % devices);
    const std::int64_t begin = std::int64_t{6} * devices * (microBatch / devices);
    entry.forward += begin;
    entry.backward += begin;
    return entry;
}

std::vector<parts::Entry> entriesOf(const ScheduleRequest& request, const Parts& wanted)
{
    const bool whole = request.devices % 2 == 0 && request.microBatches % request.devices == 0;
    const bool published = !wanted.looping && wanted.directions == 2;
    std::vector<parts::Entry> entries;
    entries.reserve(static_cast<std::size_t>(request.microBatches));
    for (int m = 0; m < request.microBatches; ++m) {
        if (!wanted.early)
            entries.push_back(backToBack(request.devices, wanted.directions, m));
        else if (whole && published)
            entries.push_back(inUnits(request.devices, m));
        else
            entries.push_back(inTurn(wanted.directions, m));
    }
    return entries;
}

Result<void> check(const ScheduleRequest& request)
{
    const Parts wanted(request);
    if (wanted.early)
        return {};
    if (wanted.directions == 2)
        if (auto even = parts::checkEvenDevices(request); !even)
            return even;
    return parts::checkUnits(request, {request.devices, "the devices"});
}

Result<Schedule> build(const ScheduleRequest& request)
{
    const Parts wanted(request);
    const int devices = request.devices;
    Shape shape{devices, 2 * devices, request.microBatches, wanted.directions};
    shape.dataParallel = request.dataParallel;
    Schedule schedule = parts::emptySchedule(
        "bitpipe", shape, wanted.looping ? parts::loopingDevice : parts::vDevice);
    const bool unit = devices % 2 == 0 && request.microBatches == devices;
    if (!wanted.looping && wanted.directions == 2 && (unit || !wanted.early))
        for (int d = 0; d < devices; ++d)
            Device(schedule, d).writeUnits(request.microBatches / devices);
    else
        parts::writeByDue(schedule, entriesOf(request, wanted), 3 * devices);
    return schedule;
}

} // namespace

Scheme bitpipe()
{
    Scheme scheme;
    scheme.name = "bitpipe";
    scheme.title = "BitPipe";
    scheme.summary = "two V-shaped interleaved pipelines in opposite directions";
    scheme.citation = "Wu, Chen and Yu, BitPipe, arXiv 2410.19367, 2024";
    scheme.family = "Two directions";
    scheme.accepts = "D >= 2, even; N a multiple of D; v = 2; any D and N with concat=early";
    scheme.bubbleFormula = "(D-2)/(3N+D-2) at N = D";
    scheme.defaultChunks = 2;
    scheme.options = kOptions;
    scheme.check = check;
    scheme.build = build;
    return scheme;
}

} // namespace engine
