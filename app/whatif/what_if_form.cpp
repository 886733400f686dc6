#include "app/whatif/what_if_form.h"

#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"
#include "app/whatif/cost_table.h"
#include "app/whatif/edit_list.h"
#include "app/whatif/layer_bar.h"
#include "app/whatif/slow_form.h"
#include "app/whatif/stage_costs_model.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QScrollArea>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace app {
namespace {

// Ends of the sliders for links: 2^(20/10) = 4 times as fast, or as slow.
constexpr int kSliderEnd = 20;
constexpr double kStepsPerDoubling = 10;

// A double click returns to the middle.
class LinkSlider : public QSlider
{
public:
    LinkSlider()
        : QSlider(Qt::Horizontal)
    {
        setRange(-kSliderEnd, kSliderEnd);
        setPageStep(static_cast<int>(kStepsPerDoubling));
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void mouseDoubleClickEvent(QMouseEvent*) override { setValue(0); }
};

QLabel* makeWrapped(const char* role)
{
    QLabel* label = makeLabel({}, role);
    label->setWordWrap(true);
    return label;
}

} // namespace

WhatIfForm::WhatIfForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_costs(new StageCostsModel(this))
    , m_table(named(new CostTable(theme), "costTable", tr("Measured times of the stages")))
    , m_list(new EditList(theme))
    , m_slow(new SlowForm(theme))
    , m_unit(makeLabel({}, "hint"))
    , m_edits(named(makeWrapped("hint"), "costEdits"))
    , m_links(named(makeLabel({}), "linkSpeed"))
    , m_stragglersHint(makeWrapped("hint"))
    , m_layersHint(makeWrapped("hint"))
    , m_memoryHint(makeFormHint())
    , m_interval(makeWrapped("hint"))
    , m_undo(makeButton(tr("Undo"), QStringLiteral("undoEdit"), "link"))
    , m_reset(makeButton(tr("Reset"), QStringLiteral("resetEdits"), "link"))
    , m_slider(named(new LinkSlider, "linkSlider", tr("Speed of the links")))
    , m_stragglers(
          named(new SegmentControl(theme, {tr("as measured"), tr("removed")}), "stragglers"))
    , m_layers(named(new SpinField(theme), "layers", tr("Layers of the model")))
    , m_microBatches(named(new SpinField(theme), "microBatches"))
    , m_layerBar(named(new LayerBar(theme), "layerBar", tr("Layers per stage")))
    , m_tensorParallel(makeFormCombo(QStringLiteral("tensorParallel")))
    , m_limit(named(new HundredthsField(theme), "memoryLimit"))
{
    m_table->setModel(m_costs);
    m_layers->setRange(0, 100'000);
    m_layers->setSpecialValueText(tr("unknown"));
    m_microBatches->setRange(1, 4096);
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0})
        m_tensorParallel->addItem(factor == 1 ? tr("as measured") : tr("× %1").arg(factor), factor);
    m_limit->setRange(0, 1'000'000);
    m_limit->setSingleStep(100);
    m_limit->setSpecialValueText(tr("none"));
    auto* content = makeSurface("plain");
    auto* column
        = spaced(new QVBoxLayout(content), {}, 0,
                 {makeCosts(), m_list, makeLine(Qt::Horizontal), m_slow, makeChanges(), kStretch});
    column->setSizeConstraint(QLayout::SetMinAndMaxSize);
    auto* title = makeBar(40, 8, {makeLabel(tr("Measured times"), "dock"), kStretch, m_reset});
    spaced(new QVBoxLayout(this), {}, 0,
           {title, makeLine(Qt::Horizontal), {makeScroll(content), 1}});
    connect(m_undo, &QPushButton::clicked, this, &WhatIfForm::undo);
    connect(&theme, &ThemeController::unitsChanged, this, [this] {
        if (m_run)
            showEdits();
    });
    connect(m_reset, &QPushButton::clicked, this, &WhatIfForm::reset);
    const auto change = [this](const void* field) {
        return [this, field] {
            if (!m_isShowing)
                take(fields(), field);
        };
    };
    connect(m_costs, &StageCostsModel::edited, this, change(nullptr));
    connect(m_slider, &QSlider::valueChanged, this, change(m_slider));
    connect(m_stragglers, &SegmentControl::currentChanged, this, change(nullptr));
    connect(m_microBatches, &QSpinBox::valueChanged, this, change(m_microBatches));
    connect(m_layerBar, &LayerBar::changed, this, change(m_layerBar));
    connect(m_tensorParallel, &QComboBox::currentIndexChanged, this, change(nullptr));
    connect(m_layers, &QSpinBox::valueChanged, this, [this, change] {
        showLayers();
        change(m_layers)();
    });
    connect(m_list, &EditList::removed, this, [this](const WhatIfChanges& rest) {
        take(rest, nullptr);
        setChanges(rest);
    });
    connect(m_slow, &SlowForm::opScaled, this, [this](double ratio) {
        const auto edit = m_slow->selection();
        scaleOp(ratio * slowdown(m_shown, *edit) / slowdown(m_changes, *edit));
    });
    connect(m_slow, &SlowForm::slowed, this, [this](const profiler::RunEdit& edit) {
        WhatIfChanges next = m_changes;
        setSlowdown(next, edit);
        const bool isSame = std::exchange(m_slowed, edit).selectsAs(edit);
        take(std::move(next), isSame ? m_slow : nullptr);
        m_lastField = m_slow;
    });
    connect(m_slow, &SlowForm::delayed, this, [this](std::int64_t ns) {
        WhatIfChanges next = m_changes;
        next.messageDelay = ns;
        take(std::move(next), &m_changes.messageDelay);
    });
    connect(m_limit, &QSpinBox::valueChanged, this, &WhatIfForm::memoryLimitChanged);
}

QWidget* WhatIfForm::makeCosts()
{
    auto* part = makeSurface("plain");
    part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* note
        = spaced(new QHBoxLayout, {14, 8, 14, 12}, 8, {{m_edits, 1}, {m_undo, 0, Qt::AlignTop}});
    m_unit->setContentsMargins(14, 10, 14, 2);
    spaced(new QVBoxLayout(part), {}, 0, {m_unit, m_table, note});
    return part;
}

QWidget* WhatIfForm::makeChanges()
{
    auto* part = makeSurface("plain");
    part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* column = spaced(new QVBoxLayout(part), {}, 0);
    QVBoxLayout* links = makeFormSection(*column);
    links->addLayout(
        spaced(new QHBoxLayout, {}, 8, {{makeLabel(tr("Speed of the links")), 1}, m_links}));
    links->addWidget(m_slider);
    QLabel* middle = makeLabel(tr("as measured"), "hint");
    middle->setAlignment(Qt::AlignCenter);
    links->addLayout(
        spaced(new QHBoxLayout, {}, 0,
               {makeLabel(tr("× 0.25"), "hint"), {middle, 1}, makeLabel(tr("× 4"), "hint")}));
    QVBoxLayout* stragglers = makeFormSection(*column);
    stragglers->addLayout(makeFormRow(tr("Stragglers"), {m_stragglers}));
    stragglers->addWidget(m_stragglersHint);
    addLayers(*column);
    QVBoxLayout* job = makeFormSection(*column);
    job->addLayout(makeFormRow(tr("Micro-batches N"), {m_microBatches}));
    job->addLayout(makeFormRow(tr("Tensor parallelism"), {m_tensorParallel}));
    m_tensorParallel->setToolTip(
        tr("Divides every op among more or fewer GPUs, without communication between them"));
    job->addLayout(makeFormRow(labelled(tr("Memory limit, %1"), Unit::GiB), {m_limit}));
    job->addWidget(m_memoryHint);
    QVBoxLayout* interval = makeFormSection(*column);
    interval->addWidget(makeLabel(tr("Interval"), "dock"));
    interval->addWidget(m_interval);
    return part;
}

void WhatIfForm::addLayers(QVBoxLayout& column)
{
    QVBoxLayout* layers = makeFormSection(column);
    layers->addLayout(makeFormRow(tr("Layers of the model"), {m_layers}));
    layers->addWidget(m_layerBar);
    layers->addWidget(m_layersHint);
}

void WhatIfForm::showLayers()
{
    const bool isKnown = m_layers->value() >= m_stages && m_stages > 1;
    m_layerBar->setVisible(isKnown);
    m_layerBar->setSplit(isKnown ? evenSplit(m_layers->value(), m_stages) : LayerSplit{});
    m_layersHint->setText(
        isKnown ? tr("Drag a border to move layers between stages. Every layer of a stage is "
                     "assumed to take the same time.")
            : m_stages == 1
            ? tr("The run has one stage.")
            : tr("Enter the number of layers, at least %1, to move layers between stages.")
                  .arg(m_stages));
}

void WhatIfForm::show(std::shared_ptr<const engine::Run> shown,
                      const profiler::WhatIfPredictor& measured)
{
    m_isShowing = true;
    m_run = std::move(shown);
    const engine::Run& run = *m_run;
    m_slow->setRun(run);
    m_costs->show(run, measured.times());
    m_table->fitRows();
    m_table->setFixedHeight(m_table->fittingHeight());
    m_message = static_cast<double>(measured.times().message.median());
    m_measuredBatches = run.schedule.shape.microBatches;
    m_microBatches->setMaximum(std::max(m_microBatches->maximum(), m_measuredBatches));
    m_microBatches->setValue(m_measuredBatches);
    m_stages = run.schedule.shape.stages;
    m_layers->setValue(modelLayers(run));
    // The user enters the number of layers only if the run does not have it.
    m_layers->setEnabled(m_layers->value() == 0);
    showLayers();
    m_tensorParallel->setCurrentIndex(m_tensorParallel->findData(1.0));
    const SlowestDevice slowest = slowestDevice(run, measured.times());
    m_stragglersHint->setText(slowest.device < 0
                                  ? tr("All devices take equally long, within 1 %.")
                                  : tr("Device %1 is %2 slower than the mean of the others.")
                                        .arg(slowest.device)
                                        .arg(percent(slowest.excess)));
    m_interval->setText(
        tr("The interval contains 95 % of 100 predictions with resampled times. Every prediction "
           "is multiplied by %1: the measured iteration time divided by the time predicted for "
           "the same schedule.")
            .arg(number(measured.correction(), 3)));
    m_isShowing = false;
    m_undone.clear();
    m_redone.clear();
    m_changes = fields();
    showEdits();
}

void WhatIfForm::setKnowsBytes(bool knows)
{
    m_limit->setEnabled(knows);
    setHint(m_memoryHint, knows ? QString() : tr("The run has no memory by category."));
}

WhatIfChanges WhatIfForm::fields() const
{
    WhatIfChanges changes = m_changes;
    changes.times = m_costs->edits();
    changes.weightShare = m_costs->weightShare();
    changes.linkSpeed = std::exp2(m_slider->value() / kStepsPerDoubling);
    changes.removesStragglers = m_stragglers->current() == 1;
    changes.microBatches = m_microBatches->value();
    changes.tensorParallel = m_tensorParallel->currentData().toDouble();
    changes.layers.clear();
    if (m_layerBar->split() != evenSplit(m_layerBar->split()))
        changes.layers = m_layerBar->split();
    return changes;
}

void WhatIfForm::take(WhatIfChanges changes, const void* field)
{
    if (changes == m_changes)
        return;
    if (field == nullptr || field != m_lastField)
        m_undone.push_back(m_changes);
    m_redone.clear();
    m_lastField = field;
    m_changes = std::move(changes);
    showEdits();
    Q_EMIT changed();
}

void WhatIfForm::setChanges(const WhatIfChanges& changes)
{
    m_isShowing = true;
    m_costs->setEdits(changes.times, changes.weightShare);
    m_slider->setValue(
        static_cast<int>(std::lround(kStepsPerDoubling * std::log2(changes.linkSpeed))));
    m_stragglers->setCurrent(changes.removesStragglers ? 1 : 0);
    m_microBatches->setValue(changes.microBatches);
    m_tensorParallel->setCurrentIndex(m_tensorParallel->findData(changes.tensorParallel));
    if (!changes.layers.empty())
        m_layers->setValue(std::accumulate(changes.layers.begin(), changes.layers.end(), 0));
    m_layerBar->setSplit(changes.layers.empty() ? evenSplit(m_layerBar->split()) : changes.layers);
    m_isShowing = false;
    m_changes = changes;
    m_lastField = nullptr;
    showEdits();
    Q_EMIT changed();
}

void WhatIfForm::scaleOp(double ratio, bool isLast)
{
    if (auto edit = m_slow->selection()) {
        WhatIfChanges next = m_changes;
        edit->factor = slowdown(next, *edit) * ratio;
        setSlowdown(next, *edit);
        take(std::move(next), isLast && m_lastField != m_table ? nullptr : m_table);
    }
    if (isLast)
        m_lastField = nullptr;
}

std::int64_t WhatIfForm::memoryLimit() const
{
    return m_limit->isEnabled()
        ? std::llround(m_limit->value() / 100.0 * scaleIn(Unit::GiB).perUnit())
        : 0;
}

void WhatIfForm::undo()
{
    if (!canUndo())
        return;
    m_redone.push_back(m_changes);
    const WhatIfChanges last = m_undone.back();
    m_undone.pop_back();
    setChanges(last);
}

void WhatIfForm::redo()
{
    if (!canRedo())
        return;
    m_undone.push_back(m_changes);
    const WhatIfChanges next = m_redone.back();
    m_redone.pop_back();
    setChanges(next);
}

void WhatIfForm::reset()
{
    WhatIfChanges none;
    none.microBatches = m_measuredBatches;
    take(none, nullptr);
    setChanges(none);
}

void WhatIfForm::showEdits()
{
    m_unit->setText(tr("%1 per stage and micro-batch, median").arg(m_costs->time().unit()));
    const Scale scale = timeScale(static_cast<std::int64_t>(m_message));
    const QString messages = m_message > 0
        ? tr("Msg. counts sent and received messages; %1 each.").arg(scale.withUnit(m_message))
        : tr("Messages take no time.");
    const QString edits = m_costs->editsText();
    m_edits->setText(edits.isEmpty() ? messages : edits + QStringLiteral(". ") + messages);
    m_undo->setVisible(canUndo());
    m_slow->show(m_changes);
    m_list->show(editsOf(m_changes, *m_run));
    showLinks();
    m_table->setFixedHeight(m_table->fittingHeight());
}

void WhatIfForm::showLinks()
{
    const double speed = std::exp2(m_slider->value() / kStepsPerDoubling);
    m_links->setText(QStringLiteral("× %1").arg(number(speed, 2)));
}

} // namespace app
