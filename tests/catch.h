#pragma once

// Catch2 2.13 (Debian 12) or 3.x. Included last: its CHECK replaces the one of engine/base/check.h.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace Catch { // the names of 2.13
using Matchers::EndsWith, Matchers::StartsWith;
inline auto Contains(const std::string& text)
{
    return Matchers::ContainsSubstring(text);
}
} // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

// A precompiled header has Catch2 before engine/base/check.h.
#undef CHECK
#define CHECK(...)                                                                                 \
    INTERNAL_CATCH_TEST("CHECK", Catch::ResultDisposition::ContinueOnFailure, __VA_ARGS__)
