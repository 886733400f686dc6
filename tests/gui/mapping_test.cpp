#include "app/figures/scene_view.h"
#include "app/mapping/mapping_view.h"
#include "app/ui/controls.h"
#include "tests/gui/setup.h"
#include "tests/gui/walk.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>

#include <algorithm>

namespace app {
namespace {

RunPlan onNodes(int devices, int copies)
{
    RunPlan plan;
    plan.experiment.schedule.devices = devices;
    plan.experiment.schedule.microBatches = 2 * devices;
    plan.experiment.schedule.dataParallel = copies;
    plan.source.kind = CostSource::Kind::Hardware;
    plan.source.model = "gpt-96";
    plan.source.hardware = "a800-sxm-80";
    return plan;
}

struct Mapped : Setup
{
    explicit Mapped(const RunPlan& plan)
    {
        page.setPlan(plan);
        CHECK(page.findChild<MappingView*>() == nullptr); // it delays the first view
        find<QTabBar>("setupTabs")->setCurrentIndex(1);
        view = find<MappingView>("mappingView");
    }
    void wait()
    {
        REQUIRE(waitFor([&] {
            return view->study() != nullptr
                && view->study()->prediction->run->schedule.shape.dataParallel
                == page.plan().experiment.schedule.dataParallel
                && view->study()->shown().mapping.toStdString()
                == page.plan().experiment.schedule.mapping;
        }));
    }
    QString link() { return find<QLabel>("linkTitle")->text(); }
    QRect placeOf(NodePair nodes)
    {
        const auto link = std::ranges::find(view->links(), nodes) - view->links().begin();
        return find<SceneView>("nodePicture")->rectOf(static_cast<std::size_t>(link));
    }

    MappingView* view = nullptr;
};

} // namespace

TEST_CASE("without hardware the devices have no nodes, and a button chooses hardware")
{
    Mapped setup(RunPlan{});
    auto* empty = setup.find<EmptyState>("mappingEmpty");
    CHECK(empty->isVisible());
    CHECK_FALSE(setup.find<QWidget>("mapping")->isEnabled());
    QTest::mouseClick(empty->button(), Qt::LeftButton);
    CHECK(setup.page.plan().source.kind == CostSource::Kind::Hardware);
    setup.wait();
    CHECK_FALSE(empty->isVisible());
    CHECK(setup.find<QLabel>("mappingCrossing")
              ->text()
              .contains(QStringLiteral("on 1 node, 8 slots per node")));
}

TEST_CASE("a click on a link shows what it carries, and so do the arrow keys")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    auto* picture = setup.find<SceneView>("nodePicture");
    CHECK(setup.link() == QString::fromUtf8("Node 0 → node 1")); // the first with the largest load
    CHECK(setup.find<QLabel>("linkLoad")->text() == QStringLiteral("1.6 GB"));
    QTest::mouseClick(picture->viewport(), Qt::LeftButton, {}, setup.placeOf({1, 2}).center());
    CHECK(setup.link() == QString::fromUtf8("Node 1 → node 2"));
    CHECK(setup.find<DataTable>("linkFlows")->model()->rowCount() == 8);
    CHECK(setup.find<QLabel>("linkSentence")->text().startsWith(QStringLiteral("25 GB/s per GPU")));
    CHECK(picture->accessibleDescription() == QString::fromUtf8("Node 1 → node 2, 1.6 GB"));
    QTest::keyClick(picture, Qt::Key_Right);
    CHECK(setup.link() == QString::fromUtf8("Node 2 → node 1")); // sorted by nodes
    QTest::keyClick(picture, Qt::Key_Home);
    CHECK(setup.link() == QStringLiteral("In node 0"));
    QTest::keyClick(picture, Qt::Key_Escape);
    CHECK(setup.link() == QStringLiteral("None"));
    QTest::keyClick(picture, Qt::Key_End);
    CHECK(setup.link() == QStringLiteral("In node 3"));
    QTest::mouseMove(picture->viewport(), setup.placeOf({0, 1}).center());
    CHECK(waitFor([&] { return setup.link() == QString::fromUtf8("Node 0 → node 1"); }));
}

TEST_CASE("a mapping is chosen in the picker or in the table")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    auto* picker = setup.find<SegmentControl>("mapping");
    CHECK(picker->current() == 1);
    picker->setFocus();
    QTest::keyClick(picker, Qt::Key_Left);
    CHECK(setup.page.plan().experiment.schedule.mapping == "contiguous");
    setup.wait();
    CHECK(setup.find<Band>("mappingVerdict")->text().contains(QStringLiteral("takes")));
    CHECK(setup.find<QLabel>("mappingCrossing")
              ->text()
              .contains(QStringLiteral("the all-reduces of 16 stages cross nodes")));
    auto* table = setup.find<DataTable>("mappings");
    CHECK(table->currentIndex().row() == 0);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(1, 1)).center());
    CHECK(setup.page.plan().experiment.schedule.mapping == "replicas-together");
    setup.wait();
    CHECK(picker->current() == 1);
    auto* copy = setup.page.findChild<QAction*>(QStringLiteral("copyMappings"));
    copy->trigger();
    CHECK(QGuiApplication::clipboard()->text().startsWith(
        QStringLiteral("Mapping,\"Iteration, ms\",")));
    setup.type("microBatches", "24"); // the mappings of the earlier plan were copied
    CHECK_FALSE(copy->isEnabled());
    CHECK(waitFor([&] { return copy->isEnabled(); }));
}

namespace {
// A plan with a mapping file for two devices, which it writes to the folder.
RunPlan swappedByFile(const QTemporaryDir& folder, int devices)
{
    QFile file(folder.filePath(QStringLiteral("swapped.toml")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("copies = [[\"1:0\", \"0:0\"]]\n");
    RunPlan plan = onNodes(devices, 1);
    plan.experiment.schedule.scheme = "1f1b";
    plan.experiment.schedule.mapping = file.fileName().toStdString();
    return plan;
}
} // namespace

// The choice "from file" did nothing while a file was in use.
TEST_CASE("another mapping file can be chosen in place of the one in use")
{
    const QTemporaryDir folder;
    Mapped setup(swappedByFile(folder, 2));
    setup.wait();
    auto* picker = setup.find<SegmentControl>("mapping");
    CHECK(picker->current() == 3);
    QTest::mouseClick(picker, Qt::LeftButton, {}, {picker->width() - 8, 14});
    auto* dialog = setup.view->findChild<QFileDialog*>();
    REQUIRE(dialog != nullptr);
    dialog->close();
}

// The picker was disabled, so that the file stayed in the plan.
TEST_CASE("a mapping file of another number of devices can be replaced")
{
    const QTemporaryDir folder;
    Mapped setup(swappedByFile(folder, 4));
    REQUIRE(waitFor([&] { return setup.find<EmptyState>("mappingEmpty")->isVisible(); }));
    auto* picker = setup.find<SegmentControl>("mapping");
    REQUIRE(picker->isEnabled());
    CHECK(picker->current() == 3);
    QTest::keyClick(picker, Qt::Key_Left);
    CHECK(setup.page.plan().experiment.schedule.mapping == "pair-adjacent");
    setup.wait();
}

TEST_CASE("links without a shown kind of load cannot be reached")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    auto* picture = setup.find<SceneView>("nodePicture");
    setup.find<QCheckBox>("showMessages")->click();
    picture->setFocus();
    QTest::keyClick(picture, Qt::Key_Home);
    QTest::keyClick(picture, Qt::Key_Right);
    CHECK(setup.link() == QStringLiteral("In node 1")); // all-reduces stay in the nodes
    CHECK(setup.placeOf({0, 1}).isNull());
}

TEST_CASE("the picture follows an edit of the parameters, and says why there is none")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    setup.type("devices", "7");
    REQUIRE(waitFor([&] { return setup.view->study() == nullptr; }));
    CHECK(setup.find<EmptyState>("mappingEmpty")->isVisible());
    CHECK_FALSE(setup.find<EmptyState>("mappingEmpty")->button()->isVisible());
    setup.type("devices", "4");
    REQUIRE(waitFor([&] { return setup.view->study() != nullptr; }));
    CHECK(setup.view->study()->nodes.size() == 2);
}

TEST_CASE("a large machine is not drawn, but its mappings and its largest link are shown")
{
    Mapped setup(onNodes(8, 32));
    setup.wait();
    REQUIRE(setup.view->study()->nodes.size() == 32);
    CHECK_FALSE(setup.find<SceneView>("nodePicture")->isVisible());
    CHECK(setup.find<QLabel>("mappingCrossing")
              ->text()
              .endsWith(QStringLiteral("Machines of up to 16 nodes are drawn.")));
    CHECK(setup.find<DataTable>("mappings")->model()->rowCount() == 3);
    CHECK(setup.link().startsWith(QStringLiteral("Node ")));
}

TEST_CASE("the memory of the devices is compared with the capacity, and twice the micro-batch")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    CHECK(setup.find<DataTable>("stageSizes")->model()->rowCount() == 3);
    CHECK(setup.find<QLabel>("memoryFit")->text().startsWith(QStringLiteral("Fits.")));
    CHECK(setup.find<QLabel>("memoryTwice")->text().startsWith(QStringLiteral("b = 2 ")));
    CHECK(setup.find<QWidget>("deviceBytes")
              ->accessibleName()
              .startsWith(QStringLiteral("Peak memory, GiB per device; dashed: ")));
}

// 11.0 B stood above stages that add up to 11.19 B: the first and the last store the embeddings.
TEST_CASE("the parameters of a model say that its embeddings are tied")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    CHECK(setup.find<QLabel>("modelName")->text()
          == QStringLiteral("gpt-96, 11.0 B parameters, tied"));
    CHECK_FALSE(setup.find<QLabel>("modelName")->toolTip().isEmpty());
}

// The bytes of the devices were cut in a window of 1600 x 1000.
TEST_CASE("the panel at the right begins beside the choice of the mapping")
{
    Mapped setup(onNodes(8, 4));
    setup.page.resize(1600, 920);
    setup.wait();
    CHECK(setup.find<QLabel>("linkTitle")->mapTo(setup.view, QPoint()).y()
          < setup.find<QLabel>("mappingCrossing")->mapTo(setup.view, QPoint()).y());
}

TEST_CASE("Tab reaches everything in the devices on nodes")
{
    Mapped setup(onNodes(8, 4));
    setup.wait();
    setup.page.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&setup.page, kNever));
    checkWalk(&setup.page);
}

} // namespace app
