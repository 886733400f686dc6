#include "app/window/device_dialog.h"

#include "app/documents/run_process.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/analysis/measure.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

QString deviceLabel(const char* source)
{
    return QCoreApplication::translate("DeviceReport", source);
}

QString jsonText(const QJsonObject& object, const char* key)
{
    return object.value(QLatin1String(key)).toString();
}

QString memoryFact(const QJsonObject& object, const char* source)
{
    const auto bytes = object.value(QLatin1String("memory_bytes")).toInteger();
    return deviceLabel(source).arg(fromUtf8(profiler::bytesText(bytes)));
}

DeviceEntry cpuEntry(const QJsonObject& cpu)
{
    DeviceEntry entry{true, jsonText(cpu, "name"), {}};
    entry.facts.append(countOf(cpu.value(QLatin1String("cores")).toInt(), "core")
                       + QStringLiteral(", ") + memoryFact(cpu, "%1 of memory free"));
    if (const QString blas = jsonText(cpu, "blas"); !blas.isEmpty())
        entry.facts.append(blas);
    QStringList modes;
    for (const QJsonValue mode : cpu.value(QLatin1String("modes")).toArray())
        modes.append(mode.toString());
    entry.facts.append(deviceLabel("Modes: %1").arg(modes.join(QStringLiteral(", "))));
    return entry;
}

DeviceEntry gpuEntry(const QJsonObject& gpu)
{
    DeviceEntry entry{true, jsonText(gpu, "name"), {}};
    entry.facts.append(memoryFact(gpu, "%1 of memory")
                       + deviceLabel(", compute capability %1, %2 SMs")
                             .arg(jsonText(gpu, "compute_capability"))
                             .arg(gpu.value(QLatin1String("multiprocessors")).toInt()));
    const int partition = gpu.value(QLatin1String("smallest_partition")).toInt();
    entry.facts.append(partition > 0
                           ? deviceLabel("Partitions of %1 SMs or more").arg(partition)
                           : deviceLabel("No partitions: several devices need several GPUs"));
    if (const QString fallback = jsonText(gpu, "fallback"); !fallback.isEmpty())
        entry.facts.append(fallback);
    return entry;
}

DeviceEntry libraryEntry(const QJsonObject& library)
{
    const QString reason = jsonText(library, "reason");
    return {reason.isEmpty(),
            (jsonText(library, "name") + QLatin1Char(' ') + jsonText(library, "version")).trimmed(),
            {reason.isEmpty() ? jsonText(library, "file") : reason}};
}

} // namespace

DeviceReport deviceReport(const QByteArray& json)
{
    const QJsonObject all = QJsonDocument::fromJson(json).object();
    DeviceReport report;
    for (const QJsonValue device : all.value(QLatin1String("devices")).toArray())
        if (jsonText(device.toObject(), "kind") == QStringLiteral("cpu"))
            report.devices.push_back(cpuEntry(device.toObject()));
    const QJsonObject cuda = all.value(QLatin1String("cuda")).toObject();
    for (const QJsonValue gpu : cuda.value(QLatin1String("devices")).toArray())
        report.devices.push_back(gpuEntry(gpu.toObject()));
    for (const QJsonValue missing : all.value(QLatin1String("unavailable")).toArray()) {
        const bool isGpu = jsonText(missing.toObject(), "kind") == QStringLiteral("cuda");
        report.devices.push_back(
            {false,
             isGpu ? deviceLabel("No NVIDIA GPU") : deviceLabel("The CPU cannot train"),
             {capitalized(jsonText(missing.toObject(), "reason"))}});
    }
    for (const QJsonValue library : cuda.value(QLatin1String("libraries")).toArray())
        report.libraries.push_back(libraryEntry(library.toObject()));
    if (report.devices.empty())
        report.problem = deviceLabel("The output of bscope devices names no device. Run bscope "
                                     "devices in a terminal to see it.");
    return report;
}

QString DeviceReport::text() const
{
    QStringList lines;
    for (const auto* part : {&devices, &libraries})
        for (const DeviceEntry& entry : *part) {
            lines.append(entry.title);
            for (const QString& fact : entry.facts)
                lines.append(QStringLiteral("    ") + fact);
        }
    return problem.isEmpty() ? lines.join(QLatin1Char('\n')) : problem;
}

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
