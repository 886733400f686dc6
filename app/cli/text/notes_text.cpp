#include "app/cli/text/notes_text.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace cli {

using namespace engine;
using namespace profiler;

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
        return "typical ops";
    case Iteration::Kind::Measured:
        break;
    }
    return std::to_string(iteration->number);
}

std::int64_t startOf(const Iteration* iteration, const Note& note)
{
    return note.window.begin - (iteration == nullptr ? 0 : iteration->window.begin);
}
struct ListedNote
{
    const Run& run;
    const Note& of;
    std::size_t number = 0;
};
using N = ListedNote;

template<auto Member>
Reading edge(const N& n)
{
    return Reading::time(n.of.window.*Member, n.run.info);
}

constexpr std::array kNote{
    Measure<N>({"", "note", Unit::None, kColumn}, Of<&N::number>()),
    Measure<N>({"text"}, [](const N& n) { return n.of.text; }),
    Measure<N>({"op"},
               [](const N& n) { return n.of.op ? Reading(spelling(n.run, *n.of.op)) : Reading(); }),
    Measure<N>(
        {"device"},
        [](const N& n) { return n.of.device.isValid() ? Reading(n.of.device.value) : Reading(); }),
    Measure<N>(
        {"iteration"},
        [](const N& n) { return n.of.iteration >= 0 ? Reading(n.of.iteration) : Reading(); }),
    Measure<N>({"begin"}, edge<&Window::begin>),
    Measure<N>({"end"}, edge<&Window::end>),
    Measure<N>({"created"}, [](const N& n) { return n.of.created; }),
    Measure<N>({"", "subject", Unit::None, kColumn},
               [](const N& n) { return subjectOf(n.run, n.of); }),
    Measure<N>({"", "iteration", Unit::None, kColumn},
               [](const N& n) { return iterationLabel(iterationOf(n.run, n.of)); }),
    Measure<N>({"", "start", Unit::Time, kColumn},
               [](const N& n) {
                   return Reading::time(startOf(iterationOf(n.run, n.of), n.of), n.run.info);
               }),
    Measure<N>({"", "length", Unit::Time, kColumn},
               [](const N& n) { return Reading::time(n.of.window.duration(), n.run.info); }),
    Measure<N>({"", "text", Unit::None, kColumn},
               [](const N& n) { return n.of.text.empty() ? "(bookmark)" : n.of.text; }),
};
} // namespace

void addNotes(const Run& run, std::span<const Note> notes, Sheet& sheet)
{
    std::vector<N> rows;
    for (const Note& note : notes)
        rows.push_back({run, note, rows.size() + 1});
    const Table table(kNote, rows);
    if (!notes.empty())
        return sheet.table(table, "notes");
    sheet.data("notes", table.json());
    sheet.lines("no notes; press N in the window to add one\n");
}

} // namespace cli
