#include "profiler/why/why_text.h"

#include "engine/cost/training_setup.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/measure.h"
#include "profiler/whatif/changes.h"
#include "profiler/why/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace profiler {

using namespace engine;

std::string opName(const Run& run, std::uint32_t op)
{
    return toString(opAt(run.schedule, OpIndex(run.schedule), op));
}

namespace {

// Builds a sentence by appending phrases.
class Writer
{
public:
    explicit Writer(const Run* run = nullptr)
        : m_run(run)
    { }
    Writer& text(std::string words)
    {
        m_sentence.push_back({Phrase::Kind::Text, std::move(words), 0, 0});
        return *this;
    }
    Writer& time(std::int64_t ticks)
    {
        m_sentence.push_back({Phrase::Kind::Time, {}, ticks, 0});
        return *this;
    }
    Writer& op(std::uint32_t op)
    {
        m_sentence.push_back({Phrase::Kind::Op, opName(*m_run, op), 0, op});
        return *this;
    }
    Sentence done() { return std::move(m_sentence); }

private:
    const Run* m_run;
    Sentence m_sentence;
};

std::string counted(int count, const char* one)
{
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// " (6 of 16 layers, one more than other stages)" if the layers do not divide evenly and the stage
// has more of them; otherwise "".
std::string layersText(const Run& run, StageId stage)
{
    const std::vector<int> layers = stageLayers(run);
    if (layers.empty())
        return "";
    const int own = layers[stage.value], more = own - std::ranges::min(layers);
    return more == 0 ? ""
                     : fmt::format(" ({} of {} layers, {} more than other stages)", own,
                                   modelLayers(run), more == 1 ? "one" : std::to_string(more));
}

} // namespace

Sentence boundSentence(const LowerBound& bound)
{
    Writer writer;
    writer.text("At least ").time(bound.time).text(" with these costs (");
    switch (bound.kind) {
    case LowerBound::Kind::Work:
        writer.text(fmt::format("work of device {}, the busiest; ", bound.device.value))
            .text("the longest chain of dependencies takes ")
            .time(bound.chain);
        break;
    case LowerBound::Kind::Chain:
        writer.text("the longest chain of dependencies; the busiest device works ")
            .time(bound.work);
        break;
    case LowerBound::Kind::Memory:
        writer
            .text(fmt::format("memory of device {}: at most {:.4g} M_a at a time; ",
                              bound.device.value, bound.stashes))
            .text("the busiest device works ")
            .time(bound.work);
        break;
    }
    return writer.text(").").done();
}

Sentence reasonSentence(const Run& run, const Why& why, const WhyReason& reason)
{
    using Kind = WhyReason::Kind;
    Writer writer(&run);
    switch (reason.kind) {
    case Kind::Fill:
        writer.text(fmt::format("Device {} waits ", reason.device.value)).time(reason.time);
        return writer.text(" for its first op ").op(reason.op).text(" (fill)").done();
    case Kind::Order:
        writer.op(reason.op).text(" waits for ").op(reason.change ? reason.change->other : 0);
        writer.text(fmt::format(" on device {}: ", reason.device.value));
        return writer.time(reason.time).done();
    case Kind::SlowStage: {
        const Op op = opAt(run.schedule, OpIndex(run.schedule), reason.op);
        writer.text(fmt::format("{} of stage {}{} is {:.0f} % slower than the median stage, {}: ",
                                kindName(op.kind), op.stage.value, layersText(run, op.stage),
                                100 * reason.excess, counted(reason.count, "time")));
        return writer.time(reason.time).done();
    }
    case Kind::Messages:
        writer.text(counted(reason.count, "message") + " on the path: ");
        return writer.time(reason.time).done();
    case Kind::Waits:
        writer.text("Ops on the path start ").time(reason.time);
        return writer.text(" after they are ready").done();
    case Kind::AllReduces:
        return writer.text("All-reduces on the path: ").time(reason.time).done();
    case Kind::Recompute:
        return writer.text("Recomputation on the path: ").time(reason.time).done();
    case Kind::Copies:
        return writer.text("Evicts and loads on the path: ").time(reason.time).done();
    case Kind::Drain:
        break;
    }
    const int ops = reason.count;
    const PathPart& before = why.path.parts[reason.parts.front() - 1];
    writer.text("Drain ").time(reason.time);
    writer.text(fmt::format(": {} on the path after the last one of device {}", counted(ops, "op"),
                            before.device.value));
    return writer.done();
}

namespace {
// {0}: chunks, {1} and {2}: the two ops, {3}: the stage.
struct ChangeWords
{
    const char *condition, *instruction;
};
constexpr EnumArray<WhyChange::Kind, ChangeWords, 9> kChangeWords{
    ChangeWords{"with {0} chunks", "run interleaved-1f1b with --chunks {0}"},
    ChangeWords{"with split backward", "run a scheme that splits the backward, such as zb-h1"},
    ChangeWords{"{1} before {2}", "run {1} before {2}"},
    ChangeWords{"if equal", "move layers away from stage {3}, or find out why its device is slow"},
    ChangeWords{"links twice as fast", "use faster links"},
    ChangeWords{"without these waits",
                "find out what delays ops that are ready: the host, a launch or another process"},
    ChangeWords{"all-reduces twice as fast",
                "use faster links for all-reduces, or sum gradients in bf16"},
    ChangeWords{"without recomputation", "recompute less, if it fits in memory"},
    ChangeWords{"evicts and loads twice as fast", "use faster links for evicts and loads"}};

std::string filled(const char* words, const Run& run, const WhyChange& change)
{
    return fmt::format(fmt::runtime(words), change.chunks, opName(run, change.op),
                       opName(run, change.other), change.stage.value);
}
} // namespace

std::string changeText(const Run& run, const WhyChange& change)
{
    return filled(kChangeWords[change.kind].condition, run, change);
}

std::string faultText(const Run& run, const CriticalPath& path)
{
    return fmt::format(
        "{} starts before its input has arrived, so the path is known only from {} "
        "on; check the clocks of the trace.",
        opName(run, *path.fault),
        timeText(path.parts.front().window.begin - path.window.begin, run.info.ticksPerUnit));
}

std::string plainText(const Sentence& sentence, std::int64_t ticksPerUnit)
{
    std::string text;
    for (const Phrase& phrase : sentence)
        text += phrase.kind == Phrase::Kind::Time ? timeText(phrase.ticks, ticksPerUnit)
                                                  : phrase.text;
    return text;
}

bool isNotable(std::int64_t difference, std::int64_t iteration)
{
    return std::llabs(difference) * 600 >= iteration && difference != 0;
}

Sentence shortBoundSentence(const LowerBound& bound)
{
    Writer writer;
    writer.text("At least ").time(bound.time).text(" with these costs: ");
    switch (bound.kind) {
    case LowerBound::Kind::Work:
        writer.text(
            fmt::format("the work of device {}, which has most of it.", bound.device.value));
        break;
    case LowerBound::Kind::Chain:
        writer.text("the longest chain of dependencies.");
        break;
    case LowerBound::Kind::Memory:
        writer.text(fmt::format("the memory of device {} holds {:.4g} M_a at a time.",
                                bound.device.value, bound.stashes));
        break;
    }
    return writer.done();
}

const char* reasonName(WhyReason::Kind kind)
{
    constexpr EnumArray<WhyReason::Kind, const char*, 9> kNames{
        {"fill", "order", "slow stage", "messages", "waits", "all-reduces", "recomputation",
         "evicts and loads", "drain"}};
    return kNames[kind];
}

const char* stepName(Breakdown::Step::Kind kind)
{
    constexpr EnumArray<Breakdown::Step::Kind, const char*, 9> kNames{
        {"fill", "order", "messages", "all-reduces", "evicts and loads", "waits", "other devices",
         "not attributed", "drain"}};
    return kNames[kind];
}

std::string nameKey(std::string name)
{
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == '-'; }, '_');
    return name == "recomputation" ? "recompute" : name;
}

std::string whyNoBreakdown(const Run& run, const Why& why)
{
    return run.schedule.shape.windows > 1
        ? "ops of several windows of the stream run at the same time"
        : why.path.fault ? "the clocks of the devices disagree"
                         : "some ops of the iteration were not recorded";
}

namespace {

std::string signedTime(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    return (ticks > 0 ? "+" : "") + timeText(ticks, ticksPerUnit);
}

// " (-3.1 ms to +0.4 ms: not distinguishable)"; "" without a range.
std::string rangeText(const ChangeEffect& effect, std::int64_t ticksPerUnit)
{
    return effect.least == effect.most
        ? ""
        : fmt::format(" ({} to {}{})", signedTime(effect.least, ticksPerUnit),
                      signedTime(effect.most, ticksPerUnit),
                      effect.isDistinguishable() ? "" : ": not distinguishable");
}

std::string breakdownText(const Run& run, const Why& why)
{
    const std::int64_t unit = run.info.ticksPerUnit;
    if (!why.breakdown)
        return "What the busiest device waits for is not known: " + whyNoBreakdown(run, why) + "\n";
    std::string text = fmt::format("device {}: work {}", why.breakdown->device.value,
                                   timeText(why.breakdown->work, unit));
    for (const Breakdown::Step& step : why.breakdown->steps)
        text += fmt::format(", {} {}", stepName(step.kind), timeText(step.time, unit));
    return text + "\n";
}

std::string sharesText(const Run& run, const PathShares& shares)
{
    std::string text = "time along the path:";
    const char* separator = " ";
    const auto add = [&](std::string_view name, std::int64_t ticks) {
        if (ticks == 0)
            return;
        text += fmt::format("{}{} {}", separator, name, timeText(ticks, run.info.ticksPerUnit));
        separator = ", ";
    };
    for (const OpKind kind : shares.work.enumerators())
        add(kindName(kind), shares.work[kind]);
    add("waits", shares.waits);
    add(fmt::format("messages ({})", shares.messageCount), shares.messages);
    add("other transfers", shares.otherTransfers);
    return text + "\n";
}

std::string effectText(const Run& run, const WhyReport& report, std::size_t reason)
{
    const auto& change = report.why.reasons[reason].change;
    const auto& effect = report.effects[reason];
    if (!change || !effect || !isNotable(effect->difference, report.why.iteration()))
        return {};
    const bool isWorse = effect->difference > 0 && effect->isDistinguishable();
    return fmt::format("     {}: {}{}{}\n", changeText(run, *change),
                       signedTime(effect->difference, run.info.ticksPerUnit),
                       isWorse ? ", worse" : "", rangeText(*effect, run.info.ticksPerUnit));
}

std::string nextText(const Run& run, const WhyReport& report)
{
    if (!report.schemes)
        return "fastest scheme for these costs: not known; " + report.schemes.error().message
            + "\n";
    const FasterScheme* next = firstThatFits(*report.schemes, deviceMemory(run));
    if (next == nullptr)
        return report.schemes->empty()
            ? "No other scheme is faster with these costs.\n"
            : fmt::format("No faster scheme fits in {}.\n", bytesText(deviceMemory(run).usable()));
    const std::string memory = next->bytes
        ? fmt::format("{}{} on the fullest device", *next->bytes < 0 ? "-" : "+",
                      bytesText(std::abs(*next->bytes)))
        : fmt::format("{:+.2g} M_a on the fullest device", next->stashes);
    return fmt::format("fastest scheme for these costs: {}, {} ({}){}, {}\n", next->scheme,
                       timeText(next->iteration, run.info.ticksPerUnit),
                       signedTime(next->difference, run.info.ticksPerUnit),
                       rangeText(next->effect(), run.info.ticksPerUnit), memory);
}
} // namespace

std::vector<Finding> whyFindings(const Run& run, const WhyReport& report)
{
    const std::int64_t unit = run.info.ticksPerUnit;
    std::vector<Finding> all;
    for (std::size_t r = 0; r < report.why.reasons.size(); ++r) {
        const WhyReason& reason = report.why.reasons[r];
        const auto& effect = report.effects[r];
        const bool helps = effect && effect->difference < 0 && effect->isDistinguishable()
            && isNotable(effect->difference, report.why.iteration());
        all.push_back({nameKey(reasonName(reason.kind)),
                       Amount{static_cast<double>(reason.time), Spread::Exact},
                       evidenceText(run) + ", critical path of one iteration",
                       plainText(reasonSentence(run, report.why, reason), unit),
                       helps ? fmt::format("{} ({}, simulated)",
                                           filled(kChangeWords[reason.change->kind].instruction,
                                                  run, *reason.change),
                                           signedTime(effect->difference, unit))
                             : ""});
    }
    const FasterScheme* next
        = report.schemes ? firstThatFits(*report.schemes, deviceMemory(run)) : nullptr;
    if (next != nullptr) {
        const ChangeEffect effect = next->effect();
        all.push_back({"faster_scheme",
                       Amount{static_cast<double>(effect.difference),
                              effect.least == effect.most ? Spread::Exact : Spread::Interval,
                              static_cast<double>(effect.least), static_cast<double>(effect.most)},
                       "predicted, from the measured times of the run",
                       fmt::format("{} is predicted to take {} ({}){}", next->scheme,
                                   timeText(next->iteration, unit),
                                   signedTime(effect.difference, unit), rangeText(effect, unit)),
                       effect.isDistinguishable() ? "run --scheme " + next->scheme : ""});
    }
    return all;
}

std::vector<Finding> runFindings(const Run& run, const Result<WhyReport>& report)
{
    std::vector<Finding> all;
    if (const auto slow = stragglers(run))
        all = stragglerFindings(run, *slow);
    if (report)
        std::ranges::move(whyFindings(run, *report), std::back_inserter(all));
    return all;
}

std::string whyText(const Run& run, const WhyReport& report)
{
    const Why& why = report.why;
    const std::int64_t unit = run.info.ticksPerUnit;
    std::string text
        = fmt::format("why not faster: iteration {}\n", timeText(why.iteration(), unit));
    text += plainText(boundSentence(why.bound), unit) + "\n" + breakdownText(run, why)
        + sharesText(run, why.shares);
    if (why.path.fault)
        text += faultText(run, why.path) + "\n";
    for (std::size_t r = 0; r < why.reasons.size(); ++r)
        text += fmt::format("{:3}. {}\n", r + 1,
                            plainText(reasonSentence(run, why, why.reasons[r]), unit))
            + effectText(run, report, r);
    if (why.reasons.empty())
        text += "The path has no fill, drain, message or wait: its device works all the time.\n";
    if (why.smaller > 0)
        text += fmt::format("{} smaller reasons, {}\n", why.smaller,
                            timeText(why.smallerTime, unit));
    if (report.accuracy && std::abs(*report.accuracy - 1) > 0.01)
        text += fmt::format("Simulated again without a change, the iteration takes {} of its "
                            "recorded time.\n",
                            shareText(*report.accuracy));
    if (!report.accuracy)
        text += "No change can be simulated: " + report.accuracy.error().message + "\n";
    else if (!why.reasons.empty())
        text += "Each change is simulated separately; the gains do not add up.\n";
    if (const auto slow = stragglers(run))
        for (const Finding& finding : stragglerFindings(run, *slow))
            text += finding.sentence + "\n";
    return text + nextText(run, report);
}

} // namespace profiler
