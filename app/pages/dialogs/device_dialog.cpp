#include "app/pages/dialogs/device_dialog.h"

#include "app/jobs/run_process.h"
#include "app/models/theme.h"
#include "app/widgets/controls/controls.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace app {

DeviceDialog::DeviceDialog(QWidget* parent)
    : QDialog(parent)
    , m_text(named(new QPlainTextEdit(tr("Querying the worker ...")), "deviceText",
                   tr("Devices of this machine")))
{
    setObjectName(QStringLiteral("deviceDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Device check"));
    resize(720, 360);
    m_text->setReadOnly(true);
    m_text->setFont(codeFont());
    auto* column
        = spaced(new QVBoxLayout(this), QMargins(16, 16, 16, 16), 10,
                 {makeLabel(tr("Devices that this machine can run on"), "section"), {m_text, 1}});
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QPushButton* copy = makeButton(tr("Copy report"), QStringLiteral("copyDevices"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text->toPlainText()); });
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeDevices"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    row->addWidget(copy);
    row->addStretch();
    row->addWidget(close);
    column->addLayout(row);

    connect(&m_process, &QProcess::finished, this, &DeviceDialog::finished);
    connect(&m_process, &QProcess::errorOccurred, this, &DeviceDialog::finished);
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    const QString program = workerProgram();
    if (program.isEmpty())
        m_text->setPlainText(
            tr("bscope is not in the folder of this program; reinstall Bubblescope."));
    else
        m_process.start(program, {QStringLiteral("devices")});
}

DeviceDialog::~DeviceDialog()
{
    m_process.disconnect(this);
    m_process.kill();
}

void DeviceDialog::finished()
{
    const QString report = QString::fromUtf8(m_process.readAll()).trimmed();
    m_text->setPlainText(report.isEmpty() ? m_process.errorString() : report);
}

} // namespace app
