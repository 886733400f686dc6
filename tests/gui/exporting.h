#pragma once

#include "app/window/export_dialog.h"
#include "tests/app/wait_for.h"
#include "tests/profiler/figure/figure_runs.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFile>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <functional>
#include <utility>

namespace app {

// An export dialog on the screen, and hands for it.
struct Exporting
{
    ThemeController theme;
    QTemporaryDir folder;
    ExportDialog dialog;

    explicit Exporting(std::vector<engine::Run> runs = {tests::unitRun("bitpipe", 4, 4)})
        : dialog((forget(), theme), shared(std::move(runs)))
    {
        dialog.findChild<QTimer*>(QStringLiteral("figureTyping"))->setInterval(0);
        dialog.setFile(path("figure"));
        dialog.show();
    }

    // The choices of another test are not this one's.
    static void forget()
    {
        QSettings settings(QSettings::IniFormat, QSettings::UserScope,
                           QStringLiteral("bubblescope"), QStringLiteral("bubblescope"));
        settings.remove(QStringLiteral("figure"));
        settings.remove(QStringLiteral("figurePresets"));
    }
    static std::vector<std::shared_ptr<const engine::Run>> shared(std::vector<engine::Run> runs)
    {
        std::vector<std::shared_ptr<const engine::Run>> result;
        for (auto& run : runs)
            result.push_back(std::make_shared<const engine::Run>(std::move(run)));
        return result;
    }
    QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }

    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* widget = dialog.findChild<Widget*>(QLatin1String(name));
        REQUIRE(widget);
        return widget;
    }
    void click(const char* name) { find<QAbstractButton>(name)->click(); }

    // Presses Export and waits until the files are written or the export has failed.
    void exportFiles()
    {
        const auto* button = find<QPushButton>("figureExport");
        click("figureExport");
        REQUIRE(waitFor([&] { return !dialog.isVisible() || button->isEnabled(); }));
    }
};

inline QByteArray contents(const QString& file)
{
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
}

// Answers the next question of that kind as soon as it is there: its loop would wait for ever.
template<class Dialog>
void whenAsked(std::function<void(Dialog&)> answer)
{
    auto* look = new QTimer(qApp);
    QObject::connect(look, &QTimer::timeout, look, [look, answer = std::move(answer)] {
        auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr || !dialog->isVisible())
            return;
        look->stop();
        look->deleteLater();
        answer(*dialog);
    });
    look->start(5);
}

// Presses one of the buttons; "none": Cancel.
inline void press(const char* button)
{
    whenAsked<QMessageBox>([button](QMessageBox& box) {
        auto* named = box.findChild<QPushButton*>(QLatin1String(button));
        (named ? named : box.button(QMessageBox::Cancel))->click();
    });
}

// Gives a preset its name.
inline void name(const QString& preset)
{
    whenAsked<QInputDialog>([preset](QInputDialog& dialog) {
        dialog.setTextValue(preset);
        dialog.accept();
    });
}

} // namespace app
