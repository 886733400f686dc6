#include "profiler/store/notes.h"

#include "engine/base/try.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_tables.h"

namespace profiler {
namespace {

using namespace engine;
namespace fs = std::filesystem;

// The sizes of the run, which limit what a note may refer to.
struct Limits
{
    std::int64_t ops = 0, iterations = 0, devices = 0;
};

Result<Limits> limitsOf(Database& database)
{
    Limits limits;
    limits.ops = TRY(database.integer("SELECT sum(1) FROM BS_schedule"));
    limits.iterations = TRY(database.integer("SELECT count(DISTINCT iteration) FROM BS_iteration"));
    limits.devices = TRY(database.integer("SELECT devices FROM BS_shape"));
    return limits;
}

bool isWhole(const Note& note, const Limits& limits)
{
    return note.id > 0 && isWindow(note.window) && note.iteration >= -1
        && note.iteration < limits.iterations && note.device.value >= -1
        && note.device.value < limits.devices && (!note.op || *note.op < limits.ops)
        && (!note.op || note.iteration >= 0); // an op needs an iteration
}

Result<std::string> identityOf(Database& database)
{
    return database.text("SELECT started || char(10) || command || char(10) || label "
                         "FROM BS_run, BS_experiment");
}

// Checks the identity and changes the notes in one transaction.
template<class Change>
Result<void> change(const fs::path& file, const std::string& identity, Change change)
{
    auto database = TRY(openFileForWriting(file));
    TRY(database.execute("BEGIN IMMEDIATE"));
    if (const auto now = identityOf(database); !now || (!identity.empty() && *now != identity))
        return now ? fail(Error::Code::NotFound, "{} now contains another run: open it again",
                          file.string())
                   : tl::unexpected(now.error());
    TRY(createTable<Note>(database));
    TRY(change(database));
    return database.execute("COMMIT");
}

} // namespace

Result<std::vector<Note>> readNotes(const fs::path& file)
{
    auto open = TRY(openFile(file));
    Database& database = open.database;
    const auto limits = TRY(limitsOf(database));
    std::vector<Note> notes;
    TRY(forEachRowIfAny<Note>(database, "ORDER BY begin, id", [&](Note& note) {
        notes.push_back(note);
        return isWhole(note, limits);
    }));
    return notes;
}

Result<std::string> runIdentity(const fs::path& file)
{
    return openFile(file).and_then([](OpenFile open) { return identityOf(open.database); });
}

Result<void> putNote(const fs::path& file, const Note& note, const std::string& identity)
{
    return change(file, identity, [&](Database& database) {
        return writeRows<Note>(database, {note}, "INSERT OR REPLACE");
    });
}

Result<void> removeNote(const fs::path& file, std::int64_t id, const std::string& identity)
{
    return change(file, identity, [&](Database& database) -> Result<void> {
        TRY(database.run("DELETE FROM BS_annotation WHERE id = ?", id));
        if (sqlite3_changes(database.handle()) == 0)
            return fail(Error::Code::NotFound, "{} no longer has this note", file.string());
        return {};
    });
}

} // namespace profiler
