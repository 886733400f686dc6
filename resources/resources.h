#pragma once

#include <span>
#include <string_view>

// The files of this folder, compiled in: presets (TOML), palettes (JSON), help texts, icons
// (SVG).
namespace resources {

struct Resource
{
    std::string_view path; // "models/tiny.toml"
    std::string_view text;
};

std::span<const Resource> all();              // sorted by path
std::string_view find(std::string_view path); // empty if not found

} // namespace resources
