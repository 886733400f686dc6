#include "profiler/store/notes.h"

#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/open_file.h"
#include "profiler/store/schema.h"

#include <fmt/format.h>

#include <limits>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Note;
using engine::Result;
namespace fs = std::filesystem;

// How much of the run a note may point at.
struct Limits
{
    std::int64_t ops = 0, iterations = 0, devices = 0;

    bool hold(std::int64_t op, std::int64_t iteration, std::int64_t device) const
    {
        return op < ops && iteration < iterations && device < devices;
    }
};

Result<Limits> limitsOf(Database& database)
{
    const auto ops = database.integer("SELECT count(*) FROM BS_schedule");
    const auto iterations = database.integer("SELECT count(DISTINCT iteration) FROM BS_iteration");
    const auto devices = database.integer("SELECT devices FROM BS_shape");
    if (!ops || !iterations || !devices)
        return tl::unexpected(database.error());
    return Limits{*ops, *iterations, *devices};
}

// -1 where the column is NULL; what does not fit into 32 bits is larger than any limit.
std::int64_t place(const Statement& row, int column)
{
    return row.isNull(column) ? -1 : row.integer(column);
}

Note noteOf(const Statement& row)
{
    Note note;
    note.id = row.integer(0);
    note.window = {row.integer(1), row.integer(2)};
    note.iteration = static_cast<int>(place(row, 3));
    if (!row.isNull(4))
        note.op = static_cast<std::uint32_t>(row.integer(4));
    note.device = engine::DeviceId{static_cast<int>(place(row, 5))};
    note.text = row.text(6);
    note.created = row.text(7);
    return note;
}

bool isWhole(const Statement& row, const Limits& limits)
{
    for (const int column : {3, 4, 5})
        if (place(row, column) < -1 || (!row.isNull(column) && row.integer(column) < 0))
            return false;
    return row.integer(0) > 0 && row.integer(1) <= row.integer(2)
        && limits.hold(place(row, 4), place(row, 3), place(row, 5))
        && (row.isNull(4) || !row.isNull(3)); // an op is one of an iteration
}

Result<Database> openForNotes(const fs::path& file)
{
    auto database = openFileForWriting(file);
    if (!database)
        return database;
    if (auto made = database->execute(kNotesTable); !made)
        return tl::unexpected(made.error());
    return database;
}

} // namespace

Result<std::vector<Note>> readNotes(const fs::path& file)
{
    auto open = openFile(file);
    if (!open)
        return tl::unexpected(open.error());
    Database& database = open->database;
    const auto isThere = hasTable(database, "BS_annotation");
    if (!isThere)
        return tl::unexpected(isThere.error());
    std::vector<Note> notes;
    if (!*isThere)
        return notes;
    const auto limits = limitsOf(database);
    if (!limits)
        return tl::unexpected(limits.error());
    auto rows = database.prepare("SELECT id, begin, \"end\", iteration, op, device, text, created "
                                 "FROM BS_annotation ORDER BY begin, id");
    if (!rows)
        return tl::unexpected(rows.error());
    while (rows->next()) {
        if (!isWhole(*rows, *limits))
            return tl::unexpected(database.damaged("a note of what the run does not have"));
        notes.push_back(noteOf(*rows));
    }
    if (rows->failed())
        return tl::unexpected(database.error());
    return notes;
}

Result<void> putNote(const fs::path& file, const Note& note)
{
    auto database = openForNotes(file);
    if (!database)
        return tl::unexpected(database.error());
    const auto orNull
        = [](int value) { return value < 0 ? std::nullopt : std::optional<std::int64_t>(value); };
    auto put = database->prepare("INSERT OR REPLACE INTO BS_annotation (id, begin, \"end\", "
                                 "iteration, op, device, text, created) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    if (!put
        || !put->run(note.id, note.window.begin, note.window.end, orNull(note.iteration), note.op,
                     orNull(note.device.value), note.text, note.created))
        return tl::unexpected(database->error());
    return {};
}

Result<void> removeNote(const fs::path& file, std::int64_t id)
{
    auto database = openForNotes(file);
    if (!database)
        return tl::unexpected(database.error());
    auto remove = database->prepare("DELETE FROM BS_annotation WHERE id = ?");
    if (!remove || !remove->run(id))
        return tl::unexpected(database->error());
    if (sqlite3_changes(database->handle()) == 0)
        return fail(Error::Code::NotFound,
                    fmt::format("{} has no such note any more", file.string()));
    return {};
}

} // namespace profiler
