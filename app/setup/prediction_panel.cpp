#include "app/setup/prediction_panel.h"

#include "app/setup/schemes.h"
#include "app/ui/text.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace app {
namespace {

// Finds the formula in "Makespan 3N + 3(D-1), bubble ...". The description is prose, so the formula
// is shown as a closed form only if its value equals the simulated one.
std::optional<SchemeFact> makespanFact(const engine::Scheme& scheme, const FormulaNumbers& numbers,
                                       double simulated)
{
    static const QRegularExpression kMakespan(
        QStringLiteral("\\bmakespan ([^,;:\\n]*?)(?=[,;:\\n]|\\.(?:\\s|$)| for | at )"),
        QRegularExpression::CaseInsensitiveOption);
    constexpr double kSame = 1e-9;
    const QString details = fromUtf8(scheme.details);
    for (auto found = kMakespan.globalMatch(details); found.hasNext();) {
        const QString expression = found.next().captured(1);
        const ClosedForm form = closedForm(expression.toStdString(), numbers);
        if (form.value && std::abs(*form.value - simulated) < kSame)
            return SchemeFact{fromUtf8("Iteration"),
                              fromUtf8("%1: %2 = %3 units, as simulated")
                                  .arg(form.formula, form.filled, unitsText(*form.value))};
    }
    return std::nullopt;
}

QString paragraphHtml(const SchemeParagraph& paragraph)
{
    const QString text = paragraph.text.toHtmlEscaped();
    return paragraph.isPicture ? QStringLiteral("<pre>%1</pre>").arg(text)
                               : QStringLiteral("<p>%1</p>").arg(text);
}

QString rowHtml(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style='padding-right:16px'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString optionText(const engine::SchemeOption& option)
{
    QStringList values;
    for (const std::string_view value : option.values)
        values.append(fromUtf8(value));
    if (option.isOpen())
        values.append(fromUtf8("any other"));
    return values.join(QStringLiteral(", "));
}

} // namespace

std::vector<SchemeFact> schemeFacts(const engine::Scheme& scheme,
                                    const engine::ScheduleRequest& request,
                                    const Prediction* prediction)
{
    std::vector<SchemeFact> facts;
    if (prediction == nullptr || !prediction->isValid()) {
        if (!scheme.bubbleFormula.empty())
            facts.push_back({fromUtf8("Bubble"),
                             closedForm(scheme.bubbleFormula, formulaNumbers(request)).formula});
        return facts;
    }
    const profiler::RunMetrics& metrics = prediction->metrics;
    const double units = prediction->thumbnail.duration;
    const auto makespan = prediction->closedFormsApply
        ? makespanFact(scheme, formulaNumbers(request), units)
        : std::nullopt;
    facts.push_back(makespan.value_or(
        SchemeFact{fromUtf8("Iteration"),
                   fromUtf8("%1, simulated").arg(timeText(metrics.duration, prediction->info))}));
    const QString form = closedFormText(*prediction);
    facts.push_back({fromUtf8("Bubble"),
                     form.isEmpty() ? fromUtf8("%1, simulated").arg(bubbleText(metrics)) : form});
    facts.push_back(
        {fromUtf8("Peak stash"), fromUtf8("%1 Mₐ at most").arg(number(metrics.peakStash(), 1))});
    facts.push_back(
        {fromUtf8("Weights"), fromUtf8("%1 Mθ per device").arg(unitsText(metrics.weights()))});
    facts.push_back({fromUtf8("Messages"),
                     fromUtf8("%1, and %2 copies within a device")
                         .arg(number(metrics.messages, 0), number(metrics.localCopies, 0))});
    return facts;
}

std::vector<SchemeParagraph> schemeParagraphs(std::string_view details)
{
    static const QRegularExpression kColumns(QStringLiteral("\\||\\S {2,}\\S"));
    std::vector<SchemeParagraph> paragraphs;
    for (const QString& block :
         fromUtf8(details).split(QStringLiteral("\n\n"), Qt::SkipEmptyParts)) {
        SchemeParagraph paragraph{block, block.contains(kColumns)};
        while (paragraph.text.startsWith(QLatin1Char('\n')))
            paragraph.text.remove(0, 1);
        if (!paragraph.isPicture)
            paragraph.text = paragraph.text.simplified();
        else if (paragraph.text.endsWith(QLatin1Char('\n')))
            paragraph.text.chop(1);
        if (!paragraph.text.isEmpty())
            paragraphs.push_back(std::move(paragraph));
    }
    return paragraphs;
}

QString schemeHtml(const engine::Scheme& scheme, const engine::ScheduleRequest& request,
                   const Prediction* prediction)
{
    QString html = QStringLiteral("<p>%1<br>%2</p>")
                       .arg(fromUtf8(scheme.summary).toHtmlEscaped(),
                            fromUtf8(scheme.citation).toHtmlEscaped());
    html += QStringLiteral("<p><b>%1</b></p><table>")
                .arg(fromUtf8("At D = %1, N = %2").arg(request.devices).arg(request.microBatches));
    for (const SchemeFact& fact : schemeFacts(scheme, request, prediction))
        html += rowHtml(fact.name, fact.value);
    html += QStringLiteral("</table>");
    html += QStringLiteral("<p><b>%1</b></p><table>").arg(fromUtf8("Rule"))
        + rowHtml(fromUtf8("Accepts"), ruleText(scheme));
    for (const engine::SchemeOption& option : scheme.options)
        html += rowHtml(capitalized(fromUtf8(option.title)), optionText(option));
    html += QStringLiteral("</table>");
    for (const SchemeParagraph& paragraph : schemeParagraphs(scheme.details))
        html += paragraphHtml(paragraph);
    return html;
}

namespace {

constexpr int kPictureHeight = 110;

} // namespace

SchemeDialog::SchemeDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
    , m_title(named(makeLabel({}, "heading"), "schemeTitle"))
    , m_preview(named(new SchedulePreview(theme), "schemePreview"))
    , m_text(named(new QTextBrowser, "schemeText", tr("Description of the scheme")))
{
    setObjectName(QStringLiteral("schemeDialog"));
    resize(800, 640);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(0);
    setLook(m_text, "kind", QStringLiteral("bare"));
    m_preview->setRowsHeight(kPictureHeight);
    auto* column = spaced(new QVBoxLayout(this), QMargins(20, 16, 20, 14), 10,
                          {m_title, m_preview, makeLine(Qt::Horizontal), {m_text, 1}});
    QPushButton* copy = makeButton(tr("Copy text"), QStringLiteral("copyScheme"));
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_title->text() + QLatin1Char('\n')
                                              + m_text->toPlainText());
    });
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeScheme"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    column->addLayout(
        spaced(new QHBoxLayout, {}, 8,
               {{makeLabel(tr("Updates with D, N and the options of the form."), "hint"), 1},
                copy,
                close}));
}

void SchemeDialog::show(const engine::ScheduleRequest& request, const Prediction* prediction)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme == nullptr)
        return;
    setWindowTitle(fromUtf8(scheme->title));
    m_title->setText(fromUtf8(scheme->title));
    const QString html = schemeHtml(*scheme, request, prediction);
    if (html == m_html)
        return;
    const bool isSame = m_scheme == QString::fromStdString(request.scheme);
    const int place = isSame ? m_text->verticalScrollBar()->value() : 0;
    m_scheme = QString::fromStdString(request.scheme);
    m_html = html;
    m_text->document()->setDefaultStyleSheet(
        QStringLiteral("pre { font-family: \"%1\"; font-size: 12px; } td { padding-bottom: 2px; }")
            .arg(codeFont().family()));
    m_preview->setVisible(prediction != nullptr && prediction->run != nullptr);
    if (m_preview->isVisibleTo(this))
        m_preview->show(std::make_shared<RunView>(prediction->run));
    m_text->setHtml(QString(html).replace(QStringLiteral("Mθ"), QStringLiteral("M<sub>θ</sub>")));
    m_text->verticalScrollBar()->setValue(place);
}

namespace {

using engine::Experiment;

// Larger runs are checked only by their worker.
constexpr std::size_t kMostPlannedOps = 100'000;

QString sizeText(double bytes)
{
    return byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes);
}

// Returns the memory that the run needs; nullopt if the run is not possible for another reason.
std::optional<engine::MemoryNeed> memoryNeedOf(const Experiment& experiment,
                                               const engine::MemorySpaces& spaces,
                                               const engine::Device& device)
{
    const auto lowered = engine::scheduleOf(experiment);
    if (!lowered || opCount(*lowered) > kMostPlannedOps
        || !engine::checkModel(experiment.model, lowered->shape.stages)
        || !engine::checkPrecision(experiment.model.precision, device))
        return std::nullopt;
    const auto pass = engine::passSpec(experiment.model, *lowered);
    if (!pass)
        return std::nullopt;
    const auto model
        = engine::makeTransformer(pass->model, lowered->shape.stages, device, pass->slices);
    const engine::Bytes tokens
        = engine::TokenBatches::bytes(experiment.model, lowered->shape.allMicroBatches());
    const auto plan = engine::planExecution({*lowered, *model, experiment.accumulate, tokens});
    return engine::memoryNeed(experiment, *lowered, plan, spaces);
}

QString memoryProblem(const engine::MemoryNeed& need, const Experiment& experiment,
                      const engine::MemorySpaces& spaces)
{
    if (!spaces.front().holds(need.most()))
        return fromUtf8("This run needs %1; %2 of the %3 that are free can be used.")
            .arg(sizeText(need.most()), sizeText(spaces.front().usable()),
                 sizeText(static_cast<double>(spaces.front().free)));
    return fromUtf8("The fullest device needs %1; it has %2.")
        .arg(sizeText(static_cast<double>(need.fullest)), fromUtf8(experiment.memory().text()));
}

// Describes a remedy: "Micro-batch size 2, 1.20 GiB" for "--micro-batch-size 2".
QString changeText(const engine::Remedy& remedy)
{
    const std::size_t blank = remedy.option.find(' ');
    const auto& field = engine::experimentField(remedy.option.substr(0, blank));
    return QStringLiteral("%1 %2, %3")
        .arg(fromUtf8(field.label), fromUtf8(remedy.option.substr(blank + 1)),
             sizeText(remedy.need.most()));
}

} // namespace

MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free)
{
    const Experiment& experiment = plan.experiment;
    MemoryCheck check;
    if (experiment.mode == engine::Mode::Simulate || experiment.backend == engine::Backend::Cuda)
        return check;
    const auto device = engine::openCpuDevice();
    const engine::MemorySpaces spaces{{free}};
    const auto need = device ? memoryNeedOf(experiment, spaces, **device) : std::nullopt;
    if (!need || engine::fits(*need, experiment, spaces))
        return check;
    check.problem = memoryProblem(*need, experiment, spaces);
    for (const engine::Remedy& remedy : engine::remediesFor(experiment, spaces, **device)) {
        RunPlan changed = plan;
        changed.experiment = remedy.experiment;
        check.changes.push_back({changeText(remedy), std::move(changed)});
    }
    return check;
}

namespace {

// A job with more ops than this is cancelled (at its next step) when a newer request comes. A
// smaller job finishes first, so that the picture keeps moving.
constexpr std::int64_t kLong = 1'000'000;

PreviewPredictor::Answer answerOf(engine::Result<Prediction> result)
{
    PreviewPredictor::Answer answer;
    if (result && result->run != nullptr)
        answer.view = std::make_shared<RunView>(result->run);
    answer.prediction = std::make_shared<const engine::Result<Prediction>>(std::move(result));
    return answer;
}

// The schedule that was built last. Only one job at a time uses it.
struct BuiltSchedule
{
    PredictionRequest request;
    std::optional<PreparedSchedule> schedule;
};

} // namespace

PreviewPredictor::PreviewPredictor(QObject* parent)
    : QObject(parent)
    , m_jobs(
          this,
          [built = std::make_shared<BuiltSchedule>()](const PredictionRequest& request,
                                                      const std::atomic<bool>& isDropped) {
              if (!built->schedule || !built->request.hasSameOrder(request)) {
                  built->schedule.reset();
                  auto prepared = prepare(request);
                  if (!prepared)
                      return answerOf(tl::unexpected(prepared.error()));
                  *built = {request, *std::move(prepared)};
              }
              return isDropped ? Answer() : answerOf(predict(*built->schedule, request));
          },
          [this](Answer answer) {
              answer.isNewest = !m_jobs.isBusy();
              Q_EMIT answered(answer);
          },
          decltype(m_jobs)::Older::Delivered, *QThreadPool::globalInstance(), 1)
{ }

void PreviewPredictor::ask(const PredictionRequest& request)
{
    const std::int64_t ops = estimatedOps(request.schedule);
    if (ops <= kInstantOps && !request.recomputeAhead) {
        drop();
        Q_EMIT answered(answerOf(predict(request)));
        return;
    }
    if (ops > kLong)
        m_jobs.dropRunning();
    m_jobs.ask(request);
}

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
    std::vector<MemoryCheck::Change> changes;
    for (const Remedy& remedy : m_fault.remedies) {
        changes.push_back({remedy.text, m_plan});
        changes.back().plan.experiment.schedule = remedy.request;
    }
    offer(changes);
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
    offer(check.changes);
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

void PredictionPanel::offer(const std::vector<MemoryCheck::Change>& changes)
{
    m_simulate->hide();
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

} // namespace app
