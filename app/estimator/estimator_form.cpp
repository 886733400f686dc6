#include "app/estimator/estimator_form.h"

#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/spin_field.h"
#include "app/ui/text.h"
#include "engine/cost/training_setup.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

QStringList presetNames(const std::vector<std::string>& names)
{
    QStringList list;
    for (const std::string& name : names)
        list.append(fromUtf8(name));
    return list;
}

QLineEdit* makeListField(const char* name)
{
    auto* field = named(new QLineEdit, name);
    field->setFixedWidth(kFormFieldWidth);
    return field;
}

QLabel* makeNote()
{
    QLabel* note = makeLabel({}, "hint");
    note->setWordWrap(true);
    return note;
}

QString attentionText(engine::AttentionMode mode)
{
    switch (mode) {
    case engine::AttentionMode::Standard:
        return QStringLiteral("Scores are stored until the backward pass.");
    case engine::AttentionMode::Recompute:
        return QStringLiteral("Scores are recomputed in the backward pass.");
    case engine::AttentionMode::Flash:
        return QStringLiteral("Scores are never stored.");
    }
    return {};
}

} // namespace

EstimatorForm::EstimatorForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_fields(new BoundFields(theme, this))
    , m_sizes(makeListField("estimatorSizes"))
    , m_stageMfu(makeListField("estimatorStageMfu"))
    , m_mfuFrom(named(new SegmentControl(theme, {tr("roofline"), tr("typed")}), "estimatorMfuFrom"))
    , m_attentionHint(makeNote())
    , m_mfuHint(makeNote())
{
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {}, 0);
    makeSetup(*column);
    makeAttention(*column);
    makeStageMfu(*column);
    makePresets(*column);
    column->addStretch(1);
    spaced(new QVBoxLayout(this), {}, 0, {{makeScroll(content), 1}});
    showPlan();
    connect(m_fields, &BoundFields::edited, this, &EstimatorForm::changed);
    connect(m_sizes, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_plan.sizes = text;
        changed();
    });
    connect(m_stageMfu, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_plan.stageMfu = text;
        changed();
    });
    connect(m_mfuFrom, &SegmentControl::currentChanged, this,
            [this](int choice) { chooseMfu(choice == 1); });
}

void EstimatorForm::makeSetup(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    const auto preset = [this](const char* name, const QStringList& names, QString& value) {
        return m_fields->choice(
            name, names,
            [&value, names] {
                return static_cast<int>(std::max<qsizetype>(0, names.indexOf(value)));
            },
            [&value, names](int index) { value = names.value(index); });
    };
    const auto row = [rows](const QString& title, QWidget* field, const QString& tip) {
        field->setToolTip(tip);
        rows->addLayout(makeFormRow(title, {field}));
    };
    row(tr("Model"),
        preset("estimatorModel", presetNames(engine::transformerNames()), m_plan.model),
        tr("Set the sizes that determine FLOPs and bytes"));
    row(tr("Hardware"),
        preset("estimatorHardware", presetNames(engine::hardwareNames()), m_plan.hardware),
        tr("Set peak, memory and links of one device"));
    row(tr("Devices D"),
        m_fields->number("estimatorDevices", m_plan.devices, 1, BpipePlan::kMostDevices),
        tr("Set the number of pipeline stages"));
    for (const auto& field : engine::trainingSetupFields())
        if (field.flag.ends_with("--tensor-parallel"))
            m_fields->addRow(*rows, field, m_plan.setup, "estimator");
    row(tr("Data-parallel"),
        m_fields->number("estimatorDataParallel", m_plan.setup.dataParallel, 1,
                         BpipePlan::kMostDevices),
        tr("Set the number of copies of the pipeline"));
    row(tr("Batch"), m_fields->number("estimatorBatch", m_plan.batch, 1, BpipePlan::kMostBatch),
        tr("Set the sequences of one iteration, over all copies"));
    row(tr("Micro-batches b"), m_sizes,
        tr("Type sizes in sequences, such as 1, 2, 4; all are compared with the first"));
    row(tr("Reserve, %"),
        m_fields->number("estimatorReserve", m_plan.reserve, 0, BpipePlan::kMostReserve),
        tr("Set the share of the memory that contexts and buffers take"));
}

void EstimatorForm::makeAttention(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Attention"), "dock"));
    for (const auto& field : engine::trainingSetupFields()) {
        if (field.flag.ends_with("--attention")) {
            auto* modes = static_cast<SegmentControl*>(
                m_fields->add(field, m_plan.setup, "estimator", BoundFields::Look::Segments));
            modes->setName(tr("Attention"));
            rows->addWidget(modes, 0, Qt::AlignLeft);
            rows->addWidget(m_attentionHint);
        } else if (field.kind == engine::FieldKind::Flag) {
            m_fields->addRow(*rows, field, m_plan.setup, "estimator");
        }
    }
}

void EstimatorForm::makeStageMfu(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    m_mfuFrom->setToolTip(tr("Use the roofline's prediction, or measured values"));
    rows->addLayout(makeFormRow(tr("Stage MFU from"), {m_mfuFrom}));
    m_stageMfu->setToolTip(
        tr("Type the MFU of one stage in percent, one value per micro-batch size"));
    rows->addLayout(makeFormRow(tr("Stage MFU, %"), {m_stageMfu}));
    rows->addWidget(m_mfuHint);
}

void EstimatorForm::makePresets(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Published cases"), "dock"));
    for (const BpipeCase& one : bpipeCases()) {
        auto* button = makeButton(QStringLiteral("%1: %2").arg(one.title, one.published),
                                  QStringLiteral("estimatorCase%1").arg(m_presets.size()));
        button->setCheckable(true);
        button->setToolTip(one.detail);
        button->setAccessibleDescription(one.detail);
        connect(button, &QAbstractButton::clicked, this, [this, &one] { setPlan(one.plan); });
        m_presets.push_back(button);
        rows->addWidget(button);
    }
    QLabel* note = makeNote();
    note->setText(tr("A case sets every field above; its published speed-up is from arXiv "
                     "2401.02088."));
    rows->addWidget(note);
}

// Chooses between typed values and those of the roofline. If nothing is typed yet, starts with the
// values of the roofline.
void EstimatorForm::chooseMfu(bool isTyped)
{
    if (isTyped == m_plan.hasTypedMfu)
        return;
    m_plan.hasTypedMfu = isTyped;
    if (isTyped && m_plan.stageMfu.isEmpty()) {
        QStringList values;
        for (const double share : m_roofline)
            values.append(QString::number(100 * share, 'f', 1));
        m_plan.stageMfu = values.join(QStringLiteral(", "));
        m_stageMfu->setText(m_plan.stageMfu);
    }
    changed();
}

void EstimatorForm::setPlan(const BpipePlan& plan)
{
    m_plan = plan;
    showPlan();
    Q_EMIT edited();
}

void EstimatorForm::showPlan()
{
    m_fields->show();
    m_sizes->setText(m_plan.sizes);
    m_stageMfu->setText(m_plan.stageMfu);
    m_mfuFrom->setCurrent(m_plan.hasTypedMfu ? 1 : 0);
    showPreset();
}

void EstimatorForm::showPreset()
{
    for (std::size_t i = 0; i < m_presets.size(); ++i)
        m_presets[i]->setChecked(bpipeCases()[i].plan == m_plan);
    m_attentionHint->setText(attentionText(m_plan.setup.attention));
    m_stageMfu->setEnabled(m_plan.hasTypedMfu);
    m_mfuHint->setText(m_plan.hasTypedMfu ? tr("One measured value for each micro-batch size.")
                                          : tr("Planning constants, not measured."));
}

void EstimatorForm::changed()
{
    showPreset();
    Q_EMIT edited();
}

} // namespace app
