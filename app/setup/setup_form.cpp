#include "app/setup/setup_form.h"

#include "app/plan/cost_form.h"
#include "app/plan/more_options.h"
#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QThread>
#include <QVBoxLayout>

namespace app {
namespace {

QString titleOf(const engine::SchemeOption& option)
{
    return capitalized(fromUtf8(option.title));
}

} // namespace

SchemeOptions::SchemeOptions(QWidget* parent)
    : QWidget(parent)
    , m_before(new QWidget(this))
    , m_layout(spaced(new QVBoxLayout(this), QMargins(), 0))
{
    m_before->setFocusPolicy(Qt::TabFocus); // otherwise it has no place in the tab order
    m_before->hide();
    m_shown.scheme.clear();
}

void SchemeOptions::show(const engine::ScheduleRequest& request)
{
    const bool isSame = m_shown.scheme == request.scheme && m_shown.options == request.options;
    if (isSame)
        return;
    m_shown = request;
    delete m_rows;
    m_combos.clear();
    m_rows = new QWidget;
    spaced(new QVBoxLayout(m_rows), QMargins(), 6);
    m_layout->addWidget(m_rows);
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme != nullptr)
        for (const engine::SchemeOption& option : scheme->options)
            addRow(option, request);
    QWidget* before = m_before;
    for (QComboBox* combo : std::as_const(m_combos)) {
        setTabOrder(before, combo);
        before = combo;
    }
    setVisible(scheme != nullptr && !scheme->options.empty());
}

void SchemeOptions::addRow(const engine::SchemeOption& option,
                           const engine::ScheduleRequest& request)
{
    auto* rows = static_cast<QVBoxLayout*>(m_rows->layout());
    if (option.values.size() == 1 && !option.isOpen()) {
        rows->addLayout(makeFormRow(titleOf(option),
                                    {makeLabel(fromUtf8(option.values.front()), "secondary")}));
        return;
    }
    const QString key = fromUtf8(option.key);
    QComboBox* combo = makeFormCombo(QStringLiteral("option_") + key);
    for (const std::string_view value : option.values)
        combo->addItem(fromUtf8(value));
    combo->setAccessibleName(titleOf(option));
    combo->setToolTip(fromUtf8(option.help));
    if (option.isOpen()) {
        combo->setEditable(true);
        combo->setInsertPolicy(QComboBox::NoInsert);
        combo->setCompleter(nullptr);
        combo->setToolTip(option.smallest ? tr("any whole number from %1").arg(*option.smallest)
                                          : fromUtf8(option.form));
        combo->lineEdit()->setPlaceholderText(combo->itemText(0));
    }
    const auto set = request.options.find(option.key);
    if (set != request.options.end())
        combo->setCurrentText(QString::fromStdString(set->second));
    connect(combo, &QComboBox::currentTextChanged, this, [this, combo, key](const QString& text) {
        const QString value = text.trimmed();
        const bool isDefault = value.isEmpty() || value == combo->itemText(0);
        if (isDefault)
            m_shown.options.erase(key.toStdString());
        else
            m_shown.options[key.toStdString()] = value.toStdString();
        Q_EMIT changed(key, isDefault ? QString() : value);
    });
    m_combos.append(combo);
    rows->addLayout(makeFormRow(titleOf(option), {combo}));
}

void SchemeOptions::setRefused(bool isRefused)
{
    for (QComboBox* combo : std::as_const(m_combos)) {
        const bool isSet = combo->currentText() != combo->itemText(0);
        combo->setProperty("invalid", isRefused && isSet);
        combo->update();
    }
}

namespace {

using engine::ScheduleRequest;

constexpr int kMostDevices = 64, kMostMicroBatches = 128, kMostChunks = 8; // slider maxima

} // namespace

SetupForm::SetupForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_fields(new BoundFields(theme, this))
{
    setObjectName(QStringLiteral("setupForm"));
    connect(m_fields, &BoundFields::edited, this, &SetupForm::edited);
    auto* column = spaced(new QVBoxLayout(this), QMargins(), 0);
    makeScheduleRows(*makeFormSection(*column));
    m_costs = new CostForm(theme, m_plan, CostForm::Order::Built);
    connect(m_costs, &CostForm::edited, this, &SetupForm::edited);
    connect(m_costs, &CostForm::planChanged, this, [this] {
        setPlan(RunPlan(m_plan));
        Q_EMIT edited();
    });
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_costs);
    makeModelRows(*makeFormSection(*column));
    makeRunRows(*makeFormSection(*column));
    column->addStretch();
    setPlan({});
}

void SetupForm::changed()
{
    if (!m_isShowing)
        Q_EMIT edited();
}

QWidget* SetupForm::makeField(const char* flag)
{
    return m_fields->add(engine::experimentField(flag), m_plan.experiment);
}

QWidget* SetupForm::addField(QVBoxLayout& column, const char* flag)
{
    return m_fields->addRow(column, engine::experimentField(flag), m_plan.experiment);
}

// Dragging snaps to values that the scheme accepts. If a typed value is invalid, the form shows
// why.
SliderField* SetupForm::makeCount(const char* flag, int ScheduleRequest::*member, int most)
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

void SetupForm::makeScheduleRows(QVBoxLayout& column)
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
    m_options = named(new SchemeOptions, "schemeOptions");
    connect(m_options, &SchemeOptions::changed, this,
            [this](const QString& key, const QString& value) {
                auto& options = m_plan.experiment.schedule.options;
                if (value.isEmpty())
                    options.erase(key.toStdString());
                else
                    options[key.toStdString()] = value.toStdString();
                Q_EMIT edited();
            });
    counts.addWidget(m_options);
    counts.addWidget(m_otherRule);
    m_file = named(makeLabel({}, "secondary"), "scheduleFile");
    m_fileRow = new QWidget;
    spaced(new QVBoxLayout(m_fileRow), QMargins(), 0)
        ->addLayout(makeFormRow(fromUtf8(engine::experimentField("--schedule").label), {m_file}));
    column.addWidget(m_counts);
    column.addWidget(m_fileRow);
    addField(column, "--sync");
    addField(column, "--recompute");
}

void SetupForm::makeModelRows(QVBoxLayout& column)
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
    m_moreTraining = new MoreTraining(m_theme, m_plan);
    connect(m_moreTraining, &MoreTraining::edited, this, &SetupForm::edited);
    column.addWidget(m_moreTraining);
    m_ofRuns = {m_model, file, batch, sequence, text, browse, m_moreTraining};
}

namespace {

QString liveHint(int devices)
{
    QString live = SetupForm::tr("All devices train concurrently in real time, one thread each.");
    const int cores = QThread::idealThreadCount();
    if (devices <= cores)
        return live;
    return live + QLatin1Char(' ')
        + SetupForm::tr("This machine has only %1 cores, so threads share them, and the run is "
                        "marked \"oversubscribed\".")
              .arg(cores);
}

QString modeHint(const RunPlan& plan)
{
    if (plan.experiment.mode == engine::Mode::Simulate)
        return SetupForm::tr("Simulates with the costs above; trains nothing.");
    if (plan.experiment.mode == engine::Mode::Live)
        return plan.experiment.backend == engine::Backend::Cuda
            ? SetupForm::tr(
                "All devices train concurrently in real time, each on its own GPU or on "
                "a partition of one GPU.")
            : liveHint(plan.experiment.schedule.devices);
    const QString place = plan.experiment.backend == engine::Backend::Cuda ? SetupForm::tr("GPU")
                                                                           : SetupForm::tr("CPU");
    return SetupForm::tr("Runs every op once, alone on the %1, and trains the "
                         "model; each device has its own virtual clock.")
        .arg(place);
}

} // namespace

void SetupForm::makeRunRows(QVBoxLayout& column)
{
    constexpr int kPair = 71;
    m_mode
        = named(new SegmentControl(m_theme, {tr("simulate"), tr("emulate"), tr("live")}), "mode");
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

void SetupForm::setPlan(const RunPlan& plan)
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
    m_moreTraining->showPlan();
    showScheme();
    m_costs->showHint();
    m_isShowing = false;
}

// Lists a model file by its path among the presets.
void SetupForm::showModel()
{
    const QString model
        = QString::fromStdString(engine::experimentField("--model").get(m_plan.experiment));
    const QSignalBlocker quiet(m_model);
    if (m_model->findText(model) < 0)
        m_model->addItem(model);
    m_model->setCurrentText(model);
}

// Updates the parts that depend on scheme and mode: rules, options, disabled fields.
void SetupForm::showScheme()
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
        const int shown = request.chunks > 0 && !isFixed ? request.chunks : scheme->defaultChunks;
        m_chunks->field()->setValue(shown);
        const QSignalBlocker still(m_chunks->slider());
        m_chunks->slider()->setValue(shown);
    }
    m_options->show(request);
    showBackend();
    for (QWidget* field : m_ofRuns)
        field->setEnabled(m_plan.experiment.mode != engine::Mode::Simulate);
    m_costs->showHint();
}

void SetupForm::showBackend()
{
    m_modeHint->setText(modeHint(m_plan));
    setHint(m_backendHint,
            machineProblem(m_plan, m_here).isEmpty() ? QString()
                                                     : tr("no NVIDIA driver on this machine"));
    m_moreTraining->showEffects();
}

void SetupForm::modelChosen(const QString& model)
{
    if (m_isShowing)
        return;
    chooseModel(m_plan, model);
    m_isShowing = true;
    showModel();
    m_fields->show();
    m_moreTraining->showPlan();
    m_isShowing = false;
    Q_EMIT edited();
}

void SetupForm::showFault(const Fault& fault)
{
    const auto reason
        = [&](Fault::Field field) { return fault.field == field ? fault.reason : QString(); };
    m_devices->setReason(reason(Fault::Field::Devices));
    m_microBatches->setReason(reason(Fault::Field::MicroBatches));
    m_chunks->setReason(reason(Fault::Field::Chunks));
    m_options->setRefused(fault.field == Fault::Field::Option);
}

QString SetupForm::problem() const
{
    for (const QString& problem :
         {m_fields->problem(), m_costs->problem(), m_moreTraining->problem()})
        if (!problem.isEmpty())
            return problem;
    return {};
}

} // namespace app
