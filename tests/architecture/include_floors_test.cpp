#include "tests/architecture/floors.h"
#include "tests/support/source_tree.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace tests;

namespace {

struct Include
{
    std::string header;
    bool quoted = false; // "ours", not <foreign>
};

std::optional<Include> includeOn(const std::string& line)
{
    std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line[begin] != '#')
        return std::nullopt;
    begin = line.find_first_not_of(" \t", begin + 1);
    constexpr std::string_view kDirective = "include";
    if (begin == std::string::npos || line.compare(begin, kDirective.size(), kDirective) != 0)
        return std::nullopt;
    const std::size_t open = line.find_first_of("<\"", begin);
    const std::size_t close = line.find_first_of(">\"", open + 1);
    if (open == std::string::npos || close == std::string::npos)
        return std::nullopt;
    return Include{line.substr(open + 1, close - open - 1), line[open] == '"'};
}

bool isBelow(const std::string& path, const std::string& folder)
{
    return path.starts_with(folder + '/');
}

const Floor* floorOf(const std::string& path)
{
    const auto found = std::ranges::find_if(
        floors(), [&path](const Floor& floor) { return isBelow(path, floor.folder); });
    return found == floors().end() ? nullptr : &*found;
}

// "engine/base" is that floor, "engine/" all floors below it (engine/schedule/ its own, too).
bool isOneOf(const Floor& floor, const std::string& folder)
{
    return folder.ends_with('/') ? (floor.folder + '/').starts_with(folder)
                                 : floor.folder == folder;
}

// The C and C++ standard library and the system's.
bool isStandard(const std::string& header)
{
    static const std::set<std::string> kSystem{"unistd.h", "malloc.h", "fcntl.h", "pwd.h",
                                               "signal.h", "poll.h",   "dlfcn.h", "pthread.h",
                                               "sched.h",  "time.h",   "cxxabi.h"};
    return header.find_first_of("./QZ") == std::string::npos || header.starts_with("sys/")
        || kSystem.contains(header);
}

bool startsWithAny(const std::string& header, const Names& beginnings)
{
    return std::ranges::any_of(beginnings,
                               [&header](const auto& each) { return header.starts_with(each); });
}

bool isAllowed(const Include& include, const Floor& floor)
{
    if (!include.quoted)
        return (isStandard(include.header) || include.header.starts_with("fmt/")
                || include.header == "tl/expected.hpp"
                || startsWithAny(include.header, floor.foreign))
            && std::ranges::find(floor.butNot, include.header) == floor.butNot.end();
    const Floor* target = floorOf(include.header);
    return target == &floor
        || (target != nullptr
            && std::ranges::any_of(floor.mayInclude, [target](const std::string& folder) {
                   return isOneOf(*target, folder);
               }));
}

// "engine/sim/x.cpp:3: engine/sim may not include profiler/store/y.h"
Names includeComplaints(const SourceFile& file)
{
    Names complaints;
    const Floor* floor = floorOf(file.path);
    if (floor == nullptr)
        return {file.path + " lies on no floor"};
    const std::vector<std::string> lines = file.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto include = includeOn(lines[i]);
        if (include && !isAllowed(*include, *floor))
            complaints.push_back(file.path + ':' + std::to_string(i + 1) + ": " + floor->folder
                                 + " may not include " + include->header);
    }
    return complaints;
}

Names includeComplaints(const std::string& path, const std::string& header)
{
    return includeComplaints(SourceFile{path, "#include " + header + '\n'});
}

} // namespace

TEST_CASE("every include is of the same floor or a lower one")
{
    Names complaints;
    for (const SourceFile& file : sourcesBelow({"app", "engine", "profiler", "resources"}))
        for (const std::string& complaint : includeComplaints(file))
            complaints.push_back(complaint);
    CHECK(complaints == Names{});
}

TEST_CASE("an include of a higher floor, a neighbour or another folder is found")
{
    CHECK(includeComplaints("engine/schedule/x.cpp", "\"engine/sim/simulate.h\"").size() == 1);
    CHECK(includeComplaints("engine/schedule/x.cpp", "\"engine/schedules/scheme.h\"").size() == 1);
    CHECK(includeComplaints("engine/sim/x.cpp", "\"profiler/store/trace_store.h\"").size() == 1);
    CHECK(includeComplaints("engine/sim/x.cpp", "<sqlite3.h>").size() == 1);
    CHECK(includeComplaints("engine/exec/x.cpp", "<QString>").size() == 1);
    CHECK(includeComplaints("engine/backend/cpu/x.cpp", "\"engine/backend/cuda/y.h\"").size() == 1);
    CHECK(includeComplaints("engine/backend/x.cpp", "<cblas.h>").size() == 1);
    CHECK(includeComplaints("profiler/analysis/x.cpp", "\"profiler/store/trace_store.h\"").size()
          == 1);
    CHECK(includeComplaints("profiler/export/x.cpp", "\"profiler/import/y.h\"").size() == 1);
    CHECK(includeComplaints("profiler/figure/x.cpp", "<QPainter>").size() == 1);
    CHECK(includeComplaints("app/cli/x.cpp", "<QString>").size() == 1);
    CHECK(includeComplaints("app/timeline/view/x.h", "<QWidget>").size() == 1);
    CHECK(includeComplaints("app/ui/x.h", "\"app/timeline/view/y.h\"").size() == 1);
    CHECK(includeComplaints("app/run/x.h", "\"app/window/y.h\"").size() == 1);
    CHECK(includeComplaints("app/run/x.h", "\"app/setup/y.h\"").size() == 1);
    CHECK(includeComplaints("app/whatif/x.h", "\"app/why/y.h\"").size() == 1);
    CHECK(includeComplaints("app/timeline/view/x.h", "\"app/timeline/paint/y.h\"").size() == 1);
    CHECK(includeComplaints("engine/plan/x.cpp", "\"engine/exec/y.h\"").size() == 1);
    CHECK(includeComplaints("engine/schedule/x.h", "\"engine/schedule/passes/y.h\"").size() == 1);
    CHECK(includeComplaints("engine/sim/x.cpp", "\"placer.h\"").size() == 1);
    CHECK(includeComplaints("engine/new/x.cpp", "<vector>").size() == 1);
    CHECK(includeComplaints("engine/sim/x.cpp", "  \"app/ui/theme.h\" // why not").size() == 1);
}

TEST_CASE("an include of a lower floor is accepted")
{
    CHECK(includeComplaints("engine/sim/x.cpp", "\"engine/cost/cost_model.h\"").empty());
    CHECK(includeComplaints("engine/sim/x.cpp", "<vector>").empty());
    CHECK(includeComplaints("engine/sim/x.cpp", "<fmt/format.h>").empty());
    CHECK(includeComplaints("profiler/store/x.cpp", "<sqlite3.h>").empty());
    CHECK(includeComplaints("app/run/x.cpp", "<QWidget>").empty());
    CHECK(includeComplaints("app/main.cpp", "\"app/window/main_window.h\"").empty());
}

TEST_CASE("sqlite3.h, CUPTI and Qt stay where they belong, in tests too")
{
    for (const SourceFile& file : sourcesBelow({"app", "engine", "profiler", "resources", "tests"}))
        for (const std::string& line : file.lines()) {
            const auto include = includeOn(line);
            if (!include || include->quoted)
                continue;
            INFO(file.path << ": " << include->header);
            if (include->header == "sqlite3.h")
                CHECK((isBelow(file.path, "profiler/store") || isBelow(file.path, "tests")));
            if (include->header.starts_with("cupti"))
                CHECK((isBelow(file.path, "tests/profiler/capture")
                       || isBelow(file.path, "tests/gpu")));
            if (include->header.starts_with('Q'))
                CHECK((isBelow(file.path, "app") || isBelow(file.path, "tests")));
        }
}

// What a table lists, the other entries of the table do not know.
TEST_CASE("neighbours do not include each other")
{
    const std::vector<std::pair<std::string, std::string>> tables{
        {"profiler/export/", "profiler/export/exporters."}};
    const auto files = sourcesBelow({"app", "engine", "profiler"});
    for (const auto& [folder, table] : tables) {
        std::set<std::string> neighbours;
        for (const SourceFile& file : files)
            if (file.path.starts_with(table))
                for (const std::string& line : file.lines())
                    if (const auto include = includeOn(line); include
                        && include->header.starts_with(folder)
                        && !include->header.starts_with(table))
                        neighbours.insert(include->header);
        for (const SourceFile& file : files) {
            const std::string own = file.path.substr(0, file.path.rfind('.')) + ".h";
            if (!neighbours.contains(own) || file.path.starts_with(table))
                continue;
            for (const std::string& line : file.lines())
                if (const auto include = includeOn(line)) {
                    INFO(file.path << " includes " << include->header);
                    CHECK((include->header == own || !neighbours.contains(include->header)));
                }
        }
    }
}
