#include "app/pages/setup_page.h"

#include "app/jobs/run_library.h"
#include "app/models/numbers.h"
#include "app/models/text.h"
#include "app/widgets/band.h"
#include "app/widgets/data_table.h"
#include "app/widgets/key_numbers.h"
#include "app/widgets/schedule_preview.h"
#include "app/widgets/scheme_list.h"
#include "app/widgets/setup_form.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

namespace app {
namespace {

constexpr int kDebounce = 60; // ms: a large prediction waits until the typing stops

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
    buildLayout();
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounce);
    connect(&m_debounce, &QTimer::timeout, this, &SetupPage::predictAll);
    connect(&m_predictor, &Predictor::answered, this,
            [this](const QString&, const Predictor::Answer& answer) { showPrediction(answer); });
    connect(&m_tablePredictor, &Predictor::answered, this, &SetupPage::answered);
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
    connect(m_run, &QAction::triggered, this, &SetupPage::run);
    connect(m_copy, &QAction::triggered, this, &SetupPage::copyCommand);
    connect(m_reset, &QAction::triggered, this, [this] { setPlan({}); });
}

QList<QAction*> SetupPage::menuActions(Menu menu) const
{
    if (menu == Menu::Run)
        return {m_run, m_copy, m_reset};
    return {};
}

// A scheme keeps D, N and the model, and starts with its own chunks and options.
void SetupPage::choose(const QString& scheme)
{
    RunPlan plan = m_form->plan();
    plan.request.schedule.scheme = scheme.toStdString();
    plan.request.schedule.chunks = 0;
    plan.request.schedule.options.clear();
    setPlan(plan);
}

void SetupPage::edited()
{
    const engine::ScheduleRequest& request = plan().request.schedule;
    const QString scheme = QString::fromStdString(request.scheme);
    m_schemes->setChosen(scheme);
    m_form->showFault(findFault(request));
    m_predictor.startOver();
    m_tablePredictor.startOver();
    m_preview->setWaiting();
    setRunnable(false);
    if (estimatedOps(request) <= kInstantOps)
        predictAll();
    else
        m_debounce.start();
    Q_EMIT statusChanged();
}

void SetupPage::predictAll()
{
    m_debounce.stop();
    const RunPlan& plan = m_form->plan();
    const Fault fault = findFault(plan.request.schedule);
    if (fault.field == Fault::Field::None)
        m_predictor.ask({}, plan.request);
    else
        refuse(tr("Impossible."), fault.message);

    std::vector<SchemeTableModel::Row> rows;
    std::vector<PredictionRequest> requests;
    for (const engine::Scheme& scheme : engine::schemes()) {
        PredictionRequest request = plan.request;
        if (scheme.name != request.schedule.scheme) {
            request.schedule.scheme = scheme.name;
            request.schedule.chunks = 0;
            request.schedule.options.clear();
        }
        const Fault problem = findFault(request.schedule);
        rows.push_back(
            {fromUtf8(scheme.name), shortTitle(fromUtf8(scheme.title)), problem.message, {}});
        requests.push_back(request);
    }
    m_table->reset(std::move(rows));
    m_table->setChosen(QString::fromStdString(plan.request.schedule.scheme));
    m_tableTitle->setText(tr("Schemes at D = %1, N = %2")
                              .arg(plan.request.schedule.devices)
                              .arg(plan.request.schedule.microBatches));
    for (const PredictionRequest& request : requests) {
        const QString name = QString::fromStdString(request.schedule.scheme);
        if (m_table->at(m_table->rowOf(name)).condition.isEmpty())
            m_tablePredictor.ask(name, request);
    }
    m_schemes->showRows(*m_table);
    m_tableView->selectRow(m_table->rowOf(QString::fromStdString(plan.request.schedule.scheme)));
}

void SetupPage::answered(const QString& key, const Predictor::Answer& answer)
{
    m_table->answer(key, answer);
    m_schemes->showRows(*m_table);
}

void SetupPage::showPrediction(const Predictor::Answer& answer)
{
    m_shown = answer;
    if (!answer->has_value()) {
        refuse(tr("Impossible."), fromUtf8(answer->error().message));
        return;
    }
    const Prediction& prediction = **answer;
    m_preview->show(prediction.run);
    m_numbers->show(&prediction);
    showVerdict(prediction);
    Q_EMIT statusChanged();
}

void SetupPage::showVerdict(const Prediction& prediction)
{
    const int stages = prediction.run->schedule.shape.stages;
    const QString problem = planProblem(plan(), prediction.run->schedule);
    setRunnable(prediction.violations.empty() && problem.isEmpty());
    m_runButton->setToolTip(problem.isEmpty() ? tr("Ctrl+R") : problem);
    if (!prediction.violations.empty())
        m_verdict->show(Band::Kind::Error, tr("Not valid."),
                        fromUtf8(prediction.violations.front().message));
    else if (!problem.isEmpty())
        m_verdict->show(Band::Kind::Warning, tr("Cannot run."), problem);
    else
        m_verdict->show(Band::Kind::Ok, tr("Valid."),
                        tr("%1 ops, no deadlock; every micro-batch goes forward, then backward, "
                           "through stages 0\u2013%2; sends match receives.")
                            .arg(number(static_cast<double>(prediction.computeOps), 0))
                            .arg(stages - 1));
}

void SetupPage::refuse(const QString& bold, const QString& message)
{
    m_shown = nullptr;
    m_preview->show(nullptr);
    m_numbers->show(nullptr);
    m_verdict->show(Band::Kind::Error, bold, message);
    setRunnable(false);
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
    if (plan().mode == engine::Mode::Simulate)
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

QStringList SetupPage::statusTexts() const
{
    const engine::ScheduleRequest& request = plan().request.schedule;
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
    return plan().mode == engine::Mode::Simulate ? tr("next run: simulated, at once")
                                                 : tr("next run: %1 after %2")
                                                       .arg(countOf(plan().iterations, "iteration"))
                                                       .arg(countOf(plan().warmup, "warm-up"));
}

} // namespace app
