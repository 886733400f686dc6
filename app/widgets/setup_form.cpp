#include "app/widgets/setup_form.h"

#include "app/models/text.h"
#include "app/widgets/controls.h"
#include "app/widgets/segment_control.h"
#include "app/widgets/spin_field.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace app {
namespace {

constexpr int kFieldWidth = 150, kLeastFieldWidth = 90;
constexpr int kRowWidth = 272;
constexpr int kMany
    = 1'000'000; // of devices, of micro-batches: refused by the scheme, not the field

QHBoxLayout* makeRow(const QString& title, const QList<QWidget*>& fields)
{
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    row->addWidget(label, 1);
    for (QWidget* field : fields) {
        // A long title takes from the field, and stays on one line.
        const int left = kRowWidth - 8 - label->sizeHint().width();
        if (field->minimumWidth() == kFieldWidth && left < kFieldWidth)
            field->setFixedWidth(std::max(left, kLeastFieldWidth));
        row->addWidget(field);
    }
    return row;
}

QLabel* makeHint()
{
    QLabel* hint = makeLabel({}, "hint");
    hint->setAlignment(Qt::AlignRight);
    hint->setWordWrap(true);
    return hint;
}

QComboBox* makeCombo(const char* name)
{
    auto* combo = new QComboBox;
    combo->setObjectName(QString::fromLatin1(name));
    combo->setFixedSize(kFieldWidth, 28);
    return combo;
}

QVBoxLayout* makeSection(QVBoxLayout& column)
{
    if (column.count() > 0)
        column.addWidget(makeLine(Qt::Horizontal));
    auto* section = spaced(new QVBoxLayout, QMargins(14, 14, 14, 14), 6);
    column.addLayout(section);
    return section;
}

} // namespace

SetupForm::SetupForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    auto* column = spaced(new QVBoxLayout(this), QMargins(), 0);
    makeScheduleRows(*makeSection(*column));
    makeModelRows(*makeSection(*column));
    makeRunRows(*makeSection(*column));
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

void SetupForm::makeScheduleRows(QVBoxLayout& column)
{
    engine::ScheduleRequest& request = m_plan.request.schedule;
    m_devices = makeSpin("devices", 0, kMany);
    m_microBatches = makeSpin("microBatches", 0, kMany);
    m_chunks = makeSpin("chunks", 0, 1024);
    bind(m_devices, request.devices);
    bind(m_microBatches, request.microBatches);
    bind(m_chunks, request.chunks);
    m_rule = makeHint();
    m_rule->setObjectName(QStringLiteral("schemeRule"));
    m_chunkRule = makeHint();
    column.addLayout(makeRow(tr("Devices D"), {m_devices}));
    column.addLayout(makeRow(tr("Micro-batches N"), {m_microBatches}));
    column.addWidget(m_rule);
    column.addLayout(makeRow(tr("Chunks v"), {m_chunks}));
    column.addWidget(m_chunkRule);
    m_options = spaced(new QVBoxLayout, QMargins(), 6);
    column.addLayout(m_options);
    m_sync = makeCombo("sync");
    m_sync->addItems({tr("eager, at readiness"), tr("late, after all")});
    connect(m_sync, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_plan.request.sync = static_cast<engine::SyncPolicy>(index);
        if (!m_isShowing)
            Q_EMIT edited();
    });
    column.addLayout(makeRow(tr("Gradient sync"), {m_sync}));
}

void SetupForm::makeModelRows(QVBoxLayout& column)
{
    m_model = makeCombo("model");
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
    m_text->setFixedWidth(kFieldWidth - 34);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString& file) {
        m_plan.textFile = file.trimmed();
        if (!m_isShowing)
            Q_EMIT edited();
    });
    QPushButton* browse = makeButton(tr("…"), QStringLiteral("chooseText"));
    browse->setFixedWidth(28);
    browse->setToolTip(tr("Choose a text file to train on"));
    browse->setAccessibleName(browse->toolTip());
    setLook(browse, "kind", QStringLiteral("icon"));
    connect(browse, &QPushButton::clicked, this, &SetupForm::chooseText);
    column.addLayout(makeRow(tr("Model"), {m_model}));
    column.addLayout(makeRow(tr("Batch × seq."), {m_batch, m_sequence}));
    column.addLayout(makeRow(tr("Text"), {m_text, browse}));
}

void SetupForm::makeRunRows(QVBoxLayout& column)
{
    m_mode = new SegmentControl(m_theme, {tr("simulate"), tr("emulate")});
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
        field->setFixedWidth(56);
    bind(m_iterations, m_plan.iterations);
    bind(m_warmup, m_plan.warmup);
    bind(m_seed, m_plan.seed);
    column.addLayout(makeRow(tr("Run as"), {m_mode}));
    column.addWidget(m_modeHint);
    column.addLayout(makeRow(tr("Iterations"),
                             {m_iterations, makeLabel(tr("after"), "secondary"), m_warmup,
                              makeLabel(tr("warm-up"), "secondary")}));
    column.addLayout(makeRow(tr("Seed"), {m_seed}));
}

void SetupForm::setPlan(const RunPlan& plan)
{
    m_isShowing = true;
    m_plan = plan;
    const engine::ScheduleRequest request = plan.request.schedule;
    m_devices->setValue(request.devices);
    m_microBatches->setValue(request.microBatches);
    m_sync->setCurrentIndex(static_cast<int>(plan.request.sync));
    m_model->setCurrentText(plan.model);
    m_batch->setValue(plan.microBatchSize);
    m_sequence->setValue(plan.sequence);
    m_text->setText(plan.textFile);
    m_mode->setCurrent(static_cast<int>(plan.mode));
    m_iterations->setValue(plan.iterations);
    m_warmup->setValue(plan.warmup);
    m_seed->setValue(plan.seed);
    m_plan = plan; // choosing a model above sets its batch and sequence
    showScheme();
    m_isShowing = false;
}

// What follows from the scheme and the mode: rules, options, what is off.
void SetupForm::showScheme()
{
    const engine::Scheme* scheme = engine::findScheme(m_plan.request.schedule.scheme);
    if (scheme == nullptr)
        return;
    m_rule->setText(ruleText(*scheme));
    const bool isFixed = scheme->chunksFixed;
    m_chunks->setEnabled(!isFixed);
    m_chunkRule->setText(isFixed ? tr("fixed by the scheme") : QString());
    m_chunkRule->setVisible(isFixed);
    const QSignalBlocker quiet(m_chunks);
    const int chosen = m_plan.request.schedule.chunks;
    m_chunks->setValue(chosen > 0 && !isFixed ? chosen : scheme->defaultChunks);
    makeOptions();
    const bool computes = m_plan.mode != engine::Mode::Simulate;
    m_modeHint->setText(
        computes ? tr("Every op really runs, once, alone on the CPU, and the model really "
                      "trains; each device has a clock of its own.")
                 : tr("Nothing runs: F = 1, B = 2, links are free. Answers at once."));
    for (QWidget* field : {static_cast<QWidget*>(m_model), static_cast<QWidget*>(m_batch),
                           static_cast<QWidget*>(m_sequence), static_cast<QWidget*>(m_text),
                           static_cast<QWidget*>(m_iterations), static_cast<QWidget*>(m_warmup),
                           static_cast<QWidget*>(m_seed)})
        field->setEnabled(computes);
}

void SetupForm::makeOptions()
{
    const std::string name = m_plan.request.schedule.scheme;
    if (m_optionsOf.toStdString() == name)
        return;
    m_optionsOf = QString::fromStdString(name);
    while (QLayoutItem* item = m_options->takeAt(0)) {
        if (QLayout* row = item->layout()) {
            while (QLayoutItem* cell = row->takeAt(0)) {
                delete cell->widget();
                delete cell;
            }
        }
        delete item;
    }
    for (const engine::SchemeOption& option : engine::findScheme(name)->options)
        makeOption(option);
}

void SetupForm::makeOption(const engine::SchemeOption& option)
{
    QString title = fromUtf8(option.title);
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    if (option.values.size() == 1 && !option.isOpen()) {
        m_options->addLayout(
            makeRow(title, {makeLabel(fromUtf8(option.values.front()), "secondary")}));
        return;
    }
    QComboBox* combo = makeCombo("option");
    combo->setObjectName(QStringLiteral("option_") + fromUtf8(option.key));
    for (const std::string_view value : option.values)
        combo->addItem(fromUtf8(value));
    combo->setEditable(option.isOpen());
    const std::string key(option.key);
    const auto set = m_plan.request.schedule.options.find(key);
    if (set != m_plan.request.schedule.options.end())
        combo->setCurrentText(QString::fromStdString(set->second));
    connect(combo, &QComboBox::currentTextChanged, this, [this, combo, key](const QString& value) {
        if (value.isEmpty() || value == combo->itemText(0))
            m_plan.request.schedule.options.erase(key);
        else
            m_plan.request.schedule.options[key] = value.toStdString();
        Q_EMIT edited();
    });
    m_options->addLayout(makeRow(title, {combo}));
}

void SetupForm::modelChosen(const QString& model)
{
    m_plan.model = model;
    if (m_isShowing)
        return;
    m_isShowing = true;
    m_batch->setValue(modelNumber(model, QStringLiteral("micro_batch_size")));
    m_sequence->setValue(modelNumber(model, QStringLiteral("sequence")));
    m_isShowing = false;
    Q_EMIT edited();
}

void SetupForm::chooseText()
{
    auto* dialog = new QFileDialog(this, tr("Text to train on"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, m_text, &QLineEdit::setText);
    dialog->open();
}

void SetupForm::showFault(const Fault& fault)
{
    const auto reason
        = [&](Fault::Field field) { return fault.field == field ? fault.reason : QString(); };
    m_devices->setReason(reason(Fault::Field::Devices));
    m_microBatches->setReason(reason(Fault::Field::MicroBatches));
    m_chunks->setReason(reason(Fault::Field::Chunks));
}

} // namespace app
