#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace tests {

using Random = std::mt19937_64;

// Changes one to eight bytes.
std::string mutateBytes(std::string content, Random& random);
// Repeats, deletes or exchanges lines, and replaces numbers and words by unusual ones.
std::string mutateLines(const std::string& content, Random& random);
// Sets one to three values of a SQLite database to unusual ones, or deletes or repeats rows.
void mutateValues(const std::filesystem::path& database, Random& random);

} // namespace tests
