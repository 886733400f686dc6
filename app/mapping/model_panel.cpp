#include "app/mapping/model_panel.h"

#include "app/mapping/link_model.h"
#include "app/mapping/mapping_text.h"
#include "app/plan/memory_bars.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"

#include <QBoxLayout>

namespace app {
namespace {

constexpr int kStageRow = 23, kBarsHeight = 150;

QLabel* makeVerdict(const char* name, const char* role)
{
    auto* label = named(makeLabel({}, role), name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

void setVerdict(QLabel& label, const QString& text)
{
    label.setText(text);
    label.setVisible(!text.isEmpty());
}

} // namespace

ModelPanel::ModelPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_stages(new StageSizesModel(this))
    , m_table(named(new DataTable(theme, kStageRow), "stageSizes", tr("Sizes of the stages")))
    , m_bars(named(new MemoryBars(theme), "deviceBytes", tr("Bytes per device")))
    , m_model(named(makeLabel({}, "hint"), "modelName"))
    , m_outline(makeLabel({}, "hint"))
    , m_fit(makeVerdict("memoryFit", "dock"))
    , m_twice(makeVerdict("memoryTwice", "small"))
    , m_remedy(makeVerdict("memoryRemedy", "hint"))
    , m_icon(new IconLabel(theme, Icon::Check, &Chrome::ok))
{
    m_table->setModel(m_stages);
    m_table->setRestColumn(0);
    m_bars->setFixedHeight(kBarsHeight);
    auto* fit = spaced(new QHBoxLayout, {}, 8, {{m_icon, 0, Qt::AlignTop}, {m_fit, 1}});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeLine(Qt::Horizontal),
            makeBar(36, 8,
                    {makeLabel(tr("Model"), "dock"), new Tag(theme, tr("simulated")), kStretch,
                     m_model}),
            makeLine(Qt::Horizontal), m_table,
            spaced(new QHBoxLayout, {12, 10, 12, 4}, 8,
                   {makeLabel(labelled(tr("Bytes per device, %1"), Unit::GiB), "dock"), kStretch,
                    m_outline}),
            m_bars, spaced(new QVBoxLayout, {12, 8, 12, 12}, 4, {fit, m_twice, m_remedy})});
}

void ModelPanel::show(const MappingStudy& study, const ModelFacts& facts)
{
    const engine::ModelOnHardware& on = *study.on;
    m_stages->show(facts.stages, study.prediction->run->schedule.shape.stages);
    m_table->setFixedHeight(m_table->fittingHeight());
    const bool isTied = on.model.family == engine::TransformerSpec::Family::Gpt;
    m_model->setText(
        (isTied ? tr("%1, %2 B parameters, tied") : tr("%1, %2 B parameters"))
            .arg(fromUtf8(on.model.name), number(engine::parameterCount(on.model) / 1e9, 1)));
    m_model->setToolTip(
        isTied ? tr("Counts the tied embeddings once; the first and the last stage both store them")
               : QString());
    if (facts.now.devices.empty()) {
        m_bars->clear(tr("The memory of this schedule is not simulated."));
        for (QWidget* widget : std::initializer_list<QWidget*>{m_icon, m_fit, m_twice, m_remedy})
            widget->hide();
        return;
    }
    std::vector<double> outlines;
    if (facts.twice)
        for (const DevicePeak& peak : facts.twice->devices)
            outlines.push_back(peak.sum());
    m_outline->setText(facts.twice
                           ? tr("dashed: micro-batch size %1").arg(facts.twice->microBatchSize)
                           : QString());
    m_bars->show({{{}, facts.now.devices, outlines}}, facts.now.capacity);
    m_icon->show();
    m_icon->setIcon(facts.now.fits() ? Icon::Check : Icon::Error,
                    facts.now.fits() ? &Chrome::ok : &Chrome::error);
    setVerdict(*m_fit, fitText(facts.now, facts.now));
    setVerdict(*m_twice, facts.twice ? fitText(*facts.twice, facts.now) : QString());
    setVerdict(*m_remedy, remedyText(facts));
}

} // namespace app
