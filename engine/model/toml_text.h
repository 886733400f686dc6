#pragma once

#include <string>
#include <string_view>

namespace engine {

// Values as TOML spells them: "quoted \"text\"", 0.001, 1e-08, 2.0. Read back unchanged.
std::string tomlString(std::string_view text);
std::string tomlReal(double value);

} // namespace engine
