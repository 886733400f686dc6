#include "tests/support/source_tree.h"

#include <regex>

using namespace tests;

// The window gets every unit of time and size from app/ui/text, with the number in it: a
// unit that is typed beside a number stays the same when the scale changes.
namespace {

std::vector<std::string> typedUnits(const SourceFile& file)
{
    // "%1 ms", and "Each, ms" in a header
    static const std::regex kTyped(
        R"re((%[0-9] (ns|µs|ms|KiB|MiB|GiB|kB|MB|GB|TB)\b|, (ns|µs|ms|[KMG]iB|[kMGT]B)(/s)?"))re");
    std::vector<std::string> found;
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), kTyped), end; at != end; ++at)
        found.push_back(file.path + ": " + at->str() + ": use a Scale of app/ui/text.h");
    return found;
}

} // namespace

TEST_CASE("no text of the window has a unit of time or size that is typed beside a number")
{
    for (const SourceFile& file : sourcesBelow({"app"}))
        if (!file.path.starts_with("app/cli/") && file.path != "app/ui/text.h")
            CHECK(typedUnits(file) == std::vector<std::string>());
}

TEST_CASE("a unit that is typed beside a number is found")
{
    const auto isFound = [](const std::string& code) {
        return !typedUnits({"app/run/any.cpp", code}).empty();
    };
    CHECK(isFound(R"x(tr("busy %3 of %4 ms (%5)"))x"));
    CHECK(isFound(R"x(tr("Stash, GiB"))x"));
    CHECK(isFound(R"x(tr("%1 GB/s per GPU"))x"));
    CHECK_FALSE(isFound(R"x(tr("Each, %1").arg(time.unit))x"));
    CHECK_FALSE(isFound(R"x(tr("%1 msgs"))x"));
}
