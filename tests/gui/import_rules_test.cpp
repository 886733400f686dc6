#include "app/documents/run_library.h"
#include "app/import/import_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "profiler/report/run_sheet.h"
#include "tests/app/wait_for.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <memory>

namespace app {
namespace {

// PyTorch's names, but forward ops have names that no rule of the program knows.
tests::TorchTraceOptions ownForwardNames()
{
    tests::TorchTraceOptions options;
    options.name = [](const engine::Op& op) {
        return op.kind == engine::OpKind::Forward
            ? fmt::format("fwd stage {} batch {}", op.stage.value, op.microBatch.value)
            : "PP:" + engine::toString(op);
    };
    return options;
}

constexpr const char* kOwnRule
    = "[[rule]]\n"
      "name = \"my-forward\"\n"
      "range = '^fwd stage (?P<stage>\\d+) batch (?P<microbatch>\\d+)$'\n"
      "kind = \"F\"\n";

struct Imported
{
    explicit Imported(const tests::TorchTraceOptions& options = ownForwardNames())
    {
        tests::writeTorchTraces(folder.path(), tests::simulatedRun("1f1b", 2, 4), options);
        page.reset(makeImport(theme, library,
                              QStringList{QString::fromStdString(folder.path().string())}));
        show();
    }
    ~Imported() { QFile::remove(page->document()->file()); }
    void show()
    {
        page->resize(1600, 900);
        page->show();
        page->activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(page.get(), kNever));
        REQUIRE(waitFor(
            [&] { return page->findChild<QAction*>(QStringLiteral("editRules"))->isEnabled(); }));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    // Answers the next question for a file, which waits for the answer.
    void chooseFile(const char* name)
    {
        QObject::connect(&chooser, &QTimer::timeout, page.get(), [this, name] {
            auto* dialog = page->findChild<QFileDialog*>(QStringLiteral("saveDialog"));
            if (dialog == nullptr)
                return;
            chooser.stop();
            Q_EMIT dialog->fileSelected(QString::fromStdString((folder / name).string()));
            dialog->close();
        });
        chooser.start(0);
    }
    QString band() const { return find<Band>("rulesBand")->text(); }
    QString state() const { return find<QLabel>("rulesState")->text(); }
    bool isPreviewed() const { return state().contains(QStringLiteral("after")); }
    void type(const QString& toml) const
    {
        auto* text = find<QPlainTextEdit>("ownRules");
        text->setFocus();
        text->selectAll();
        for (const QString& line : toml.split(QLatin1Char('\n'))) {
            QTest::keyClicks(text, line);
            QTest::keyClick(text, Qt::Key_Return);
        }
    }
    // The share after, in per cent, of a rule; "" if it is not there.
    QString after(const QString& rule) const
    {
        const auto* model = find<DataTable>("rulesPreview")->model();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data().toString() == rule)
                return model->index(row, 3).data().toString();
        return {};
    }

    tests::TemporaryFolder folder;
    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<Page> page;
    QTimer chooser;
};

} // namespace

TEST_CASE("R opens the rules, and a typed rule shows what it would classify")
{
    const Imported imported;
    imported.page->setFocus();
    QTest::keyClick(imported.page->focusWidget(), Qt::Key_R);
    CHECK(imported.find<QPlainTextEdit>("ownRules")->hasFocus());
    CHECK(imported.find<QPlainTextEdit>("shippedRules")->isReadOnly());
    REQUIRE(waitFor([&] { return imported.isPreviewed(); }));
    CHECK(imported.find<QLabel>("rulesSample")->text() == QStringLiteral("From all 2 traces"));
    CHECK(imported.after(QStringLiteral("my-forward")).isEmpty());
    const QString before = imported.state();

    imported.type(QString::fromUtf8(kOwnRule));
    REQUIRE(waitFor([&] { return !imported.after(QStringLiteral("my-forward")).isEmpty(); }));
    CHECK(imported.after(QStringLiteral("my-forward")) != QStringLiteral("0.0"));
    CHECK(imported.state() != before);
    CHECK_FALSE(imported.find<Band>("rulesBand")->isVisible());
}

TEST_CASE("an error in the rules is reported with its line, and the last coverage is kept")
{
    const Imported imported;
    imported.find<QAction>("editRules")->trigger();
    REQUIRE(waitFor([&] { return imported.isPreviewed(); }));
    imported.type(QStringLiteral("[[rule]]\nname = \"a\"\nrange = '('\nkind = \"F\""));
    REQUIRE(waitFor([&] { return imported.band().startsWith(QStringLiteral("Line 3:")); }));
    CHECK(imported.band().contains(QStringLiteral("correct the regular expression")));
    CHECK(imported.find<QPlainTextEdit>("ownRules")->extraSelections().size() == 1);
    CHECK_FALSE(imported.after(QStringLiteral("torch-pp")).isEmpty());
    imported.type(QStringLiteral("oops"));
    CHECK(waitFor([&] { return imported.band().startsWith(QStringLiteral("Line 1:")); }));
}

TEST_CASE("the traces are imported again with the rules")
{
    const Imported imported;
    imported.find<QAction>("editRules")->trigger();
    imported.find<QPlainTextEdit>("ownRules")->setPlainText(QString::fromUtf8(kOwnRule));
    QStringList traces;
    QString rules;
    QObject::connect(imported.page.get(), &Page::pageRequested, [&](const PageRequest& asked) {
        traces = asked.files;
        rules = asked.text;
    });
    QTest::mouseClick(imported.find<QPushButton>("importAgain"), Qt::LeftButton);
    REQUIRE(traces.size() == 1);
    RunLibrary library;
    const std::unique_ptr<Page> again(makeImport(imported.theme, library, traces, rules));
    REQUIRE(waitFor([&] { return again->document() != nullptr && again->document()->run(); }));
    const auto& matched = again->document()->run()->info.import->rules;
    CHECK(std::ranges::count(matched, "my-forward", &engine::ImportReport::Rule::name) == 1);
    QFile::remove(again->document()->file());
}

TEST_CASE("without the traces the pane states that rules cannot be tried")
{
    Imported imported;
    const auto document = imported.library.open(imported.page->document()->file());
    std::filesystem::remove_all(imported.folder.path());
    imported.page.reset(makeImport(imported.theme, imported.library, document));
    imported.show();
    imported.find<QAction>("editRules")->trigger();
    CHECK(imported.band().startsWith(QStringLiteral("The traces of this run no longer exist")));
    CHECK_FALSE(imported.find<QPushButton>("importAgain")->isEnabled());
    CHECK(imported.find<QPushButton>("saveRules")->isEnabled());
}

TEST_CASE("the report is saved as bscope import --json prints it, and rules as they are typed")
{
    Imported imported;
    const auto nameOf = [&](const char* file) {
        return QString::fromStdString((imported.folder / file).string());
    };
    const auto textOf = [](const QString& name) {
        QFile written(name);
        REQUIRE(waitFor([&] { return written.exists() && written.size() > 0; }));
        REQUIRE(written.open(QIODevice::ReadOnly));
        return written.readAll().toStdString();
    };
    imported.find<QAction>("saveImportReport")->trigger();
    auto* dialog = imported.find<QFileDialog>("saveDialog");
    Q_EMIT dialog->fileSelected(nameOf("report.json"));
    delete dialog;
    CHECK(textOf(nameOf("report.json"))
          == profiler::importSheet(*imported.page->document()->run()).json());
    imported.find<QAction>("editRules")->trigger();
    imported.find<QPlainTextEdit>("ownRules")->setPlainText(QString::fromUtf8(kOwnRule));
    imported.chooseFile("rules.toml");
    QTest::mouseClick(imported.find<QPushButton>("saveRules"), Qt::LeftButton);
    CHECK(textOf(nameOf("rules.toml")) == kOwnRule);
}

TEST_CASE("closing the report asks before typed rules are lost")
{
    Imported imported;
    Page& page = *imported.page;
    const auto answer = [&page](const char* button) {
        QTimer::singleShot(0, &page, [&page, button] {
            auto* dialog = page.findChild<QDialog*>(QStringLiteral("unsavedDialog"));
            REQUIRE(dialog != nullptr);
            QTest::mouseClick(dialog->findChild<QPushButton*>(QString::fromLatin1(button)),
                              Qt::LeftButton);
        });
    };
    CHECK(page.queryClose());
    imported.find<QAction>("editRules")->trigger();
    CHECK(page.queryClose());
    imported.find<QPlainTextEdit>("ownRules")->setPlainText(QString::fromUtf8(kOwnRule));
    answer("keepEditing");
    CHECK_FALSE(page.queryClose());
    answer("discardChanges");
    CHECK(page.queryClose());
    const QSignalSpy saved(&page, &Page::filesSaved);
    answer("saveChanges");
    imported.chooseFile("rules.toml");
    CHECK(page.queryClose());
    CHECK(saved.count() == 1);
    CHECK(page.queryClose()); // without a question
}

} // namespace app
