#include "app/layout/layout_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"
#include "tests/gui/page_requests.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>

namespace app {
namespace {

// Llama 3 8B on H100s: the output layer takes longer than a layer.
struct LayoutTab
{
    LayoutTab()
    {
        page->resize(1600, 910);
        page->show();
        REQUIRE(waitFor([&] { return rows() == 16; }));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    int rows() const { return find<DataTable>("layoutStages")->model()->rowCount(); }
    QString cell(const char* table, int row, int column) const
    {
        return find<DataTable>(table)->model()->index(row, column).data().toString();
    }
    double iteration(int row) const
    {
        return cell("layoutRows", row, 1).remove(QChar(0x202F)).toDouble();
    }
    QString sentence() const { return find<Band>("layoutSentence")->text(); }
    void type(const QString& text) const
    {
        auto* field = find<QLineEdit>("layoutText");
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }

    ThemeController theme;
    std::unique_ptr<Page> page{makeLayout(theme)};
};

} // namespace

TEST_CASE("the layers of every stage are shown and balanced")
{
    const LayoutTab tab;
    CHECK(tab.cell("layoutStages", 0, 2).startsWith(QStringLiteral("E t t")));
    CHECK(tab.cell("layoutStages", 15, 2).endsWith(QStringLiteral(" L")));
    CHECK(tab.cell("layoutRows", 1, 0) == QStringLiteral("Before"));
    CHECK(tab.find<QLineEdit>("layoutText")->text().startsWith(QLatin1Char('E')));
    const QString before = tab.find<QLineEdit>("layoutText")->text();
    CHECK_FALSE(tab.find<QAction>("undoLayout")->isEnabled());
    tab.find<QAction>("balanceLayers")->trigger();
    REQUIRE(waitFor([&] { return tab.cell("layoutRows", 2, 0) == QStringLiteral("Balanced"); }));
    const QString balanced = tab.find<QLineEdit>("layoutText")->text();
    REQUIRE(balanced != before);
    for (const auto& [action, layout] :
         {std::pair("undoLayout", before), {"redoLayout", balanced}}) {
        tab.find<QAction>(action)->trigger();
        REQUIRE(waitFor([&] { return tab.find<QAction>(action)->isEnabled() == false; }));
        CHECK(tab.find<QLineEdit>("layoutText")->text() == layout);
    }
    CHECK(tab.find<QLabel>("layoutChecks")
              ->text()
              .startsWith(
                  QStringLiteral("✓ E, 32 layers and L in order\n✓ 16 stages on 8 devices\n")));
    CHECK(tab.iteration(2) <= tab.iteration(1));
    CHECK(tab.find<QPlainTextEdit>("megatronLayout")
              ->toPlainText()
              .contains(tab.find<QLineEdit>("layoutText")->text()));
    CHECK(tab.find<QPlainTextEdit>("titanLayout")
              ->toPlainText()
              .contains(QStringLiteral("tok_embeddings")));
}

// The page had no result yet, and the window crashed.
TEST_CASE("a page of layouts without a result offers no action on one")
{
    const ThemeController theme;
    const std::unique_ptr<Page> page{makeLayout(theme)};
    for (const char* action : {"evenLayers", "useLayout", "copyMegatron", "copyTitan"})
        CHECK_FALSE(page->findChild<QAction*>(QLatin1String(action))->isEnabled());
}

TEST_CASE("a typed layout is simulated, and one that does not fit the model says why")
{
    const LayoutTab tab;
    const QString even = tab.find<QLineEdit>("layoutText")->text();
    tab.type(QStringLiteral("Et|(tt|)*14t*3L"));
    REQUIRE(waitFor([&] { return tab.cell("layoutStages", 0, 2) == QStringLiteral("E t"); }));
    CHECK(tab.cell("layoutStages", 15, 2) == QStringLiteral("t t t L"));
    CHECK(tab.iteration(2) > tab.iteration(1));
    CHECK(tab.sentence().contains(QStringLiteral("instead of")));
    tab.type(QStringLiteral("Et|tL"));
    REQUIRE(waitFor([&] { return tab.sentence().contains(QStringLiteral("2 stages")); }));
    CHECK(tab.rows() == 16);
    CHECK_FALSE(tab.find<QAction>("useLayout")->isEnabled());
    tab.find<QLineEdit>("layoutMemory")->setText(QStringLiteral("5"));
    REQUIRE(waitFor([&] { return tab.sentence().contains(QStringLiteral("Limit per device 5")); }));
}

TEST_CASE("a layer moves over the edge of its stage by the keyboard, as often as asked")
{
    const LayoutTab tab;
    tab.find<DataTable>("layoutStages")->selectRow(3);
    for (const char* blocks : {"t", ""}) {
        tab.find<QAction>("moveLayerDown")->trigger();
        REQUIRE(waitFor([&] { return tab.cell("layoutStages", 3, 2) == QLatin1String(blocks); }));
    }
    CHECK(tab.cell("layoutStages", 4, 2) == QStringLiteral("t t t t"));
    CHECK(tab.find<QLineEdit>("layoutText")->text().contains(QStringLiteral("|t*4|")));
    tab.find<QAction>("moveLayerDown")->trigger(); // none is left
    tab.find<DataTable>("layoutStages")->selectRow(4);
    tab.find<QAction>("moveLayerUp")->trigger();
    REQUIRE(waitFor([&] { return tab.cell("layoutStages", 3, 2) == QStringLiteral("t"); }));
}

TEST_CASE("a new run takes the layout that is shown")
{
    const LayoutTab tab;
    const PageRequests requests(*tab.page);
    tab.type(QStringLiteral("Et|(tt|)*14t*3L"));
    REQUIRE(waitFor([&] { return tab.cell("layoutStages", 0, 2) == QStringLiteral("E t"); }));
    tab.find<QAction>("useLayout")->trigger();
    REQUIRE(requests.size() == 1);
    CHECK(std::string_view(requests[0].kind) == "setup");
    CHECK(requests[0].plan->source.setup.layout.text() == "Et|(tt|)*14t*3L");
    CHECK(requests[0].plan->experiment.model.layout.text() == "Et|(tt|)*14t*3L");
}

} // namespace app
