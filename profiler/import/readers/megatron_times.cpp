#include "engine/base/field.h"
#include "engine/base/median.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/analysis/measure.h"
#include "profiler/import/readers/readers.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {

namespace dom = simdjson::dom;

constexpr int kMostPipelineRanks = 1024, kMostMicroBatches = 100'000;
constexpr std::string_view kPrefix = "pp_rank_", kSuffix = ".json";

std::string_view fileName(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1);
}

tl::unexpected<Error> refused(std::string_view file, const std::string& what)
{
    return fail(Error::Code::Corrupt, "{}: {}", file, what);
}

struct Config
{
    int devices = 0, chunks = 1, microBatches = 0, worldSize = 0;
    const char* program = "Primus";
    std::int64_t copies = 1; // known ones: tensor-parallel x data-parallel ranks of a stage

    std::size_t ops() const { return static_cast<std::size_t>(chunks) * microBatches; }
};

// The ops of one iteration of a rank, in the order of execution of their kind. Times are ns from
// the begin of the iteration.
struct Part
{
    std::vector<Window> forwards, backwards;
    std::int64_t total = 0; // duration of the iteration on the rank
    std::int64_t memory = 0;
};

struct RankFile
{
    std::string name;
    std::map<int, Part> iterations;     // by number
    std::map<int, std::string> damaged; // other iterations: what is wrong with their times
};

// Converts ms to ns; nullopt for values that no clock of a run has.
std::optional<std::int64_t> nanoseconds(dom::element value)
{
    double ms = 0;
    constexpr double kMost = 1e11; // three years
    if (value.get(ms) != simdjson::SUCCESS || !(std::abs(ms) <= kMost))
        return std::nullopt;
    return std::llround(ms * 1e6);
}

Result<int> integer(const std::string& file, dom::object config,
                    std::initializer_list<const char*> keys, int most)
{
    for (const char* const key : keys) {
        dom::element value;
        if (config[key].get(value) != simdjson::SUCCESS)
            continue;
        std::int64_t number = 0;
        if (value.get(number) != simdjson::SUCCESS || number < 1 || number > most)
            return refused(file, fmt::format("{} is not an integer from 1 to {}", key, most));
        return static_cast<int>(number);
    }
    return refused(
        file, fmt::format("{} is missing; import the folder that Primus wrote", *keys.begin()));
}

Result<Config> readConfig(const std::string& file, const std::string& text)
{
    dom::parser parser;
    dom::object config;
    if (parser.parse(text).get(config) != simdjson::SUCCESS)
        return refused(file, "this is not a JSON object; import the folder that Primus wrote");
    Config read;
    read.devices = TRY(integer(file, config, {"pp_size"}, kMostPipelineRanks));
    read.chunks = TRY(integer(file, config, {"vp_size", "vpp_size"}, kMostPipelineRanks));
    read.microBatches = TRY(integer(file, config, {"num_mbs", "micro_batches"}, kMostMicroBatches));
    read.worldSize = TRY(integer(file, config, {"world_size"}, std::numeric_limits<int>::max()));
    for (const char* const key : {"tp_size", "dp_size"})
        if (dom::element given; config[key].get(given) == simdjson::SUCCESS)
            read.copies *= TRY(integer(file, config, {key}, read.worldSize));
    if (static_cast<std::int64_t>(read.devices) * read.chunks > 0xFFFF)
        return refused(file,
                       fmt::format("{} ranks with {} chunks are more than 65535 stages",
                                   read.devices, read.chunks));
    return read;
}

// Reads the start and end times of one kind of op.
Result<std::vector<Window>> windows(dom::object iteration, const std::string& kind,
                                    std::size_t count)
{
    std::vector<Window> all(count);
    for (const bool isEnd : {false, true}) {
        const std::string key = kind + (isEnd ? "_end" : "_start");
        dom::array times;
        if (iteration[key].get(times) != simdjson::SUCCESS)
            return fail(Error::Code::Corrupt, key + " is not a list of times");
        if (times.size() != count)
            return fail(Error::Code::Corrupt,
                        "{} has {} times, but num_mbs x vp_size = {} in config.json; "
                        "import files of one run",
                        key, times.size(), count);
        std::size_t i = 0;
        for (const dom::element each : times) {
            const auto time = nanoseconds(each);
            if (!time)
                return fail(Error::Code::Corrupt, "{}[{}] is not a time in ms", key, i);
            (isEnd ? all[i].end : all[i].begin) = *time;
            ++i;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        if (all[i].end < all[i].begin || (i > 0 && all[i].begin < all[i - 1].begin))
            return fail(Error::Code::Corrupt,
                        "{0}_start[{1}] is {2}; the times are not in the order of "
                        "execution",
                        kind, i,
                        all[i].end < all[i].begin ? fmt::format("later than {}_end[{}]", kind, i)
                                                  : fmt::format("earlier than the one before"));
    return all;
}

Result<Part> readPart(dom::object iteration, const Config& config)
{
    dom::array weights;
    if (iteration["wgrad_start"].get(weights) == simdjson::SUCCESS && weights.size() > 0)
        return fail(Error::Code::Unsupported,
                    "wgrad_start: schedules with separate weight gradients are not read; record "
                    "1F1B or interleaved 1F1B");
    Part part;
    part.forwards = TRY(windows(iteration, "fwd", config.ops()));
    part.backwards = TRY(windows(iteration, "bwd", config.ops()));
    dom::element total, memory;
    if (iteration["total"].get(total) != simdjson::SUCCESS || !nanoseconds(total))
        return fail(Error::Code::Corrupt, "total is not a time in ms");
    part.total = *nanoseconds(total);
    Window all{part.forwards.front().begin, 0};
    for (const auto* ops : {&part.forwards, &part.backwards})
        for (const Window& op : *ops)
            extend(all, op);
    constexpr std::int64_t kMostTimes = 20; // the ops of a rank fill most of an iteration
    if (all.duration() / 2 > part.total || all.duration() < part.total / kMostTimes)
        return fail(Error::Code::Corrupt,
                    "total is {} and its ops take {} in all, as if their units "
                    "differed; write all times in ms",
                    timeText(part.total, 1), timeText(all.duration(), 1));
    if (iteration["memory"].get(memory) == simdjson::SUCCESS) {
        double gib = 0;
        constexpr double kMost = 1e6;
        if (memory.get(gib) != simdjson::SUCCESS || !(gib >= 0 && gib <= kMost))
            return fail(Error::Code::Corrupt, "memory is not a number of GB");
        part.memory = std::llround(gib * (1 << 30));
    }
    return part;
}

// Stage and micro-batch of the k-th forward or backward of a device in Megatron-LM's 1F1B (one
// chunk) and interleaved 1F1B: chunks alternate after as many micro-batches as there are devices.
struct ChunkStep
{
    int chunk = 0, microBatch = 0;
};

std::vector<ChunkStep> order(const Config& config, bool isBackward)
{
    std::vector<ChunkStep> places;
    for (int first = 0; first < config.microBatches; first += config.devices)
        for (int i = 0; i < config.chunks; ++i)
            for (int m = first; m < std::min(first + config.devices, config.microBatches); ++m)
                places.push_back({isBackward ? config.chunks - 1 - i : i, m});
    if (config.chunks == 1)
        std::ranges::sort(places, {}, &ChunkStep::microBatch);
    return places;
}

// Converts the clocks of the ranks to one clock. Every iteration restarts the clock of every rank.
class Clocks
{
public:
    explicit Clocks(const Config& config)
        : m_config(config)
        , m_forwards(index(false))
        , m_backwards(index(true))
    { }

    // Moves a rank if a message between it and the rank before it arrives before it was sent. The
    // fastest messages of both directions are assumed to take equally long.
    void align(std::vector<Part*>& ranks)
    {
        for (std::size_t d = 1; d < ranks.size(); ++d) {
            std::int64_t down = kNone, up = kNone;
            for (int chunk = 0; chunk < m_config.chunks; ++chunk)
                for (int m = 0; m < m_config.microBatches; ++m) {
                    const std::size_t f = m_forwards[chunk][m], b = m_backwards[chunk][m];
                    down = std::min(down,
                                    ranks[d]->forwards[f].begin - ranks[d - 1]->forwards[f].end);
                    up = std::min(up,
                                  ranks[d - 1]->backwards[b].begin - ranks[d]->backwards[b].end);
                }
            // A message that arrives before it was sent shows that the clocks differ. If that is so
            // in both directions, the ops contain the wait for their inputs.
            constexpr std::int64_t kNoise = 1'000'000; // ns
            if ((down >= 0 && up >= 0) || down + up < -kNoise)
                continue;
            const std::int64_t shift = (up - down) / 2;
            for (auto* const ops : {&ranks[d]->forwards, &ranks[d]->backwards})
                for (Window& op : *ops)
                    op = {op.begin + shift, op.end + shift};
            m_mostShift = std::max(m_mostShift, std::abs(shift));
        }
    }
    // A wait is no work: an op that begins before its input begins with it.
    void cutWaits(std::vector<Part*>& ranks)
    {
        const int stages = m_config.devices * m_config.chunks;
        for (int stage = 0; stage < stages; ++stage)
            for (int m = 0; m < m_config.microBatches; ++m) {
                if (stage > 0)
                    cut(forward(ranks, stage, m), forward(ranks, stage - 1, m));
                if (stage + 1 < stages)
                    cut(backward(ranks, stages - 2 - stage, m),
                        backward(ranks, stages - 1 - stage, m));
            }
    }
    std::int64_t mostShift() const { return m_mostShift; }
    int cuts() const { return m_cuts; }
    std::int64_t cutTime() const { return m_cutTime; }

private:
    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;
    using Index = std::vector<std::vector<std::size_t>>;

    // The position of each chunk and micro-batch in the order of execution.
    Index index(bool isBackward) const
    {
        Index of(static_cast<std::size_t>(m_config.chunks),
                 std::vector<std::size_t>(static_cast<std::size_t>(m_config.microBatches)));
        const std::vector<ChunkStep> places = order(m_config, isBackward);
        for (std::size_t i = 0; i < places.size(); ++i)
            of[places[i].chunk][places[i].microBatch] = i;
        return of;
    }
    Window& forward(std::vector<Part*>& ranks, int stage, int m) const
    {
        return ranks[stage % m_config.devices]->forwards[m_forwards[stage / m_config.devices][m]];
    }
    Window& backward(std::vector<Part*>& ranks, int stage, int m) const
    {
        return ranks[stage % m_config.devices]->backwards[m_backwards[stage / m_config.devices][m]];
    }
    void cut(Window& op, const Window& input)
    {
        const std::int64_t begin = std::clamp(input.end, op.begin, op.end);
        constexpr std::int64_t kNoise = 500'000; // ns
        m_cuts += begin - op.begin > kNoise ? 1 : 0;
        m_cutTime += begin - op.begin;
        op.begin = begin;
    }

    Config m_config;
    Index m_forwards, m_backwards;
    std::int64_t m_mostShift = 0, m_cutTime = 0;
    int m_cuts = 0;
};

// Fails if an op of the order runs before the op of its device that it needs.
Result<void> checkOrder(const Part& part, const Config& config)
{
    const auto forwards = order(config, false), backwards = order(config, true);
    std::map<std::pair<int, int>, std::int64_t> ends;
    for (std::size_t i = 0; i < forwards.size(); ++i)
        ends[{forwards[i].chunk, forwards[i].microBatch}] = part.forwards[i].end;
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        constexpr std::int64_t kNoise = 100'000; // ns
        const ChunkStep& place = backwards[i];
        if (part.backwards[i].begin + kNoise < ends[{place.chunk, place.microBatch}])
            return fail(Error::Code::Corrupt,
                        "the backward of micro-batch {} of chunk {} begins before its forward "
                        "ends, so this is not the order of Megatron-LM 1F1B; import config.json of "
                        "the same run",
                        place.microBatch, place.chunk);
    }
    return {};
}

Result<RankFile> readRank(const std::string& file, const std::string& text, const Config& config)
{
    RankFile rank{file, {}, {}};
    dom::parser parser;
    dom::object iterations;
    if (parser.parse(text).get(iterations) != simdjson::SUCCESS)
        return refused(file,
                       "this is not a JSON object of iterations (NaN is no number of JSON); "
                       "record it again");
    for (const auto [key, value] : iterations) {
        const auto number = parseInteger<int>(key);
        dom::object iteration;
        if (!number || *number < 0 || value.get(iteration) != simdjson::SUCCESS)
            return refused(file,
                           "its members are not numbers of iterations, each with its times; "
                           "record it again");
        auto part = readPart(iteration, config);
        const auto ordered = part ? checkOrder(*part, config) : Result<void>();
        if (!part || !ordered)
            rank.damaged[*number] = part ? ordered.error().message : part.error().message;
        else
            rank.iterations[*number] = *std::move(part);
    }
    if (rank.iterations.empty() && rank.damaged.empty())
        return refused(file, "there are no iterations; set train_iters to at least 1");
    return rank;
}

class TraceBuilder
{
public:
    TraceBuilder(const Config& config, std::vector<RankFile> ranks)
        : m_config(config)
        , m_ranks(std::move(ranks))
        , m_clocks(config)
    { }

    MegatronTrace build()
    {
        std::map<int, std::int64_t> begins; // by iteration
        std::int64_t next = 0;
        for (auto& [number, first] : m_ranks.front().iterations) {
            std::vector<Part*> parts;
            for (RankFile& rank : m_ranks)
                parts.push_back(&rank.iterations[number]);
            m_clocks.align(parts);
            m_clocks.cutWaits(parts);
            Window all;
            for (const Part* part : parts) {
                extend(all, {0, part->total});
                for (const auto* ops : {&part->forwards, &part->backwards})
                    for (const Window& op : *ops)
                        extend(all, op);
            }
            begins[number] = next - all.begin;
            next += all.duration() + 1;
        }
        MegatronTrace trace;
        for (std::size_t d = 0; d < m_ranks.size(); ++d)
            trace.ranks.push_back(rankTrace(static_cast<int>(d), begins));
        const auto texts = std::make_shared<const std::vector<std::string>>(m_texts.take());
        for (RankTrace& rank : trace.ranks)
            rank.texts = texts;
        trace.warnings = warnings();
        return trace;
    }

private:
    RankTrace rankTrace(int d, const std::map<int, std::int64_t>& begins)
    {
        RankTrace trace;
        trace.file = m_ranks[d].name;
        trace.program = m_config.program;
        trace.unit = "ms";
        trace.host = "clock of rank 0";
        trace.rank = d;
        trace.threads = {"compute stream"};
        const auto forwards = order(m_config, false), backwards = order(m_config, true);
        std::int64_t memory = 0;
        for (const auto& [number, part] : m_ranks[d].iterations) {
            const std::int64_t begin = begins.at(number);
            Window whole{part.forwards.front().begin, part.backwards.back().end};
            const std::size_t step = trace.ranges.size();
            trace.ranges.emplace_back();
            const auto add = [&](const ChunkStep& place, char kind, const Window& op) {
                extend(whole, op);
                trace.ranges.push_back(
                    range(fmt::format("PP:{}{}{}", place.chunk * m_config.devices + d, kind,
                                      place.microBatch),
                          begin, op));
            };
            for (std::size_t i = 0; i < forwards.size(); ++i)
                add(forwards[i], 'F', part.forwards[i]);
            for (std::size_t i = 0; i < backwards.size(); ++i)
                add(backwards[i], 'B', part.backwards[i]);
            trace.ranges[step] = range(fmt::format("ProfilerStep#{}", number), begin, whole);
            if (part.memory != memory) {
                MemoryEvent event;
                event.time = begin + whole.begin;
                event.bytes = part.memory - memory;
                event.category = MemoryCategory::Unknown;
                trace.memory.push_back(event);
                memory = part.memory;
            }
        }
        std::ranges::stable_sort(trace.ranges, {}, [](const HostRange& range) {
            return std::pair(range.window.begin, -range.window.end);
        });
        return trace;
    }
    HostRange range(const std::string& name, std::int64_t begin, const Window& op)
    {
        HostRange range{{begin + op.begin, begin + op.end}};
        range.name = m_texts.number(name);
        return range;
    }
    std::vector<std::string> warnings() const
    {
        std::vector<std::string> all;
        if (m_ranks.size() > 1)
            all.push_back(fmt::format(
                "Every iteration restarts the clock of every rank. {} The time between iterations "
                "(the optimizer step) was not recorded.",
                m_clocks.mostShift() == 0
                    ? "No message arrives before it was sent, so no clock was moved."
                    : fmt::format("Clocks were moved by at most {}, so that no message arrives "
                                  "before it was sent.",
                                  timeText(m_clocks.mostShift(), 1))));
        if (m_clocks.cuts() > 0)
            all.push_back(fmt::format("{} ops begin before their input was computed; {:.1f} ms of "
                                      "waiting were cut from them.",
                                      m_clocks.cuts(),
                                      static_cast<double>(m_clocks.cutTime()) / 1e6));
        if (m_config.worldSize > m_config.devices)
            all.push_back(fmt::format("The files have one rank per stage of a job of {} ranks; "
                                      "tensor and data parallelism were not recorded.",
                                      m_config.worldSize));
        return all;
    }

    Config m_config;
    std::vector<RankFile> m_ranks;
    Clocks m_clocks;
    StringTable m_texts;
};

// The name of a dump of the PP timer, a public patch of Megatron-LM that records one iteration.
struct TimerFile
{
    int devices = 0, chunks = 0;
    int copy = 0; // which of the tensor-, context- and data-parallel copies of the pipeline
    int rank = 0; // in the pipeline
};

std::optional<TimerFile> timerFile(std::string_view file)
{
    static const RE2 kName(R"(event_times_PP(\d+)_VPP(\d+)_TPxCPxDP_rank_(\d+)_pp_rank_(\d+)_)"
                           R"(rank_\d+\.json)");
    const std::string_view name = fileName(file);
    TimerFile read;
    if (!RE2::FullMatch(re2::StringPiece(name.data(), name.size()), kName, &read.devices,
                        &read.chunks, &read.copy, &read.rank))
        return std::nullopt;
    return read;
}

// The times of a dump by kind, chunk and micro-batch.
using TimerOps = std::map<std::tuple<bool, int, int>, Window>; // true: backward
constexpr Window kNoTimes{-1, -1};

// Reads the keys "forward-MICROBATCH-start", or "forward-CHUNK-MICROBATCH-start" with several
// chunks. Other timers are passed over.
Result<TimerOps> readTimers(const std::string& file, const std::string& text, int chunks)
{
    static const RE2 kKey(R"((forward|backward)-(?:(\d+)-)?(\d+)-(start|end))");
    dom::parser parser;
    dom::object times;
    if (parser.parse(text).get(times) != simdjson::SUCCESS)
        return refused(file, "this is not a JSON object of times; record it again");
    TimerOps ops;
    for (const auto [key, value] : times) {
        std::string kind, chunk, end;
        int microBatch = 0;
        if (!RE2::FullMatch(re2::StringPiece(key.data(), key.size()), kKey, &kind, &chunk,
                            &microBatch, &end))
            continue;
        const auto c = chunk.empty() ? 0 : parseInteger<int>(chunk).value_or(chunks);
        const auto time = nanoseconds(value);
        if (!time || *time < 0 || chunk.empty() != (chunks == 1) || c >= chunks
            || microBatch >= kMostMicroBatches)
            return refused(file,
                           fmt::format("{} is not a time in ms of {} chunks and at most {} "
                                       "micro-batches",
                                       std::string_view(key), chunks, kMostMicroBatches));
        Window& op = ops.try_emplace({kind == "backward", c, microBatch}, kNoTimes).first->second;
        (end == "end" ? op.end : op.begin) = *time;
    }
    return ops;
}

Result<Part> partOf(const std::string& file, const TimerOps& ops, const Config& config)
{
    Part part;
    for (const bool isBackward : {false, true})
        for (const ChunkStep& place : order(config, isBackward)) {
            const auto op = ops.find({isBackward, place.chunk, place.microBatch});
            const Window times = op == ops.end() ? kNoTimes : op->second;
            if (times.begin < 0 || times.end < times.begin)
                return refused(file,
                               fmt::format("the {} of micro-batch {} of chunk {} has no {}; record "
                                           "it again",
                                           isBackward ? "backward" : "forward", place.microBatch,
                                           place.chunk,
                                           times.begin < 0     ? "start"
                                               : times.end < 0 ? "end"
                                                               : "end after its start"));
            (isBackward ? part.backwards : part.forwards).push_back(times);
            part.total = std::max(part.total, times.end);
        }
    return part;
}

// Reads the dumps of one copy of the pipeline. The others did the same ops on other data.
Result<MegatronTrace> readTimerFiles(const MegatronFiles& files)
{
    std::map<int, std::map<int, const MegatronFiles::value_type*>> copies; // by copy and rank
    Config config;
    for (const auto& file : files) {
        const auto name = timerFile(file.first);
        if (!name && fileName(file.first) == "config.json")
            continue;
        if (!name)
            return invalid("{} is not of the PP timer; import its files alone", file.first);
        if (name->devices < 1 || name->devices > kMostPipelineRanks || name->chunks < 1
            || name->chunks > kMostPipelineRanks || name->rank >= name->devices)
            return refused(file.first,
                           fmt::format("the name has {} ranks and {} chunks; restore it",
                                       name->devices, name->chunks));
        if (config.devices > 0
            && (config.devices != name->devices || config.chunks != name->chunks
                || copies[name->copy].contains(name->rank)))
            return invalid("{} and {} are of two runs; import one folder", files.begin()->first,
                           file.first);
        config = {name->devices, name->chunks, 0, name->devices, "Megatron-LM"};
        copies[name->copy][name->rank] = &file;
    }
    const auto whole = std::ranges::find_if(copies, [&](const auto& copy) {
        return static_cast<int>(copy.second.size()) == config.devices;
    });
    if (whole == copies.end())
        return fail(Error::Code::NotFound,
                    "{}: only {} of {} pipeline ranks are there; import all of them",
                    files.begin()->first, copies.begin()->second.size(), config.devices);
    std::map<int, TimerOps> ops;
    for (const auto& [rank, file] : whole->second) {
        ops[rank] = TRY(readTimers(file->first, file->second, config.chunks));
        for (const auto& op : ops[rank])
            config.microBatches = std::max(config.microBatches, std::get<2>(op.first) + 1);
    }
    if (config.microBatches == 0)
        return refused(files.begin()->first,
                       "it has no forwards; set ENABLE_PP_TIMER_ITER to an "
                       "iteration that is trained");
    std::vector<RankFile> ranks;
    for (const auto& [rank, file] : whole->second) {
        if (ops[rank].size() != 2 * config.ops())
            return refused(file->first,
                           fmt::format("it has {} ops, but {} micro-batches of {} chunks have {}; "
                                       "record it again",
                                       ops[rank].size(), config.microBatches, config.chunks,
                                       2 * config.ops()));
        ranks.push_back({file->first, {}, {}});
        Part& part = ranks.back().iterations[0] = TRY(partOf(file->first, ops[rank], config));
        if (const auto ordered = checkOrder(part, config); !ordered)
            return refused(file->first, ordered.error().message);
    }
    MegatronTrace trace = TraceBuilder(config, std::move(ranks)).build();
    if (copies.size() > 1)
        trace.warnings.push_back(
            fmt::format("The files are of {} copies of the pipeline; copy {} was read.",
                        copies.size(), whole->first));
    return trace;
}

std::optional<int> primusRank(std::string_view file)
{
    const std::string_view name = fileName(file);
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix))
        return std::nullopt;
    const auto number = parseInteger<int>(
        name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
    return number && *number >= 0 ? number : std::nullopt;
}

Result<MegatronTrace> readPrimus(const MegatronFiles& files)
{
    std::map<int, const MegatronFiles::value_type*> ranks;
    const MegatronFiles::value_type* config = nullptr;
    for (const auto& file : files) {
        const auto rank = primusRank(file.first);
        if (!rank ? config != nullptr : ranks.contains(*rank))
            return invalid("{} and {} are of two runs; import one folder of Primus",
                           rank ? ranks[*rank]->first : config->first, file.first);
        (rank ? ranks[*rank] : config) = &file;
    }
    if (config == nullptr)
        return fail(Error::Code::NotFound,
                    "{} needs the config.json of its folder; import the folder",
                    files.begin()->first);
    const Config read = TRY(readConfig(config->first, config->second));
    for (const auto& [rank, file] : ranks)
        if (rank >= read.devices)
            return refused(file->first,
                           fmt::format("pp_size is {} in config.json; import files "
                                       "of one run",
                                       read.devices));
    for (int rank = 0; rank < read.devices; ++rank)
        if (!ranks.contains(rank))
            return fail(Error::Code::NotFound,
                        "{} of the {} files is missing, {}{}{}; import the folder with "
                        "all of them",
                        read.devices - static_cast<int>(ranks.size()), read.devices, kPrefix, rank,
                        kSuffix);
    if (read.worldSize % (read.devices * read.copies) != 0)
        return refused(config->first,
                       fmt::format("world_size {} is not a multiple of pp_size x tp_size x dp_size "
                                   "= {}; import files of one run",
                                   read.worldSize, read.devices * read.copies));
    std::vector<RankFile> all;
    const auto numbers = [](const RankFile& of) {
        std::set<int> keys;
        for (const auto& [number, part] : of.iterations)
            keys.insert(number);
        for (const auto& [number, what] : of.damaged)
            keys.insert(number);
        return keys;
    };
    for (const auto& [rank, file] : ranks) {
        all.push_back(TRY(readRank(file->first, file->second, read)));
        if (numbers(all.back()) != numbers(all.front()))
            return refused(file->first,
                           fmt::format("its iterations are not those of {}; import files of one "
                                       "run",
                                       all.front().name));
    }
    const std::size_t iterations = numbers(all.front()).size();
    std::map<int, std::string> damaged; // by iteration
    for (const RankFile& rank : all)
        for (const auto& [number, what] : rank.damaged)
            damaged.emplace(number, fmt::format("{}: iteration {}: {}", rank.name, number, what));
    if (2 * damaged.size() >= iterations && !damaged.empty())
        return fail(Error::Code::Corrupt, damaged.begin()->second);
    for (RankFile& rank : all)
        for (const auto& [number, what] : damaged)
            rank.iterations.erase(number);
    MegatronTrace trace = TraceBuilder(read, std::move(all)).build();
    if (!damaged.empty())
        trace.warnings.push_back(fmt::format("{} of {} iterations are left out. {}.",
                                             damaged.size(), iterations, damaged.begin()->second));
    return trace;
}

} // namespace

bool isMegatronFile(std::string_view file)
{
    return isMegatronTrace(file) || fileName(file) == "config.json";
}

bool isMegatronTrace(std::string_view file)
{
    return primusRank(file).has_value() || timerFile(file).has_value();
}

Result<MegatronTrace> readMegatron(const MegatronFiles& files)
{
    const bool hasTimers = std::ranges::any_of(
        files, [](const auto& file) { return timerFile(file.first).has_value(); });
    return hasTimers ? readTimerFiles(files) : readPrimus(files);
}

} // namespace profiler
