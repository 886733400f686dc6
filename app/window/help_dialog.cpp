#include "app/window/help_dialog.h"

#include "app/documents/run_process.h"
#include "app/ui/controls.h"
#include "app/ui/device_facts.h"
#include "app/ui/message_log.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"
#include "resources/resources.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QListWidget>
#include <QRegularExpression>
#include <QScreen>
#include <QSysInfo>
#include <QTextBrowser>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

QString factLine(const char* name, const QString& value)
{
    return QStringLiteral("%1: %2\n").arg(QString::fromLatin1(name), value);
}

QString screenSizes()
{
    QStringList all;
    for (const QScreen* screen : QGuiApplication::screens())
        all.append(QStringLiteral("%1 x %2, scale %3")
                       .arg(screen->size().width())
                       .arg(screen->size().height())
                       .arg(screen->devicePixelRatio()));
    return all.join(QStringLiteral("; "));
}

QString aboutText()
{
    const DeviceFacts facts = deviceFacts();
    return factLine("bubblescope", fromUtf8(engine::version()))
        + factLine("build", fromUtf8(engine::buildId()))
        + factLine("licence", QStringLiteral("Apache-2.0; libraries: THIRD_PARTY.md"))
        + factLine("Qt",
                   QStringLiteral("%1, compiled with %2, linked dynamically under the LGPL")
                       .arg(QString::fromLatin1(qVersion()), QString::fromLatin1(QT_VERSION_STR)))
        + factLine("platform", QGuiApplication::platformName())
        + factLine("system", QSysInfo::prettyProductName())
        + factLine("kernel", QSysInfo::kernelType() + QLatin1Char(' ') + QSysInfo::kernelVersion())
        + factLine("architecture", QSysInfo::currentCpuArchitecture())
        + factLine("processor", QStringLiteral("%1, %2 cores").arg(facts.cpu).arg(facts.cores))
        + factLine("NVIDIA driver",
                   facts.hasNvidiaDriver ? QStringLiteral("found") : QStringLiteral("not found"))
        + factLine("screens", screenSizes());
}

QString settingsText(const Settings& settings)
{
    QString text;
    for (const Setting& one : settingTable())
        text += factLine(one.key, settings.value(one.key).toString());
    return text;
}

QString messagesText(const QStringList& errors)
{
    const QStringList messages = keptMessages();
    return QStringLiteral("Errors of runs\n%1\n\nMessages\n%2\n")
        .arg(errors.isEmpty() ? QStringLiteral("none") : errors.join(QLatin1Char('\n')),
             messages.isEmpty() ? QStringLiteral("none") : messages.join(QLatin1Char('\n')));
}

// Returns the keys of each shortcut of an action. Shortcuts of a single key, such as "F1" and "?",
// share one entry.
QList<QStringList> shortcuts(const QAction& action)
{
    QList<QStringList> all;
    QStringList single;
    for (const QKeySequence& sequence : action.shortcuts()) {
        QStringList keys = sequence.toString().split(QLatin1Char('+'), Qt::SkipEmptyParts);
        keys.replaceInStrings(QStringLiteral("Left"), QStringLiteral("←"));
        keys.replaceInStrings(QStringLiteral("Right"), QStringLiteral("→"));
        keys.replaceInStrings(QStringLiteral("PgDown"), QStringLiteral("PgDn"));
        if (keys.size() == 1)
            single += keys;
        else if (!keys.isEmpty())
            all.append(keys);
    }
    if (!single.isEmpty())
        all.prepend(single);
    return all;
}

// Whether a list of keys contains a key: "Alt ← →" contains "Alt ←", but "Ctrl N" does not contain
// "N".
bool lists(const KeyLine& line, const QStringList& keys)
{
    for (const char* modifier : {"Ctrl", "Shift", "Alt"})
        if (line.keys.contains(QLatin1String(modifier)) != keys.contains(QLatin1String(modifier)))
            return false;
    return std::ranges::all_of(keys, [&](const QString& key) { return line.keys.contains(key); });
}

// A table of keys, drawn as caps, with a heading for each group. The lines of a group are adjacent.
QString keysHtml(const QList<KeyLine>& lines, const Chrome& chrome)
{
    QString html = QStringLiteral("<table cellpadding=2>"), group;
    for (const KeyLine& line : lines) {
        if (line.group != group)
            html += QStringLiteral("<tr><td colspan=2><b>%1</b></td></tr>")
                        .arg(line.group.toHtmlEscaped());
        group = line.group;
        html += QStringLiteral("<tr><td>");
        for (const QString& key : line.keys)
            html += QStringLiteral("<span style='background-color:%1'>&nbsp;%2&nbsp;</span> ")
                        .arg(chrome.pressed.name(), key.toHtmlEscaped());
        html += QStringLiteral("&nbsp;&nbsp;</td><td>%1</td></tr>").arg(line.text.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

} // namespace

QList<KeyLine> keyLines(const QList<QAction*>& actions)
{
    QList<KeyLine> lines;
    const QString table = fromUtf8(resources::find("help/keys.txt"));
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QStringList parts = line.split(QStringLiteral("; "));
        if (!line.startsWith(QLatin1Char('#')) && parts.size() == 3)
            lines.append({parts.at(0), parts.at(1).split(QLatin1Char(' ')), parts.at(2)});
    }
    for (const QAction* action : actions)
        for (const QStringList& keys : shortcuts(*action)) {
            const auto isThere = [&](const KeyLine& line) { return lists(line, keys); };
            if (std::ranges::none_of(lines, isThere))
                lines.append(
                    {HelpDialog::tr("View and runs"), keys,
                     action->statusTip().isEmpty()
                         ? action->text().remove(QLatin1Char('&')).remove(QChar(0x2026)).toLower()
                         : action->statusTip()});
        }
    return lines;
}

QString withoutNames(QString text)
{
    const auto hide = [&text](const QString& name, const QString& by) {
        if (name.size() > 1)
            text.replace(QRegularExpression(QStringLiteral("(?<![\\w.-])%1(?![\\w-])")
                                                .arg(QRegularExpression::escape(name))),
                         by);
    };
    const QString home = QDir::homePath();
    if (home.size() > 1)
        text.replace(home, QStringLiteral("~"));
    hide(QDir(home).dirName(), QStringLiteral("USER"));
    hide(qEnvironmentVariable("USER"), QStringLiteral("USER"));
    hide(QSysInfo::machineHostName(), QStringLiteral("HOST"));
    return text;
}

HelpDialog::HelpDialog(Topic topic, const ThemeController& theme, const Settings& settings,
                       const QStringList& errors, const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent)
    , m_files{{tr("Keys"), tr("Of timelines, the schedule editor and the current page"),
               keysHtml(keyLines(actions), theme.theme().chrome)},
              {QStringLiteral("about.txt"), tr("Versions, system, processor and screens"),
               aboutText()},
              {QStringLiteral("devices.txt"), tr("Devices and CUDA libraries, from bscope devices"),
               tr("Querying the devices…")},
              {QStringLiteral("settings.txt"), tr("The settings, without recent runs and tabs"),
               settingsText(settings)},
              {QStringLiteral("messages.txt"),
               tr("Last errors of runs and messages of the program"), messagesText(errors)}}
    , m_list(named(new QListWidget, "diagnosticsFiles", tr("Topics")))
    , m_what(makeLabel({}, "secondary"))
    , m_text(named(new QTextBrowser, "diagnosticsText", tr("Text of the topic")))
    , m_withNames(
          named(new QCheckBox(tr("Include the names of user and machine")), "diagnosticsNames"))
    , m_problem(named(makeLabel({}, "problem"), "diagnosticsProblem"))
{
    constexpr int kDriverPatience = 20'000; // ms; a driver may hang
    setObjectName(QStringLiteral("helpDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Help"));
    resize(960, 640);
    fitToScreen(*this);
    m_list->setFixedWidth(160);
    for (const File& file : m_files)
        m_list->addItem(file.name);
    m_text->setTabChangesFocus(true);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* copy = makeButton(tr("Copy"), QStringLiteral("copyHelp"));
    auto* close = makeButton(tr("Close"), QStringLiteral("closeHelp"));
    auto* save = makeButton(tr("Save to folder…"), QStringLiteral("saveDiagnostics"), "primary");
    save->setToolTip(tr("Writes the four text files, for a bug report, and nothing else: no run, "
                        "no names of files that were open"));
    spaced(new QVBoxLayout(this), {16, 16, 16, 16}, 12,
           {{spaced(new QHBoxLayout, {}, 10,
                    {m_list, {spaced(new QVBoxLayout, {}, 6, {m_what, {m_text, 1}}), 1}}),
             1},
            m_problem,
            spaced(new QHBoxLayout, {}, 8, {{m_withNames, 1}, copy, close, save})});
    connect(m_list, &QListWidget::currentRowChanged, this, &HelpDialog::showText);
    connect(m_withNames, &QCheckBox::toggled, this, &HelpDialog::showText);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text->toPlainText()); });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(save, &QPushButton::clicked, this, &HelpDialog::chooseFolder);
    connect(&m_worker, &QProcess::finished, this, &HelpDialog::devicesAnswered);
    connect(&m_worker, &QProcess::errorOccurred, this, &HelpDialog::devicesAnswered);
    QTimer::singleShot(kDriverPatience, &m_worker, &QProcess::kill);
    m_worker.start(workerProgram(), {QStringLiteral("devices")});
    m_list->setCurrentRow(static_cast<int>(topic));
    m_text->setFocus();
}

HelpDialog::~HelpDialog()
{
    m_worker.disconnect(this);
    m_worker.kill();
}

void HelpDialog::devicesAnswered()
{
    const QString answer = QString::fromUtf8(m_worker.readAllStandardOutput()),
                  error = QString::fromUtf8(m_worker.readAllStandardError()).trimmed();
    m_files[static_cast<std::size_t>(Topic::Devices)].text = !answer.isEmpty() ? answer
        : workerProgram().isEmpty()
        ? tr("bscope is not in the folder of this program; reinstall Bubblescope.")
        : tr("No answer: %1").arg(error.isEmpty() ? m_worker.errorString() : error);
    if (m_list->currentRow() == static_cast<int>(Topic::Devices))
        showText();
}

QString HelpDialog::shown(const File& file) const
{
    return m_withNames->isChecked() ? file.text : withoutNames(file.text);
}

void HelpDialog::showText()
{
    const auto row = static_cast<std::size_t>(m_list->currentRow());
    const bool isKeys = row == static_cast<std::size_t>(Topic::Keys);
    m_text->setFont(isKeys ? uiFont(13) : codeFont());
    m_what->setText(m_files[row].what);
    isKeys ? m_text->setHtml(m_files[row].text) : m_text->setPlainText(shown(m_files[row]));
}

void HelpDialog::chooseFolder()
{
    auto* dialog = named(
        new QFileDialog(this, tr("Save diagnostics in a folder"), chosenFolder(key::kExports)),
        "diagnosticsFolder");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &HelpDialog::saveIn);
    dialog->open();
}

void HelpDialog::saveIn(const QString& parent)
{
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const QDir folder(
        QDir(parent).filePath(QStringLiteral("bubblescope-diagnostics-%1").arg(time)));
    QString problem;
    if (!QDir().mkdir(folder.path()))
        problem = tr("%1 was not created: choose a writable folder").arg(folder.path());
    QStringList files;
    for (std::size_t i = 1; i < m_files.size() && problem.isEmpty(); ++i) {
        files.append(folder.filePath(m_files[i].name));
        const auto saved = engine::saveFile(
            files.back().toStdString(), shown(m_files[i]).toStdString(), engine::IfExists::Refuse);
        if (!saved)
            problem = fromUtf8(saved.error().message);
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (!problem.isEmpty())
        return;
    Q_EMIT saved(files);
    accept();
}

} // namespace app
