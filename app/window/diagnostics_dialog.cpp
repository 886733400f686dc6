#include "app/window/diagnostics_dialog.h"

#include "app/documents/run_process.h"
#include "app/ui/controls.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QCheckBox>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QTimer>
#include <QVBoxLayout>

namespace app {
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
