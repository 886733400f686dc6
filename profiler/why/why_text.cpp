#include "profiler/why/why_text.h"

#include "engine/cost/training_setup.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/measure.h"
#include "profiler/whatif/changes.h"

#include <fmt/format.h>

#include <cstdlib>

namespace profiler {

using namespace engine;

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
        const std::string name = toString(opAt(m_run->schedule, OpIndex(m_run->schedule), op));
        m_sentence.push_back({Phrase::Kind::Op, name, 0, op});
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

std::string opName(const Run& run, std::uint32_t op)
{
    return toString(opAt(run.schedule, OpIndex(run.schedule), op));
}

// " (6 of 16 layers, one more than other stages)" if the layers do not divide evenly and the stage
// has more of them; otherwise "".
std::string layersText(const Run& run, StageId stage)
{
    TransformerSpec model;
    model.layers = modelLayers(run);
    const int stages = run.schedule.shape.stages, least = model.layers / stages;
    const bool hasMore = model.layers >= stages && layersOf(model, stages, stage.value) > least;
    return hasMore
        ? fmt::format(" ({} of {} layers, one more than other stages)", least + 1, model.layers)
        : "";
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
        const Op& op = opAt(run.schedule, OpIndex(run.schedule), reason.op);
        writer.text(fmt::format("{} of stage {}{} is {:.0f} % slower than that of the median "
                                "stage, {} on the path: ",
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

std::string changeText(const Run& run, const WhyChange& change)
{
    using Kind = WhyChange::Kind;
    switch (change.kind) {
    case Kind::Chunks:
        return fmt::format("with {} chunks", change.chunks);
    case Kind::SplitBackward:
        return "with split backward";
    case Kind::Earlier:
        return opName(run, change.op) + " before " + opName(run, change.other);
    case Kind::EqualStage:
        return "if equal";
    case Kind::FastLinks:
        return "links twice as fast";
    case Kind::NoWaits:
        return "without these waits";
    case Kind::FastAllReduces:
        return "all-reduces twice as fast";
    case Kind::NoRecompute:
        return "without recomputation";
    case Kind::FastCopies:
        break;
    }
    return "evicts and loads twice as fast";
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

} // namespace profiler
