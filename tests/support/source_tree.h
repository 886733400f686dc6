#pragma once

#include "tests/catch.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// The sources of the tree the tests were built from.
namespace tests {

struct SourceFile
{
    std::string path; // from the root: "engine/sim/simulate.cpp"
    std::string text;

    std::string folder() const { return path.substr(0, path.rfind('/')); }
    std::vector<std::string> lines() const
    {
        std::vector<std::string> lines;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            lines.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return lines;
    }
};

// Every file below the given top folders with one of the extensions.
inline std::vector<SourceFile> filesBelow(const std::vector<std::string>& folders,
                                          const std::vector<std::string>& extensions)
{
    namespace fs = std::filesystem;
    const fs::path root(sourcePath(""));
    std::vector<SourceFile> files;
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
                continue;
            std::ifstream stream(entry.path());
            files.push_back({fs::relative(entry.path(), root).generic_string(),
                             {std::istreambuf_iterator<char>(stream), {}}});
        }
    return files;
}

inline std::vector<SourceFile> sourcesBelow(const std::vector<std::string>& folders)
{
    std::vector<SourceFile> files = filesBelow(folders, {".h", ".cpp", ".cu"});
    REQUIRE(files.size() > 10);
    return files;
}

// Every Markdown file of the repository, including those at the top.
inline std::vector<SourceFile> documents()
{
    namespace fs = std::filesystem;
    std::vector<SourceFile> files = filesBelow(
        {"app", "engine", "profiler", "packaging", "resources", "sample_runs", "tests"}, {".md"});
    for (const auto& entry : fs::directory_iterator(sourcePath("")))
        if (entry.path().extension() == ".md") {
            std::ifstream stream(entry.path());
            files.push_back(
                {entry.path().filename().string(), {std::istreambuf_iterator<char>(stream), {}}});
        }
    REQUIRE(files.size() > 5);
    return files;
}

} // namespace tests
