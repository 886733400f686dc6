#include "app/cluster/kit_panel.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/spin_field.h"
#include "app/ui/text.h"
#include "engine/cost/hardware.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>

namespace app {
namespace {

// kTitle: width of the titles. kBaseline: margin that aligns a label with the text in a field.
constexpr int kTitle = 92, kBaseline = 5;

QHBoxLayout* makeRow(const QString& title, std::initializer_list<Cell> cells)
{
    auto* row = new QHBoxLayout;
    auto* label = makeLabel(title);
    label->setFixedWidth(kTitle);
    label->setAlignment(Qt::AlignTop);
    label->setContentsMargins(0, kBaseline, 0, 0);
    spaced(row, {}, 10, {label});
    fill(*row, cells);
    return row;
}

} // namespace

KitPanel::KitPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_run(named(makeLabel({}), "clusterRun"))
    , m_model(named(makeLabel({}, "small"), "clusterModel"))
    , m_ranks(named(makeLabel({}, "small"), "clusterRanks"))
    , m_hint(named(makeLabel({}, "hint"), "launchHint"))
    , m_written(named(makeLabel({}, "hint"), "kitWritten"))
    , m_contents(named(makeLabel({}, "small"), "kitContents"))
    , m_launcher(named(new SegmentControl(theme, {tr("torchrun"), tr("Slurm"), tr("torchtitan")}),
                       "launcher"))
    , m_gpus(named(new SpinField(theme), "gpusPerNode", tr("GPUs per node")))
    , m_port(named(new SpinField(theme), "port", tr("Port")))
    , m_first(named(new QLineEdit, "firstNode", tr("First node")))
    , m_command(named(new QLineEdit, "launchCommand", tr("Command")))
    , m_hardware(named(new QComboBox, "clusterHardware", tr("GPU of the cluster")))
    , m_write(makeButton(tr("Write kit…"), QStringLiteral("writeKit"), "primary"))
    , m_archive(makeButton(tr("Write .zip…"), QStringLiteral("writeKitArchive")))
    , m_copy(makeButton(tr("Copy"), QStringLiteral("copyLaunch")))
{
    setObjectName(QStringLiteral("kitPanel"));
    m_launcher->setName(tr("Launcher"));
    for (QLabel* label : {m_contents, m_hint, m_written, m_run, m_model}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    for (QLabel* value : {m_run, m_model, m_contents}) { // on the same baseline as their titles
        value->setAlignment(Qt::AlignTop);
        value->setContentsMargins(0, kBaseline, 0, 0);
    }
    makeFields();
}

void KitPanel::makeFields()
{
    constexpr int kMostGpus = 1024, kMostPort = 65535, kSpin = 84;
    m_gpus->setRange(1, kMostGpus);
    m_port->setRange(1, kMostPort);
    m_gpus->setFixedWidth(kSpin);
    m_port->setFixedWidth(kSpin);
    m_hardware->addItem(tr("not known"));
    for (const std::string& name : engine::hardwareNames())
        m_hardware->addItem(fromUtf8(name));
    m_hardware->setToolTip(tr("Predict the iteration and the memory on this GPU"));
    m_first->setPlaceholderText(tr("host name or address"));
    connect(m_launcher, &SegmentControl::currentChanged, this, [this](int launcher) {
        m_plan.launcher = static_cast<engine::Launcher>(launcher);
        changed();
    });
    connect(m_gpus, &QSpinBox::valueChanged, this, [this](int gpus) {
        m_plan.gpusPerNode = gpus;
        changed();
    });
    connect(m_port, &QSpinBox::valueChanged, this, [this](int port) {
        m_plan.port = port;
        changed();
    });
    connect(m_first, &QLineEdit::textChanged, this, [this](const QString& host) {
        m_plan.firstNode = host;
        changed();
    });
    connect(m_hardware, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plan.hardware = index > 0 ? m_hardware->currentText() : QString();
        m_plan.nodeLink = m_plan.networkLink = std::nullopt;
        changed();
    });
    spaced(new QVBoxLayout(this), {}, 10,
           {makeRow(tr("Run"), {{m_run, 1}}), makeRow(tr("Model"), {{m_model, 1}}),
            makeRow(tr("GPU"), {{m_hardware, 1}}), makeRow(tr("Launcher"), {m_launcher, kStretch}),
            makeRow(tr("GPUs per node"), {m_gpus, {m_ranks, 1}}),
            makeRow(tr("First node"), {{m_first, 1}, makeLabel(tr("Port")), m_port}),
            makeRow(tr("Command"), {{makeCommand(), 1}}), makeRow(tr("Kit"), {{m_contents, 1}})});
}

QWidget* KitPanel::makeCommand()
{
    m_command->setReadOnly(true);
    m_command->setFont(codeFont(12));
    m_copy->setToolTip(tr("Copy the command"));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { Q_EMIT copyRequested(m_command->text()); });
    connect(m_write, &QPushButton::clicked, this, &KitPanel::writeRequested);
    m_archive->setToolTip(tr("Write the kit as one file, to copy to the cluster"));
    connect(m_archive, &QPushButton::clicked, this, &KitPanel::archiveRequested);
    auto* part = new QWidget;
    spaced(new QVBoxLayout(part), {}, 8,
           {spaced(new QHBoxLayout, {}, 8, {{m_command, 1}, m_copy}), m_hint,
            spaced(new QHBoxLayout, {}, 10, {m_write, m_archive, {m_written, 1}})});
    return part;
}

void KitPanel::changed()
{
    if (!m_isShowing)
        Q_EMIT edited();
}

void KitPanel::setPlan(const ClusterPlan& plan, const QString& source)
{
    m_isShowing = true;
    m_plan = plan;
    const engine::Experiment& experiment = plan.experiment;
    const engine::ModelSpec& model = experiment.model;
    m_run->setText(tr("%1: D %2, N %3, W %4")
                       .arg(source, QString::number(experiment.schedule.devices),
                            QString::number(experiment.schedule.microBatches),
                            QString::number(experiment.schedule.dataParallel)));
    m_model->setText(tr("%1, %2; %3, sequence %4, micro-batch size %5")
                         .arg(fromUtf8(model.name),
                              fromUtf8(engine::nameIn(engine::kPrecisionNames, model.precision)),
                              countOf(model.layers, "layer"), QString::number(model.sequence),
                              QString::number(model.microBatchSize)));
    m_launcher->setCurrent(static_cast<int>(plan.launcher));
    m_gpus->setValue(plan.gpusPerNode);
    m_port->setValue(plan.port);
    m_first->setText(plan.firstNode);
    m_hardware->setCurrentIndex(std::max(0, m_hardware->findText(plan.hardware)));
    m_isShowing = false;
    m_written->clear();
}

void KitPanel::awaitOutlook()
{
    m_canWrite = false;
    enableButtons();
    m_copy->setEnabled(false);
}

void KitPanel::showOutlook(const engine::Result<ClusterOutlook>& outlook)
{
    const bool usesFirst = m_plan.launcher != engine::Launcher::Slurm;
    const bool canWrite = outlook.has_value();
    m_canWrite = canWrite;
    enableButtons();
    m_first->setEnabled(usesFirst && (!canWrite || outlook->kit.nodes > 1));
    m_port->setEnabled(m_first->isEnabled() || !usesFirst);
    m_copy->setEnabled(canWrite && !outlook->command.isEmpty());
    if (!canWrite) {
        m_command->clear();
        m_ranks->clear();
        m_hint->setText(capitalized(fromUtf8(outlook.error().message)));
        m_contents->clear();
        return;
    }
    const engine::TrainingKit& kit = outlook->kit;
    m_ranks->setText(tr("%1, %2").arg(countOf(kit.nodes, "node"), countOf(kit.ranks, "rank"))
                     + tr(" = D %1 × W %2")
                           .arg(m_plan.experiment.schedule.devices)
                           .arg(m_plan.experiment.schedule.dataParallel));
    m_command->setText(outlook->command);
    m_command->setCursorPosition(0);
    m_hint->setText(outlook->commandProblem.isEmpty() ? launcherHint(m_plan, kit)
                                                      : outlook->commandProblem);
    showContents(*outlook);
}

void KitPanel::showContents(const ClusterOutlook& outlook)
{
    double bytes = 0;
    QStringList names;
    for (const engine::KitFile& file : outlook.kit.files) {
        bytes += static_cast<double>(file.text.size());
        names.append(fromUtf8(file.name));
    }
    const QString obstacle = fromUtf8(outlook.kit.torchObstacle);
    m_contents->setText(
        tr("%1 of plain text, %2 KB: %3. %4 Results: losses and one trace per rank.")
            .arg(countOf(names.size(), "file"), number(bytes / 1000, bytes < 10'000 ? 1 : 0),
                 names.join(tr(", ")),
                 obstacle.isEmpty() ? tr("PyTorch's pipeline runtime executes the schedule.")
                                    : tr("The kit includes a runtime, because PyTorch's pipeline "
                                         "runtime cannot execute %1.")
                                          .arg(obstacle)));
}

void KitPanel::useLinks(const ClusterPlan& plan)
{
    m_plan.nodeLink = plan.nodeLink;
    m_plan.networkLink = plan.networkLink;
    Q_EMIT edited();
}

void KitPanel::setWriting(bool isWriting)
{
    m_isWriting = isWriting;
    enableButtons();
}

void KitPanel::enableButtons()
{
    for (QPushButton* button : {m_write, m_archive})
        button->setEnabled(!m_isWriting && m_canWrite);
}

void KitPanel::showWritten(const QString& text)
{
    m_written->setText(text);
}

} // namespace app
