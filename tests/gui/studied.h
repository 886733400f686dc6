#pragma once

#include "app/study/study_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/window/main_window.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAbstractButton>
#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace app {

// A window with a study page in front.
struct Studied
{
    Studied()
    {
        window.resize(1600, 1000);
        window.show();
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
        window.findChild<QAction*>(QStringLiteral("study"))->trigger();
        page = dynamic_cast<StudyPage*>(window.currentPage());
        REQUIRE(page != nullptr);
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        CAPTURE(name);
        REQUIRE(found != nullptr);
        return found;
    }
    void click(const char* name) const
    {
        QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton);
        settle();
    }
    void type(const char* option, const char* values) const // in the form, in place of its chips
    {
        auto* line = find<QLineEdit>((std::string(option) + "Line").c_str());
        const auto first = [&]() -> QAbstractButton* { // chips that were removed are hidden
            for (auto* x : line->parentWidget()->findChildren<QAbstractButton*>(
                     QStringLiteral("removeValue")))
                if (x->isVisibleTo(line->parentWidget()))
                    return x;
            return nullptr;
        };
        while (QAbstractButton* x = first())
            QTest::mouseClick(x, Qt::LeftButton);
        QTest::keyClicks(line, QString::fromLatin1(values));
        QTest::keyClick(line, Qt::Key_Return);
        settle();
    }
    QAction* action(const char* name) const { return find<QAction>(name); }
    QString summary() const { return find<QLabel>("studySummary")->text(); }
    QString notice() const { return find<Band>("studyNotice")->text(); }
    QString point() const { return find<QLabel>("studyPoint")->text(); }
    QString cell(int row, int column) const
    {
        return find<DataTable>("studyPointTable")->model()->index(row, column).data().toString();
    }
    SceneView* map() const { return find<SceneView>("studyMapView"); }
    // Runs the grid of the page: 20 simulations unless the test changed it.
    void run() const
    {
        click("studyRunButton");
        waitForEnd();
    }
    void waitForEnd() const
    {
        REQUIRE(waitFor([&] { return !page->session().isRunning(); }));
        REQUIRE(waitFor([&] { return map()->scene() != nullptr; }));
    }
    // The chart of the map marks this point.
    void waitForMap() const
    {
        REQUIRE(waitFor(
            [&] { return map()->scene() != nullptr && map()->scene()->marks.size() == 20; }));
    }
    void save(const char* name, const QString& file) const
    {
        QSignalSpy saved(page, &Page::filesSaved);
        QTimer answer; // saving the study waits for the answer
        QObject::connect(&answer, &QTimer::timeout, page, [&] {
            auto* dialog = find<QFileDialog>("saveDialog");
            answer.stop();
            Q_EMIT dialog->fileSelected(file);
            dialog->close();
        });
        answer.start(0);
        action(name)->trigger();
        REQUIRE(waitFor([&] { return !saved.isEmpty(); }));
        CHECK(saved.front().front().toStringList() == QStringList(file));
        CHECK(QFileInfo(file).size() > 0);
    }
    QString writeToml(const char* text) const
    {
        QFile file(folder.filePath(QStringLiteral("own.toml")));
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(text);
        return file.fileName();
    }

    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
    StudyPage* page = nullptr;
};

inline QString textOfFile(const QString& name)
{
    QFile file(name);
    REQUIRE(file.open(QIODevice::ReadOnly));
    return QString::fromUtf8(file.readAll());
}

} // namespace app
