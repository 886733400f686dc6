#include "app/widgets/setup/setup_form.h"

#include "app/models/text.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/segment_control.h"
#include "app/widgets/forms/cost_form.h"
#include "app/widgets/forms/form_rows.h"
#include "app/widgets/forms/more_options.h"
#include "app/widgets/forms/slider_field.h"
#include "app/widgets/setup/scheme_options.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QThread>

namespace app {
namespace {

using engine::ScheduleRequest;

constexpr int kMany
    = 1'000'000; // of devices, of micro-batches: refused by the scheme, not the field
constexpr int kMostDevices = 64, kMostMicroBatches = 128, kMostChunks = 8; // of the sliders

} // namespace

SetupForm::SetupForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(QStringLiteral("setupForm"));
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

SpinField* SetupForm::makeSpin(const char* name, int least, int most)
{
    auto* field = new SpinField(m_theme);
    field->setObjectName(QString::fromLatin1(name));
    field->setRange(least, most);
    return field;
}

void SetupForm::bind(SpinField* field, int& value)
{
    connect(field, &QSpinBox::valueChanged, this, [this, &value](int number) {
        value = number;
        if (!m_isShowing)
            Q_EMIT edited();
    });
}

// Dragging rests on values that the scheme accepts; typing says what is wrong with the others.
SliderField* SetupForm::makeCount(const char* name, int ScheduleRequest::*member, int most)
{
    auto* field = new SliderField(makeSpin(name, 0, kMany), most);
    field->slider()->setMinimum(1);
    field->setRest([this, member, most](int value) {
        return nearestPossible(m_plan.request.schedule, member, value, most);
    });
    bind(field->field(), m_plan.request.schedule.*member);
    return field;
}

void SetupForm::makeScheduleRows(QVBoxLayout& column)
{
    m_devices = makeCount("devices", &ScheduleRequest::devices, kMostDevices);
    m_microBatches = makeCount("microBatches", &ScheduleRequest::microBatches, kMostMicroBatches);
    m_chunks = makeCount("chunks", &ScheduleRequest::chunks, kMostChunks);
    for (QLabel** hint : {&m_deviceRule, &m_batchRule, &m_chunkRule, &m_otherRule})
        *hint = makeFormHint();
    m_batchRule->setObjectName(QStringLiteral("schemeRule"));
    column.addLayout(makeSliderRow(tr("Devices D"), m_devices));
    column.addWidget(m_deviceRule);
    column.addLayout(makeSliderRow(tr("Micro-batches N"), m_microBatches));
    column.addWidget(m_batchRule);
    column.addLayout(makeSliderRow(tr("Chunks v"), m_chunks));
    column.addWidget(m_chunkRule);
    m_options = new SchemeOptions;
    m_options->setObjectName(QStringLiteral("schemeOptions"));
    connect(m_options, &SchemeOptions::changed, this,
            [this](const QString& key, const QString& value) {
                auto& options = m_plan.request.schedule.options;
                if (value.isEmpty())
                    options.erase(key.toStdString());
                else
                    options[key.toStdString()] = value.toStdString();
                Q_EMIT edited();
            });
    column.addWidget(m_options);
    column.addWidget(m_otherRule);
    m_sync = makeFormCombo(QStringLiteral("sync"));
    m_sync->addItems({tr("eager, at readiness"), tr("late, after all"), tr("eager, blocking")});
    m_sync->setToolTip(tr("When the gradients of a stage are summed over its replicas: as soon as "
                          "they are there, after the last backward, or at once and holding the "
                          "device, as BitPipe's code does"));
    connect(m_sync, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plan.request.sync = static_cast<engine::SyncPolicy>(index);
        if (!m_isShowing)
            Q_EMIT edited();
    });
    column.addLayout(makeFormRow(tr("Gradient sync"), {m_sync}));
    m_recompute = makeFormCombo(QStringLiteral("recompute"));
    m_recompute->addItems({tr("none"), tr("attention"), tr("full")});
    m_recompute->setToolTip(tr("What of the forward is dropped and made again by the backward"));
    connect(m_recompute, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plan.request.recompute = static_cast<engine::Recompute>(index);
        if (!m_isShowing)
            Q_EMIT edited();
    });
    column.addLayout(makeFormRow(tr("Recompute"), {m_recompute}));
}

void SetupForm::makeModelRows(QVBoxLayout& column)
{
    m_model = makeFormCombo(QStringLiteral("model"));
    m_model->addItems(modelPresets());
    connect(m_model, &QComboBox::currentTextChanged, this, &SetupForm::modelChosen);
    m_batch = makeSpin("microBatchSize", 1, 4096);
    m_sequence = makeSpin("sequence", 1, 65536);
    for (SpinField* field : {m_batch, m_sequence})
        field->setFixedWidth(71);
    bind(m_batch, m_plan.microBatchSize);
    bind(m_sequence, m_plan.sequence);
    m_text = new QLineEdit;
    m_text->setObjectName(QStringLiteral("textFile"));
    m_text->setPlaceholderText(tr("built-in"));
    m_text->setFixedWidth(kFormFieldWidth - kBrowseWidth);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString& file) {
        m_plan.textFile = file.trimmed();
        if (!m_isShowing)
            Q_EMIT edited();
    });
    QPushButton* browse
        = makeBrowseButton(QStringLiteral("chooseText"), tr("Choose a text file to train on"));
    connect(browse, &QPushButton::clicked, this, &SetupForm::chooseText);
    m_model->setFixedWidth(kFormFieldWidth - kBrowseWidth);
    QPushButton* file
        = makeBrowseButton(QStringLiteral("chooseModel"), tr("Choose a model file (.toml)"));
    connect(file, &QPushButton::clicked, this, &SetupForm::chooseModel);
    column.addLayout(makeFormRow(tr("Model"), {m_model, file}));
    column.addLayout(makeFormRow(tr("Batch × seq."), {m_batch, m_sequence}));
    column.addLayout(makeFormRow(tr("Text"), {m_text, browse}));
    m_moreTraining = new MoreTraining(m_theme, m_plan);
    connect(m_moreTraining, &MoreTraining::edited, this, &SetupForm::edited);
    column.addWidget(m_moreTraining);
}

namespace {

QString liveHint(int devices)
{
    QString live = SetupForm::tr("All devices train at the same time, one thread each, on "
                                 "the wall clock.");
    const int cores = QThread::idealThreadCount();
    if (devices <= cores)
        return live;
    return live + QLatin1Char(' ')
        + SetupForm::tr("More threads than cores here (%1): they take turns, and the run says "
                        "\"oversubscribed\".")
              .arg(cores);
}

QString modeHint(const RunPlan& plan)
{
    if (plan.mode == engine::Mode::Simulate)
        return SetupForm::tr("Nothing runs: the costs above are assumed. Answers at once.");
    if (plan.mode == engine::Mode::Live)
        return plan.backend == engine::Backend::Cuda
            ? SetupForm::tr("All devices train at the same time: GPUs, or equal parts of one, on "
                            "the wall clock.")
            : liveHint(plan.request.schedule.devices);
    const QString place
        = plan.backend == engine::Backend::Cuda ? SetupForm::tr("GPU") : SetupForm::tr("CPU");
    return SetupForm::tr("Every op really runs, once, alone on the %1, and the model really "
                         "trains; each device has a clock of its own.")
        .arg(place);
}

} // namespace

void SetupForm::makeRunRows(QVBoxLayout& column)
{
    m_mode = new SegmentControl(m_theme, {tr("simulate"), tr("emulate"), tr("live")});
    m_mode->setObjectName(QStringLiteral("mode"));
    connect(m_mode, &SegmentControl::currentChanged, this, [this](int mode) {
        m_plan.mode = static_cast<engine::Mode>(mode);
        showScheme();
        if (!m_isShowing)
            Q_EMIT edited();
    });
    m_modeHint = makeLabel({}, "hint");
    m_modeHint->setWordWrap(true);
    m_iterations = makeSpin("iterations", 1, 100000);
    m_warmup = makeSpin("warmup", 0, 1000);
    m_seed = makeSpin("seed", 0, 1'000'000'000);
    for (SpinField* field : {m_iterations, m_warmup})
        field->setFixedWidth(71);
    bind(m_iterations, m_plan.iterations);
    bind(m_warmup, m_plan.warmup);
    bind(m_seed, m_plan.seed);
    m_backend = makeFormCombo(QStringLiteral("backend"));
    m_backend->addItems({tr("CPU"), tr("GPUs (CUDA)")});
    m_backend->setToolTip(tr("What the ops of a run compute on"));
    connect(m_backend, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plan.backend = static_cast<engine::Backend>(index);
        showBackend();
        if (!m_isShowing)
            Q_EMIT edited();
    });
    column.addLayout(makeFormRow(tr("Run as"), {m_mode}));
    column.addWidget(m_modeHint);
    m_iterations->setToolTip(tr("measured iterations"));
    m_warmup->setToolTip(tr("warm-up iterations before them: they train and are not measured"));
    column.addLayout(makeFormRow(tr("On"), {m_backend}));
    m_backendHint = makeFormHint();
    m_backendHint->setObjectName(QStringLiteral("backendHint"));
    column.addWidget(m_backendHint);
    column.addLayout(makeFormRow(tr("Iterations, warm-up"), {m_iterations, m_warmup}));
    column.addLayout(makeFormRow(tr("Seed"), {m_seed}));
}

void SetupForm::setPlan(const RunPlan& plan)
{
    m_isShowing = true;
    m_plan = plan;
    const ScheduleRequest request = plan.request.schedule;
    m_devices->field()->setValue(request.devices);
    m_microBatches->field()->setValue(request.microBatches);
    m_sync->setCurrentIndex(static_cast<int>(plan.request.sync));
    m_recompute->setCurrentIndex(static_cast<int>(plan.request.recompute));
    setModel(plan.model);
    m_backend->setCurrentIndex(static_cast<int>(plan.backend));
    m_batch->setValue(plan.microBatchSize);
    m_sequence->setValue(plan.sequence);
    m_text->setText(plan.textFile);
    m_mode->setCurrent(static_cast<int>(plan.mode));
    m_iterations->setValue(plan.iterations);
    m_warmup->setValue(plan.warmup);
    m_seed->setValue(plan.seed);
    m_plan = plan; // choosing a model above sets its batch and sequence
    m_costs->showPlan();
    m_moreTraining->showPlan();
    showScheme();
    m_costs->showHint();
    m_isShowing = false;
}

// What follows from the scheme and the mode: rules, options, what is off.
void SetupForm::showScheme()
{
    const engine::Scheme* scheme = engine::findScheme(m_plan.request.schedule.scheme);
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
        const int chosen = m_plan.request.schedule.chunks;
        const int shown = chosen > 0 && !isFixed ? chosen : scheme->defaultChunks;
        m_chunks->field()->setValue(shown);
        const QSignalBlocker still(m_chunks->slider());
        m_chunks->slider()->setValue(shown);
    }
    m_options->show(m_plan.request.schedule);
    const bool computes = m_plan.mode != engine::Mode::Simulate;
    showBackend();
    for (QWidget* field : {static_cast<QWidget*>(m_model), static_cast<QWidget*>(m_batch),
                           static_cast<QWidget*>(m_sequence), static_cast<QWidget*>(m_text),
                           static_cast<QWidget*>(m_iterations), static_cast<QWidget*>(m_warmup),
                           static_cast<QWidget*>(m_seed), static_cast<QWidget*>(m_backend),
                           static_cast<QWidget*>(m_moreTraining)})
        field->setEnabled(computes);
    m_costs->showHint();
}

void SetupForm::showBackend()
{
    m_modeHint->setText(modeHint(m_plan));
    setHint(m_backendHint,
            machineProblem(m_plan, m_here).isEmpty() ? QString()
                                                     : tr("no NVIDIA driver on this machine"));
    m_moreTraining->showGpus();
}

void SetupForm::modelChosen(const QString& model)
{
    m_plan.model = model;
    if (m_isShowing)
        return;
    m_isShowing = true;
    m_batch->setValue(modelNumber(model, QStringLiteral("micro_batch_size")));
    m_sequence->setValue(modelNumber(model, QStringLiteral("sequence")));
    m_plan.request.recompute = modelRecompute(model);
    m_recompute->setCurrentIndex(static_cast<int>(m_plan.request.recompute));
    m_isShowing = false;
    Q_EMIT edited();
}

// A file stands among the presets by its path.
void SetupForm::setModel(const QString& model)
{
    if (m_model->findText(model) < 0)
        m_model->addItem(model);
    m_model->setCurrentText(model);
}

void SetupForm::chooseModel()
{
    askForFile(this, tr("Model to train"), tr("Models (*.toml)"),
               [this](const QString& file) { setModel(file); });
}

void SetupForm::chooseText()
{
    askForFile(this, tr("Text to train on"), {},
               [this](const QString& file) { m_text->setText(file); });
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

} // namespace app
