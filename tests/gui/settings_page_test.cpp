#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "app/settings/settings_page.h"
#include "app/shell/command_palette.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/sample_run.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

namespace app {
namespace {

struct SettingsWindow
{
    SettingsWindow()
    {
        window.show();
        window.findChild<QAction*>(QStringLiteral("settings"))->trigger();
        page = window.currentPage();
    }
    QWidget* row(const char* key) const
    {
        auto* found = page->findChild<QWidget*>(QString::fromLatin1(key));
        REQUIRE(found != nullptr);
        return found;
    }
    template<class Widget>
    Widget* control(const char* key) const
    {
        auto* found = row(key)->findChild<Widget*>();
        REQUIRE(found != nullptr);
        return found;
    }
    void enter(const char* key, const QString& path) const
    {
        auto* field = control<QLineEdit>(key);
        field->clear();
        QTest::keyClicks(field, path.isEmpty() ? QStringLiteral(" ") : path);
        QTest::keyClick(field, Qt::Key_Return);
    }
    void reset() const
    {
        QTest::mouseClick(page->findChild<QPushButton*>(QStringLiteral("resetSettings")),
                          Qt::LeftButton);
    }

    Settings settings; // those of the user, which these tests move to a folder of their own
    ThemeController theme;
    MainWindow window{theme, settings};
    Page* page = nullptr;
};

// A window with the style of the program, light at first.
struct StyledWindow
{
    StyledWindow()
        : look(programLook())
        , window(look, settings)
    {
        look.setChoice(ThemeController::Choice::Light);
        window.show();
    }

    static ThemeController& programLook()
    {
        static ThemeController theme;
        [[maybe_unused]] static const bool isApplied = (applyLook(*qApp, theme), true);
        return theme;
    }

    ThemeController& look;
    Settings settings;
    MainWindow window;
};

// Counts the events of the style that the widgets of a page, or all widgets, get.
class StyleChanges : public QObject
{
public:
    explicit StyleChanges(QWidget& page)
    {
        page.installEventFilter(this);
        for (QWidget* widget : page.findChildren<QWidget*>())
            widget->installEventFilter(this);
    }
    explicit StyleChanges(QApplication& application) { application.installEventFilter(this); }

    bool eventFilter(QObject* object, QEvent* event) override
    {
        count += object->isWidgetType() && event->type() == QEvent::StyleChange ? 1 : 0;
        return false;
    }

    int count = 0;
};

// An iteration of some 100 µs with some MiB.
engine::Run smallRun()
{
    engine::Run run = *sample::measured({"bpipe", 4, 8, 1});
    for (engine::Iteration& iteration : run.timeline.iterations)
        iteration.window = {iteration.window.begin / 1000, iteration.window.end / 1000};
    for (engine::Track& track : run.timeline.tracks)
        for (engine::Span& span : track.spans) {
            span.begin /= 1000;
            span.end /= 1000;
        }
    for (engine::MemoryEvent& event : run.timeline.memory) {
        event.time /= 1000;
        event.bytes /= 1024;
    }
    return run;
}

} // namespace

TEST_CASE("every setting has a title, one line of explanation and a possible default")
{
    for (const Setting& one : settingTable()) {
        INFO(one.key);
        CHECK_FALSE(one.title.isEmpty());
        CHECK_FALSE(one.explanation.isEmpty());
        CHECK(one.explanation.size() <= 100);
        CHECK(one.valid(one.byDefault) == one.byDefault);
        CHECK(one.values.size() == one.names.size());
    }
    CHECK(setting(key::kPatience).valid(QStringLiteral("0")) == 5);
    CHECK(setting(key::kPalette).valid(QStringLiteral("pink")) == QStringLiteral("default"));
    // Their ops or chunks differ by hatches, which the lanes do not draw.
    for (const char* hatched : {"grey", "bitpipe"})
        CHECK_FALSE(setting(key::kPalette).values.contains(QString::fromLatin1(hatched)));
}

TEST_CASE("the text size scales the whole window at the next start")
{
    constexpr const char* kFactor = "QT_SCALE_FACTOR";
    SettingsWindow w;
    const QByteArray before = qgetenv(kFactor);
    qunsetenv(kFactor);
    scaleWindow(w.settings);
    CHECK_FALSE(qEnvironmentVariableIsSet(kFactor));
    w.control<SegmentControl>(key::kTextSize)->setCurrent(3);
    scaleWindow(w.settings);
    CHECK(qgetenv(kFactor) == "1.2");
    qputenv(kFactor, "2"); // a screen with twice the pixels
    scaleWindow(w.settings);
    CHECK(qgetenv(kFactor) == "2.4");
    before.isNull() ? qunsetenv(kFactor) : qputenv(kFactor, before);
}

TEST_CASE("theme and palette are applied and stored immediately, and reset to the defaults")
{
    SettingsWindow w;
    const auto forward = w.theme.theme().palette.forward;
    w.control<SegmentControl>(key::kTheme)->setCurrent(2);
    CHECK(w.theme.theme().isDark());
    CHECK(w.settings.theme() == ThemeController::Choice::Dark);
    w.control<SegmentControl>(key::kPalette)->setCurrent(2);
    CHECK(w.theme.theme().palette.name != "default");
    w.reset();
    CHECK(w.theme.choice() == ThemeController::Choice::System);
    CHECK(w.theme.theme().palette.name == "default");
    CHECK(w.theme.theme().palette.forward == forward);
    for (const Setting& one : settingTable())
        CHECK(w.settings.value(one.key) == one.byDefault);
}

// The window kept the units in which its texts and tables were written first.
TEST_CASE("units are stored, and applied to open pages at once")
{
    SettingsWindow w;
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), smallRun()));
    w.window.open({"run", {file}});
    w.window.open({"memory", {file}});
    Page* memory = w.window.currentPage();
    const auto title
        = [&] { return memory->findChild<QLabel*>(QStringLiteral("memoryTitle"))->text(); };
    const auto header = [&](int column) {
        auto* table = memory->findChild<QTableView*>(QStringLiteral("aliveTable"));
        return table->model()->headerData(column, Qt::Horizontal).toString();
    };
    REQUIRE(waitFor([&] { return title() == QStringLiteral("Predicted and measured, MiB"); }));
    CHECK(header(5) == QStringLiteral("MiB"));
    CHECK(header(4) == QStringLiteral("Since, µs"));

    w.control<SegmentControl>(key::kMemory)->setCurrent(1);
    CHECK(title() == QStringLiteral("Predicted and measured, GiB"));
    CHECK(header(5) == QStringLiteral("GiB"));
    CHECK(header(4) == QStringLiteral("Since, µs"));
    w.control<SegmentControl>(key::kTimes)->setCurrent(1);
    CHECK(header(4) == QStringLiteral("Since, ms"));
    CHECK(w.settings.units() == Units{TimeUnits::Milliseconds, MemoryUnits::GiB});
    w.reset();
    CHECK(w.settings.units() == Units());
    CHECK(title() == QStringLiteral("Predicted and measured, MiB"));
}

TEST_CASE("new runs are saved in the chosen folder, and a folder that cannot be used says why")
{
    SettingsWindow w;
    QTemporaryDir folder;
    const QString usual = runsFolder();
    w.enter(key::kRuns, folder.filePath(QStringLiteral("missing")));
    CHECK(w.row(key::kRuns)->findChildren<QLabel*>().last()->isVisible());
    CHECK(runsFolder() == usual);
    w.enter(key::kRuns, folder.path());
    CHECK(runsFolder() == folder.path());
    const QString before = QDir::currentPath();
    REQUIRE(QDir::setCurrent(QFileInfo(folder.path()).path()));
    w.enter(key::kRuns, QFileInfo(folder.path()).fileName()); // was stored as it is typed
    CHECK(QDir::isAbsolutePath(runsFolder()));
    CHECK(QFileInfo(runsFolder()) == QFileInfo(folder.path()));
    QDir::setCurrent(before);
    w.enter(key::kRuns, {});
    CHECK(runsFolder() == usual);
}

TEST_CASE("the chosen worker is started, and it gets the chosen time to stop")
{
    SettingsWindow w;
    const QString usual = workerProgram();
    w.enter(key::kWorker, QStringLiteral("/bin/true"));
    CHECK(workerProgram() == QStringLiteral("/bin/true"));
    QTemporaryFile text; // not executable
    REQUIRE(text.open());
    w.enter(key::kWorker, text.fileName());
    CHECK(workerProgram() == QStringLiteral("/bin/true"));
    w.control<QSpinBox>(key::kPatience)->setValue(30);
    CHECK(w.settings.value(key::kPatience) == 30);
    w.reset();
    CHECK(workerProgram() == usual);
}

TEST_CASE("settings are found by words in the page, and by their titles in the command palette")
{
    SettingsWindow w;
    auto* filter = w.page->findChild<QLineEdit*>(QStringLiteral("settingsFilter"));
    filter->setText(QStringLiteral("colour-blind"));
    CHECK(w.row(key::kPalette)->isVisible());
    CHECK_FALSE(w.row(key::kTheme)->isVisible());
    filter->setText(QStringLiteral("zzz"));
    CHECK(w.page->findChild<QWidget*>(QStringLiteral("noSetting"))->isVisible());
    w.window.tabs().close(w.page);
    w.window.showCommands();
    auto* palette = w.window.findChild<CommandPalette*>();
    auto* field = palette->findChild<QLineEdit*>(QStringLiteral("commandText"));
    QTest::keyClicks(field, QStringLiteral("tabs last session"));
    QTest::keyClick(field, Qt::Key_Return);
    REQUIRE(w.window.focusWidget() != nullptr);
    CHECK(w.window.focusWidget()->accessibleName() == setting(key::kRestore).title);
}

// With twelve tabs, a change of theme kept the window busy for a second.
TEST_CASE("a hidden page takes the new theme when it is shown")
{
    StyledWindow styled;
    auto& [look, settings, window] = styled;
    window.findChild<QAction*>(QStringLiteral("newRun"))->trigger();
    Page* setUp = window.currentPage();
    QComboBox* model = setUp->findChild<QComboBox*>(QStringLiteral("model"));
    REQUIRE(model != nullptr);
    window.findChild<QAction*>(QStringLiteral("settings"))->trigger();

    StyleChanges hidden(*setUp), visible(*window.currentPage());
    for (const auto choice : {ThemeController::Choice::Dark, ThemeController::Choice::Light,
                              ThemeController::Choice::Dark}) {
        look.setChoice(choice);
        QCoreApplication::processEvents();
    }
    CHECK(hidden.count == 0);
    CHECK(visible.count > 0);

    window.tabs().makeCurrent(setUp);
    settle();
    CHECK(hidden.count > 0);
    CHECK(model->palette().color(QPalette::WindowText) == look.theme().chrome.text);
    const QImage late = setUp->grab().toImage();
    look.setChoice(ThemeController::Choice::Light);
    look.setChoice(ThemeController::Choice::Dark);
    settle();
    CHECK(setUp->grab().toImage() == late);
}

// With a style sheet of the application, every layout, splitter and stack that took a part of a
// page polished the part again: eight times on average, two thirds of the time to open a run.
TEST_CASE("a new page gets the style sheet once")
{
    StyledWindow styled;
    MainWindow& window = styled.window;
    StyleChanges all(*qobject_cast<QApplication*>(qApp));
    window.open({"setup"});
    const auto widgets = window.currentPage()->findChildren<QWidget*>().size();
    CHECK(widgets > 100);
    CHECK(all.count < 2 * widgets);
    auto* field = window.currentPage()->findChild<QLineEdit*>();
    CHECK(field->style() == window.currentPage()->style());
    CHECK(field->style() != QApplication::style()); // that of the page's style sheet
}

TEST_CASE("dialogs, menus and the parts of the window have the style sheet of the theme")
{
    StyledWindow styled;
    auto& [look, settings, window] = styled;
    window.showHelp(HelpDialog::Topic::Keys);
    window.showCommands();
    auto* palette = window.findChild<CommandPalette*>();
    const auto* menu = window.findChild<QMenu*>();
    const auto* dialog = window.findChild<QDialog*>();
    REQUIRE(menu != nullptr);
    REQUIRE(dialog != nullptr);
    for (const QWidget* shown : std::initializer_list<const QWidget*>{
             palette, menu, dialog, window.statusBar(),
             window.findChild<QWidget*>(QStringLiteral("tabStrip"))}) {
        CAPTURE(shown->metaObject()->className());
        CHECK(shown->style() != QApplication::style());
    }
    palette->hide();
    const QString light = palette->styleSheet();
    look.setChoice(ThemeController::Choice::Dark);
    CHECK(palette->styleSheet() == light); // it is hidden
    window.showCommands();
    CHECK(palette->styleSheet() != light);
}

} // namespace app
