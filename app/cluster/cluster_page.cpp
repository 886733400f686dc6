#include "app/cluster/cluster_page.h"

#include "app/timeline/details/details_panel.h"
#include "app/ui/file_dialog.h"
#include "app/ui/latest.h"
#include "app/ui/row_table.h"
#include "app/ui/segment_control.h"
#include "app/ui/spin_field.h"
#include "app/ui/text.h"
#include "engine/cost/hardware.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/sheet.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QResizeEvent>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <memory>
#include <ranges>
#include <utility>

namespace app {
namespace {

struct Writing // of a kit, shared with its thread
{
    std::atomic<bool> isCancelled = false;
    std::atomic<int> percent = 0;
};

using Level = ClusterCheck::Level;

// "4 pass, 2 warnings", "1 problem"
QString checksText(const std::vector<ClusterCheck>& checks)
{
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

std::vector<TableColumn<ClusterCheck>> checkColumns()
{
    using Row = ClusterCheck;
    return {TableColumn<Row>(QObject::tr("Check"), &Row::bold, Qt::AlignLeft).flag(kStrongRole),
            TableColumn<Row>(
                QObject::tr("Result"),
                [](const Row& row) {
                    return row.level == Level::Pass   ? QObject::tr("passed")
                        : row.level == Level::Warning ? QObject::tr("warning")
                                                      : QObject::tr("problem");
                },
                Qt::AlignLeft)
                .with(kExceedsRole,
                      [](const Row& row) { return QVariant(row.level == Level::Problem); }),
            TableColumn<Row>(QObject::tr("Finding"), &Row::text, Qt::AlignLeft)
                .flag(kHintRole)
                .tip(&Row::text)};
}

std::vector<TableColumn<engine::KitFile>> fileColumns()
{
    using Row = engine::KitFile;
    return {{QObject::tr("File"), &Row::name, Qt::AlignLeft},
            {QObject::tr("KB"),
             [](const Row& row) { return number(static_cast<double>(row.text.size()) / 1e3, 1); }},
            TableColumn<Row>(
                QObject::tr("Purpose"),
                [](const Row& row) { return fromUtf8(engine::kitFilePurpose(row.name)); },
                Qt::AlignLeft)
                .flag(kHintRole)};
}

QString nodeTitle(const NodeRow& row)
{
    return row.firstCopy == row.lastCopy
        ? QObject::tr("Node %1, pipeline %2").arg(row.node).arg(row.firstCopy)
        : QObject::tr("Node %1, pipelines %2 to %3")
              .arg(row.node)
              .arg(row.firstCopy)
              .arg(row.lastCopy);
}

Details describe(const ClusterPrediction& prediction, const ClusterPlan& plan)
{
    constexpr std::size_t kMostRows = 16;
    const profiler::ReportedRun reported{*prediction.run, prediction.metrics};
    const engine::HardwareSpec& hardware = prediction.hardware;
    Details details;
    details.title = fromUtf8(hardware.name);
    details.left = QObject::tr("assumed");
    DetailsSection numbers;
    for (const profiler::Fact& fact : profiler::facts(profiler::runMeasures(), reported))
        numbers.add(fromUtf8(fact.of.title), fromUtf8(readingText(fact.value, fact.of)));
    numbers.add(QObject::tr("Exposed communication"),
                timeScale(prediction.run->info, prediction.metrics.duration)
                    .withUnit(prediction.loads.exposed.sum()));
    numbers.add(plan.nodeLink ? QObject::tr("Link in a node, measured")
                              : QObject::tr("Link in a node"),
                linkText(hardware.node));
    numbers.add(plan.networkLink ? QObject::tr("Link between nodes, measured")
                                 : QObject::tr("Link between nodes"),
                linkText(hardware.network));
    DetailsSection nodes;
    nodes.title = QObject::tr("Devices of each node");
    const auto rows = nodeRows(prediction, plan.experiment.schedule.dataParallel);
    for (const NodeRow& row : rows | std::views::take(kMostRows))
        nodes.add(nodeTitle(row), row.devices);
    if (rows.size() > kMostRows)
        nodes.add(QObject::tr("and %1 more nodes").arg(rows.size() - kMostRows), {});
    details.sections = {std::move(numbers), std::move(nodes)};
    return details;
}

// A step of the page, with `note` at the right.
QWidget* makeStep(const QString& title, QLabel* note, QWidget* content)
{
    auto* part = makeColumn(
        {16, 16, 16, 16}, 14,
        {spaced(new QHBoxLayout, {}, 12, {{makeLabel(title, "section"), 1}, note}), content}, "");
    return part;
}

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine. Nothing is written or copied while the kit of
// a changed plan is being made, because it would be the kit of the earlier plan.
class Cluster : public ClusterPage
{
public:
    // Opens the page for `plan`, the plan of a set-up, or for `emulated`, a run that recorded its
    // experiment.
    Cluster(const ThemeController& theme, RunLibrary& library, const ClusterPlan& plan)
        : Cluster(theme, library)
    {
        showPlan(plan);
    }

    Cluster(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> emulated)
        : Cluster(theme, library)
    {
        m_emulated = std::move(emulated);
        m_results->setEmulated(m_emulated);
        connect(m_emulated.get(), &RunDocument::stateChanged, this, &Cluster::takeDocument);
        takeDocument();
    }

    ~Cluster() override
    {
        if (m_writing)
            m_writing->isCancelled = true;
    }

    QString title() const override { return tr("Run on a cluster"); }
    QJsonObject state() const override // of a plan; a run is reopened from its file
    {
        if (m_emulated != nullptr)
            return {};
        return {{QStringLiteral("experiment"), fromUtf8(engine::toToml(m_plan.experiment))},
                {QStringLiteral("launcher"), static_cast<int>(m_plan.launcher)},
                {QStringLiteral("gpusPerNode"), m_plan.gpusPerNode},
                {QStringLiteral("firstNode"), m_plan.firstNode},
                {QStringLiteral("port"), m_plan.port},
                {QStringLiteral("hardware"), m_plan.hardware}};
    }
    void restoreState(const QJsonObject& state) override
    {
        const auto experiment = engine::experimentFromToml(
            state.value(QStringLiteral("experiment")).toString().toStdString());
        if (m_emulated != nullptr || !experiment)
            return;
        ClusterPlan plan = m_plan;
        plan.experiment = *experiment;
        plan.launcher = static_cast<engine::Launcher>(
            std::clamp(state.value(QStringLiteral("launcher")).toInt(), 0,
                       static_cast<int>(engine::Launcher::Torchtitan)));
        plan.gpusPerNode
            = std::clamp(state.value(QStringLiteral("gpusPerNode")).toInt(), 1, 1 << 10);
        plan.firstNode = state.value(QStringLiteral("firstNode")).toString();
        plan.port = std::clamp(state.value(QStringLiteral("port")).toInt(), 1, 0xFFFF);
        plan.hardware = state.value(QStringLiteral("hardware")).toString();
        showPlan(plan);
    }

    QStringList statusTexts() const override
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

    QString statusNote() const override
    {
        if (!m_outlook || !m_outlook->prediction)
            return {};
        const ClusterPrediction& prediction = *m_outlook->prediction;
        return tr("predicted %1").arg(timeText(prediction.metrics.duration, prediction.run->info));
    }

    void writeTo(const QString& folder, engine::IfExists ifExists) override
    {
        if (!isCurrent() || m_writing)
            return;
        m_isOutdated = false;
        m_writing = std::make_shared<Writing>();
        m_writtenText->setText(tr("Writing"));
        m_progress.start();
        enableActions();
        const auto progress = [writing = m_writing](std::size_t done, std::size_t all) {
            writing->percent = static_cast<int>(100 * done / std::max<std::size_t>(1, all));
            return !writing->isCancelled;
        };
        m_background.run(
            [outlook = m_outlook, folder, ifExists, progress] {
                return engine::writeKit(outlook->kit, folder.toStdString(), ifExists, progress);
            },
            [this, folder](const engine::Result<void>& written) {
                m_writing.reset();
                m_progress.stop();
                enableActions();
                if (written)
                    kitWritten(folder);
                else
                    m_writtenText->setText(capitalized(fromUtf8(written.error().message)));
            });
    }

    // nullptr: opened for a set-up.
    const RunDocument* document() const override { return m_emulated.get(); }
    const ClusterOutlook* outlook() const override { return m_outlook.get(); }
    ResultsPanel& results() override { return *m_results; }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kFoldDock = 1240;
        Page::resizeEvent(event);
        m_dock->setVisible(event->size().width() >= kFoldDock);
    }

private:
    Cluster(const ThemeController& theme, RunLibrary& library)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("clusterPage"));
        makeActions();
        makeFields();
        m_results = new ResultsPanel(theme, library, *m_compare);
        m_dock = makeDock();
        spaced(new QHBoxLayout(this), {}, 0,
               {{makeScroll(makeCentre()), 1}, makeLine(Qt::Vertical), m_dock});
        connect(&m_theme, &ThemeController::unitsChanged, this, &Cluster::showOutlook);
        connect(m_results, &ResultsPanel::changed, this, &Cluster::statusChanged);
        connect(m_results, &ResultsPanel::compareRequested, this, [this](const QStringList& files) {
            Q_EMIT pageRequested({"compare", files});
        });
        connect(m_results, &ResultsPanel::linksMeasured, this, [this](const ClusterPlan& plan) {
            m_plan.nodeLink = plan.nodeLink;
            m_plan.networkLink = plan.networkLink;
            edited();
        });
        m_progress.setInterval(100);
        connect(&m_progress, &QTimer::timeout, this,
                [this] { m_writtenText->setText(tr("Writing, %1 %").arg(m_writing->percent)); });
    }

    void makeActions()
    {
        m_write = makeAction("writeKitAction", tr("&Write kit…"), tr("Ctrl+S"),
                             [this] { askForKitFolder(); });
        m_archive = makeAction(
            "writeArchiveAction", tr("Write kit as an &archive…"), {}, [this] { askForArchive(); },
            tr("write the kit as one file, to copy to the cluster"));
        m_watch = makeAction("watchAction", tr("Watch a folder of &results…"), tr("Ctrl+Shift+W"),
                             [this] { m_results->askForFolder(); });
        m_compare = makeAction(
            "compareCluster", tr("&Compare the runs"), tr("Ctrl+Return"),
            [this] { m_results->compare(); },
            tr("compare prediction, emulated run and measured run op by op"));
        m_copy = makeAction("copyCluster", tr("Copy the &command"), tr("Ctrl+Shift+C"), [this] {
            QGuiApplication::clipboard()->setText(m_outlook->command);
            m_writtenText->setText(tr("Copied."));
        });
        for (QAction* action : {m_write, m_archive, m_compare, m_copy})
            action->setEnabled(false);
        inMenu(Menu::File, {m_write, m_archive, m_watch});
        inMenu(Menu::Run, {m_copy});
        inMenu(Menu::Compare, {m_compare});
    }

    void makeFields()
    {
        m_launcher->setName(tr("Launcher"));
        for (const auto& [field, most] : {std::pair(m_gpus, 1024), {m_port, 65535}}) {
            field->setRange(1, most);
            field->setFixedWidth(84);
        }
        m_hardware->addItem(tr("not known"));
        for (const std::string& name : engine::hardwareNames())
            m_hardware->addItem(fromUtf8(name));
        m_hardware->setToolTip(tr("Predict the iteration and the memory on this GPU"));
        m_first->setPlaceholderText(tr("host name or address"));
        m_command->setReadOnly(true);
        m_command->setFont(codeFont(12));
        m_cancel->hide();
        connect(m_cancel, &QPushButton::clicked, this, [this] { m_writing->isCancelled = true; });
        connect(m_launcher, &SegmentControl::currentChanged, this, [this](int launcher) {
            m_plan.launcher = static_cast<engine::Launcher>(launcher);
            edited();
        });
        const auto set = [this](auto member) {
            return [this, member](const auto& value) {
                m_plan.*member = value;
                edited();
            };
        };
        connect(m_gpus, &QSpinBox::valueChanged, this, set(&ClusterPlan::gpusPerNode));
        connect(m_port, &QSpinBox::valueChanged, this, set(&ClusterPlan::port));
        connect(m_first, &QLineEdit::textChanged, this, set(&ClusterPlan::firstNode));
        connect(m_hardware, &QComboBox::currentIndexChanged, this, [this](int index) {
            m_plan.hardware = index > 0 ? m_hardware->currentText() : QString();
            m_plan.nodeLink = m_plan.networkLink = std::nullopt;
            edited();
        });
    }

    QWidget* makeKit()
    {
        auto* kit = new QWidget; // as wide as its fields need
        kit->setMaximumWidth(760);
        const auto row = [](std::initializer_list<Cell> cells) {
            return spaced(new QHBoxLayout, {}, 10, cells);
        };
        auto* form = new QFormLayout(kit);
        form->setContentsMargins({});
        form->setHorizontalSpacing(14);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        form->addRow(tr("Run"), m_run);
        form->addRow(tr("GPU"), m_hardware);
        form->addRow(tr("Launcher"), row({m_launcher, kStretch}));
        form->addRow(tr("GPUs per node"), row({m_gpus, {m_ranks, 1}}));
        form->addRow(tr("First node"), row({{m_first, 1}, makeLabel(tr("Port")), m_port}));
        form->addRow(tr("Command"),
                     row({{m_command, 1},
                          makeButton(tr("Copy"), QStringLiteral("copyLaunch"), "", m_copy)}));
        form->addRow({}, m_hint);
        form->addRow(
            {},
            row({makeButton(tr("Write kit…"), QStringLiteral("writeKit"), "primary", m_write),
                 makeButton(tr("Write .zip…"), QStringLiteral("writeKitArchive"), "", m_archive),
                 m_cancel,
                 {m_writtenText, 1}}));
        form->addRow(tr("Kit"), m_contents);
        form->addRow({}, m_files);
        return makeRow({}, 0, {{kit, 100}, kStretch}, "");
    }

    QWidget* makeCentre()
    {
        return makeColumn(
            {}, 0,
            {makeBar(
                 40, 10,
                 {makeLabel(tr("Run on a cluster"), "section"),
                  makeLabel(tr("Write a kit, start it on the cluster, and bring the results back."),
                            "small"),
                  kStretch}),
             makeLine(Qt::Horizontal), makeStep(tr("1 What to run"), makeLabel({}), makeKit()),
             makeLine(Qt::Horizontal), makeStep(tr("2 Checks"), m_checkNote, m_checks),
             makeLine(Qt::Horizontal),
             makeStep(tr("3 Bring the results back"), makeLabel({}), m_results), kStretch});
    }

    QWidget* makeDock()
    {
        auto* button
            = makeButton(tr("Compare"), QStringLiteral("compareClusterButton"), "", m_compare);
        auto* dock = makeLined({makeBar(40, 8,
                                        {makeLabel(tr("Prediction"), "dock"),
                                         new Tag(m_theme, tr("simulated")), kStretch}),
                                {m_facts, 1},
                                makeFoot({{button, 1}})});
        dock->setFixedWidth(290);
        return dock;
    }

    void takeDocument()
    {
        if (m_emulated->run() == nullptr)
            return;
        disconnect(m_emulated.get(), &RunDocument::stateChanged, this, nullptr);
        auto plan = clusterPlanOf(*m_emulated->run());
        m_source = m_emulated->title();
        setPlan(plan.value_or(ClusterPlan()));
        if (plan)
            return ask();
        m_emulated.reset();
        m_results->setEmulated(nullptr);
        take(tl::unexpected(plan.error()));
    }

    void showPlan(const ClusterPlan& plan) // of a set-up
    {
        m_source = tr("Set-up of %1").arg(schemeTitle(fromUtf8(plan.experiment.schedule.scheme)));
        setPlan(plan);
        ask();
    }

    void setPlan(const ClusterPlan& plan)
    {
        m_isShowing = true;
        m_plan = plan;
        const engine::Experiment& experiment = plan.experiment;
        const engine::ModelSpec& model = experiment.model;
        m_run->setText(tr("%1: D %2, N %3, W %4; %5, %6, %7")
                           .arg(m_source, QString::number(experiment.schedule.devices),
                                QString::number(experiment.schedule.microBatches),
                                QString::number(experiment.schedule.dataParallel),
                                fromUtf8(model.name),
                                fromUtf8(engine::nameIn(engine::kPrecisionNames, model.precision)),
                                countOf(model.layers, "layer"))
                       + tr(", sequence %1, micro-batch size %2")
                             .arg(model.sequence)
                             .arg(model.microBatchSize));
        m_launcher->setCurrent(static_cast<int>(plan.launcher));
        m_gpus->setValue(plan.gpusPerNode);
        m_port->setValue(plan.port);
        m_first->setText(plan.firstNode);
        m_hardware->setCurrentIndex(std::max(0, m_hardware->findText(plan.hardware)));
        m_isShowing = false;
        m_writtenText->clear();
    }

    void edited()
    {
        if (m_isShowing)
            return;
        m_written.clear();
        m_isOutdated = true;
        if (!m_writing)
            m_writtenText->clear();
        ask();
    }

    void ask()
    {
        m_outlooks.ask(m_plan);
        enableActions();
    }

    // Returns true if m_outlook is the outlook of the current plan.
    bool isCurrent() const { return m_outlook != nullptr && !m_outlooks.isBusy(); }

    void enableActions()
    {
        for (QAction* action : {m_write, m_archive})
            action->setEnabled(isCurrent() && !m_writing);
        m_cancel->setVisible(m_writing != nullptr);
        m_copy->setEnabled(isCurrent() && !m_outlook->command.isEmpty());
    }

    void take(engine::Result<ClusterOutlook> outlook)
    {
        m_problem = outlook ? QString() : capitalized(fromUtf8(outlook.error().message));
        m_outlook.reset();
        if (outlook)
            m_outlook = std::make_shared<const ClusterOutlook>(*std::move(outlook));
        showOutlook();
    }

    void showOutlook()
    {
        const std::vector<ClusterCheck> checks = m_outlook
            ? m_outlook->checks
            : std::vector<ClusterCheck>{{Level::Problem, tr("No kit"), m_problem}};
        m_checks->show(checkColumns(), checks);
        m_checks->fit();
        m_checkNote->setText(tr("%1; checked again at each change").arg(checksText(checks)));
        showKit();
        enableActions();
        m_facts->show(m_outlook && m_outlook->prediction ? describe(*m_outlook->prediction, m_plan)
                                                         : Details());
        m_results->setOutlook(m_outlook, m_plan);
    }

    void showKit()
    {
        const bool usesFirst = m_plan.launcher != engine::Launcher::Slurm;
        m_first->setEnabled(usesFirst && (!m_outlook || m_outlook->kit.nodes > 1));
        m_port->setEnabled(m_first->isEnabled() || !usesFirst);
        const engine::TrainingKit kit = m_outlook ? m_outlook->kit : engine::TrainingKit();
        m_files->show(fileColumns(), kit.files);
        m_files->fit();
        m_command->setText(m_outlook ? m_outlook->command : QString());
        m_command->setCursorPosition(0);
        if (!m_outlook) {
            m_ranks->clear();
            m_contents->clear();
            return m_hint->setText(m_problem);
        }
        m_ranks->setText(tr("%1, %2").arg(countOf(kit.nodes, "node"), countOf(kit.ranks, "rank"))
                         + tr(" = D %1 × W %2")
                               .arg(m_plan.experiment.schedule.devices)
                               .arg(m_plan.experiment.schedule.dataParallel));
        m_hint->setText(m_outlook->commandProblem.isEmpty() ? launcherHint(m_plan, kit)
                                                            : m_outlook->commandProblem);
        m_contents->setText(
            (kit.torchObstacle.empty()
                 ? tr("PyTorch's pipeline runtime executes the schedule.")
                 : tr("The kit includes a runtime, because PyTorch's pipeline runtime cannot "
                      "execute %1.")
                       .arg(fromUtf8(kit.torchObstacle)))
            + tr(" Results: losses and one trace per rank."));
    }

    void askForKitFolder()
    {
        auto* dialog = openFileDialog({tr("Folder of the kit: a new one, or one to replace"),
                                       {},
                                       "kitFolderDialog",
                                       QFileDialog::Directory},
                                      this);
        dialog->setOption(QFileDialog::ShowDirsOnly, true);
        dialog->setLabelText(QFileDialog::Accept, tr("Write kit"));
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
            // A kit needs a separate folder. Uses the chosen folder if it is empty or already
            // contains a kit (train.py), otherwise a new folder in it.
            const QDir folder(chosen);
            const bool isOwn = folder.isEmpty() || folder.exists(QStringLiteral("train.py"));
            writeTo(isOwn ? chosen : folder.filePath(kitName()),
                    isOwn ? engine::IfExists::Replace : engine::IfExists::Refuse);
        });
    }

    void askForArchive()
    {
        auto* dialog
            = openFileDialog({tr("Archive of the kit"), tr("Archives (*.zip *.tar.gz *.tgz)"),
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

    QString kitName() const
    {
        return QStringLiteral("kit-%1").arg(fromUtf8(m_plan.experiment.schedule.scheme));
    }

    void kitWritten(const QString& folder)
    {
        if (m_isOutdated)
            return m_writtenText->setText(
                tr("Written to %1 as set up before the last change.").arg(folder));
        m_written = folder;
        m_writtenText->setText(tr("Written to %1.").arg(folder));
        // Watches the folder of the kit, because the results arrive there on a shared file system.
        if (QFileInfo(folder).isDir() && !m_results->watcher().isWatching()
            && m_results->results().folder.isEmpty())
            m_results->take({folder});
        Q_EMIT statusChanged();
    }

    const ThemeController& m_theme;
    Latest<ClusterPlan, engine::Result<ClusterOutlook>> m_outlooks{
        this, [](const ClusterPlan& plan, const auto&) { return outlookOf(plan); },
        [this](engine::Result<ClusterOutlook> outlook) { take(std::move(outlook)); }};
    Background m_background{this};
    std::shared_ptr<Writing> m_writing; // nullptr: no kit is being written
    QTimer m_progress;
    ClusterPlan m_plan;
    std::shared_ptr<const ClusterOutlook> m_outlook; // nullptr: not computed yet, or failed
    QString m_problem;                               // why there is no outlook
    bool m_isShowing = false;                        // setPlan() is setting the fields
    bool m_isOutdated = false;   // the plan has changed since the last kit began to be written
    QString m_source, m_written; // m_written: folder or archive of the plan's kit; "": none
    std::shared_ptr<RunDocument> m_emulated;
    QAction *m_write, *m_archive, *m_watch, *m_compare, *m_copy;
    QLabel *m_run = makeWrapped("", "clusterRun"),
           *m_ranks = named(makeLabel({}, "small"), "clusterRanks"),
           *m_hint = makeWrapped("hint", "launchHint"),
           *m_writtenText = makeWrapped("hint", "kitWritten"),
           *m_contents = makeWrapped("small", "kitContents"),
           *m_checkNote = named(makeLabel({}, "hint"), "checksNote");
    SegmentControl* m_launcher = named(
        new SegmentControl(m_theme, {tr("torchrun"), tr("Slurm"), tr("torchtitan")}), "launcher");
    SpinField *m_gpus = named(new SpinField(m_theme), "gpusPerNode", tr("GPUs per node")),
              *m_port = named(new SpinField(m_theme), "port", tr("Port"));
    QLineEdit *m_first = named(new QLineEdit, "firstNode", tr("First node")),
              *m_command = named(new QLineEdit, "launchCommand", tr("Command"));
    QComboBox* m_hardware = named(new QComboBox, "clusterHardware", tr("GPU of the cluster"));
    RowTable<ClusterCheck>* m_checks
        = new RowTable<ClusterCheck>(m_theme, 24, "clusterChecks", tr("Checks"), 2);
    RowTable<engine::KitFile>* m_files
        = new RowTable<engine::KitFile>(m_theme, 22, "kitFiles", tr("Files of the kit"), 2);
    QPushButton* m_cancel = makeButton(tr("Cancel"), QStringLiteral("cancelKit"));
    ResultsPanel* m_results;
    DetailsView* m_facts = new DetailsView(
        m_theme, "clusterFacts", tr("Prediction"),
        {Icon::Info,
         tr("No prediction"),
         tr("Choose the GPU of the cluster to predict its iteration and its memory."),
         {}});
    QWidget* m_dock;
};

} // namespace

ClusterPage* ClusterPage::make(const ThemeController& theme, RunLibrary& library,
                               const ClusterPlan& plan)
{
    return new Cluster(theme, library, plan);
}

ClusterPage* ClusterPage::make(const ThemeController& theme, RunLibrary& library,
                               const std::shared_ptr<RunDocument>& emulated)
{
    return new Cluster(theme, library, emulated);
}

} // namespace app
