#include "app/pages/setup_page.h"

#include "app/jobs/run_library.h"
#include "app/models/numbers.h"
#include "app/models/text.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/controls/key_numbers.h"
#include "app/widgets/setup/schedule_preview.h"
#include "app/widgets/setup/scheme_dialog.h"
#include "app/widgets/setup/scheme_list.h"
#include "app/widgets/setup/setup_form.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

#include <utility>

namespace app {
namespace {

constexpr int kTogether = 30;             // ms; results of schemes within it are shown together
constexpr int kDebounce = 60;             // ms; a huge prediction waits until the user stops typing
constexpr std::int64_t kHuge = 1'000'000; // ops; smaller predictions start at once in the pool
// ops of one scheme; up to it all schemes are simulated at once
constexpr std::int64_t kSmall = 4'000;

} // namespace

SetupPage::SetupPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_table(new SchemeTableModel(this))
    , m_schemes(new SchemeList(theme))
    , m_form(new SetupForm(theme))
    , m_preview(new SchedulePreview(theme))
    , m_numbers(new KeyNumbers(theme))
    , m_verdict(new Band(theme, Band::Shape::Verdict))
{
    setObjectName(QStringLiteral("setupPage"));
    makeActions();
    for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
        m_remedyButtons[i] = m_verdict->addAction({}, QStringLiteral("remedy%1").arg(i));
        connect(m_remedyButtons[i], &QPushButton::clicked, this, [this, i] {
            RunPlan better = plan();
            better.experiment.schedule = m_remedies[i].request;
            setPlan(better);
        });
    }
    m_simulate = m_verdict->addAction(tr("Simulate instead"), QStringLiteral("simulateInstead"));
    connect(m_simulate, &QPushButton::clicked, this, [this] {
        RunPlan simulated = plan();
        simulated.experiment.mode = engine::Mode::Simulate;
        setPlan(simulated);
    });
    buildLayout();
    m_showCards.setSingleShot(true);
    m_showCards.setInterval(kTogether);
    connect(&m_showCards, &QTimer::timeout, this, &SetupPage::showArrived);
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounce);
    connect(&m_debounce, &QTimer::timeout, this, &SetupPage::predictAll);
    m_tableDebounce.setSingleShot(true);
    connect(&m_tableDebounce, &QTimer::timeout, this, &SetupPage::predictTable);
    connect(&m_predictor, &PreviewPredictor::answered, this, &SetupPage::showPrediction);
    connect(&m_tablePredictor, &Predictor::answered, this,
            [this](const QString& scheme, const Predictor::Answer& answer) {
                m_arrived.emplace_back(scheme, answer);
                if (!m_showCards.isActive())
                    m_showCards.start();
            });
    connect(m_form, &SetupForm::edited, this, &SetupPage::edited);
    connect(m_schemes, &SchemeList::chosen, this, &SetupPage::choose);
    edited();
}

const RunPlan& SetupPage::plan() const
{
    return m_form->plan();
}

void SetupPage::setPlan(const RunPlan& plan)
{
    m_form->setPlan(plan);
    edited();
}

void SetupPage::makeActions()
{
    const auto make = [this](const QString& text, const char* name, const QKeySequence& keys) {
        auto* action = new QAction(text, this);
        action->setObjectName(QString::fromLatin1(name));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        return action;
    };
    m_run = make(tr("&Run"), "startRun", tr("Ctrl+R"));
    m_copy = make(tr("&Copy as command"), "copyCommand", tr("Ctrl+Shift+C"));
    m_reset = make(tr("Reset &parameters"), "resetPlan", {});
    m_edit = make(tr("&Edit this schedule"), "editThisSchedule", tr("Ctrl+E"));
    m_copyTable = make(tr("Copy the &table of schemes as CSV"), "copyTable", tr("Ctrl+Shift+T"));
    m_find = make(tr("&Find a scheme"), "findScheme", tr("Ctrl+F"));
    m_explain = make(tr("&About this scheme"), "explainScheme", tr("Ctrl+I"));
    m_explain->setStatusTip(tr("show paper, rule, picture and closed forms"));
    connect(m_explain, &QAction::triggered, this, &SetupPage::explainScheme);
    connect(m_run, &QAction::triggered, this, &SetupPage::run);
    connect(m_copy, &QAction::triggered, this, &SetupPage::copyCommand);
    connect(m_reset, &QAction::triggered, this, [this] { setPlan({}); });
    connect(m_edit, &QAction::triggered, this, &SetupPage::editSchedule);
    connect(m_copyTable, &QAction::triggered, this, &SetupPage::copyTable);
    connect(m_find, &QAction::triggered, m_schemes, &SchemeList::focusFilter);
}

QList<QAction*> SetupPage::menuActions(Menu menu) const
{
    if (menu == Menu::Run)
        return {m_run, m_copy, m_reset, m_edit};
    if (menu == Menu::Compare)
        return {m_copyTable};
    if (menu == Menu::View)
        return {m_find, m_explain};
    return {};
}

// A new scheme keeps D, N and the model, but has its own chunks and options.
void SetupPage::choose(const QString& scheme)
{
    RunPlan plan = m_form->plan();
    plan.experiment.scheduleFile.clear();
    engine::ScheduleRequest& schedule = plan.experiment.schedule;
    schedule.scheme = scheme.toStdString();
    schedule.chunks = 0;
    schedule.options.clear();
    schedule = alike(plan.source, schedule);
    setPlan(plan);
}

void SetupPage::edited()
{
    const engine::ScheduleRequest& request = plan().experiment.schedule;
    const bool isFile = !plan().experiment.scheduleFile.empty();
    m_schemes->setChosen(isFile ? QString() : QString::fromStdString(request.scheme));
    m_form->showFault(isFile ? Fault() : findFault(request));
    m_tablePredictor.startOver();
    m_preview->setWaiting();
    setRunnable(false);
    showMarked();
    m_costs->setText(tr("Costs: %1").arg(costsText(plan().request())));
    if (estimatedOps(request) <= kHuge)
        predictAll();
    else
        m_debounce.start();
    Q_EMIT statusChanged();
}

void SetupPage::predictAll()
{
    m_debounce.stop();
    const PredictionRequest request = plan().request();
    const Fault fault = request.scheduleFile.empty() ? findFault(request.schedule) : Fault();
    if (const QString problem = m_form->problem(); !problem.isEmpty()) {
        m_predictor.drop();
        refuse(tr("Impossible."), problem);
    } else if (fault.field == Fault::Field::None) {
        m_predictor.ask(request);
    } else {
        m_predictor.drop();
        refuse(tr("Impossible."), fault.message);
        offer(fault.remedies);
    }
    // While a slider moves, the preview is predicted before the table.
    m_tableDebounce.start(estimatedOps(request.schedule) > kSmall ? kDebounce * 2 : 0);
}

// Results for an older slider position are shown, but can be neither run nor kept.
void SetupPage::showPrediction(const PreviewPredictor::Answer& answer)
{
    const engine::Result<Prediction>& result = *answer.prediction;
    m_shown = answer.isNewest ? answer.prediction : nullptr;
    if (!result) {
        if (answer.isNewest)
            refuse(plan().source.isUnits() ? tr("Impossible.") : tr("Not predicted."),
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
    showVerdict(*result);
    Q_EMIT statusChanged();
}

// The paper, and its closed form for these numbers.
void SetupPage::showFacts(const Prediction* prediction)
{
    const engine::Scheme* scheme = engine::findScheme(plan().experiment.schedule.scheme);
    if (scheme == nullptr || !plan().experiment.scheduleFile.empty())
        return m_facts->setText({});
    QString text = fromUtf8(scheme->citation);
    const QString form
        = prediction != nullptr ? closedFormText(*prediction) : fromUtf8(scheme->bubbleFormula);
    if (!form.isEmpty())
        text += tr(". Bubble %1").arg(form);
    m_facts->setText(text + QLatin1Char('.'));
    if (m_explanation != nullptr)
        m_explanation->show(plan().experiment.schedule, prediction);
}

void SetupPage::explainScheme()
{
    if (m_explanation == nullptr)
        m_explanation = new SchemeDialog(this);
    const bool isThere = m_shown != nullptr && m_shown->has_value();
    m_explanation->show(plan().experiment.schedule, isThere ? &**m_shown : nullptr);
    m_explanation->setVisible(true);
    m_explanation->raise();
    m_explanation->activateWindow();
}

void SetupPage::showVerdict(const Prediction& prediction)
{
    offer({});
    m_edit->setEnabled(true);
    if (!prediction.isValid()) {
        setRunnable(false);
        m_verdict->show(Band::Kind::Error, tr("Not valid."),
                        fromUtf8(prediction.violations.front().message));
        return;
    }
    const QString refused = planProblem(plan(), prediction.run->schedule);
    const QString problem = refused.isEmpty() ? machineProblem(plan(), m_here) : refused;
    setRunnable(problem.isEmpty());
    m_copy->setEnabled(refused.isEmpty()); // the command may run on another machine
    m_runButton->setToolTip(problem.isEmpty() ? tr("Ctrl+R") : problem);
    m_simulate->setVisible(!problem.isEmpty());
    if (!problem.isEmpty())
        m_verdict->show(Band::Kind::Warning, tr("Cannot run."), problem);
    else if (const QString excess = memoryExcess(prediction); !excess.isEmpty())
        m_verdict->show(Band::Kind::Warning, tr("Does not fit."), excess);
    else
        m_verdict->show(Band::Kind::Ok, tr("Valid."),
                        tr("%1 ops, no deadlock; every micro-batch goes forward, then backward, "
                           "through stages 0\u2013%2; sends match receives.")
                            .arg(number(static_cast<double>(prediction.computeOps), 0))
                            .arg(prediction.run->schedule.shape.stages - 1));
}

void SetupPage::offer(const std::vector<Remedy>& remedies)
{
    m_simulate->hide();
    for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
        const bool isThere = i < remedies.size();
        m_remedyButtons[i]->setVisible(isThere);
        if (!isThere)
            continue;
        m_remedies[i] = remedies[i];
        m_remedyButtons[i]->setText(remedies[i].text);
        m_remedyButtons[i]->setToolTip(tr("Use %1").arg(remedies[i].text));
    }
}

void SetupPage::refuse(const QString& bold, const QString& message)
{
    m_shown = nullptr;
    m_preview->setNothing(tr("No schedule with these numbers"));
    m_preview->show(nullptr);
    m_numbers->show(nullptr);
    showFacts(nullptr);
    offer({});
    m_verdict->show(Band::Kind::Error, bold, message);
    setRunnable(false);
    m_runButton->setToolTip(message);
    m_edit->setEnabled(false);
    Q_EMIT statusChanged();
}

void SetupPage::setRunnable(bool runnable)
{
    m_run->setEnabled(runnable);
    m_runButton->setEnabled(runnable);
    m_copy->setEnabled(runnable);
}

void SetupPage::run()
{
    if (plan().experiment.mode == engine::Mode::Simulate)
        keepPrediction();
    else
        Q_EMIT startRequested(runOptions(plan()));
}

void SetupPage::keepPrediction()
{
    if (m_shown == nullptr || !m_shown->has_value())
        return;
    const QString file = newRunFile(runOptions(plan()));
    engine::Run run = *(*m_shown)->run;
    run.info.command = commandText(plan()).toStdString();
    run.info.program = engine::buildId();
    if (const auto written = profiler::writeRun(file.toStdString(), run); !written)
        m_verdict->show(Band::Kind::Error, tr("Not written."), fromUtf8(written.error().message));
    else
        Q_EMIT openRequested(file);
}

void SetupPage::copyCommand()
{
    QGuiApplication::clipboard()->setText(commandText(plan()));
    m_verdict->show(Band::Kind::Ok, tr("Copied."), commandText(plan()));
}

void SetupPage::editSchedule()
{
    const auto schedule = orderOf(plan().request());
    if (!schedule) {
        refuse(tr("Impossible."), fromUtf8(schedule.error().message));
        return;
    }
    Q_EMIT editRequested(std::make_shared<const engine::Schedule>(*schedule), plan().request());
}

QStringList SetupPage::statusTexts() const
{
    const engine::ScheduleRequest& request = plan().experiment.schedule;
    QString text = QStringLiteral("%1, D %2, N %3")
                       .arg(QString::fromStdString(request.scheme))
                       .arg(request.devices)
                       .arg(request.microBatches);
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int chunks
        = request.chunks > 0 || scheme == nullptr ? request.chunks : scheme->defaultChunks;
    if (chunks > 1)
        text += QStringLiteral(", v %1").arg(chunks);
    return {text, tr("prediction updates while you type")};
}

QString SetupPage::statusNote() const
{
    return plan().experiment.mode == engine::Mode::Simulate
        ? tr("next run: simulated, at once")
        : tr("next run: %1 after %2")
              .arg(countOf(plan().experiment.iterations, "iteration"))
              .arg(countOf(plan().experiment.warmup, "warm-up"));
}

} // namespace app
