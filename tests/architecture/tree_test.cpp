#include "tests/support/source_tree.h"

#include <set>

using namespace tests;

TEST_CASE("only the seven folders of the design stand at the top")
{
    const std::set<std::string> folders{"app",   "engine",      "profiler", "resources",
                                        "tests", "sample_runs", "packaging"};
    for (const auto& entry : std::filesystem::directory_iterator(BS_SOURCE_DIR)) {
        const std::string name = entry.path().filename().string();
        const bool isLocal = name.starts_with('.') || name.starts_with("build") || name == "out";
        if (!entry.is_directory() || isLocal)
            continue;
        INFO(name);
        CHECK(folders.contains(name));
    }
}

TEST_CASE("no source file is longer than 400 lines")
{
    for (const SourceFile& file :
         sourcesBelow({"app", "engine", "profiler", "resources", "tests"})) {
        INFO(file.path);
        CHECK(file.lines().size() <= 400);
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
        if (fs::exists(fs::path(BS_SOURCE_DIR) / header))
            CHECK_THAT(file.text, Catch::StartsWith("#include \"" + header + '"'));
    }
}
