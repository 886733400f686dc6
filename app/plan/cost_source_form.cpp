#include "app/plan/cost_source_form.h"

#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/spin_field.h"
#include "app/ui/text.h"
#include "engine/cost/training_setup.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

using Kind = CostSource::Kind;

QStringList toStringList(const std::vector<std::string>& names)
{
    QStringList list;
    for (const std::string& name : names)
        list.append(fromUtf8(name));
    return list;
}

void addRow(QVBoxLayout& column, const QString& title, QWidget* field, const QString& tip)
{
    field->setToolTip(tip);
    column.addLayout(makeFormRow(title, {field}));
}

} // namespace

CostSourceForm::CostSourceForm(const ThemeController& theme, RunPlan& plan, QWidget* parent)
    : QWidget(parent)
    , m_plan(plan)
    , m_fields(new BoundFields(theme, this))
    , m_kind(named(new SegmentControl(theme, {tr("units"), tr("hardware"), tr("a run")}),
                   "costSource"))
{
    setObjectName(QStringLiteral("costSourceForm"));
    m_kind->setToolTip(tr("Use assumed costs in units, closed-form costs of a model on hardware, "
                          "or medians of a recorded run with the same stages"));
    m_hardware = makeHardware();
    m_recorded = makeRecorded();
    spaced(new QVBoxLayout(this), QMargins(), 6,
           {makeFormRow(tr("Costs"), {m_kind}), m_hardware, m_recorded});
    showPlan();
    connect(m_kind, &SegmentControl::currentChanged, this, [this](int kind) {
        if (kind == static_cast<int>(std::exchange(m_plan.source.kind, static_cast<Kind>(kind))))
            return; // showPlan() has set the control, not the user
        showKind();
        Q_EMIT planChanged();
    });
    connect(m_fields, &BoundFields::edited, this, &CostSourceForm::edited);
    connect(&m_loader, &RunLoader::loaded, this, &CostSourceForm::take);
    connect(&m_loader, &RunLoader::failed, this,
            [this](const QString& reason) { setHint(m_hint, reason); });
}

QWidget* CostSourceForm::makeHardware()
{
    CostSource& source = m_plan.source;
    auto* rows = new QWidget;
    auto& column = *spaced(new QVBoxLayout(rows), QMargins(), 6);
    const auto named = [this](const char* name, const QStringList& names, QString& value) {
        const auto get = [&value, names] {
            return static_cast<int>(std::max<qsizetype>(0, names.indexOf(value)));
        };
        return m_fields->choice(name, names, get,
                                [&value, names](int index) { value = names.value(index); });
    };
    addRow(column, tr("Transformer"),
           named("costModel", toStringList(engine::transformerNames()), source.model),
           tr("Set the sizes that determine FLOPs and bytes"));
    addRow(column, tr("Hardware"),
           named("costHardware", toStringList(engine::hardwareNames()), source.hardware),
           tr("Set peak, memory and links of one device"));
    for (const auto& field : engine::trainingSetupFields())
        m_fields->addRow(column, field, source.setup, "cost");
    return rows;
}

QWidget* CostSourceForm::makeRecorded()
{
    constexpr int kMostShare = 99;
    m_file = named(new QLineEdit, "costRun");
    m_file->setReadOnly(true);
    m_file->setPlaceholderText(tr("none"));
    m_file->setFixedWidth(kFormFieldWidth - kBrowseWidth);
    QPushButton* browse = makeBrowseButton(QStringLiteral("chooseCostRun"),
                                           tr("Select a recorded run with the same stages"));
    connect(browse, &QPushButton::clicked, this, &CostSourceForm::choose);
    m_hint = named(makeFormHint(), "costRunHint");
    auto* rows = new QWidget;
    auto& column = *spaced(new QVBoxLayout(rows), QMargins(), 4);
    column.addLayout(makeFormRow(tr("Recorded run"), {m_file, browse}));
    column.addWidget(m_hint);
    addRow(column, tr("I of B, %"),
           m_fields->number("costInputShare", m_plan.source.inputShare, 0, kMostShare,
                            tr("as recorded")),
           tr("Set the input gradient's share of B, for a run that did not split "
              "the backward"));
    return rows;
}

void CostSourceForm::choose()
{
    askForFile(this, tr("Run with the costs"), tr("Runs (*.sqlite)"),
               [this](const QString& file) { takeRun(file); });
}

void CostSourceForm::takeRun(const QString& file)
{
    m_isOfPlan = false;
    m_loading = file;
    setHint(m_hint, tr("reading"));
    m_loader.load(file);
}

// Also takes D, N and the data-parallel width of the run, so that other schemes with the same
// stages can be chosen. If the plan named this run already, keeps the sizes of the plan.
void CostSourceForm::take(const RunPointer& run)
{
    CostSource& source = m_plan.source;
    if (m_isOfPlan && (source.run || source.file != m_loading))
        return; // the plan was replaced meanwhile
    source.run = run;
    if (m_isOfPlan)
        return Q_EMIT planChanged();
    source.kind = Kind::Recorded;
    source.file = m_loading;
    engine::ScheduleRequest& schedule = m_plan.experiment.schedule;
    schedule.devices = run->schedule.shape.devices;
    schedule.microBatches = run->schedule.shape.microBatches;
    schedule.dataParallel = run->schedule.shape.dataParallel;
    schedule = withStagesOf(source, schedule);
    Q_EMIT planChanged();
}

void CostSourceForm::showKind()
{
    const Kind kind = m_plan.source.kind;
    m_hardware->setVisible(kind == Kind::Hardware);
    m_recorded->setVisible(kind == Kind::Recorded);
}

void CostSourceForm::showPlan()
{
    m_fields->show();
    m_kind->setCurrent(static_cast<int>(m_plan.source.kind));
    m_file->setText(m_plan.source.file.section(QLatin1Char('/'), -1));
    m_file->setToolTip(m_plan.source.file);
    setHint(m_hint, {});
    showKind();
    const CostSource& source = m_plan.source;
    if (source.kind == Kind::Recorded && !source.run && !source.file.isEmpty()) {
        takeRun(source.file);
        m_isOfPlan = true;
    }
}

} // namespace app
