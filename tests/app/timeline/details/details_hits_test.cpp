#include "app/timeline/details/details.h"
#include "tests/app/sample_run.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

using app::Selection;

namespace {

// F takes 1 unit and B takes 2, in each of two iterations.
struct Summary
{
    explicit Summary(const char* query)
        : view(sample::units({"1f1b", 4, 8, 2}))
        , found(std::make_shared<const app::Found>(
              view, app::parseFind(QString::fromLatin1(query)).value()))
    {
        context.hits = found;
        details = app::detailsOf(view, Selection{}, context);
    }
    QString text(const char* row, const char* column) const
    {
        return cell(details, row, column).text;
    }

    app::RunView view;
    app::FoundPointer found;
    app::DetailsFacts context;
    app::Details details;
};

} // namespace

TEST_CASE("the details of all hits have number, total, mean, min and max, by kind")
{
    const Summary hits("mb:3 stage:2");
    CHECK(hits.details.title == QStringLiteral("4 hits"));
    CHECK(hits.details.value == QStringLiteral("6.0"));
    CHECK(hits.details.left == QStringLiteral("2 iterations, 1 device"));
    CHECK(hits.text("all", "hits") == QStringLiteral("4"));
    CHECK(hits.text("all", "total") == QStringLiteral("6.0"));
    CHECK(hits.text("all", "mean") == QStringLiteral("1.5"));
    CHECK(hits.text("all", "min") == QStringLiteral("1.0"));
    CHECK(hits.text("all", "max") == QStringLiteral("2.0"));
    CHECK(hits.text("F", "total") == QStringLiteral("2.0"));
    CHECK(hits.text("B", "total") == QStringLiteral("4.0"));
    CHECK(hits.text("device 2", "hits").isEmpty()); // of one device
    const auto& links = hits.details.sections.back().links;
    REQUIRE(links.size() == 2);
    CHECK(links[0].name == QStringLiteral("2F3"));
    CHECK(links[1].name == QStringLiteral("2B3"));
    CHECK(links[1].target.kind == Selection::Kind::Op);
}

TEST_CASE("the details of hits on a few devices list the devices, and those of one kind no sum")
{
    const Summary hits("op:B mb:3");
    CHECK(hits.text("device 2", "hits") == QStringLiteral("2"));
    CHECK(hits.text("device 2", "total") == QStringLiteral("4.0"));
    CHECK(hits.text("B", "hits") == QStringLiteral("8"));
    CHECK(hits.text("all", "hits").isEmpty());
    // An op that is selected keeps its own details.
    CHECK(app::detailsOf(hits.view, hits.found->hits().front(), hits.context)
              .title.startsWith(QStringLiteral("3B3")));
}
