#include "app/cli/text/timeline_text.h"

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/measure.h"

#include <fmt/format.h>

#include <cctype>
#include <numeric>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kHeadWidth = 13; // "device 0   | "

char letterOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return 'F';
    case OpKind::Backward:
        return 'B';
    case OpKind::BackwardInput:
        return 'I';
    case OpKind::BackwardWeight:
        return 'W';
    case OpKind::Recompute:
        return 'R';
    default:
        return 'O'; // OPT, the only remaining compute op
    }
}

// Returns the two characters of an op: the letter of its kind and the digit of its micro-batch,
// such as "F0". With several chunks, the letter is in lower case for the first chunk.
std::string cellOf(const Op& op, const Shape& shape)
{
    char letter = letterOf(op.kind);
    if (shape.chunks() > 1 && op.stage.value / shape.devices == 0)
        letter = static_cast<char>(std::tolower(letter));
    const char digit
        = op.microBatch.isValid() ? kDigits[static_cast<std::size_t>(op.microBatch.value)] : ' ';
    return {letter, digit};
}

const char* colourOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return "\033[34m";
    case OpKind::Backward:
    case OpKind::BackwardInput:
        return "\033[33m";
    case OpKind::BackwardWeight:
        return "\033[32m";
    default:
        return "\033[35m";
    }
}

// Returns the largest step of time that divides the start and the end of every compute span,
// relative to the start of the window.
std::int64_t stepOf(const Lanes& lanes)
{
    const Window window = lanes.window();
    std::int64_t step = window.duration();
    for (DeviceId d{0}; d.value < lanes.devices(); ++d.value)
        for (const Span& span : lanes.spans(d, Track::Kind::Compute))
            if (span.window().duration() > 0)
                step = std::gcd(step, std::gcd(span.begin - window.begin, span.end - window.begin));
    return step;
}

class Painter
{
public:
    Painter(const Run& run, const Lanes& lanes, std::int64_t step, Ink ink)
        : m_run(run)
        , m_lanes(lanes)
        , m_step(step)
        , m_ink(ink)
    { }

    std::string row(DeviceId device) const
    {
        std::string text = fmt::format("device {:<3} | ", device.value);
        std::int64_t now = m_lanes.window().begin;
        const OpIndex index(m_run.schedule);
        for (const Span& span : m_lanes.spans(device, Track::Kind::Compute)) {
            if (span.begin < now || span.window().duration() <= 0)
                continue;
            const Op& op = opAt(m_run.schedule, index, span.op);
            text += idle(span.begin - now)
                + painted(cells(span.window().duration(), cellOf(op, m_run.schedule.shape)),
                          op.replica == 1 ? "\033[4m" : "", colourOf(op.kind));
            now = span.end;
        }
        return text + idle(m_lanes.window().end - now) + "\n";
    }

private:
    std::string cells(std::int64_t duration, const std::string& cell) const
    {
        std::string text;
        for (std::int64_t c = 0; c < duration / m_step; ++c)
            text += cell;
        return text;
    }
    std::string idle(std::int64_t duration) const
    {
        return duration > 0 ? painted(cells(duration, ".."), "", "\033[2m") : "";
    }
    std::string painted(const std::string& text, const char* style, const char* colour) const
    {
        return m_ink == Ink::Plain ? text : fmt::format("{}{}{}\033[0m", style, colour, text);
    }

    const Run& m_run;
    const Lanes& m_lanes;
    std::int64_t m_step;
    Ink m_ink;
};
} // namespace

std::string timelineText(const Run& run, int iteration, std::size_t columns, Ink ink)
{
    const Shape& shape = run.schedule.shape;
    if (!run.info.inUnits() || static_cast<std::size_t>(shape.allMicroBatches()) > kDigits.size())
        return {};
    const Lanes lanes(run, iteration);
    const std::int64_t step = stepOf(lanes);
    if (step <= 0
        || kHeadWidth + 2 * static_cast<std::size_t>(lanes.window().duration() / step) > columns)
        return {};
    const Painter painter(run, lanes, step, ink);
    std::string text;
    for (DeviceId d{0}; d.value < lanes.devices(); ++d.value)
        text += painter.row(d);
    return text
        + fmt::format("F: forward, B: backward, digit: micro-batch{}{}, ..: idle; one cell: {}\n",
                      shape.chunks() > 1 ? ", lower case: first chunk" : "",
                      shape.replicas > 1 && ink == Ink::Colours ? ", underlined: direction up" : "",
                      timeText(step, run.info.ticksPerUnit));
}

} // namespace cli
