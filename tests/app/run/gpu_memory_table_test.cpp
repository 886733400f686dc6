#include "app/run/run_panels.h"
#include "app/ui/data_table.h"
#include "tests/app/model_texts.h"
#include "tests/catch.h"

using namespace app;
using namespace tests;
using engine::GpuMemory;
using engine::GpuMemoryOwner;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// 6 GiB of weights and 1 GiB of contexts; the driver says `more` than that.
GpuMemory memoryOf(int gpu, std::int64_t more = 0)
{
    GpuMemory memory;
    memory.gpu = gpu;
    memory[GpuMemoryOwner::Weights] = 6 * kGiB;
    memory[GpuMemoryOwner::Contexts] = kGiB;
    memory.used = memory.known() + more;
    return memory;
}

} // namespace

TEST_CASE("the memory table of one GPU lists memory by owner and what the driver reports")
{
    TableModel<GpuMemoryRow> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    showGpuMemory(model, {memoryOf(0, kGiB)});
    CHECK(header(model).join(u'|') == QStringLiteral("At the end, GiB|GPU 0|Share, %"));
    REQUIRE(model.rowCount() == 6); // no other owner has any
    CHECK(row(model, 0).join(u'|') == QStringLiteral("Weights|6.00|75.0"));
    CHECK(row(model, 1).join(u'|') == QStringLiteral("Contexts|1.00|12.5"));
    CHECK(row(model, 2).join(u'|') == QStringLiteral("Total|7.00|87.5"));
    CHECK(row(model, 3).join(u'|') == QStringLiteral("Reported by the driver|8.00|100.0"));
    CHECK(row(model, 4).join(u'|') == QStringLiteral("Difference|%1|").arg(percent(0.125)));
    CHECK(model.index(0, 2).data(kShareRole).toDouble() == Approx(0.75));
    CHECK_FALSE(model.index(2, 2).data(kShareRole).isValid()); // only owners have a bar
    CHECK_FALSE(model.index(0, 0).data(kStrongRole).toBool());
    CHECK(model.index(2, 0).data(kStrongRole).toBool());
}

TEST_CASE("each of several GPUs has a column, and they are summed up")
{
    TableModel<GpuMemoryRow> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    std::vector<GpuMemory> gpus{memoryOf(0), memoryOf(3, -kGiB)};
    gpus[1][GpuMemoryOwner::Stash] = kGiB; // the first one has none
    gpus[1].reserved = kGiB / 2;
    showGpuMemory(model, gpus);
    CHECK(header(model).join(u'|')
          == QStringLiteral("At the end, GiB|All GPUs|Share, %|GPU 0|GPU 3"));
    CHECK(row(model, 0).join(u'|') == QStringLiteral("Weights|12.00|92.3|6.00|6.00")); // of 13
    CHECK(row(model, 1).join(u'|') == QStringLiteral("Stash|1.00|7.7|0.00|1.00"));
    CHECK(row(model, 3).join(u'|')
          == QStringLiteral("Reserved for communicators|0.50|3.8|0.00|0.50"));
    CHECK(row(model, 4).join(u'|') == QStringLiteral("Total|15.00|115.4|7.00|8.00"));
    CHECK(row(model, 5).join(u'|')
          == QStringLiteral("Reported by the driver|13.00|100.0|7.00|6.00"));
}

TEST_CASE("a difference beyond the tolerance is highlighted, and a note explains it")
{
    TableModel<GpuMemoryRow> model;
    showGpuMemory(model, {memoryOf(0), memoryOf(1, 7 * kGiB / 10)});
    const int difference = model.rowCount() - 2, note = difference + 1;
    CHECK_FALSE(model.index(difference, 2).data(kStrongRole).toBool()); // no share of it
    CHECK_FALSE(model.index(difference, 3).data(kStrongRole).toBool());
    CHECK(model.index(difference, 4).data(kStrongRole).toBool());
    CHECK(model.index(note, 0).data(kSpanRole).toBool());
    CHECK(model.index(note, 0).data().toString().startsWith(
        QStringLiteral("GPU 1: the driver reports 9.1 % more")));
    showGpuMemory(model, {memoryOf(0), memoryOf(1)});
    CHECK(model.index(model.rowCount() - 1, 0).data() == QStringLiteral("Difference"));
}

TEST_CASE("without GPUs there is no table, also after a run that had some")
{
    TableModel<GpuMemoryRow> model;
    const QAbstractItemModelTester tester(&model, kStrict);
    showGpuMemory(model, {memoryOf(0)});
    showGpuMemory(model, {});
    CHECK(model.rowCount() == 0);
    CHECK(model.columnCount() == 0);
}
