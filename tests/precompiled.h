// What most tests include, for unity builds. Every file still includes what it uses.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
#undef CHECK // of engine/base/check.h until tests/catch.h

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
