#include "app/cli/text/notes_text.h"

#include "app/cli/text/run_json.h"
#include "app/cli/text/table.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/words.h"

#include <fmt/format.h>

namespace cli {

using namespace engine;

namespace {
std::string spelling(const Run& run, std::uint32_t op)
{
    return toString(opAt(run.schedule, OpIndex(run.schedule), op));
}

std::string subjectOf(const Run& run, const Note& note)
{
    const std::string where
        = note.device.isValid() ? fmt::format("device {}", note.device.value) : "all devices";
    return note.op ? spelling(run, *note.op) + " on " + where : where;
}

const Iteration* iterationOf(const Run& run, const Note& note)
{
    return note.iteration < 0 ? nullptr
                              : &run.timeline.iterations[static_cast<std::size_t>(note.iteration)];
}

std::string iterationLabel(const Iteration* iteration)
{
    if (iteration == nullptr)
        return "-";
    switch (iteration->kind) {
    case Iteration::Kind::Warmup:
        return fmt::format("warm-up {}", iteration->number);
    case Iteration::Kind::Replay:
        return "median iteration";
    case Iteration::Kind::Measured:
        break;
    }
    return std::to_string(iteration->number);
}

std::int64_t startOf(const Iteration* iteration, const Note& note)
{
    return note.window.begin - (iteration == nullptr ? 0 : iteration->window.begin);
}
} // namespace

std::string notesText(const Run& run, std::span<const Note> notes)
{
    if (notes.empty())
        return "\nno notes; press N in the window to add one\n";
    Table table({{"note"},
                 {"subject", Table::Align::Left},
                 {"iteration", Table::Align::Left},
                 {"start"},
                 {"length"},
                 {"text", Table::Align::Left}});
    int number = 0;
    for (const Note& note : notes) {
        const Iteration* iteration = iterationOf(run, note);
        const auto time = [&run](std::int64_t ticks) {
            return profiler::timeText(ticks, run.info.ticksPerUnit);
        };
        table.add({std::to_string(++number), subjectOf(run, note), iterationLabel(iteration),
                   time(startOf(iteration, note)), time(note.window.duration()),
                   note.text.empty() ? "(bookmark)" : note.text});
    }
    std::string text("\n");
    return text += table.text();
}

nlohmann::ordered_json notesJson(const Run& run, std::span<const Note> notes)
{
    auto all = nlohmann::ordered_json::array();
    for (const Note& note : notes) {
        nlohmann::ordered_json one;
        one["text"] = note.text;
        one["op"] = note.op ? nlohmann::ordered_json(spelling(run, *note.op)) : nullptr;
        one["device"] = note.device.isValid() ? nlohmann::ordered_json(note.device.value) : nullptr;
        one["iteration"] = note.iteration >= 0 ? nlohmann::ordered_json(note.iteration) : nullptr;
        one["begin"] = timeJson(run.info, note.window.begin);
        one["end"] = timeJson(run.info, note.window.end);
        one["created"] = note.created;
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace cli
