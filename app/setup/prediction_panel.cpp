#include "app/setup/prediction_panel.h"

#include "app/plan/key_numbers.h"
#include "app/plan/schedule_preview.h"
#include "app/setup/scheme_dialog.h"
#include "app/setup/scheme_table_model.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QHBoxLayout>

namespace app {
namespace {

constexpr int kDebounce = 60;             // ms; a huge prediction waits until the user stops typing
constexpr int kMemoryDelay = 200;         // ms; memory is planned when the user stops typing
constexpr std::int64_t kHuge = 1'000'000; // ops; smaller predictions start at once in the pool

} // namespace

PredictionPanel::PredictionPanel(const ThemeController& theme, QAction* explain, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_preview(named(new SchedulePreview(theme), "preview"))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "verdict"))
    , m_numbers(named(new KeyNumbers(theme), "keyNumbers"))
    , m_facts(named(makeLabel({}, "hint"), "schemeFacts"))
{
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QPushButton* about
        = makeButton(tr("About this scheme"), QStringLiteral("aboutScheme"), "link", explain);
    about->setToolTip(tr("Show citation, rule, diagram and formulas (Ctrl+I)"));
    addRemedies();
    auto* facts
        = spaced(new QHBoxLayout, {0, 2, 0, 0}, 12, {{m_facts, 1}, {about, 0, Qt::AlignTop}});
    auto* top = spaced(new QVBoxLayout, {20, 12, 12, 12}, 4, {m_preview, m_band, facts});
    spaced(new QVBoxLayout(this), {}, 0, {top, makeLine(Qt::Horizontal), m_numbers});
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounce);
    connect(&m_debounce, &QTimer::timeout, this, &PredictionPanel::predict);
    m_memoryDelay.setSingleShot(true);
    m_memoryDelay.setInterval(kMemoryDelay);
    connect(&m_memoryDelay, &QTimer::timeout, this, [this] { m_memory.ask(m_plan); });
    connect(&m_predictor, &PreviewPredictor::answered, this, &PredictionPanel::showAnswer);
}

void PredictionPanel::addRemedies()
{
    for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
        m_remedyButtons[i] = m_band->addAction({}, QStringLiteral("remedy%1").arg(i));
        connect(m_remedyButtons[i], &QPushButton::clicked, this,
                [this, i] { Q_EMIT planOffered(m_remedies[i]); });
    }
    m_simulate = m_band->addAction(tr("Simulate instead"), QStringLiteral("simulateInstead"));
    connect(m_simulate, &QPushButton::clicked, this, [this] {
        RunPlan simulated = m_plan;
        simulated.experiment.mode = engine::Mode::Simulate;
        Q_EMIT planOffered(simulated);
    });
}

void PredictionPanel::setPlan(const RunPlan& plan, const Fault& fault)
{
    m_plan = plan;
    m_fault = fault;
    m_verdict = {.isEditable = m_verdict.isEditable, .problem = {}};
    m_memory.drop();
    m_memoryDelay.stop();
    Q_EMIT judged();
    m_preview->setWaiting();
    if (estimatedOps(plan.experiment.schedule) <= kHuge)
        predict();
    else
        m_debounce.start();
}

const Prediction* PredictionPanel::prediction() const
{
    return m_shown != nullptr && m_shown->has_value() ? &**m_shown : nullptr;
}

void PredictionPanel::predict()
{
    m_debounce.stop();
    if (m_fault.field == Fault::Field::None) {
        m_predictor.ask(m_plan.request());
        return;
    }
    m_predictor.drop();
    refuse(tr("Impossible."), m_fault.message);
    offer(m_fault.remedies);
}

// Shows a prediction, even for an older slider position, but the user can run or keep only the
// newest one.
void PredictionPanel::showAnswer(const PreviewPredictor::Answer& answer)
{
    const engine::Result<Prediction>& result = *answer.prediction;
    m_shown = answer.isNewest ? answer.prediction : nullptr;
    if (!result) {
        if (answer.isNewest)
            refuse(m_plan.source.isUnits() ? tr("Impossible.") : tr("Not predicted."),
                   fromUtf8(result.error().message));
        return;
    }
    m_preview->show(answer.view);
    m_numbers->show(&*result);
    if (!answer.isNewest) {
        m_preview->setWaiting();
        return;
    }
    showFacts(&*result);
    judge(*result);
}

void PredictionPanel::judge(const Prediction& prediction)
{
    offer({});
    m_verdict = {.isEditable = true, .problem = {}};
    if (!prediction.isValid()) {
        m_verdict.problem = fromUtf8(prediction.violations.front().message);
        m_band->show(Band::Kind::Error, tr("Not valid."), m_verdict.problem);
        Q_EMIT judged();
        return;
    }
    const QString refused = planProblem(m_plan, prediction.run->schedule);
    const QString problem = refused.isEmpty() ? machineProblem(m_plan, m_here) : refused;
    m_verdict = {problem.isEmpty(), refused.isEmpty(), true, problem};
    m_simulate->setVisible(!problem.isEmpty());
    if (!problem.isEmpty())
        m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
    else if (const QString excess = memoryExcess(prediction); !excess.isEmpty())
        m_band->show(Band::Kind::Warning, tr("Does not fit."), excess);
    else
        m_band->show(Band::Kind::Ok, tr("Valid."),
                     tr("%1 ops, no deadlock; every micro-batch goes forward, then backward, "
                        "through stages 0\u2013%2; sends match receives.")
                         .arg(number(static_cast<double>(prediction.computeOps), 0))
                         .arg(prediction.run->schedule.shape.stages - 1));
    if (problem.isEmpty() && m_plan.experiment.mode != engine::Mode::Simulate)
        m_memoryDelay.start();
    Q_EMIT judged();
}

// A run that does not fit cannot be started here, but its command can be copied.
void PredictionPanel::showMemory(const MemoryCheck& check)
{
    if (check.problem.isEmpty())
        return;
    m_verdict = {.isCommand = true, .isEditable = true, .problem = check.problem};
    m_band->show(Band::Kind::Error, tr("Does not fit."), check.problem);
    offerPlans(check.changes);
    m_simulate->setVisible(check.changes.empty());
    Q_EMIT judged();
}

// Shows the citation of the paper and its closed form for these numbers.
void PredictionPanel::showFacts(const Prediction* prediction)
{
    const engine::ScheduleRequest& request = m_plan.experiment.schedule;
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme == nullptr || !m_plan.experiment.scheduleFile.empty())
        return m_facts->setText({});
    QString text = fromUtf8(scheme->citation);
    const QString form
        = prediction != nullptr ? closedFormText(*prediction) : fromUtf8(scheme->bubbleFormula);
    if (!form.isEmpty())
        text += tr(". Bubble %1").arg(form);
    m_facts->setText(text + QLatin1Char('.'));
    if (m_explanation != nullptr)
        m_explanation->show(request, prediction);
}

void PredictionPanel::explain()
{
    if (m_explanation == nullptr)
        m_explanation = new SchemeDialog(m_theme, this);
    m_explanation->show(m_plan.experiment.schedule, prediction());
    m_explanation->setVisible(true);
    m_explanation->raise();
    m_explanation->activateWindow();
}

void PredictionPanel::offer(const std::vector<Remedy>& remedies)
{
    m_simulate->hide();
    for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
        m_remedyButtons[i]->setVisible(i < remedies.size());
        if (i >= remedies.size())
            continue;
        m_remedies[i] = m_plan;
        m_remedies[i].experiment.schedule = remedies[i].request;
        m_remedyButtons[i]->setText(remedies[i].text);
        m_remedyButtons[i]->setToolTip(tr("Use %1").arg(remedies[i].text));
    }
}

void PredictionPanel::offerPlans(const std::vector<MemoryCheck::Change>& changes)
{
    for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
        m_remedyButtons[i]->setVisible(i < changes.size());
        if (i >= changes.size())
            continue;
        m_remedies[i] = changes[i].plan;
        m_remedyButtons[i]->setText(changes[i].text);
        m_remedyButtons[i]->setToolTip(tr("Use %1").arg(changes[i].text));
    }
}

void PredictionPanel::refuse(const QString& bold, const QString& message)
{
    m_shown = nullptr;
    m_preview->setPlaceholder(tr("No schedule with these numbers"));
    m_preview->show(nullptr);
    m_numbers->show(nullptr);
    showFacts(nullptr);
    offer({});
    m_band->show(Band::Kind::Error, bold, message);
    m_verdict = {.problem = message};
    Q_EMIT judged();
}

void PredictionPanel::setPreviewHeight(int height)
{
    m_preview->setRowsHeight(height);
}

} // namespace app
