#pragma once

#include "engine/base/result.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// Turns an error, for example about an unknown name, into a usage error (exit status 2).
inline auto wrongUsage(engine::Error error)
{
    return engine::fail(engine::Error::Code::InvalidArgument, std::move(error.message));
}

// A validator for CLI::Option::transform() that maps names to values.
template<class Value>
CLI::Validator choice(std::vector<std::pair<std::string, Value>> names)
{
    return {[names = std::move(names)](std::string& text) {
                std::string known;
                for (const auto& [name, value] : names) {
                    if (name == text) {
                        text = std::to_string(static_cast<int>(value));
                        return std::string();
                    }
                    known += (known.empty() ? "" : ", ") + name;
                }
                return text + " is not one of " + known;
            },
            ""};
}

// A validator that accepts one of these names and leaves it as text.
inline CLI::Validator oneOf(std::vector<std::string> names)
{
    return {[names = std::move(names)](std::string& text) {
                std::string known;
                for (const std::string& name : names) {
                    if (name == text)
                        return std::string();
                    known += (known.empty() ? "" : ", ") + name;
                }
                return text + " is not one of " + known;
            },
            ""};
}

// A validator that accepts a number in [least, most].
template<class Number>
CLI::Validator between(Number least, Number most)
{
    return {[least, most](std::string& text) {
                Number number{};
                const bool fits
                    = CLI::detail::lexical_cast(text, number) && least <= number && number <= most;
                return fits ? std::string()
                            : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            ""};
}

// A validator that accepts a positive, finite number.
inline CLI::Validator positive()
{
    return {[](std::string& text) {
                double number = 0;
                const bool fits = CLI::detail::lexical_cast(text, number) && number > 0
                    && std::isfinite(number);
                return fits ? std::string() : text + " is not a number above 0";
            },
            ""};
}

} // namespace cli
