#include "app/window/diagnostics_dialog.h"

#include "app/documents/run_process.h"
#include "app/ui/controls.h"
#include "app/ui/device_facts.h"
#include "app/ui/message_log.h"
#include "app/ui/setting_table.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QScreen>
#include <QSysInfo>
#include <QTimer>
#include <QVBoxLayout>

namespace app {
namespace {

QString diagnosticsLabel(const char* source)
{
    return QCoreApplication::translate("Diagnostics", source);
}

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
        + factLine("Qt",
                   QStringLiteral("%1, compiled with %2")
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

} // namespace

std::vector<DiagnosticsFile> diagnostics(const Settings& settings, const DiagnosticsFacts& facts)
{
    return {{QStringLiteral("about.txt"),
             diagnosticsLabel("Versions, system, processor and screens"), aboutText()},
            {QStringLiteral("devices.json"),
             diagnosticsLabel("Devices and CUDA libraries, from bscope devices"), facts.devices},
            {QStringLiteral("settings.txt"),
             diagnosticsLabel("The settings, without recent runs and tabs"),
             settingsText(settings)},
            {QStringLiteral("messages.txt"),
             diagnosticsLabel("Last errors of runs and messages of the program"),
             messagesText(facts.errors)}};
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

engine::Result<void> saveDiagnostics(const std::vector<DiagnosticsFile>& files,
                                     const QString& folder)
{
    if (!QDir().mkdir(folder))
        return engine::fail(engine::Error::Code::Io,
                            diagnosticsLabel("%1 was not created: choose a writable folder")
                                .arg(folder)
                                .toStdString());
    for (const DiagnosticsFile& file : files) {
        auto saved = engine::saveFile(QDir(folder).filePath(file.name).toStdString(),
                                      file.text.toStdString(), engine::IfExists::Refuse);
        if (!saved)
            return saved;
    }
    return {};
}

namespace {

constexpr int kDriverPatience = 20'000; // ms; a driver may hang

} // namespace

DiagnosticsDialog::DiagnosticsDialog(const Settings& settings, const QStringList& errors,
                                     QWidget* parent)
    : QDialog(parent)
    , m_settings(settings)
    , m_facts{tr("Querying the devices…"), errors}
    , m_worker(new QProcess(this))
    , m_list(named(new QListWidget, "diagnosticsFiles", tr("Files")))
    , m_text(named(new QPlainTextEdit, "diagnosticsText", tr("Content of the file")))
    , m_withNames(
          named(new QCheckBox(tr("Include the names of user and machine")), "diagnosticsNames"))
    , m_problem(named(makeLabel({}, "problem"), "diagnosticsProblem"))
    , m_save(makeButton(tr("Save to folder…"), QStringLiteral("saveDiagnostics"), "primary"))
{
    setObjectName(QStringLiteral("diagnosticsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Save diagnostics"));
    resize(860, 520);
    m_list->setFixedWidth(280);
    m_list->setWordWrap(true);
    m_text->setReadOnly(true);
    m_text->setFont(codeFont());
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* close = makeButton(tr("Close"), QStringLiteral("closeDiagnostics"));
    QLabel* intro = makeLabel(tr("For a bug report. Four text files are written, and nothing else: "
                                 "no run, no names of files that were open."),
                              "secondary");
    intro->setWordWrap(true);
    auto* body = spaced(new QHBoxLayout, {}, 10, {m_list, {m_text, 1}});
    auto* buttons = spaced(new QHBoxLayout, {}, 8, {{m_withNames, 1}, close, m_save});
    spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12,
           {makeLabel(tr("Save diagnostics"), "heading"), intro, {body, 1}, m_problem, buttons});
    connect(m_list, &QListWidget::currentRowChanged, this, &DiagnosticsDialog::showFile);
    connect(m_withNames, &QCheckBox::toggled, this, &DiagnosticsDialog::refresh);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &DiagnosticsDialog::chooseFolder);
    refresh();
    askForDevices();
}

DiagnosticsDialog::~DiagnosticsDialog()
{
    m_worker->disconnect(this);
    m_worker->kill();
}

void DiagnosticsDialog::askForDevices()
{
    connect(m_worker, &QProcess::finished, this, &DiagnosticsDialog::devicesAnswered);
    connect(m_worker, &QProcess::errorOccurred, this, &DiagnosticsDialog::devicesAnswered);
    QTimer::singleShot(kDriverPatience, m_worker, &QProcess::kill);
    m_worker->start(workerProgram(), {QStringLiteral("devices"), QStringLiteral("--json")});
}

void DiagnosticsDialog::devicesAnswered()
{
    const QString answer = QString::fromUtf8(m_worker->readAll());
    m_facts.devices = answer.isEmpty() ? tr("No answer: %1").arg(m_worker->errorString()) : answer;
    refresh();
}

void DiagnosticsDialog::refresh()
{
    m_files = diagnostics(m_settings, m_facts);
    if (!m_withNames->isChecked())
        for (DiagnosticsFile& file : m_files)
            file.text = withoutNames(file.text);
    const int row = std::max(0, m_list->currentRow());
    m_list->clear();
    for (const DiagnosticsFile& file : m_files)
        m_list->addItem(file.name + QLatin1Char('\n') + file.what);
    m_list->setCurrentRow(row);
}

void DiagnosticsDialog::showFile()
{
    const int row = m_list->currentRow();
    if (row >= 0)
        m_text->setPlainText(m_files[static_cast<std::size_t>(row)].text);
}

void DiagnosticsDialog::chooseFolder()
{
    auto* dialog = named(
        new QFileDialog(this, tr("Save diagnostics in a folder"), chosenFolder(key::kExports)),
        "diagnosticsFolder");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &DiagnosticsDialog::saveIn);
    dialog->open();
}

void DiagnosticsDialog::saveIn(const QString& parent)
{
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const QString folder
        = QDir(parent).filePath(QStringLiteral("bubblescope-diagnostics-%1").arg(time));
    if (const auto done = saveDiagnostics(m_files, folder); !done) {
        m_problem->setText(fromUtf8(done.error().message));
        m_problem->show();
        return;
    }
    QStringList files;
    for (const DiagnosticsFile& file : m_files)
        files.append(QDir(folder).filePath(file.name));
    Q_EMIT saved(files);
    accept();
}

} // namespace app
