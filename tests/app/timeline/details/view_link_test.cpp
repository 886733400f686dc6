#include "app/timeline/details/view_link.h"
#include "tests/catch.h"

using namespace app;
using Kind = app::Selection::Kind;

namespace {

std::string linkError(const char* text)
{
    const auto link = parseViewLink(QString::fromUtf8(text));
    REQUIRE_FALSE(link.has_value());
    return link.error().message;
}

} // namespace

TEST_CASE("a link to a view survives as text")
{
    ViewLink link;
    link.file = QString::fromUtf8("/home/me/runs & more/größe 100%?#1.sqlite");
    link.window = {-5, 29'800'000};
    CHECK(parseViewLink(toText(link)) == link);
    link.kind = Kind::Op;
    link.op = 17;
    link.iteration = 2;
    link.colouring = 3;
    link.areKernelsShown = true;
    link.note = QString::fromUtf8("why = so late & + 5 %? ü");
    CHECK(parseViewLink(QStringLiteral(" \n") + toText(link) + QStringLiteral("\n")) == link);
    link.kind = Kind::Range;
    link.op = 0;
    link.iteration = -1;
    link.range = {10, 20};
    CHECK(parseViewLink(toText(link)) == link);
    CHECK_FALSE(toText(link).contains(QLatin1Char(' ')));
}

TEST_CASE("a text that is no link is refused with what is missing")
{
    CHECK(linkError("https://example.org/a.sqlite").find("Copy a link") != std::string::npos);
    CHECK(linkError("bubblescope:a.sqlite?from=1&to=2").find("path") != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite").find("'from'") != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite?from=1&to=x").find("'to'") != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite?from=3&to=2").find("before it begins")
          != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite?from=1&to=9999999999999999999999").find("'to'")
          != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite?from=1&to=2&op=-1").find("'op'") != std::string::npos);
    CHECK(linkError("bubblescope:/a.sqlite?from=1&to=2&op=1").find("'iteration'")
          != std::string::npos);
}
