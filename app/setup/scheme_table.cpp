#include "app/setup/scheme_table.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/side_threads.h"
#include "app/ui/text.h"

#include <QHBoxLayout>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace app {
namespace {

// The largest number of cached results. It is enough for a dozen settings with all schemes.
constexpr std::size_t kRemembered = 400;
// Results whose thumbnail has more boxes than this are not cached.
constexpr std::size_t kLargest = 20'000;

Predictor::Answer summaryOf(const PredictionRequest& request)
{
    auto result = predict(request);
    if (result)
        result->run.reset();
    return std::make_shared<const engine::Result<Prediction>>(std::move(result));
}

} // namespace

Predictor::Predictor(QObject* parent)
    : QObject(parent)
    , m_background(this, sideThreads())
    , m_generation(std::make_shared<std::atomic<int>>(0))
{ }

void Predictor::startOver()
{
    m_generation->fetch_add(1);
}

Predictor::Answer Predictor::known(const PredictionRequest& request) const
{
    const auto found = std::ranges::find(
        m_known, request, [](const auto& pair) -> const auto& { return pair.first; });
    return found == m_known.end() ? nullptr : found->second;
}

void Predictor::remember(const PredictionRequest& request, const Answer& answer)
{
    if (!answer->has_value() || (*answer)->thumbnail.boxes.size() > kLargest)
        return;
    m_known.emplace_front(request, answer);
    if (m_known.size() > kRemembered)
        m_known.pop_back();
}

void Predictor::ask(const QString& key, const PredictionRequest& request)
{
    if (const Answer answer = known(request)) {
        Q_EMIT answered(key, answer);
        return;
    }
    const int since = m_generation->load();
    const auto job = [generation = m_generation, since, request]() -> Answer {
        return generation->load() == since ? summaryOf(request) : nullptr;
    };
    m_background.run(job, [this, since, key, request](const Answer& answer) {
        if (answer == nullptr)
            return;
        remember(request, answer);
        if (m_generation->load() == since)
            Q_EMIT answered(key, answer);
    });
}

namespace {

constexpr int kCollect = 30; // ms; results that arrive within this time are shown together
// Delay before large schedules of all schemes are predicted, so that the chosen scheme is predicted
// first while a slider moves.
constexpr int kTableDelay = 120;                 // ms
constexpr std::int64_t kPredictedAtOnce = 4'000; // ops per scheme; up to this, there is no delay

} // namespace

SchemeTable::SchemeTable(const ThemeController& theme, QAction* copy, QWidget* parent)
    : QWidget(parent)
    , m_model(new SchemeTableModel(this))
    , m_view(
          named(new DataTable(theme, 30), "schemeTable", tr("All schemes with these parameters")))
    , m_title(makeLabel({}, "dock"))
    , m_run(makeButton({}, QStringLiteral("runMarked"), "tool"))
{
    m_view->setModel(m_model);
    m_view->horizontalHeader()->setSectionsClickable(true);
    m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_view->setSortingEnabled(true);
    using enum SchemeTableModel::Column;
    m_view->setDispensable({static_cast<int>(Local), static_cast<int>(Weights),
                            static_cast<int>(Messages), static_cast<int>(Stash)});
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_run->hide();
    QPushButton* copyButton
        = makeButton(tr("Copy as CSV"), QStringLiteral("copyTableButton"), "link", copy);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeLine(Qt::Horizontal),
            makeBar(32, 8, {{m_title, 1}, m_run, copyButton}),
            makeLine(Qt::Horizontal),
            {m_view, 1}});
    const auto choose = [this](const QModelIndex& index) {
        if (marked().size() <= 1) // otherwise the user is selecting several rows
            Q_EMIT chosen(m_model->at(index.row()).scheme);
    };
    connect(m_view, &QAbstractItemView::clicked, this, choose);
    connect(m_view, &QAbstractItemView::activated, this, choose);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SchemeTable::showMarked);
    connect(m_view->verticalScrollBar(), &QAbstractSlider::actionTriggered, this,
            [this] { m_isSought = false; }); // the user scrolls
    connect(m_run, &QPushButton::clicked, this, &SchemeTable::runMarked);
    m_debounce.setSingleShot(true);
    connect(&m_debounce, &QTimer::timeout, this, &SchemeTable::predict);
    m_collect.setSingleShot(true);
    m_collect.setInterval(kCollect);
    connect(&m_collect, &QTimer::timeout, this, &SchemeTable::showArrived);
    connect(&m_predictor, &Predictor::answered, this,
            [this](const QString& scheme, const Predictor::Answer& answer) {
                m_arrived.emplace_back(scheme, answer);
                if (!m_collect.isActive())
                    m_collect.start();
            });
}

RunPlan SchemeTable::planOf(std::string_view scheme) const
{
    if (scheme != m_plan.experiment.schedule.scheme)
        return withScheme(m_plan, scheme);
    RunPlan plan = m_plan;
    plan.experiment.scheduleFile.clear();
    return plan;
}

void SchemeTable::setPlan(const RunPlan& plan)
{
    m_isSought = m_isSought || plan.experiment.schedule.scheme != m_plan.experiment.schedule.scheme;
    m_plan = plan;
    m_predictor.startOver();
    showMarked();
    const bool isLarge = estimatedOps(plan.experiment.schedule) > kPredictedAtOnce;
    m_debounce.start(isLarge ? kTableDelay : 0);
}

// Predicts every scheme at this D, N and cost. All except the chosen one have default options.
void SchemeTable::predict()
{
    const engine::ScheduleRequest& chosen = m_plan.experiment.schedule;
    std::vector<SchemeTableModel::Row> rows;
    std::vector<PredictionRequest> requests;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const PredictionRequest request = planOf(scheme.name).request();
        const auto possible = engine::checkRequest(request.schedule);
        rows.push_back({fromUtf8(scheme.name),
                        shortTitle(fromUtf8(scheme.title)),
                        possible ? QString() : fromUtf8(possible.error().message),
                        {}});
        if (possible)
            requests.push_back(request);
    }
    const QString name = QString::fromStdString(chosen.scheme);
    m_arrived.clear();
    m_model->setRows(std::move(rows));
    using enum SchemeTableModel::Column;
    for (const SchemeTableModel::Column column : {Memory, Fits})
        m_view->setColumnHidden(static_cast<int>(column),
                                m_plan.source.kind != CostSource::Kind::Hardware);
    m_model->setChosen(name);
    m_title->setText(tr("Schemes at D = %1, N = %2").arg(chosen.devices).arg(chosen.microBatches));
    for (const PredictionRequest& request : requests)
        m_predictor.ask(QString::fromStdString(request.schedule.scheme), request);
    m_collect.start();
    // Selects the row without making it current, because the table would scroll to it again while
    // the user looks at other rows.
    if (marked().size() > 1)
        return; // the user selected several
    m_view->selectionModel()->select(m_model->index(m_model->rowOf(name), 0),
                                     QItemSelectionModel::ClearAndSelect
                                         | QItemSelectionModel::Rows);
}

void SchemeTable::showArrived()
{
    m_model->answer(std::exchange(m_arrived, {}));
    if (m_isSought)
        showChosen();
    Q_EMIT answered();
}

// Scrolls to the chosen scheme. Its row moves until all schemes have their answers.
void SchemeTable::showChosen()
{
    const QString name = QString::fromStdString(m_plan.experiment.schedule.scheme);
    m_view->scrollTo(m_model->index(m_model->rowOf(name), 0));
    m_isSought = !m_model->isComplete();
}

QStringList SchemeTable::marked() const
{
    QStringList schemes;
    for (const QModelIndex& row : m_view->selectionModel()->selectedRows())
        schemes.append(m_model->at(row.row()).scheme);
    return schemes;
}

void SchemeTable::showMarked()
{
    const auto count = marked().size();
    const bool isSimulated = m_plan.experiment.mode == engine::Mode::Simulate;
    m_run->setVisible(count > 1);
    m_run->setText(isSimulated ? tr("Compare %1 predictions").arg(count)
                               : tr("Run %1 schemes").arg(count));
    m_run->setToolTip(isSimulated
                          ? tr("Keep the predictions of the selected schemes and compare them")
                          : tr("Train with the selected schemes sequentially and compare them"));
}

void SchemeTable::predictMarked()
{
    std::vector<RunPlan> plans;
    QStringList refused;
    for (const QString& name : marked()) {
        RunPlan plan = planOf(name.toStdString());
        if (engine::checkRequest(plan.request().schedule))
            plans.push_back(std::move(plan));
        else
            refused.append(name);
    }
    Q_EMIT predictRequested(plans, refused);
}

void SchemeTable::runMarked()
{
    if (m_plan.experiment.mode == engine::Mode::Simulate)
        return predictMarked();
    const DeviceFacts here = deviceFacts();
    QList<QStringList> options;
    QStringList refused;
    for (const QString& name : marked()) {
        const RunPlan plan = planOf(name.toStdString());
        const auto prepared = prepare(plan.request());
        if (prepared && prepared->violations.empty()
            && planProblem(plan, prepared->lowered).isEmpty()
            && machineProblem(plan, here).isEmpty())
            options.append(runOptions(plan));
        else
            refused.append(name);
    }
    Q_EMIT runRequested(options, refused);
}

} // namespace app
