#include "tests/support/paths.h"
#include "tests/support/source_tree.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace tests;

namespace {

// Names of test cases that CMake or Catch would cut in two or take for something else: then none of
// them runs.
std::vector<std::string> unspeakable(const std::string& source)
{
    static const std::regex name(R"re(TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
    std::vector<std::string> found;
    for (std::sregex_iterator at(source.begin(), source.end(), name), end; at != end; ++at)
        if (const std::string said = (*at)[1];
            said.find_first_of(";\\[]") != std::string::npos || said.starts_with("\"-"))
            found.push_back(said);
    return found;
}

// "profiler::KernelRow": each type that the file defines in a namespace with a name. The format of
// the sources has such definitions, and their namespaces, at the start of a line.
std::vector<std::string> typesOf(const SourceFile& file)
{
    static const std::regex scope(R"(namespace ([\w:]*) ?\{|\} // namespace.*)");
    static const std::regex type(
        R"((?:struct|class|union|enum|enum class) (\w+)(?: final)?(?: :[^;{]*)?(?: \{.*)?)");
    std::vector<std::string> scopes, types;
    std::smatch found;
    for (const std::string& line : file.lines()) {
        if (std::regex_match(line, found, scope)) {
            if (line.starts_with("namespace"))
                scopes.push_back(found[1]);
            else if (!scopes.empty())
                scopes.pop_back();
        } else if (std::regex_match(line, found, type) && std::ranges::count(scopes, "") == 0) {
            std::string name;
            for (const std::string& outer : scopes)
                name += outer + "::";
            types.push_back(name + found[1].str());
        }
    }
    return types;
}

} // namespace

TEST_CASE("the top folder has only the seven folders of the design")
{
    const std::set<std::string> folders{"app",   "engine",      "profiler", "resources",
                                        "tests", "sample_runs", "packaging"};
    for (const auto& entry : std::filesystem::directory_iterator(sourcePath(""))) {
        const std::string name = entry.path().filename().string();
        const bool isLocal = name.starts_with('.') || name.starts_with("build") || name == "out";
        if (!entry.is_directory() || isLocal)
            continue;
        INFO(name);
        CHECK(folders.contains(name));
    }
}

TEST_CASE("every header is guarded, and every source begins with its own header")
{
    namespace fs = std::filesystem;
    for (const SourceFile& file : sourcesBelow({"app", "engine", "profiler"})) {
        INFO(file.path);
        if (file.path.ends_with(".h")) {
            CHECK(file.text.find("#pragma once\n") != std::string::npos);
            continue;
        }
        const std::string header = file.path.substr(0, file.path.rfind('.')) + ".h";
        if (fs::exists(sourcePath(header)))
            CHECK_THAT(file.text, Catch::StartsWith("#include \"" + header + '"'));
    }
}

// Two headers defined profiler::KernelRow: a program used the std::vector code of one for the
// other.
TEST_CASE("no two files define a type of the same name in one namespace")
{
    std::map<std::string, std::vector<std::string>> places;
    for (const SourceFile& file : sourcesBelow({"app", "engine", "profiler"}))
        for (const std::string& type : typesOf(file))
            places[type].push_back(file.path);
    CHECK(places.contains("profiler::KernelRow"));
    for (const auto& [type, files] : places) {
        INFO(type << " in " << files.front() << " and " << files.back());
        CHECK(files.size() == 1);
    }
}

TEST_CASE("every test has a name that ctest can pass to Catch2")
{
    for (const SourceFile& file : sourcesBelow({"tests"})) {
        if (file.path == "tests/architecture/tree_test.cpp")
            continue; // it has some that cannot
        INFO(file.path);
        CHECK(unspeakable(file.text) == std::vector<std::string>());
    }
    CHECK(unspeakable(R"(TEST_CASE("one; two", "[tag]"))").size() == 1);
    CHECK(unspeakable("TEST_CASE(\n    \"of two \"\n    \"parts; cut\")").size() == 1);
    CHECK(unspeakable(R"(TEST_CASE("-D is an option") TEST_CASE("a \"quoted\" one"))").size() == 2);
    CHECK(unspeakable(R"(TEST_CASE("... and more, of course", "[.speed]"))").empty());
}

// ctest runs tests at the same time. Benchmarks run alone.
TEST_CASE("no test writes a file whose name is the same in every process")
{
    for (const SourceFile& file : sourcesBelow({"tests"})) {
        INFO(file.path);
        if (file.path != "tests/support/temporary_folder.h" && file.folder() != "tests/architecture"
            && file.folder() != "tests/bench")
            CHECK(file.text.find("temp_directory_path") == std::string::npos);
    }
}
