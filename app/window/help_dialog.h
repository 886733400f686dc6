#pragma once

#include "app/ui/theme.h"

#include <QDialog>
#include <QProcess>

#include <vector>

class QAction;
class QCheckBox;
class QLabel;
class QListWidget;
class QTextBrowser;

namespace app {

class Settings;

struct KeyLine
{
    QString group;
    QStringList keys; // keys with the same effect are adjacent
    QString text;

    friend bool operator==(const KeyLine&, const KeyLine&) = default;
};
// Returns the gestures and keys of the views from resources/help/keys.txt, then one line for each
// shortcut of an action that keys.txt does not list.
QList<KeyLine> keyLines(const QList<QAction*>& actions);

// Makes a text anonymous: replaces the home folder by "~", and the user name and the host name by
// USER and HOST where they are whole words.
QString withoutNames(QString text);

// What the program knows about itself: its keys, versions, devices, settings and messages. The
// texts except the keys can be saved for a bug report; we show exactly what would be written, so
// that the user can read every line that leaves the machine. The worker queries the driver, so a
// driver that hangs does not block the window.
class HelpDialog : public QDialog
{
    Q_OBJECT

public:
    enum class Topic : int { Keys, About, Devices, Settings, Messages };

    // `errors`: last errors of runs, oldest first. `actions` must outlive the dialog.
    HelpDialog(Topic topic, const ThemeController& theme, const Settings& settings,
               const QStringList& errors, const QList<QAction*>& actions,
               QWidget* parent = nullptr);
    ~HelpDialog() override;

    // Writes a folder into `parent`, which must exist. Shows the reason if that fails.
    void saveIn(const QString& parent);

Q_SIGNALS:
    void saved(const QStringList& files);

private:
    struct File
    {
        QString name, what, text; // `what`: one line about the contents
    };
    void devicesAnswered();
    void showText();
    void chooseFolder();
    QString shown(const File& file) const;

    std::vector<File> m_files; // by Topic; the keys are HTML and are not saved
    QProcess m_worker;
    QListWidget* m_list;
    QLabel* m_what;
    QTextBrowser* m_text;
    QCheckBox* m_withNames;
    QLabel* m_problem;
};

} // namespace app
