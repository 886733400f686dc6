#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tests {

// A function of the product that reads a file of unknown origin.
struct Reader
{
    std::string name; // of the mutated file; its extension selects the reader's format
    std::vector<std::string> seeds; // contents of valid files, which are mutated
    std::function<std::string(const std::filesystem::path&)> read; // returns the error, or ""
    int rounds = 1000; // mutated files in ctest; about 20 s with sanitizers
};

// All readers. A new reader is one entry of the table in readers.cpp.
std::vector<Reader> readers();

} // namespace tests
