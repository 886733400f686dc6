#include "app/window/device_dialog.h"

#include "app/documents/run_process.h"
#include "app/ui/controls.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

QWidget* makeDeviceCard(const ThemeController& theme, const DeviceEntry& entry)
{
    QWidget* card = makeSurface("card");
    auto* texts = spaced(new QVBoxLayout, {}, 2, {makeLabel(entry.title, "section")});
    for (const QString& fact : entry.facts) {
        QLabel* line = makeLabel(fact, "small");
        line->setWordWrap(true);
        line->setTextInteractionFlags(Qt::TextSelectableByMouse);
        texts->addWidget(line);
    }
    auto* icon = entry.isUsable ? new IconLabel(theme, Icon::Check, &Chrome::ok)
                                : new IconLabel(theme, Icon::Info, &Chrome::text3);
    spaced(new QHBoxLayout(card), {14, 12, 14, 12}, 12, {{icon, 0, Qt::AlignTop}, {texts, 1}});
    card->setAccessibleName(entry.title + QStringLiteral(": ")
                            + entry.facts.join(QStringLiteral("; ")));
    return card;
}

} // namespace

DeviceDialog::DeviceDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_copy(makeButton(tr("Copy report"), QStringLiteral("copyDevices")))
{
    setObjectName(QStringLiteral("deviceDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Device check"));
    resize(640, 480);
    auto* content = new QWidget;
    m_cards = spaced(new QVBoxLayout(content), {20, 4, 20, 16}, 8);
    m_cards->addWidget(makeLabel(tr("Querying the devices…"), "secondary"));
    m_cards->addStretch();
    QScrollArea* scroll = named(makeScroll(content), "deviceCards", windowTitle());
    scroll->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeDevices"), "primary");
    auto* head = spaced(new QVBoxLayout, {20, 16, 20, 8}, 2,
                        {makeLabel(tr("Device check"), "heading"),
                         makeLabel(tr("What this machine can do"), "small")});
    auto* buttons = spaced(new QHBoxLayout, {20, 12, 20, 16}, 8, {m_copy, kStretch, close});
    spaced(new QVBoxLayout(this), {}, 0, {head, {scroll, 1}, makeLine(Qt::Horizontal), buttons});
    m_copy->setEnabled(false);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_report.text()); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(&m_process, &QProcess::finished, this, &DeviceDialog::finished);
    connect(&m_process, &QProcess::errorOccurred, this, &DeviceDialog::finished);
    const QString program = workerProgram();
    if (program.isEmpty())
        show({{}, {}, tr("bscope is not in the folder of this program; reinstall Bubblescope.")});
    else
        m_process.start(program, {QStringLiteral("devices"), QStringLiteral("--json")});
}

DeviceDialog::~DeviceDialog()
{
    m_process.disconnect(this);
    m_process.kill();
}

void DeviceDialog::finished()
{
    const QByteArray answer = m_process.readAllStandardOutput();
    const QString error = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
    if (!answer.isEmpty())
        show(deviceReport(answer));
    else
        show({{}, {}, error.isEmpty() ? m_process.errorString() : error});
}

void DeviceDialog::addSection(const QString& title, const std::vector<DeviceEntry>& entries)
{
    if (entries.empty())
        return;
    m_cards->addSpacing(4);
    m_cards->addWidget(makeLabel(title, "dock"));
    for (const DeviceEntry& entry : entries)
        m_cards->addWidget(makeDeviceCard(m_theme, entry));
}

void DeviceDialog::show(const DeviceReport& report)
{
    m_report = report;
    while (QLayoutItem* item = m_cards->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!report.problem.isEmpty())
        m_cards->addWidget(makeDeviceCard(m_theme, {false, tr("No answer"), {report.problem}}));
    addSection(tr("Devices"), report.devices);
    addSection(tr("CUDA libraries"), report.libraries);
    m_cards->addStretch();
    m_copy->setEnabled(true);
}

} // namespace app
