#pragma once

#include <string>

// Absolute paths below the source tree and the build folder. One source file knows the two roots,
// so that all other objects are the same in every checkout and a compiler cache serves them.
namespace tests {

std::string sourcePath(const std::string& below);
std::string buildPath(const std::string& below); // "bin/bscope"

} // namespace tests
