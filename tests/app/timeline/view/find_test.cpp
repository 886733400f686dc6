#include "app/timeline/view/find.h"
#include "tests/app/gpu_sample.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

using app::Found;
using app::Selection;

namespace {

struct Searched
{
    explicit Searched(const sample::Wish& wanted)
        : view(sample::units(wanted))
    { }
    std::size_t hits(const char* text) const { return found(text).hits().size(); }
    Found found(const char* text) const
    {
        const auto facets = app::parseFind(QString::fromLatin1(text));
        REQUIRE(facets.has_value());
        return Found(view, *facets);
    }
    app::RunView view;
};

std::string findError(const char* text)
{
    const auto facets = app::parseFind(QString::fromLatin1(text));
    REQUIRE_FALSE(facets.has_value());
    return facets.error().message;
}

} // namespace

TEST_CASE("facets narrow a search down to one op of every iteration")
{
    const Searched run({"1f1b", 4, 8, 3});
    CHECK(run.hits("op:B") == 3 * 4 * 8);
    CHECK(run.hits("B mb:3") == 3 * 4);
    CHECK(run.hits("op:b mb:3 stage:2") == 3);
    CHECK(run.hits("op:B mb:3 stage:2 iter:1") == 1);
    CHECK(run.hits("2B3 iter:1") == 1);
    CHECK(run.hits("mb:0-1,7 device:0 iter:0") == 3 * 2); // F and B
    const Selection hit = run.found("2B3 iter:1").hits().front();
    CHECK(hit.kind == Selection::Kind::Op);
    CHECK(hit.iteration == 1);
    CHECK(hit.device == engine::DeviceId{2});
    CHECK(run.view.op(hit.op).kind == engine::OpKind::Backward);
    CHECK(run.view.op(hit.op).microBatch.value == 3);
}

TEST_CASE("hits are sorted by time, and has() is true for each")
{
    const Searched run({"bitpipe", 4, 8, 2});
    const Found found = run.found("mb:5");
    REQUIRE_FALSE(found.hits().empty());
    for (std::size_t k = 1; k < found.hits().size(); ++k)
        CHECK(found.hits()[k - 1].window.begin <= found.hits()[k].window.begin);
    for (int d = 0; d < 4; ++d)
        for (const engine::Span& span :
             run.view.spans(engine::DeviceId{d}, engine::Track::Kind::Compute)) {
            const engine::Op& op = run.view.op(span.op);
            CHECK(found.has(span) == (op.microBatch.value == 5 && engine::isCompute(op.kind)));
        }
}

TEST_CASE("a duration is compared in the unit in which the run counts")
{
    const Searched units({"1f1b", 4, 4, 1}); // F is 1, B is 2
    CHECK(units.hits("dur>1.5") == 4 * 4);
    CHECK(units.hits("dur<1.5 op:F") == 4 * 4);
    const app::RunView measured(sample::measured({"1f1b", 4, 4, 1}));
    const auto slow = app::parseFind(QStringLiteral("dur>1ns"));
    CHECK(Found(measured, *slow).hits().size() >= 4 * 4 * 2);
}

// 5 ms was compared as 5 million units, so every op was shorter.
TEST_CASE("a duration in a unit of time is refused in a run in cost units")
{
    const Searched units({"1f1b", 4, 4, 1});
    const Found found = units.found("op:F dur<5ms");
    CHECK(found.hits().empty());
    CHECK(found.blame()
          == QStringLiteral("the times of this run are in cost units; leave out the unit of "
                            "dur<5ms"));
    CHECK_FALSE(found.has(units.view.spans(engine::DeviceId{0}, engine::Track::Kind::Compute)[0]));
}

// 5 was compared as 5 ns, so every op was longer.
TEST_CASE("a duration without a unit is refused in a run in time")
{
    const app::RunView measured(sample::measured({"1f1b", 4, 4, 1}));
    const auto found = [&](const char* text) {
        return Found(measured, *app::parseFind(QString::fromLatin1(text)));
    };
    CHECK(found("op:F dur>5").hits().empty());
    CHECK(found("op:F dur>5").blame()
          == QStringLiteral("dur>5 has no unit; use one of ns, us, ms and s"));
    CHECK(found("op:F dur>0").hits().size() == 4 * 4);
}

TEST_CASE("microseconds are typed as they are shown")
{
    for (const char* text : {"dur>20us", "dur>20µs"}) {
        const auto facets = app::parseFind(QString::fromUtf8(text));
        REQUIRE(facets.has_value());
        CHECK(facets->front().time == 20'000);
    }
}

TEST_CASE("a facet without matches is named, with its valid values")
{
    const Searched run({"1f1b", 4, 8, 2});
    CHECK(run.found("op:B stage:2 mb:9").blame()
          == QStringLiteral("no op matches mb:9; micro-batches are 0 to 7"));
    CHECK(run.found("device:7 mb:1").blame()
          == QStringLiteral("no op matches device:7; devices are 0 to 3"));
    CHECK(run.found("dir:up").blame()
          == QStringLiteral("no op matches dir:up; all micro-batches go down"));
    CHECK(run.found("iter:5").blame()
          == QStringLiteral("no op matches iter:5; iterations are 0 to 1"));
    CHECK(run.found("mb:1").blame().isEmpty());
}

// The synthetic iteration of typical ops and the warm-up entered the sums over all hits.
TEST_CASE("hits are those of measured iterations")
{
    engine::Run run = *sample::units({"1f1b", 4, 8, 3});
    using Kind = engine::Iteration::Kind;
    run.timeline.iterations[0].kind = Kind::Warmup;
    run.timeline.iterations[2].kind = Kind::Replay;
    const auto hits = [](const engine::Run& of) {
        const app::RunView view(std::make_shared<const engine::Run>(of));
        return Found(view, *app::parseFind(QStringLiteral("2B3"))).hits();
    };
    REQUIRE(hits(run).size() == 1);
    CHECK(hits(run).front().iteration == 1);
    run.timeline.iterations[1].kind = Kind::Warmup; // nothing was measured yet
    CHECK(hits(run).size() == 3);
}

// The part of a run keeps the numbers of its iterations; 0 to 1 were named.
TEST_CASE("the iterations of a part of a run are found and named by their numbers")
{
    engine::Run part = *sample::units({"1f1b", 4, 8, 2});
    part.timeline.iterations[0].number = 3;
    part.timeline.iterations[1].number = 4;
    const app::RunView view(std::make_shared<const engine::Run>(std::move(part)));
    const auto found
        = [&](const char* text) { return Found(view, *app::parseFind(QString::fromLatin1(text))); };
    CHECK(found("2B3 iter:4").hits().size() == 1);
    CHECK(found("iter:1").blame() == QStringLiteral("no op matches iter:1; iterations are 3 to 4"));
}

TEST_CASE("kernels are found by a part of their name, beneath the ops that other facets leave")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const app::RunView view(run);
    const auto kernels = sample::kernels(*run);
    const auto found = [&](const char* text) {
        return Found(view, *app::parseFind(QString::fromLatin1(text)), kernels.get());
    };
    const Found flash = found("kernel:FLASH op:F stage:1");
    REQUIRE(flash.hits().size() == 2 * 3); // two micro-batches, three layers
    for (const app::Selection& hit : flash.hits()) {
        CHECK(hit.kind == app::Selection::Kind::Kernel);
        CHECK(view.op(hit.op).kind == engine::OpKind::Forward);
        CHECK(view.op(hit.op).stage.value == 1);
        const auto& name = kernels->activity().nameOf(kernels->activity().work()[hit.work]);
        CHECK(name.full.find("flashForwardRows") != std::string::npos);
    }
    // What stands above them is not dimmed, all else is.
    for (int d = 0; d < 2; ++d)
        for (const engine::Span& span :
             view.spans(engine::DeviceId{d}, engine::Track::Kind::Compute)) {
            const engine::Op& op = view.op(span.op);
            CHECK(flash.has(span) == (op.kind == engine::OpKind::Forward && op.stage.value == 1));
        }
    CHECK(found("kernel:nccl").hits().size() == found("kernel:nccl op:AR").hits().size());
    CHECK(found("kernel:gemm kernel:flash").hits().empty());
    CHECK(found("kernel:flash dur>1s").blame()
          == QStringLiteral("no op matches dur>1s; try another value"));
    CHECK(
        found("kernel:nosuch").blame()
        == QStringLiteral("no kernel matches kernel:nosuch; the Kernels table lists their names"));
    CHECK(found("kernel:flash op:OPT").hits().size() + found("kernel:flash op:F").hits().size()
              + found("kernel:flash op:B").hits().size()
          == found("kernel:flash").hits().size());
    CHECK(Found(view, *app::parseFind(QStringLiteral("kernel:flash"))).blame()
          == QStringLiteral("no kernels were recorded in this run"));
    CHECK_FALSE(app::parseFind(QStringLiteral("kernel:")));
}

TEST_CASE("an unknown facet is refused with a message")
{
    CHECK(findError("op:Q").find("\"op:Q\" is not understood") == 0);
    for (const char* text : {"mb:", "mb:x", "mb:3-1", "dur>fast", "colour:red", "dir:left", "1Q5"})
        CHECK(findError(text).find("dur>5ms") != std::string::npos);
    CHECK(app::parseFind(QStringLiteral("   "))->empty());
}
