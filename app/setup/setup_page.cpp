#include "app/setup/setup_page.h"

#include "app/documents/run_library.h"
#include "app/mapping/mapping_view.h"
#include "app/plan/cost_form.h"
#include "app/setup/prediction_panel.h"
#include "app/setup/schemes.h"
#include "app/ui/controls.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/clock.h"
#include "engine/base/process.h"
#include "engine/experiment/experiment_fields.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QThread>
#include <QVBoxLayout>

namespace app {
namespace {

using engine::ScheduleRequest;

// The options that the form shows elsewhere. The section has all others.
constexpr std::string_view kElsewhere[]{
    "--model",      "--micro-batch-size", "--sequence", "--recompute",
    "--iterations", "--warmup",           "--seed",     "--text",
    "--mode",       "--backend"};

std::vector<const engine::Field<engine::Experiment>*> moreOfRun()
{
    std::vector<const engine::Field<engine::Experiment>*> fields;
    for (const auto& field : engine::experimentFields())
        if (!field.flag.empty() && field.group != "Schedule"
            && std::ranges::find(kElsewhere, field.flag) == std::end(kElsewhere))
            fields.push_back(&field);
    return fields;
}

constexpr int kMostDevices = 64, kMostMicroBatches = 128, kMostChunks = 8; // slider maxima

} // namespace

namespace {

QString liveHint(int devices)
{
    QString live = fromUtf8("All devices train concurrently in real time, one thread each.");
    const int cores = QThread::idealThreadCount();
    if (devices <= cores)
        return live;
    return live + QLatin1Char(' ')
        + fromUtf8("This machine has only %1 cores, so threads share them, and the run is "
                   "marked \"oversubscribed\".")
              .arg(cores);
}

QString modeHint(const RunPlan& plan)
{
    if (plan.experiment.mode == engine::Mode::Simulate)
        return fromUtf8("Simulates with the costs above; trains nothing.");
    if (plan.experiment.mode == engine::Mode::Live)
        return plan.experiment.backend == engine::Backend::Cuda
            ? fromUtf8("All devices train concurrently in real time, each on its own GPU or on "
                       "a partition of one GPU.")
            : liveHint(plan.experiment.schedule.devices);
    const QString place
        = plan.experiment.backend == engine::Backend::Cuda ? fromUtf8("GPU") : fromUtf8("CPU");
    return fromUtf8("Runs every op once, alone on the %1, and trains the "
                    "model; each device has its own virtual clock.")
        .arg(place);
}

// The parameters of a run. Shows a plan and emits the user's changes; showFault() marks invalid
// values.
class SetupForm : public QWidget
{
public:
    explicit SetupForm(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("setupForm"));
        connect(m_fields, &BoundFields::edited, this, [this] { edited(); });
        auto* column = spaced(new QVBoxLayout(this), QMargins(), 0);
        makeScheduleRows(*makeFormSection(*column));
        m_costs = CostForm::make(theme, m_plan, CostForm::Order::Built);
        connect(m_costs, &CostForm::edited, this, [this] { edited(); });
        connect(m_costs, &CostForm::planChanged, this, [this] {
            setPlan(RunPlan(m_plan));
            edited();
        });
        column->addWidget(makeLine(Qt::Horizontal));
        column->addWidget(m_costs);
        makeModelRows(*makeFormSection(*column));
        makeRunRows(*makeFormSection(*column));
        column->addStretch();
        setPlan({});
    }

    const RunPlan& plan() const { return m_plan; }

    // Emits no signal.
    void setPlan(const RunPlan& plan)
    {
        m_isShowing = true;
        m_plan = plan;
        const ScheduleRequest request = plan.experiment.schedule;
        m_devices->field()->setValue(request.devices);
        m_microBatches->field()->setValue(request.microBatches);
        showModel();
        m_backend->setCurrentIndex(static_cast<int>(plan.experiment.backend));
        m_mode->setCurrent(static_cast<int>(plan.experiment.mode));
        m_fields->show();
        m_costs->showPlan();
        showMore();
        showScheme();
        m_costs->showHint();
        m_isShowing = false;
    }

    void showFault(const Fault& fault)
    {
        const auto reason
            = [&](Fault::Field field) { return fault.field == field ? fault.reason : QString(); };
        m_devices->setReason(reason(Fault::Field::Devices));
        m_microBatches->setReason(reason(Fault::Field::MicroBatches));
        m_chunks->setReason(reason(Fault::Field::Chunks));
        for (QComboBox* combo : std::as_const(m_optionCombos)) {
            const bool isSet = combo->currentText() != combo->itemText(0);
            combo->setProperty("invalid", isSet && fault.field == Fault::Field::Option);
            combo->update();
        }
    }

    // The reason why a text was refused; "" if all are valid.
    QString problem() const
    {
        for (const QString& problem :
             {m_fields->problem(), m_costs->problem(), m_moreFields->problem()})
            if (!problem.isEmpty())
                return problem;
        return {};
    }

    std::function<void()> edited = [] {}; // by the user

private:
    void makeScheduleRows(QVBoxLayout& column)
    {
        m_devices = makeCount("--devices", &ScheduleRequest::devices, kMostDevices);
        m_microBatches
            = makeCount("--micro-batches", &ScheduleRequest::microBatches, kMostMicroBatches);
        m_chunks = makeCount("--chunks", &ScheduleRequest::chunks, kMostChunks);
        for (QLabel** hint : {&m_deviceRule, &m_batchRule, &m_chunkRule, &m_otherRule})
            *hint = makeFormHint();
        m_batchRule->setObjectName(QStringLiteral("schemeRule"));
        m_counts = new QWidget;
        QVBoxLayout& counts = *spaced(new QVBoxLayout(m_counts), QMargins(), 6);
        const auto addCount = [&](const char* flag, SliderField* field, QLabel* rule) {
            counts.addLayout(makeSliderRow(fromUtf8(engine::experimentField(flag).label), field));
            counts.addWidget(rule);
        };
        addCount("--devices", m_devices, m_deviceRule);
        addCount("--micro-batches", m_microBatches, m_batchRule);
        addCount("--chunks", m_chunks, m_chunkRule);
        m_options = named(new QWidget, "schemeOptions");
        spaced(new QVBoxLayout(m_options), {}, 0);
        m_beforeOptions = new QWidget(m_options);
        m_beforeOptions->setFocusPolicy(Qt::TabFocus); // otherwise it has no place in the tab order
        m_beforeOptions->hide();
        m_shownOptions.scheme.clear();
        counts.addWidget(m_options);
        counts.addWidget(m_otherRule);
        m_file = named(makeLabel({}, "secondary"), "scheduleFile");
        m_fileRow = new QWidget;
        spaced(new QVBoxLayout(m_fileRow), QMargins(), 0)
            ->addLayout(
                makeFormRow(fromUtf8(engine::experimentField("--schedule").label), {m_file}));
        column.addWidget(m_counts);
        column.addWidget(m_fileRow);
        addField(column, "--sync");
        addField(column, "--recompute");
    }

    void makeModelRows(QVBoxLayout& column)
    {
        constexpr int kPair = 71; // width of each of two fields
        const int wide = kFormFieldWidth - kBrowseWidth;
        const engine::FieldFacts& model = engine::experimentField("--model");
        m_model = makeFormCombo(fieldObjectName(model));
        m_model->setToolTip(fromUtf8(model.help));
        m_model->addItems(modelPresets());
        m_model->setFixedWidth(wide);
        connect(m_model, &QComboBox::currentTextChanged, this, &SetupForm::modelChosen);
        QWidget *batch = makeField("--micro-batch-size"), *sequence = makeField("--sequence");
        for (QWidget* field : {batch, sequence})
            field->setFixedWidth(kPair);
        auto* text = qobject_cast<QLineEdit*>(makeField("--text"));
        text->setPlaceholderText(tr("built-in"));
        text->setFixedWidth(wide);
        QPushButton* browse
            = makeBrowseButton(QStringLiteral("chooseText"), tr("Choose a text file to train on"));
        connect(browse, &QPushButton::clicked, this, [this, text] {
            askForFile(this, tr("Text to train on"), {},
                       [text](const QString& file) { text->setText(file); });
        });
        QPushButton* file
            = makeBrowseButton(QStringLiteral("chooseModel"), tr("Choose a model file (.toml)"));
        connect(file, &QPushButton::clicked, this, [this] {
            askForFile(this, tr("Model to train"), tr("Models (*.toml)"),
                       [this](const QString& chosen) { modelChosen(chosen); });
        });
        column.addLayout(makeFormRow(fromUtf8(model.label), {m_model, file}));
        column.addLayout(makeFormRow(tr("Batch × seq."), {batch, sequence}));
        column.addLayout(makeFormRow(tr("Text"), {text, browse}));
        makeMore();
        column.addWidget(m_more);
        m_ofRuns = {m_model, file, batch, sequence, text, browse, m_more};
    }

    void makeRunRows(QVBoxLayout& column)
    {
        constexpr int kPair = 71;
        m_mode = named(new SegmentControl(m_theme, {tr("simulate"), tr("emulate"), tr("live")}),
                       "mode");
        connect(m_mode, &SegmentControl::currentChanged, this, [this](int mode) {
            m_plan.experiment.mode = static_cast<engine::Mode>(mode);
            showScheme();
            changed();
        });
        m_modeHint = makeLabel({}, "hint");
        m_modeHint->setWordWrap(true);
        const engine::FieldFacts& backend = engine::experimentField("--backend");
        m_backend = makeFormCombo(fieldObjectName(backend));
        m_backend->addItems({tr("CPU"), tr("GPUs (CUDA)")});
        m_backend->setToolTip(fromUtf8(backend.help));
        connect(m_backend, &QComboBox::currentIndexChanged, this, [this](int index) {
            m_plan.experiment.backend = static_cast<engine::Backend>(index);
            showBackend();
            changed();
        });
        column.addLayout(makeFormRow(tr("Mode"), {m_mode}));
        column.addWidget(m_modeHint);
        column.addLayout(makeFormRow(fromUtf8(backend.label), {m_backend}));
        m_backendHint = named(makeFormHint(), "backendHint");
        column.addWidget(m_backendHint);
        QWidget *iterations = makeField("--iterations"), *warmup = makeField("--warmup");
        for (QWidget* field : {iterations, warmup})
            field->setFixedWidth(kPair);
        column.addLayout(makeFormRow(tr("Iterations, warm-up"), {iterations, warmup}));
        QWidget* seed = addField(column, "--seed");
        m_ofRuns.insert(m_ofRuns.end(), {iterations, warmup, seed, m_backend});
    }

    // Rarely used settings.
    void makeMore()
    {
        m_more = new FoldSection(tr("More run settings"), QStringLiteral("moreTraining"));
        for (const auto* field : moreOfRun())
            m_moreFields->addRow(m_more->rows(), *field, m_plan.experiment);
        m_offReason = named(makeFormHint(), "gpuOptionsReason");
        m_more->rows().addWidget(m_offReason);
        connect(m_moreFields, &BoundFields::edited, this, [this] {
            showEffects();
            edited();
        });
    }

    // Updates the parts that depend on scheme and mode: rules, options, disabled fields.
    void showScheme()
    {
        const ScheduleRequest& request = m_plan.experiment.schedule;
        const QString file = QString::fromStdString(m_plan.experiment.scheduleFile);
        m_fileRow->setVisible(!file.isEmpty());
        m_counts->setVisible(file.isEmpty());
        m_file->setText(file.section(QLatin1Char('/'), -1));
        m_file->setToolTip(file);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        if (scheme == nullptr)
            return;
        const RuleParts rule = ruleParts(*scheme);
        const bool isFixed = scheme->chunksFixed;
        setHint(m_deviceRule, rule.devices);
        setHint(m_batchRule, rule.microBatches);
        setHint(m_chunkRule, isFixed ? tr("fixed by the scheme") : rule.chunks);
        setHint(m_otherRule, rule.other);
        m_chunks->setEnabled(!isFixed);
        {
            const QSignalBlocker quiet(m_chunks->field());
            const int shown
                = request.chunks > 0 && !isFixed ? request.chunks : scheme->defaultChunks;
            m_chunks->field()->setValue(shown);
            const QSignalBlocker still(m_chunks->slider());
            m_chunks->slider()->setValue(shown);
        }
        showOptions();
        showBackend();
        for (QWidget* field : m_ofRuns)
            field->setEnabled(m_plan.experiment.mode != engine::Mode::Simulate);
        m_costs->showHint();
    }

    // Shows one option per row. A refused value stays in its field.
    void showOptions()
    {
        const ScheduleRequest& request = m_plan.experiment.schedule;
        const ScheduleRequest before = std::exchange(m_shownOptions, request);
        if (before.scheme == request.scheme && before.options == request.options)
            return;
        if (QLayoutItem* old = m_options->layout()->takeAt(0)) {
            delete old->widget();
            delete old;
        }
        m_optionCombos.clear();
        auto* shown = new QWidget;
        auto* rows = spaced(new QVBoxLayout(shown), {}, 6);
        m_options->layout()->addWidget(shown);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        if (scheme != nullptr)
            for (const engine::SchemeOption& option : scheme->options)
                addOption(*rows, option);
        QWidget* last = m_beforeOptions;
        for (QComboBox* combo : std::as_const(m_optionCombos))
            setTabOrder(std::exchange(last, combo), combo);
        m_options->setVisible(scheme != nullptr && !scheme->options.empty());
    }

    // An option that accepts any whole number has an editable list.
    void addOption(QVBoxLayout& rows, const engine::SchemeOption& option)
    {
        const QString title = capitalized(fromUtf8(option.title));
        if (option.values.size() == 1 && !option.isOpen())
            return rows.addLayout(
                makeFormRow(title, {makeLabel(fromUtf8(option.values.front()), "secondary")}));
        QComboBox* combo = makeFormCombo(QStringLiteral("option_") + fromUtf8(option.key));
        for (const std::string_view value : option.values)
            combo->addItem(fromUtf8(value));
        combo->setAccessibleName(title);
        combo->setToolTip(fromUtf8(option.help));
        if (option.isOpen()) {
            combo->setEditable(true);
            combo->setInsertPolicy(QComboBox::NoInsert);
            combo->setCompleter(nullptr);
            combo->setToolTip(option.smallest ? tr("any whole number from %1").arg(*option.smallest)
                                              : fromUtf8(option.form));
            combo->lineEdit()->setPlaceholderText(combo->itemText(0));
        }
        const auto& options = m_plan.experiment.schedule.options;
        if (const auto set = options.find(option.key); set != options.end())
            combo->setCurrentText(QString::fromStdString(set->second));
        connect(combo, &QComboBox::currentTextChanged, this,
                [this, combo, key = std::string(option.key)](const QString& text) {
                    const QString value = text.trimmed();
                    auto& set = m_plan.experiment.schedule.options;
                    if (value.isEmpty() || value == combo->itemText(0))
                        set.erase(key);
                    else
                        set[key] = value.toStdString();
                    m_shownOptions.options = set;
                    edited();
                });
        m_optionCombos.append(combo);
        rows.addLayout(makeFormRow(title, {combo}));
    }

    void showBackend()
    {
        m_modeHint->setText(modeHint(m_plan));
        setHint(m_backendHint,
                machineProblem(m_plan, m_here).isEmpty() ? QString()
                                                         : tr("no NVIDIA driver on this machine"));
        showEffects();
    }

    // Disables settings without effect in the current plan.
    void showEffects()
    {
        m_moreFields->showEffects();
        QStringList reasons;
        for (const char* flag : {"--transport", "--graphs"}) {
            const auto& field = engine::experimentField(flag);
            if (const std::string reason = field.off(m_plan.experiment); !reason.empty())
                reasons.append(tr("%1: %2").arg(fromUtf8(field.label), fromUtf8(reason)));
        }
        setHint(m_offReason, reasons.join(QStringLiteral("; ")));
    }

    // Opens the section if a setting differs from its default.
    void showMore()
    {
        m_moreFields->show();
        showEffects();
        const engine::Experiment defaults = engine::defaultExperiment(m_plan.experiment);
        if (std::ranges::any_of(moreOfRun(), [&](const auto* field) {
                return field->get(m_plan.experiment) != field->get(defaults);
            }))
            m_more->setOpen(true);
    }

    void modelChosen(const QString& model)
    {
        if (m_isShowing)
            return;
        chooseModel(m_plan, model);
        m_isShowing = true;
        showModel();
        m_fields->show();
        showMore();
        m_isShowing = false;
        edited();
    }

    // Lists a model file by its path among the presets.
    void showModel()
    {
        const QString model
            = QString::fromStdString(engine::experimentField("--model").get(m_plan.experiment));
        const QSignalBlocker quiet(m_model);
        if (m_model->findText(model) < 0)
            m_model->addItem(model);
        m_model->setCurrentText(model);
    }

    // Dragging snaps to values that the scheme accepts. If a typed value is invalid, the form shows
    // why.
    SliderField* makeCount(const char* flag, int ScheduleRequest::*member, int most)
    {
        const engine::FieldFacts& facts = engine::experimentField(flag);
        auto* spin = new SpinField(m_theme);
        spin->setObjectName(fieldObjectName(facts));
        spin->setRange(static_cast<int>(facts.least), static_cast<int>(facts.most));
        auto* field = new SliderField(spin, most);
        field->slider()->setMinimum(1);
        field->setRest([this, member, most](int value) {
            return nearestPossible(m_plan.experiment.schedule, member, value, most);
        });
        connect(spin, &QSpinBox::valueChanged, this, [this, member](int number) {
            m_plan.experiment.schedule.*member = number;
            changed();
        });
        return field;
    }

    // Both functions create the field of an option. addField() adds a row for it; makeField()
    // returns the field, so that the caller can add it to another row.
    QWidget* addField(QVBoxLayout& column, const char* flag)
    {
        return m_fields->addRow(column, engine::experimentField(flag), m_plan.experiment);
    }

    QWidget* makeField(const char* flag)
    {
        return m_fields->add(engine::experimentField(flag), m_plan.experiment);
    }

    // The user changed a field.
    void changed()
    {
        if (!m_isShowing)
            edited();
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    BoundFields *m_fields = new BoundFields(m_theme, this),
                *m_moreFields = new BoundFields(m_theme, this);
    FoldSection* m_more;
    bool m_isShowing = false; // the fields are being set
    SliderField *m_devices, *m_microBatches, *m_chunks;
    CostForm* m_costs;
    QWidget *m_counts, *m_fileRow;  // the rows for a scheme, and the row for a schedule file
    std::vector<QWidget*> m_ofRuns; // widgets that are hidden for simulations
    QLabel* m_file;
    QLabel *m_deviceRule, *m_batchRule, *m_chunkRule, *m_otherRule, *m_modeHint, *m_backendHint,
        *m_offReason;
    DeviceFacts m_here = deviceFacts();
    QWidget* m_options;                     // with the rows of the scheme's options
    QWidget* m_beforeOptions;               // invisible; the rows follow it in the tab order
    engine::ScheduleRequest m_shownOptions; // the request whose options are shown
    QList<QComboBox*> m_optionCombos;
    QComboBox *m_model, *m_backend;
    SegmentControl* m_mode;
};

struct WrittenPredictions
{
    QStringList files;  // the file of each plan that was predicted, in the order of the plans
    QStringList failed; // why the other plans failed: "zb-h2: N must be at least 2D-1"
};

// Predicts each plan and writes it to a new file as a simulated run. May be called on any thread.
WrittenPredictions writePredictions(const std::vector<RunPlan>& plans)
{
    WrittenPredictions written;
    for (const RunPlan& plan : plans) {
        const auto fail = [&](const std::string& message) {
            written.failed.append(QStringLiteral("%1: %2").arg(
                fromUtf8(plan.experiment.schedule.scheme), fromUtf8(message)));
        };
        const auto prediction = predict(plan.request());
        if (!prediction) {
            fail(prediction.error().message);
            continue;
        }
        if (!prediction->isValid()) {
            fail(prediction->violations.front().message);
            continue;
        }
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan).toStdString();
        if (const auto file = writeNewRun(std::move(run)))
            written.files.append(*file);
        else
            fail(file.error().message);
    }
    return written;
}

// Sets up a run: the user chooses a scheme and sees its schedule, or its devices on the nodes of a
// machine. Every edit updates the prediction; a scheme that is not possible states the reason and
// stays in the list.
class Setup : public SetupPage
{
public:
    explicit Setup(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("setupPage"));
        auto* schedule = new QWidget;
        spaced(new QVBoxLayout(schedule), {}, 0, {m_prediction, {m_table, 1}});
        m_views->addWidget(schedule);
        auto* right = spaced(new QVBoxLayout, {}, 0,
                             {makeHeader(theme), makeLine(Qt::Horizontal), {m_views, 1}});
        m_copyMappings->setEnabled(false);
        spaced(
            new QHBoxLayout(this), {}, 0,
            {m_schemes, m_schemesLine, makeParameters(theme), makeLine(Qt::Vertical), {right, 1}});
        connectAll();
        edited();
    }

    QString title() const override { return tr("New run"); }

    QStringList statusTexts() const override
    {
        const engine::ScheduleRequest& request = plan().experiment.schedule;
        QString text = QStringLiteral("%1, D %2, N %3")
                           .arg(QString::fromStdString(request.scheme).toHtmlEscaped())
                           .arg(request.devices)
                           .arg(request.microBatches);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        const int chunks
            = request.chunks > 0 || scheme == nullptr ? request.chunks : scheme->defaultChunks;
        if (chunks > 1)
            text += QStringLiteral(", v %1").arg(chunks);
        return {text, tr("prediction updates while you type")};
    }

    QString statusNote() const override
    {
        return plan().experiment.mode == engine::Mode::Simulate
            ? tr("next run: simulated")
            : tr("next run: %1 after %2")
                  .arg(countOf(plan().experiment.iterations, "iteration"))
                  .arg(countOf(plan().experiment.warmup, "warm-up"));
    }

    QList<QAction*> menuActions(Menu menu) const override
    {
        if (menu == Menu::Run)
            return {m_run, m_copy, m_reset, m_edit};
        if (menu == Menu::Compare)
            return {m_copyTable, m_copyMappings};
        if (menu == Menu::View)
            return {m_find, m_explain, m_mappingAction};
        return {};
    }

    QJsonObject state() const override { return {{QStringLiteral("plan"), planState(plan())}}; }

    void restoreState(const QJsonObject& state) override
    {
        if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
            setPlan(restoredPlan(plan.toObject()));
    }

    const RunPlan& plan() const override { return m_form->plan(); }

    void setPlan(const RunPlan& plan) override
    {
        m_form->setPlan(plan);
        edited();
    }

    // Replaces engine::cpuTimeOfOthers(), by which the page sees that the machine is busy; nullopt
    // while the load is not that of others.
    void setCpuTimeOfOthers(std::function<std::optional<std::int64_t>()> time) override
    {
        m_cpuTimeOfOthers = std::move(time);
    }

    // Shows the mapping instead of the predicted schedule.
    void showMapping() override { m_tabs->setCurrentIndex(1); }

protected:
    // The scheme cards have one column below a width of 1360, three columns on a large screen, and
    // otherwise two. In a low window, the preview is lower, so that the table keeps a few rows.
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kNarrow = 1360, kWide = 2200, kLow = 720, kHigh = 1150;
        constexpr int kWidths[] = {218, 400, 590}; // width for one, two and three columns of cards
        const int columns = event->size().width() < kNarrow ? 1
            : event->size().width() < kWide                 ? 2
                                                            : 3;
        m_schemes->setFixedWidth(kWidths[columns - 1]);
        m_schemes->setColumns(columns);
        m_prediction->setPreviewHeight(event->size().height() < kLow        ? 104
                                           : event->size().height() < kHigh ? 184
                                                                            : 270);
        Page::resizeEvent(event);
    }

private:
    QWidget* makeHeader(const ThemeController& theme)
    {
        setLook(m_tabs, "kind", QStringLiteral("dock"));
        m_tabs->setAccessibleName(tr("View of the prediction"));
        m_tabs->setDrawBase(false);
        m_tabs->setExpanding(false);
        m_tabs->setUsesScrollButtons(false);
        m_tabs->setElideMode(Qt::ElideNone);
        m_tabs->addTab(tr("Predicted schedule"));
        m_tabs->addTab(tr("Devices on nodes"));
        m_costs->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        m_costs->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        QPushButton* edit = makeButton(tr("Edit"), QStringLiteral("editSchedule"), "tool", m_edit);
        edit->setToolTip(tr("Edit this schedule op by op (Ctrl+Alt+E)"));
        m_editButton = edit;
        return makeBar(40, 10, {m_tabs, new Tag(theme, tr("simulated")), {m_costs, 1}, edit});
    }

    QWidget* makeParameters(const ThemeController& theme)
    {
        constexpr int kWidth = 300, kRunBar = 53;
        auto* widget = new QWidget;
        widget->setFixedWidth(kWidth);
        QPushButton* reset = makeButton(tr("Reset"), QStringLiteral("reset"), "link", m_reset);
        QPushButton* copy = makeButton(tr("Copy as command"), QStringLiteral("copy"), "", m_copy);
        const auto colour = [this, &theme] {
            const Chrome& c = theme.theme().chrome;
            m_runButton->setIcon(makeIcon(Icon::Run, c.primaryText, c.text3));
        };
        colour();
        connect(&theme, &ThemeController::changed, this, colour);
        QPushButton* cluster = makeButton(tr("Cluster…"), QStringLiteral("runOnCluster"));
        cluster->setToolTip(tr("Run this on a cluster with PyTorch (Ctrl+Shift+L)"));
        connect(cluster, &QPushButton::clicked, this,
                [this] { Q_EMIT pageRequested({.kind = "cluster", .plan = plan()}); });
        copy->setText(tr("Copy"));
        copy->setToolTip(tr("Copy as command (Ctrl+Shift+C)"));
        auto* bar = new QWidget;
        bar->setFixedHeight(kRunBar);
        spaced(new QHBoxLayout(bar), {14, 0, 14, 0}, 8, {{m_runButton, 1}, cluster, copy});
        spaced(new QVBoxLayout(widget), {}, 0,
               {makeBar(40, 10, {makeLabel(tr("Parameters"), "section"), kStretch, reset}),
                makeLine(Qt::Horizontal),
                {makeScroll(m_form), 1},
                makeLine(Qt::Horizontal),
                bar});
        return widget;
    }

    // Shows a tab. The mapping tab hides the scheme cards, because its picture needs their width.
    void showTab(int tab)
    {
        if (tab == 1 && m_mapping == nullptr)
            makeMapping();
        m_views->setCurrentIndex(tab);
        m_schemes->setVisible(tab == 0);
        m_schemesLine->setVisible(tab == 0);
        m_editButton->setVisible(tab == 0);
    }

    // Called on first use, because most set-ups never show the mapping and creating it takes as
    // long as the rest of the page.
    void makeMapping()
    {
        m_mapping = MappingView::make(m_theme);
        m_views->addWidget(m_mapping);
        connect(m_mapping, &MappingView::planOffered, this, &Setup::setPlan);
        connect(m_mapping, &MappingView::csvChanged, this,
                [this] { m_copyMappings->setEnabled(!m_mapping->csv().isEmpty()); });
        m_mapping->setPlan(plan(), m_problem);
    }

    void connectAll()
    {
        m_form->edited = [this] { edited(); };
        connect(&m_theme, &ThemeController::unitsChanged, this, &Setup::edited);
        connect(m_prediction, &PredictionPanel::judged, this, &Setup::showVerdict);
        connect(m_prediction, &PredictionPanel::planOffered, this, &Setup::setPlan);
        connect(m_tabs, &QTabBar::currentChanged, this, &Setup::showTab);
        const auto choose
            = [this](const QString& scheme) { setPlan(withScheme(plan(), scheme.toStdString())); };
        connect(m_schemes, &SchemeList::chosen, this, choose);
        connect(m_schemes, &SchemeList::ownChosen, this, [this](const QString& file) {
            RunPlan own = plan();
            own.experiment.scheduleFile = file.toStdString();
            setPlan(own);
        });
        connect(m_table, &SchemeTable::chosen, this, choose);
        connect(m_table, &SchemeTable::answered, m_schemes,
                [this] { m_schemes->showRows(m_table->model()); });
        connect(m_table, &SchemeTable::runRequested, this, &Setup::runMarked);
        connect(m_table, &SchemeTable::severalMarked, this, [this] { observeLoad(true); });
        m_load.setSingleShot(true);
        connect(m_table, &SchemeTable::predictRequested, this, &Setup::comparePredictions);
    }

    // Call it after the plan has changed.
    void edited()
    {
        const engine::ScheduleRequest& request = plan().experiment.schedule;
        const bool isFile = !plan().experiment.scheduleFile.empty();
        m_schemes->setChosen(isFile ? QString() : QString::fromStdString(request.scheme));
        Fault fault = isFile ? Fault() : findFault(request);
        m_form->showFault(fault);
        if (const QString problem = m_form->problem(); !problem.isEmpty())
            fault = {Fault::Field::Other, {}, problem, {}};
        m_costs->setText(tr("Costs: %1").arg(costsText(plan().request())));
        m_prediction->setPlan(plan(), fault);
        m_problem = fault.field == Fault::Field::None ? QString() : fault.message;
        if (m_mapping != nullptr)
            m_mapping->setPlan(plan(), m_problem);
        m_table->setPlan(plan());
        Q_EMIT statusChanged();
    }

    void showVerdict()
    {
        const PredictionPanel::Verdict& verdict = m_prediction->verdict();
        m_run->setEnabled(verdict.isRunnable);
        m_runButton->setToolTip(verdict.problem.isEmpty() ? tr("Ctrl+R") : verdict.problem);
        m_copy->setEnabled(verdict.isCommand);
        m_edit->setEnabled(verdict.isEditable);
    }

    void run()
    {
        if (plan().experiment.mode == engine::Mode::Simulate)
            keepPrediction();
        else
            Q_EMIT startRequested({runOptions(plan())});
    }

    void runMarked(const QList<QStringList>& options, const QStringList& refused)
    {
        showRefused(refused);
        if (!options.isEmpty())
            Q_EMIT startRequested(options);
    }

    // Then calls showLoad().
    void observeLoad(bool isFirst)
    {
        constexpr std::chrono::milliseconds kObserved{500}; // the system counts in steps of 10 ms
        const auto before = m_cpuTimeOfOthers();
        if (m_load.isActive() || (isFirst && !before))
            return;
        m_load.disconnect();
        m_load.callOnTimeout(this, [this, isFirst, before, begin = engine::wallTime()] {
            const auto now = m_cpuTimeOfOthers();
            showLoad(before && now ? engine::ratio(*now - *before, engine::wallTime() - begin) : 0,
                     isFirst);
        });
        m_load.start(kObserved);
    }

    // Warns before a comparison on a busy machine, until its load is low.
    void showLoad(double cores, bool isFirst)
    {
        constexpr double kBusy = 0.25; // cores
        Band& band = m_prediction->band();
        const QString busy = tr("The machine is busy.");
        const bool isShown = !band.isHidden() && band.text().startsWith(busy);
        if (cores <= kBusy)
            return isShown ? band.hide() : void();
        if (!isFirst && !isShown)
            return; // another message is shown
        band.show(
            Band::Kind::Warning, busy,
            tr("Other processes use %1 cores, so runs take longer and their differences are less "
               "certain.")
                .arg(number(cores, 1)));
        observeLoad(false);
    }

    // Names of schemes, with or without reasons.
    void showRefused(const QStringList& refused)
    {
        if (!refused.isEmpty())
            m_prediction->band().show(Band::Kind::Warning, tr("Some schemes cannot run."),
                                      tr("Skipped: %1. Choose one of them to see the reason.")
                                          .arg(refused.join(QStringLiteral(", "))));
    }

    // Writes the predictions of several schemes and compares them.
    void comparePredictions(const std::vector<RunPlan>& plans, const QStringList& refused)
    {
        m_prediction->band().show(Band::Kind::Neutral, tr("Predicting."),
                                  countOf(static_cast<std::int64_t>(plans.size()), "scheme"));
        m_background.run([plans] { return writePredictions(plans); },
                         [this, refused](const WrittenPredictions& written) {
                             showRefused(refused + written.failed);
                             if (!written.files.isEmpty())
                                 Q_EMIT pageRequested({"compare", written.files});
                         });
    }

    // Opens the prediction as a simulated run.
    void keepPrediction()
    {
        const Prediction* prediction = m_prediction->prediction();
        if (prediction == nullptr)
            return;
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan()).toStdString();
        if (const auto file = writeNewRun(std::move(run)); !file)
            m_prediction->band().show(Band::Kind::Error, tr("Not written."),
                                      fromUtf8(file.error().message));
        else
            Q_EMIT pageRequested({"run", {*file}});
    }

    void copyCommand()
    {
        QGuiApplication::clipboard()->setText(commandText(plan()));
        m_prediction->band().show(Band::Kind::Ok, tr("Copied."), commandText(plan()));
    }

    void copyTable()
    {
        const SchemeTableModel& table = m_table->model();
        QGuiApplication::clipboard()->setText(table.csv());
        m_prediction->band().show(
            Band::Kind::Ok, tr("Copied."),
            (table.isComplete()
                 ? tr("The table of %1 schemes, in the order shown.")
                 : tr("The table of %1 schemes. Those that are being predicted have no numbers."))
                .arg(table.rowCount()));
    }

    void copyMappings() { QGuiApplication::clipboard()->setText(m_mapping->csv()); }

    void editSchedule()
    {
        const auto schedule = profiler::orderOf(plan().request());
        if (!schedule)
            m_prediction->refuse(tr("Impossible."), fromUtf8(schedule.error().message));
        else
            Q_EMIT pageRequested({.kind = "editor",
                                  .schedule = std::make_shared<const engine::Schedule>(*schedule),
                                  .costs = plan().request()});
    }

    const ThemeController& m_theme;
    QString m_problem; // why the plan is not possible; "" if it is
    Background m_background{this};
    QTimer m_load; // runs while observeLoad() observes the machine
    std::function<std::optional<std::int64_t>()> m_cpuTimeOfOthers = engine::cpuTimeOfOthers;
    QAction *m_run
        = makeAction("startRun", tr("&Run"), tr("Ctrl+R"), [this] { run(); }),
        *m_copy = makeAction("copyCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
                             [this] { copyCommand(); }),
        *m_reset = makeAction("resetPlan", tr("Reset &parameters"), {}, [this] { setPlan({}); }),
        *m_edit = makeAction("editThisSchedule", tr("&Edit this schedule"), tr("Ctrl+Alt+E"),
                             [this] { editSchedule(); }),
        *m_copyTable = makeAction("copyTable", tr("Copy the &table of schemes as CSV"),
                                  tr("Ctrl+Shift+T"), [this] { copyTable(); }),
        *m_find = makeAction("findScheme", tr("&Find a scheme"), tr("Ctrl+F"),
                             [this] { m_schemes->focusFilter(); }),
        *m_explain = makeAction(
            "explainScheme", tr("&About this scheme"), tr("Ctrl+I"),
            [this] { m_prediction->explain(); }, tr("show citation, rule, diagram and formulas"));
    QAction *m_mappingAction = makeAction(
                "devicesOnNodes", tr("&Devices on nodes"), tr("Ctrl+Shift+D"),
                [this] { m_tabs->setCurrentIndex(1 - m_tabs->currentIndex()); },
                tr("show the devices on the nodes of the hardware, or the predicted schedule")),
            *m_copyMappings = makeAction("copyMappings", tr("Copy the &mappings as CSV"), {},
                                         [this] { copyMappings(); });
    SchemeList* m_schemes = new SchemeList(m_theme);
    SetupForm* m_form = new SetupForm(m_theme);
    PredictionPanel* m_prediction = new PredictionPanel(m_theme, m_explain);
    SchemeTable* m_table = new SchemeTable(m_theme, m_copyTable);
    MappingView* m_mapping = nullptr; // null until it is shown for the first time
    QTabBar* m_tabs = named(new QTabBar, "setupTabs");
    QLabel* m_costs = named(new ElidedLabel("small"), "costsText");
    QStackedWidget* m_views = new QStackedWidget;
    QPushButton* m_runButton = makeButton(tr("Run"), QStringLiteral("run"), "primary", m_run);
    QWidget *m_schemesLine = makeLine(Qt::Vertical), *m_editButton = nullptr;
};

} // namespace

SetupPage* SetupPage::make(const ThemeController& theme)
{
    return new Setup(theme);
}

} // namespace app
