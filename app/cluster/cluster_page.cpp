#include "app/cluster/cluster_page.h"

#include "app/ui/controls.h"
#include "app/ui/file_dialog.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/spin_field.h"
#include "app/ui/text.h"
#include "engine/cost/hardware.h"
#include "engine/kit/training_kit.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollArea>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

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

namespace {

constexpr int kFoldDock = 1240, kDockWidth = 290, kKitWidth = 760;

// How the levels of a check are shown.
struct LevelLook
{
    Icon icon;
    IconLabel::Colour colour;
    const char* name;
};
constexpr std::array<LevelLook, 3> kLevels{{{Icon::Check, &Chrome::ok, "passed"},
                                            {Icon::Warning, &Chrome::warning, "warning"},
                                            {Icon::Error, &Chrome::error, "problem"}}};

// "4 pass, 2 warnings", "1 problem"
QString checksText(const std::vector<ClusterCheck>& checks)
{
    using Level = ClusterCheck::Level;
    const auto count = [&](Level level) {
        return static_cast<std::int64_t>(std::ranges::count(checks, level, &ClusterCheck::level));
    };
    QStringList parts;
    if (count(Level::Problem) > 0)
        parts.append(countOf(count(Level::Problem), "problem"));
    if (count(Level::Pass) > 0)
        parts.append(QStringLiteral("%1 pass").arg(count(Level::Pass)));
    if (count(Level::Warning) > 0)
        parts.append(countOf(count(Level::Warning), "warning"));
    return parts.join(QStringLiteral(", "));
}

std::vector<std::pair<QString, QString>> factsOf(const ClusterPrediction& prediction,
                                                 const ClusterPlan& plan)
{
    const profiler::RunMetrics& metrics = prediction.metrics;
    const Scale scale = timeScale(prediction.run->info, metrics.duration);
    std::vector<std::pair<QString, QString>> facts{
        {QStringLiteral("Iteration"), scale.withUnit(static_cast<double>(metrics.duration))},
        {QStringLiteral("Bubble"), percent(metrics.bubbleRatio)},
        {QStringLiteral("Exposed communication"), scale.withUnit(prediction.loads.exposed.sum())}};
    if (metrics.tokensPerSecond)
        facts.emplace_back(QStringLiteral("Tokens per second"),
                           number(*metrics.tokensPerSecond, 0));
    if (metrics.mfu)
        facts.emplace_back(QStringLiteral("MFU"), percent(*metrics.mfu));
    std::int64_t most = 0;
    for (const auto& device : metrics.devices)
        most = std::max(most, device.peakBytes.value_or(0));
    facts.emplace_back(QStringLiteral("Memory, fullest device"),
                       byteScale(most).withUnit(static_cast<double>(most)));
    const engine::HardwareSpec& hardware = prediction.hardware;
    facts.emplace_back(QStringLiteral("GPU, assumed"), fromUtf8(hardware.name));
    facts.emplace_back(plan.nodeLink ? QStringLiteral("Link in a node, measured")
                                     : QStringLiteral("Link in a node"),
                       linkText(hardware.node));
    facts.emplace_back(plan.networkLink ? QStringLiteral("Link between nodes, measured")
                                        : QStringLiteral("Link between nodes"),
                       linkText(hardware.network));
    return facts;
}

void clear(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

// A step of the page, with `note` at the right.
QWidget* makeStep(const QString& title, QLabel* note, QWidget* content)
{
    auto* part = new QWidget;
    auto* head = spaced(new QHBoxLayout, {}, 12, {makeLabel(title, "section"), kStretch});
    if (note != nullptr)
        head->addWidget(note);
    spaced(new QVBoxLayout(part), {16, 16, 16, 16}, 14, {head, content});
    return part;
}

} // namespace

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_kit(new KitPanel(theme))
    , m_kitNote(makeLabel({}, "hint"))
    , m_checkNote(named(makeLabel({}, "hint"), "checksNote"))
{
    setObjectName(QStringLiteral("clusterPage"));
    makeActions();
    m_results = new ResultsPanel(theme, library, *m_compare);
    m_dock = makeDock();
    spaced(new QHBoxLayout(this), {}, 0,
           {{makeScroll(makeCentre()), 1}, makeLine(Qt::Vertical), m_dock});
    connectAll();
}

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library, const ClusterPlan& plan,
                         QWidget* parent)
    : ClusterPage(theme, library, parent)
{
    const engine::Scheme* scheme = engine::findScheme(plan.experiment.schedule.scheme);
    m_source = tr("Set-up of %1")
                   .arg(scheme != nullptr ? shortTitle(fromUtf8(scheme->title))
                                          : fromUtf8(plan.experiment.schedule.scheme));
    m_kit->setPlan(plan, m_source);
    ask();
}

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library,
                         std::shared_ptr<RunDocument> emulated, QWidget* parent)
    : ClusterPage(theme, library, parent)
{
    m_emulated = std::move(emulated);
    m_results->setEmulated(m_emulated);
    connect(m_emulated.get(), &RunDocument::stateChanged, this, &ClusterPage::takeDocument);
    takeDocument();
}

void ClusterPage::takeDocument()
{
    if (m_emulated->run() == nullptr)
        return;
    disconnect(m_emulated.get(), &RunDocument::stateChanged, this, nullptr);
    auto plan = clusterPlanOf(*m_emulated->run());
    m_source = m_emulated->title();
    if (!plan) {
        m_emulated.reset();
        m_results->setEmulated(nullptr);
        m_kit->setPlan(ClusterPlan(), m_source);
        return take(tl::unexpected(plan.error()));
    }
    m_kit->setPlan(*plan, m_source);
    ask();
}

void ClusterPage::makeActions()
{
    m_write = makeAction("writeKitAction", tr("&Write kit…"), tr("Ctrl+S"),
                         [this] { askForKitFolder(); });
    m_archive = makeAction("writeArchiveAction", tr("Write kit as an &archive…"), {},
                           [this] { askForArchive(); });
    m_watch = makeAction("watchAction", tr("Watch a folder of &results…"), tr("Ctrl+Shift+W"),
                         [this] { m_results->askForFolder(); });
    m_compare = makeAction(
        "compareCluster", tr("&Compare the runs"), tr("Ctrl+Return"),
        [this] { m_results->compare(); },
        tr("compare prediction, emulated run and measured run op by op"));
    m_copy = makeAction("copyCluster", tr("Copy the &command"), tr("Ctrl+Shift+C"),
                        [this] { QGuiApplication::clipboard()->setText(m_outlook->command); });
    for (QAction* action : {m_write, m_archive, m_compare, m_copy})
        action->setEnabled(false);
}

QWidget* ClusterPage::makeCentre()
{
    auto* centre = makeSurface("plain");
    m_checkList = named(new QWidget, "clusterChecks", tr("Checks"));
    m_checks = spaced(new QGridLayout(m_checkList), QMargins(), 8);
    m_checks->setHorizontalSpacing(24);
    for (const int column : {0, 1})
        m_checks->setColumnStretch(column, 1);
    auto* kit = new QWidget; // as wide as its fields need
    m_kit->setMaximumWidth(kKitWidth);
    spaced(new QHBoxLayout(kit), {}, 0, {{m_kit, 100}, kStretch});
    auto* head = makeBar(
        40, 10,
        {makeLabel(tr("Run on a cluster"), "section"),
         makeLabel(tr("Write a kit, start it on the cluster, and bring the results back."),
                   "small"),
         kStretch});
    spaced(new QVBoxLayout(centre), {}, 0,
           {head, makeLine(Qt::Horizontal), makeStep(tr("1 What to run"), m_kitNote, kit),
            makeLine(Qt::Horizontal), makeStep(tr("2 Checks"), m_checkNote, m_checkList),
            makeLine(Qt::Horizontal), makeStep(tr("3 Bring the results back"), nullptr, m_results),
            kStretch});
    return centre;
}

QWidget* ClusterPage::makeDock()
{
    auto* content = makeSurface("plain");
    m_facts = new QGridLayout;
    m_facts->setColumnStretch(0, 1);
    spaced(m_facts, {}, 8);
    spaced(new QVBoxLayout(content), {12, 12, 12, 12}, 10, {m_facts, kStretch});
    auto* button = makeButton(tr("Compare"), QStringLiteral("compareClusterButton"), "", m_compare);
    auto* dock = new QWidget;
    dock->setFixedWidth(kDockWidth);
    spaced(new QVBoxLayout(dock), {}, 0,
           {makeBar(
                40, 8,
                {makeLabel(tr("Prediction"), "dock"), new Tag(m_theme, tr("simulated")), kStretch}),
            makeLine(Qt::Horizontal),
            {makeScroll(content), 1},
            makeLine(Qt::Horizontal),
            makeBar(53, 8, {{button, 1}})});
    return dock;
}

void ClusterPage::connectAll()
{
    connect(m_kit, &KitPanel::edited, this, [this] {
        m_written.clear();
        m_isOutdated = true;
        if (!m_isWriting)
            m_kit->showWritten({});
        ask();
    });
    connect(&m_theme, &ThemeController::unitsChanged, this, &ClusterPage::showOutlook);
    connect(m_kit, &KitPanel::writeRequested, this, &ClusterPage::askForKitFolder);
    connect(m_kit, &KitPanel::archiveRequested, this, &ClusterPage::askForArchive);
    connect(m_kit, &KitPanel::copyRequested, this, [this](const QString& command) {
        QGuiApplication::clipboard()->setText(command);
        m_kit->showWritten(tr("Copied."));
    });
    connect(m_results, &ResultsPanel::changed, this, &ClusterPage::statusChanged);
    connect(m_results, &ResultsPanel::compareRequested, this, [this](const QStringList& files) {
        Q_EMIT pageRequested({"compare", files});
    });
    connect(m_results, &ResultsPanel::linksMeasured, m_kit, &KitPanel::useLinks);
}

void ClusterPage::ask()
{
    m_outlooks.ask(m_kit->plan());
    m_kit->awaitOutlook();
    enableActions();
}

void ClusterPage::enableActions()
{
    for (QAction* action : {m_write, m_archive})
        action->setEnabled(isCurrent() && !m_isWriting);
    m_copy->setEnabled(isCurrent() && !m_outlook->command.isEmpty());
}

void ClusterPage::take(engine::Result<ClusterOutlook> outlook)
{
    m_problem = outlook ? QString() : fromUtf8(outlook.error().message);
    m_kit->showOutlook(outlook);
    m_outlook.reset();
    if (outlook)
        m_outlook = std::make_shared<const ClusterOutlook>(*std::move(outlook));
    showOutlook();
}

void ClusterPage::showOutlook()
{
    if (m_outlook)
        showChecks(m_outlook->checks);
    else
        showChecks({{ClusterCheck::Level::Problem, tr("No kit"), capitalized(m_problem)}});
    m_kitNote->setText(m_outlook ? tr("%1, %2").arg(countOf(m_outlook->kit.ranks, "rank"),
                                                    countOf(m_outlook->kit.nodes, "node"))
                                 : QString());
    enableActions();
    showPrediction();
    m_results->setOutlook(m_outlook, m_kit->plan());
}

void ClusterPage::showChecks(const std::vector<ClusterCheck>& checks)
{
    clear(*m_checks);
    QStringList texts;
    for (const ClusterCheck& check : checks) {
        const LevelLook& level = kLevels[static_cast<std::size_t>(check.level)];
        auto* row = new QWidget;
        QLabel *bold = makeLabel(check.bold, "dock"), *text = makeLabel(check.text, "small");
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        spaced(new QHBoxLayout(row), {}, 10,
               {{new IconLabel(m_theme, level.icon, level.colour), 0, Qt::AlignTop},
                {spaced(new QVBoxLayout, {}, 1, {bold, text}), 1}});
        texts.append(QStringLiteral("%1: %2, %3")
                         .arg(QString::fromLatin1(level.name), check.bold, check.text));
        row->setAccessibleName(texts.back());
        const int at = static_cast<int>(texts.size()) - 1;
        m_checks->addWidget(row, at / 2, at % 2, Qt::AlignTop);
    }
    m_checkList->setAccessibleDescription(texts.join(QStringLiteral(". ")));
    m_checkNote->setText(tr("%1; checked again at each change").arg(checksText(checks)));
}

void ClusterPage::showPrediction()
{
    clear(*m_facts);
    auto add = [this, row = 0](const QString& name, const QString& value) mutable {
        m_facts->addWidget(makeLabel(name, "small"), row, 0);
        m_facts->addWidget(makeLabel(value, "dock"), row++, 1, Qt::AlignRight);
    };
    if (!m_outlook || !m_outlook->prediction) {
        auto* none = makeLabel(
            tr("Choose the GPU of the cluster to predict its iteration and its memory."),
            "secondary");
        none->setWordWrap(true);
        m_facts->addWidget(none, 0, 0, 1, 2);
        return;
    }
    for (const auto& [name, value] : factsOf(*m_outlook->prediction, m_kit->plan()))
        add(name, value);
    constexpr std::size_t kMostRows = 16;
    const auto rows
        = nodeRows(*m_outlook->prediction, m_kit->plan().experiment.schedule.dataParallel);
    add(tr("Devices of each node:"), {});
    for (const NodeRow& row : rows | std::views::take(kMostRows))
        add(row.firstCopy == row.lastCopy
                ? tr("Node %1, pipeline %2").arg(row.node).arg(row.firstCopy)
                : tr("Node %1, pipelines %2 to %3")
                      .arg(row.node)
                      .arg(row.firstCopy)
                      .arg(row.lastCopy),
            row.devices);
    if (rows.size() > kMostRows)
        add(tr("and %1 more nodes").arg(rows.size() - kMostRows), {});
}

void ClusterPage::askForKitFolder()
{
    auto* dialog = openFileDialog({tr("Folder of the kit: a new one, or one to replace"),
                                   {},
                                   "kitFolderDialog",
                                   QFileDialog::Directory},
                                  this);
    dialog->setOption(QFileDialog::ShowDirsOnly, true);
    dialog->setLabelText(QFileDialog::Accept, tr("Write kit"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        // A kit needs a separate folder. Uses the chosen folder if it is empty or already contains
        // a kit (train.py), otherwise a new folder in it.
        const QDir folder(chosen);
        const bool isOwn = folder.isEmpty() || folder.exists(QStringLiteral("train.py"));
        writeTo(isOwn ? chosen : folder.filePath(kitName()),
                isOwn ? engine::IfExists::Replace : engine::IfExists::Refuse);
    });
}

void ClusterPage::askForArchive()
{
    auto* dialog = openFileDialog({tr("Archive of the kit"), tr("Archives (*.zip *.tar.gz *.tgz)"),
                                   "kitArchiveDialog", QFileDialog::AnyFile},
                                  this);
    dialog->setAcceptMode(QFileDialog::AcceptSave); // asks before a file is replaced
    dialog->setDefaultSuffix(QStringLiteral("zip"));
    dialog->selectFile(kitName() + QStringLiteral(".zip"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        const bool isArchive = engine::folderInArchive(chosen.toStdString()).has_value();
        writeTo(isArchive ? chosen : chosen + QStringLiteral(".zip"),
                isArchive ? engine::IfExists::Replace : engine::IfExists::Refuse);
    });
}

QString ClusterPage::kitName() const
{
    return QStringLiteral("kit-%1").arg(fromUtf8(m_kit->plan().experiment.schedule.scheme));
}

void ClusterPage::writeTo(const QString& folder, engine::IfExists ifExists)
{
    if (!isCurrent() || m_isWriting)
        return;
    m_isOutdated = false;
    m_isWriting = true;
    m_kit->setWriting(true);
    m_kit->showWritten(tr("Writing"));
    enableActions();
    m_writing.run(
        [outlook = m_outlook, folder, ifExists] {
            return engine::writeKit(outlook->kit, folder.toStdString(), ifExists);
        },
        [this, folder](const engine::Result<void>& written) {
            m_isWriting = false;
            m_kit->setWriting(false);
            enableActions();
            if (written)
                kitWritten(folder);
            else
                m_kit->showWritten(capitalized(fromUtf8(written.error().message)));
        });
}

void ClusterPage::kitWritten(const QString& folder)
{
    if (m_isOutdated)
        return m_kit->showWritten(
            tr("Written to %1 as set up before the last change.").arg(folder));
    m_written = folder;
    m_kit->showWritten(tr("Written to %1.").arg(folder));
    // Watches the folder of the kit, because the results arrive there on a shared file system.
    if (QFileInfo(folder).isDir() && !m_results->watcher().isWatching()
        && m_results->results().folder.isEmpty())
        takeResults({folder});
    Q_EMIT statusChanged();
}

QStringList ClusterPage::statusTexts() const
{
    if (!m_outlook)
        return {tr("<b>Kit</b>")};
    QStringList texts{tr("<b>Kit</b> %1").arg(m_source.toHtmlEscaped()),
                      countOf(m_outlook->kit.ranks, "rank")};
    if (!m_written.isEmpty())
        texts.append(tr("written"));
    if (!m_results->results().folder.isEmpty())
        texts.append(tr("%1 of %2 ranks received")
                         .arg(m_results->results().received())
                         .arg(m_results->results().ranks));
    return texts;
}

QString ClusterPage::statusNote() const
{
    if (!m_outlook || !m_outlook->prediction)
        return {};
    const ClusterPrediction& prediction = *m_outlook->prediction;
    return tr("predicted %1")
        .arg(timeScale(prediction.run->info, prediction.metrics.duration)
                 .withUnit(static_cast<double>(prediction.metrics.duration)));
}

QList<QAction*> ClusterPage::menuActions(Menu menu) const
{
    if (menu == Menu::File)
        return {m_write, m_archive, m_watch};
    if (menu == Menu::Run)
        return {m_copy};
    return menu == Menu::Compare ? QList<QAction*>{m_compare} : QList<QAction*>();
}

void ClusterPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_dock->setVisible(event->size().width() >= kFoldDock);
}

} // namespace app
