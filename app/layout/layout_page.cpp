#include "app/layout/layout_page.h"

#include "app/figures/scene_view.h"
#include "app/plan/cost_form.h"
#include "app/plan/schedule_preview.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/cancel.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/kit/training_kit.h"
#include "engine/schedules/scheme.h"
#include "profiler/search/balance.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>

namespace app {
namespace {

using engine::LayerLayout;
using profiler::LayoutTask;
using profiler::PredictedRun;

constexpr int kFormColumn = 310, kResultColumn = 372, kFoldResult = 1280, kLowPage = 800; // px
constexpr double kMilli = 1e-6; // ms in a ns

struct LayoutSettings
{
    RunPlan plan;
    std::string memory; // as of profiler::memoryLimit()
    std::string layout; // that is shown; "": the layout before
};

// A layout with its simulated iteration.
struct Division
{
    QString name;
    std::vector<int> layers; // of every stage
    std::shared_ptr<const PredictedRun> run;
};

struct StageRow
{
    int stage = 0, device = 0, layers = 0, change = 0;
    bool isFirst = false, isLast = false;
    // ms of a micro-batch: of this stage, of this stage with the layout before, of the slowest
    // stage with either, of all stages on average.
    double forward = 0, backward = 0, before = 0, longest = 0, mean = 0;

    double both() const { return forward + backward; }
    QString blocks() const // "E t t L"; many layers are one block, "t×12"
    {
        constexpr int kMost = 8;
        QStringList parts;
        if (isFirst)
            parts.append(QStringLiteral("E"));
        if (layers > kMost)
            parts.append(QStringLiteral("t×%1").arg(layers));
        else
            for (int i = 0; i < layers; ++i)
                parts.append(QStringLiteral("t"));
        if (isLast)
            parts.append(QStringLiteral("L"));
        return parts.join(QLatin1Char(' '));
    }
};

struct Question
{
    LayoutSettings settings;
    bool isBalanced = false; // whether the layout is looked for
};

struct Divided
{
    LayoutTask task;
    std::vector<Division> all; // even, before and the shown one, which is the last
    int tried = 0;

    const Division& now() const { return all.back(); }
    const Division& before() const { return all[all.size() - 2]; }
    std::vector<StageRow> stages() const;
};

std::vector<StageRow> timesOf(const Division& division)
{
    const engine::Run& run = division.run->run;
    std::vector<StageRow> rows(division.layers.size());
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans) {
            const engine::Op& op = engine::opAt(run.schedule, index, span.op);
            if (!engine::isCompute(op.kind) || op.kind == engine::OpKind::OptimizerStep)
                continue;
            StageRow& row = rows[static_cast<std::size_t>(op.stage.value)];
            const double time = kMilli * static_cast<double>(span.window().duration())
                / run.schedule.shape.microBatches;
            (op.kind == engine::OpKind::Forward ? row.forward : row.backward) += time;
            row.device = track.device.value;
        }
    return rows;
}

std::vector<StageRow> Divided::stages() const
{
    std::vector<StageRow> rows = timesOf(now());
    const std::vector<StageRow> old = timesOf(before());
    double longest = 0, sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].stage = static_cast<int>(i);
        rows[i].layers = now().layers[i];
        rows[i].change = now().layers[i] - before().layers[i];
        rows[i].before = old[i].both();
        rows[i].isFirst = i == 0;
        rows[i].isLast = i + 1 == rows.size();
        longest = std::max({longest, rows[i].both(), rows[i].before});
        sum += rows[i].both();
    }
    for (StageRow& row : rows) {
        row.longest = longest;
        row.mean = sum / static_cast<double>(rows.size());
    }
    return rows;
}

// Draws the layers of a stage as blocks, and its times as a bar with the time before (a tick) and
// the mean of the stages (dashed).
class StageDelegate : public CellDelegate
{
public:
    enum Column : int { Blocks = 2, Bar = 6 };

    StageDelegate(const ThemeController& theme, RowTable<StageRow>* table)
        : CellDelegate(theme, table)
        , m_rows(*table)
    { }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        painter->save();
        const StageRow& row = m_rows.at(index.row());
        if (index.column() == Blocks)
            paintBlocks(*painter, option, row.blocks().split(QLatin1Char(' '), Qt::SkipEmptyParts));
        else if (index.column() == Bar && row.longest > 0)
            paintBar(*painter, option.rect.adjusted(kPadding, 0, -kNumber, 0), row);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QSize size = CellDelegate::sizeHint(option, index);
        if (index.column() != Blocks)
            return size;
        const auto blocks = m_rows.at(index.row()).blocks().split(QLatin1Char(' '));
        return {2 * kPadding + static_cast<int>(blocks.size() + 1) * kPitch, size.height()};
    }

private:
    static constexpr int kPadding = 9, kPitch = 26, kBlock = 19, kBar = 12, kNumber = 64; // px

    // Covers the text, which is there for the keyboard and screen readers.
    void paintBlocks(QPainter& painter, const QStyleOptionViewItem& option,
                     const QStringList& blocks) const
    {
        const Chrome& c = theme().chrome;
        const QRect& cell = option.rect;
        painter.fillRect(cell.adjusted(0, 0, 0, -1),
                         option.state & QStyle::State_Selected ? c.selected : c.surface);
        painter.setFont(uiFont(11, QFont::DemiBold));
        QRect block(cell.left() + kPadding, cell.center().y() - kBlock / 2, 0, kBlock);
        for (const QString& name : blocks) {
            const bool isLayer = name.startsWith(QLatin1Char('t'));
            block.setWidth(name.size() > 1 ? 2 * kPitch - 2 : kPitch - 2);
            painter.fillRect(block, isLayer ? c.line : c.text2);
            painter.setPen(isLayer ? c.text : c.surface);
            painter.drawText(block, Qt::AlignCenter, name);
            block.translate(block.width() + 2, 0);
        }
    }
    void paintBar(QPainter& painter, const QRectF& area, const StageRow& row) const
    {
        const double perTime = area.width() / row.longest, top = area.center().y() - kBar / 2.0;
        const double forward = perTime * row.forward, both = perTime * row.both();
        const profiler::Palette& palette = theme().palette;
        painter.fillRect(QRectF(area.left(), top, forward, kBar), toQt(palette.forward));
        painter.fillRect(QRectF(area.left() + forward + 1, top, both - forward - 1, kBar),
                         toQt(palette.backward));
        painter.setPen(QPen(theme().chrome.text2, 1, Qt::DashLine));
        const double mean = area.left() + perTime * row.mean;
        painter.drawLine(QPointF(mean, area.top()), QPointF(mean, area.bottom()));
        painter.fillRect(QRectF(area.left() + perTime * row.before - 1, top - 2, 2, kBar + 4),
                         theme().chrome.text);
    }

    const RowTable<StageRow>& m_rows;
};

engine::Result<Divided> divide(const Question& question)
{
    const LayoutSettings& settings = question.settings;
    const profiler::PredictionRequest request = settings.plan.request();
    auto schedule = TRY(profiler::orderOf(request));
    const int stages = schedule.shape.stages;
    Divided divided{TRY(LayoutTask::create(request, std::move(schedule), settings.memory)), {}, 0};
    const LayoutTask& task = divided.task;
    std::vector<int> now = task.before;
    if (question.isBalanced) {
        now = TRY(profiler::balancedLayers(
            task.before, [&](const LayerLayout& layout) -> engine::Result<profiler::LayoutScore> {
                engine::throwIfCancelled();
                ++divided.tried;
                return task.score(layout);
            }));
    } else if (!settings.layout.empty()) {
        const LayerLayout layout = TRY(LayerLayout::parse(settings.layout));
        TRY(layout.check("the model", task.layers(), stages));
        now = layout.counts(task.layers(), stages);
    }
    const auto add
        = [&](const QString& name, const std::vector<int>& layers) -> engine::Result<void> {
        auto run = TRY(task.predict(LayerLayout(layers), true));
        divided.all.push_back({name, layers, std::make_shared<const PredictedRun>(std::move(run))});
        return {};
    };
    TRY(add(QObject::tr("Even"), LayerLayout().counts(task.layers(), stages)));
    TRY(add(QObject::tr("Before"), task.before));
    TRY(add(question.isBalanced ? QObject::tr("Balanced") : QObject::tr("Shown"), now));
    return divided;
}

class LayoutPage : public Page
{
public:
    explicit LayoutPage(const ThemeController& theme)
        : m_theme(theme)
        , m_dividing(this, divide,
                     [this](engine::Result<Divided> divided) { take(std::move(divided)); })
    {
        setObjectName(QStringLiteral("layoutPage"));
        m_settings.plan.experiment.mode = engine::Mode::Simulate;
        m_settings.plan.experiment.schedule = {.scheme = "interleaved-1f1b",
                                               .devices = 8,
                                               .microBatches = 16,
                                               .chunks = 2,
                                               .dataParallel = 1,
                                               .options = {}};
        CostSource& source = m_settings.plan.source;
        source.kind = CostSource::Kind::Hardware;
        source.model = "llama3-8b";
        source.hardware = "h100-sxm";
        makeActions();
        QWidget *form = makeForm(), *centre = makeCentre(), *result = makeResult();
        spaced(new QVBoxLayout(this), {}, 0,
               {makeSplitter(Qt::Horizontal,
                             {{form, kFormColumn}, {centre, 900, 1}, {result, kResultColumn}})});
        result->setVisible(m_showResult->isChecked());
        connect(m_showResult, &QAction::toggled, result, &QWidget::setVisible);
        connect(m_fields, &BoundFields::edited, this, &LayoutPage::edited);
        connect(m_costs, &CostForm::edited, this, &LayoutPage::edited);
        connect(m_costs, &CostForm::planChanged, this, [this] { setPlan(m_settings.plan); });
        connect(m_layout, &QLineEdit::textEdited, this, [this](const QString& text) {
            m_settings.layout = text.trimmed().toStdString();
            ask(false);
        });
        connect(&m_views, &ViewPreparation::ready, this,
                [this](const auto& views) { showSchedules(views); });
        setPlan(m_settings.plan);
    }

    QString title() const override { return tr("Layers per stage"); }

    QStringList statusTexts() const override
    {
        if (!m_divided)
            return {tr("<b>No layout</b>")};
        QStringList texts{tr("<b>%1</b>").arg(fromUtf8(m_divided->task.costs).toHtmlEscaped()),
                          countOf(std::ssize(m_divided->now().layers), "stage"),
                          countOf(m_divided->task.layers(), "layer")};
        if (m_divided->tried > 0)
            texts.append(tr("%1 tried").arg(countOf(m_divided->tried, "layout")));
        return texts;
    }

    void showRequest(const PageRequest& request) override
    {
        if (request.plan)
            setPlan(*request.plan);
    }

    QJsonObject state() const override
    {
        return {{QStringLiteral("plan"), planState(m_settings.plan)},
                {QStringLiteral("memory"), QString::fromStdString(m_settings.memory)},
                {QStringLiteral("layout"), QString::fromStdString(m_settings.layout)}};
    }

    void restoreState(const QJsonObject& state) override
    {
        m_settings.memory = state.value(QStringLiteral("memory")).toString().toStdString();
        m_settings.plan = restoredPlan(state.value(QStringLiteral("plan")).toObject());
        m_settings.layout = state.value(QStringLiteral("layout")).toString().toStdString();
        showPlan();
        ask(false);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        for (QWidget* widget : std::initializer_list<QWidget*>{m_beforePreview, m_checks})
            widget->setVisible(height() >= kLowPage);
    }

private:
    void makeActions()
    {
        m_balance = makeAction("balanceLayers", tr("Balance"), Qt::CTRL | Qt::Key_Return,
                               [this] { ask(true); });
        m_even = makeAction("evenLayers", tr("Even"), {}, [this] { setLayout(0); });
        m_undo = makeAction("undoLayout", tr("Undo"), QKeySequence::Undo, [this] { step(-1); });
        m_redo = makeAction("redoLayout", tr("Redo"), QKeySequence::Redo, [this] { step(+1); });
        m_moveUp = makeAction("moveLayerUp", tr("Move a layer to the stage before"),
                              Qt::ALT | Qt::Key_Up, [this] { moveLayer(-1); });
        m_moveDown = makeAction("moveLayerDown", tr("Move a layer to the next stage"),
                                Qt::ALT | Qt::Key_Down, [this] { moveLayer(+1); });
        m_use = makeAction("useLayout", tr("Use in New run"), {}, [this] { useInRun(); });
        m_copyMegatron = makeAction("copyMegatron", tr("Copy for Megatron-LM"), {},
                                    [this] { copyText(m_megatron->toPlainText()); });
        m_copyTitan = makeAction("copyTitan", tr("Copy for torchtitan"), {},
                                 [this] { copyText(m_titan->toPlainText()); });
        m_showResult = makeAction("showLayoutResult", tr("Result"), {});
        foldBelow(kFoldResult, *m_showResult);
        followTheme(m_showResult, Icon::Info, m_theme);
        enableResult(false);
        inMenu(Menu::Run, {m_balance, m_even, m_moveUp, m_moveDown, m_undo, m_redo, m_use});
        inMenu(Menu::View, {m_showResult});
        inMenu(Menu::Export, {m_copyMegatron, m_copyTitan});
    }

    QWidget* makeForm()
    {
        auto* content = makeSurface("plain");
        auto* column = spaced(new QVBoxLayout(content), {}, 0);
        QVBoxLayout& shape = *makeFormSection(*column);
        QStringList titles;
        for (const engine::Scheme& scheme : engine::schemes())
            if (!scheme.asynchronous)
                m_schemes.emplace_back(scheme.name);
        for (const std::string& scheme : m_schemes)
            titles.append(schemeTitle(QString::fromStdString(scheme)));
        QComboBox* scheme = m_fields->choice(
            "layoutScheme", titles,
            [this] {
                const auto found = std::ranges::find(m_schemes, schedule().scheme);
                return static_cast<int>(found - m_schemes.begin());
            },
            [this](int index) {
                if (index < 0)
                    return;
                m_settings.plan
                    = withScheme(m_settings.plan, m_schemes[static_cast<std::size_t>(index)]);
            });
        scheme->setAccessibleName(tr("Scheme"));
        shape.addLayout(makeFormRow(tr("Scheme"), {scheme}));
        for (const char* flag : {"--devices", "--micro-batches", "--chunks"}) {
            QWidget* field = m_fields->addRow(shape, engine::experimentField(flag),
                                              m_settings.plan.experiment, "layout");
            if (std::string_view(flag) == "--chunks")
                field->setFixedWidth(kFormFieldWidth); // for "the scheme's"
        }
        m_fields->addRow(shape, m_memory, m_settings, "layout");
        shape.addWidget(m_problem);
        column->addWidget(makeLine(Qt::Horizontal));
        column->addWidget(m_costs);
        column->addStretch(1);
        auto* balance = makeButton(m_balance, "balanceButton", "primary");
        setInitialFocus(balance);
        auto* form = makeLined({makeBar(40, 8, {makeLabel(tr("Set-up"), "dock"), kStretch}),
                                {makeScroll(content), 1},
                                makeFoot({{balance, 1}, {makeButton(m_even, "evenButton"), 1}})});
        form->setMinimumWidth(kFormColumn);
        return form;
    }

    QWidget* makeCentre()
    {
        m_layout->setAccessibleName(tr("Layers per stage, in Megatron-LM's form"));
        m_layout->setFont(codeFont(13));
        auto* hint = makeWrapped("hint", "",
                                 tr("E embedding, t layer, L output layer; | ends a "
                                    "stage, x*n and (…)*n repeat"));
        m_stages->setItemDelegate(new StageDelegate(m_theme, m_stages));
        for (DeviceView* chart : {m_compute, m_peak})
            chart->setMinimumHeight(190);
        return makeLined(
            {makeBar(40, 8,
                     {makeLabel(tr("Layout"), "dock"), new Tag(m_theme, tr("simulated"), this),
                      kStretch, makeButton(m_undo, "undoButton", "tool"),
                      makeButton(m_redo, "redoButton", "tool"), makeToolButton(m_showResult)}),
             makeColumn({12, 10, 12, 10}, 6, {m_layout, hint, m_sentence}),
             {m_stages, 3},
             {makeRow({8, 4, 8, 4}, 8, {{m_compute, 1}, {m_peak, 1}}), 2}});
    }

    QWidget* makeResult()
    {
        for (QPlainTextEdit* text : {m_megatron, m_titan}) {
            text->setReadOnly(true);
            text->setFont(codeFont(12));
            text->setTabChangesFocus(true);
            text->setLineWrapMode(QPlainTextEdit::NoWrap);
            text->setMinimumHeight(60);
        }
        m_preview->setPlaceholder(tr("The schedule appears here"));
        for (SchedulePreview* preview : {m_preview, m_beforePreview})
            preview->setRowsHeight(100);
        m_checks->setContentsMargins(12, 8, 12, 8);
        auto* dock = makeLined({makeBar(40, 8, {makeLabel(tr("Result"), "dock"), kStretch}),
                                m_all,
                                makeColumn({8, 4, 8, 4}, 0, {m_beforePreview, m_preview}),
                                m_checks,
                                makeBar(36, 8,
                                        {makeLabel(QStringLiteral("Megatron-LM"), "dock"), kStretch,
                                         makeButton(m_copyMegatron, "copyMegatronButton", "tool")}),
                                {m_megatron, 1},
                                makeBar(36, 8,
                                        {makeLabel(QStringLiteral("torchtitan"), "dock"), kStretch,
                                         makeButton(m_copyTitan, "copyTitanButton", "tool")}),
                                {m_titan, 2},
                                makeFoot({{makeButton(m_use, "useLayoutButton", "primary"), 1}})});
        dock->setMinimumWidth(kFormColumn);
        return dock;
    }

    engine::ScheduleRequest& schedule() { return m_settings.plan.experiment.schedule; }

    void setPlan(const RunPlan& plan)
    {
        m_settings.plan = plan;
        m_settings.plan.experiment.mode = engine::Mode::Simulate;
        const CostSource& source = m_settings.plan.source;
        if (source.kind == CostSource::Kind::Recorded && source.run) {
            schedule().scheme = source.run->schedule.scheme;
            schedule() = withStagesOf(source, schedule());
        }
        showPlan();
        edited();
    }

    void showPlan()
    {
        m_fields->show();
        m_costs->showPlan();
    }

    // Another pipeline or other costs have another layout before.
    void edited()
    {
        m_settings.layout.clear();
        m_steps.clear();
        m_fields->show(); // a scheme changes the number of chunks
        ask(false);
    }

    void ask(bool isBalanced)
    {
        const QString problem
            = m_fields->problem().isEmpty() ? m_costs->problem() : m_fields->problem();
        m_problem->setText(problem);
        m_problem->setVisible(!problem.isEmpty());
        m_balance->setEnabled(problem.isEmpty());
        if (!problem.isEmpty())
            return;
        m_preview->setWaiting();
        if (isBalanced)
            m_sentence->show(Band::Kind::Neutral, tr("Balancing."),
                             tr("Layers move between stages while the iteration gets shorter."));
        m_dividing.ask({m_settings, isBalanced});
    }

    void take(engine::Result<Divided> divided)
    {
        m_divided = divided ? std::make_shared<const Divided>(*std::move(divided)) : nullptr;
        if (m_divided != nullptr)
            remember(LayerLayout(m_divided->now().layers).text());
        enableResult(m_divided != nullptr);
        if (m_divided == nullptr)
            showError(divided.error());
        else
            showDivided();
        Q_EMIT statusChanged();
    }

    void enableResult(bool isKnown)
    {
        for (QAction* action : {m_even, m_moveUp, m_moveDown, m_use, m_copyMegatron, m_copyTitan})
            action->setEnabled(isKnown);
        m_undo->setEnabled(m_step > 0 && m_step < m_steps.size());
        m_redo->setEnabled(m_step + 1 < m_steps.size());
    }

    // Every valid layout that was shown is a step.
    void remember(const std::string& layout)
    {
        if (m_step < m_steps.size() && m_steps[m_step] == layout)
            return;
        m_steps.resize(std::min(m_steps.size(), m_step + 1));
        m_step = m_steps.size();
        m_steps.push_back(layout);
    }
    void step(int by)
    {
        m_step += static_cast<std::size_t>(by);
        showLayout(m_steps[m_step]);
    }
    // Moves a layer of the current stage over its upper (-1) or lower (+1) edge.
    void moveLayer(int by)
    {
        const StageRow* row = m_stages->current();
        std::vector<int> layers = m_divided->now().layers;
        const int to = row == nullptr ? -1 : row->stage + by;
        if (to < 0 || to >= std::ssize(layers) || row->layers == 0)
            return;
        --layers[static_cast<std::size_t>(row->stage)];
        ++layers[static_cast<std::size_t>(to)];
        showLayout(LayerLayout(layers).text());
    }
    void showLayout(const std::string& layout)
    {
        m_settings.layout = layout;
        m_layout->setText(QString::fromStdString(layout));
        ask(false);
    }

    void showError(const engine::Error& error)
    {
        const bool isUnits = m_settings.plan.source.isUnits();
        m_sentence->show(Band::Kind::Error, tr("No layout."),
                         isUnits
                             ? tr("Layers have no times in units: choose a model on hardware, or a "
                                  "recorded run.")
                             : capitalized(withLabels(engine::Fields<LayoutSettings>(&m_memory, 1),
                                                      error.message)));
        m_preview->setStale();
        if (!m_settings.layout.empty()) // the last valid one stays while another is typed
            return;
        m_checks->clear();
        for (DeviceView* chart : {m_compute, m_peak})
            chart->clear();
        m_stages->show({}, {});
        m_all->show({}, {});
        m_megatron->clear();
        m_titan->clear();
    }

    void showDivided()
    {
        const Division &now = m_divided->now(), &before = m_divided->before();
        const LayerLayout layout(now.layers);
        const QString text = QString::fromStdString(layout.text());
        if (!m_layout->hasFocus() || m_divided->tried > 0) {
            m_layout->setText(text);
            m_settings.layout = layout.text();
        }
        showSentence();
        showStages();
        showDevices();
        showAll();
        showChecks();
        m_views.ask({RunPointer(before.run, &before.run->run), RunPointer(now.run, &now.run->run)});
        m_megatron->setPlainText(QStringLiteral("--pipeline-model-parallel-size %1 \\\n"
                                                "--pipeline-model-parallel-layout '%2'")
                                     .arg(before.run->run.schedule.shape.devices)
                                     .arg(text));
        m_titan->setPlainText(QStringLiteral("module_fqns_per_model_part = [\n%1]")
                                  .arg(QString::fromStdString(engine::titanText(now.layers))));
    }

    void showSentence()
    {
        const auto length
            = [](const Division& of) { return static_cast<double>(of.run->metrics.duration); };
        const auto time = [&](const Division& of) {
            return scaleIn(Unit::Millisecond, 1).withUnit(length(of));
        };
        const Division &now = m_divided->now(), &before = m_divided->before();
        int moved = 0;
        for (const StageRow& row : m_divided->stages())
            moved += std::max(0, row.change);
        const double change = 100 * (length(now) / length(before) - 1);
        const bool fits = m_divided->task.limit.admits(now.run->metrics);
        const QString limit = m_divided->task.limit.of.empty()
            ? QString()
            : tr(" %1 %2.").arg(fits ? tr("Fits") : tr("Does not fit:"),
                                fromUtf8(m_divided->task.limit.text()));
        m_sentence->show(!fits            ? Band::Kind::Error
                             : change < 0 ? Band::Kind::Ok
                             : change > 0 ? Band::Kind::Warning
                                          : Band::Kind::Neutral,
                         moved == 0 ? tr("%1.").arg(time(now))
                                    : tr("%1 instead of %2, %3 %.")
                                          .arg(time(now), time(before), signedNumber(change, 1)),
                         (moved > 0 ? tr("%1 moved.").arg(countOf(moved, "layer"))
                              : m_divided->tried > 0
                              ? tr("No move of layers shortens the iteration.")
                              : tr("Balance looks for a shorter one."))
                             + limit);
    }

    void showStages()
    {
        const int current = m_stages->currentIndex().row();
        using Shown = TableColumn<StageRow>;
        const auto time = [](double StageRow::*member) {
            return [member](const StageRow& row) { return number(row.*member, 2); };
        };
        m_stages->show(
            {Shown(tr("Stage"), &StageRow::stage), Shown(tr("Device"), &StageRow::device),
             Shown(tr("Layers"), &StageRow::blocks, Qt::AlignLeft),
             Shown(tr("Change"),
                   [](const StageRow& row) {
                       return row.change == 0 ? QString() : signedNumber(row.change, 0);
                   }),
             Shown(labelled(tr("F, %1"), Unit::Millisecond), time(&StageRow::forward)),
             Shown(labelled(tr("B, %1"), Unit::Millisecond), time(&StageRow::backward)),
             Shown(labelled(tr("F and B of a micro-batch (tick: before, dashed: mean), %1"),
                            Unit::Millisecond),
                   [](const StageRow& row) { return number(row.both(), 2); })},
            m_divided->stages());
        if (current >= 0)
            m_stages->selectRow(current);
    }

    // The layout before is dashed.
    void showDevices()
    {
        const PredictedRun &now = *m_divided->now().run, &before = *m_divided->before().run;
        DeviceColumns compute = columnsOf(now.run, now.metrics);
        compute.title = tr("Compute of an iteration");
        compute.sum = tr("compute");
        compute.scale = scaleIn(Unit::Millisecond);
        const auto add = [&](const QString& name, profiler::Colour profiler::Palette::*fill,
                             bool isForward) {
            addPart(compute, now.metrics, {name, fill}, [=](const profiler::DeviceMetrics& one) {
                const std::int64_t forward = one.byKind[engine::OpKind::Forward];
                return static_cast<double>(isForward ? forward : one.compute - forward);
            });
        };
        add(tr("forward"), &profiler::Palette::forward, true);
        add(tr("other compute"), &profiler::Palette::backward, false);
        DeviceColumns peak = memoryColumns(now.run, now.metrics);
        if (const auto& limit = m_divided->task.limit.of; !limit.empty())
            peak.limit = *std::ranges::min_element(limit);
        for (const profiler::DeviceMetrics& device : before.metrics.devices) {
            compute.outlines.push_back(static_cast<double>(device.compute));
            peak.outlines.push_back(static_cast<double>(device.peakBytes.value_or(0)));
        }
        m_peak->setVisible(now.metrics.peakBytes().has_value());
        for (const auto& [chart, columns] : {std::pair(m_compute, &compute), {m_peak, &peak}}) {
            columns->axis = tr("%1; dashed: before");
            columns->areWritten = true;
            chart->show(*columns);
        }
    }

    void showAll()
    {
        using Shown = TableColumn<Division>;
        const double before = static_cast<double>(m_divided->before().run->metrics.duration);
        m_all->show(
            {Shown(tr("Layout"), &Division::name, Qt::AlignLeft),
             Shown(labelled(tr("Iteration, %1"), Unit::Millisecond),
                   [](const Division& one) {
                       return number(kMilli * static_cast<double>(one.run->metrics.duration), 1);
                   })
                 .with(kDifferenceRole,
                       [before](const Division& one) -> QVariant {
                           const double change
                               = static_cast<double>(one.run->metrics.duration) / before - 1;
                           return change == 0
                               ? QString()
                               : QString(signedNumber(100 * change, 1) + QStringLiteral(" %"));
                       }),
             Shown(tr("Bubble, %"),
                   [](const Division& one) { return bubbleNumber(one.run->metrics); }),
             Shown(labelled(tr("Peak, %1"), Unit::GiB),
                   [](const Division& one) {
                       return scaleIn(Unit::GiB, 1)
                           .text(static_cast<double>(one.run->metrics.peakBytes().value_or(0)));
                   })
                 .onlyIf(
                     [](const Division& one) { return one.run->metrics.peakBytes().has_value(); })},
            m_divided->all);
        m_all->fit();
    }

    void showChecks()
    {
        const Division& now = m_divided->now();
        const engine::Shape& shape = now.run->run.schedule.shape;
        const LayoutTask& task = m_divided->task;
        QStringList checks{
            tr("✓ E, %1 and L in order").arg(countOf(task.layers(), "layer")),
            tr("✓ %1 on %2").arg(countOf(shape.stages, "stage"), countOf(shape.devices, "device"))};
        const auto empty = std::ranges::count(now.layers, 0);
        checks.append(
            empty == 0
                ? tr("✓ every stage has a layer")
                : tr("✗ %1 without a layer cannot be trained here").arg(countOf(empty, "stage")));
        if (const auto peak = now.run->metrics.peakBytes(); peak && !task.limit.of.empty())
            checks.append(tr("%1 memory of every device: %2, limit %3")
                              .arg(task.limit.admits(now.run->metrics) ? tr("✓") : tr("✗"),
                                   scaleIn(Unit::GiB, 1).withUnit(static_cast<double>(*peak)),
                                   fromUtf8(task.limit.text())));
        m_checks->setText(checks.join(QLatin1Char('\n')));
    }

    // The layout before and the shown one, on one time axis.
    void showSchedules(const std::vector<RunViewPointer>& views)
    {
        std::int64_t longest = 0;
        for (const Division* one : {&m_divided->before(), &m_divided->now()})
            longest = std::max(longest, one->run->metrics.duration);
        for (SchedulePreview* preview : {m_beforePreview, m_preview})
            preview->setAxis(longest);
        m_beforePreview->setName(m_divided->before().name);
        m_preview->setName(m_divided->now().name);
        if (height() >= kLowPage)
            m_beforePreview->show(views.front());
        m_preview->show(views.back());
    }

    void setLayout(std::size_t division)
    {
        showLayout(LayerLayout(m_divided->all[division].layers).text());
    }

    void useInRun()
    {
        RunPlan plan = m_settings.plan;
        const LayerLayout layout(m_divided->now().layers);
        plan.source.setup.layout = layout;
        plan.experiment.model.layout = layout;
        Q_EMIT pageRequested({.kind = "setup", .plan = plan});
    }

    const ThemeController& m_theme;
    LayoutSettings m_settings;
    std::vector<std::string> m_schemes;
    std::shared_ptr<const Divided> m_divided; // nullptr: none
    Latest<Question, engine::Result<Divided>> m_dividing;
    ViewPreparation m_views;

    const engine::Field<LayoutSettings> m_memory
        = engine::field(engine::option({}, "--memory", "Limit per device",
                                       "Most memory of a device, as in 40GiB; one value, or one "
                                       "for each device"),
                        &LayoutSettings::memory);
    BoundFields* m_fields = new BoundFields(m_theme, this);
    CostForm* m_costs = CostForm::make(m_theme, m_settings.plan, CostForm::Order::Searched);
    QLineEdit* m_layout = named(new QLineEdit, "layoutText");
    Band* m_sentence = named(new Band(m_theme, Band::Shape::Verdict), "layoutSentence");
    QLabel* m_problem = makeWrapped("hint", "layoutProblem");
    RowTable<StageRow>* m_stages
        = new RowTable<StageRow>(m_theme, 25, "layoutStages", tr("Stages"), StageDelegate::Bar);
    RowTable<Division>* m_all = new RowTable<Division>(m_theme, 26, "layoutRows", tr("Layouts"), 0);
    DeviceView *m_compute = new DeviceView(m_theme, "layoutCompute"),
               *m_peak = new DeviceView(m_theme, "layoutPeak");
    SchedulePreview *m_preview = named(new SchedulePreview(m_theme), "layoutPreview"),
                    *m_beforePreview = named(new SchedulePreview(m_theme), "layoutBefore");
    QLabel* m_checks = makeWrapped("small", "layoutChecks");
    std::vector<std::string> m_steps; // layouts that were shown, for undo and redo
    std::size_t m_step = 0;           // the shown one
    QPlainTextEdit *m_megatron
        = named(new QPlainTextEdit, "megatronLayout", tr("Options of Megatron-LM")),
        *m_titan = named(new QPlainTextEdit, "titanLayout", tr("Configuration of torchtitan"));
    QAction *m_balance, *m_even, *m_moveUp, *m_moveDown, *m_undo, *m_redo, *m_use, *m_copyMegatron,
        *m_copyTitan, *m_showResult;
};

} // namespace

Page* makeLayout(const ThemeController& theme)
{
    return new LayoutPage(theme);
}

} // namespace app
