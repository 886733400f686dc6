#include "app/study/ratio_dialog.h"

#include "profiler/study/edit_study.h"

#include <QComboBox>
#include <QLineEdit>

#include <algorithm>

namespace app {
namespace {

constexpr const char* kInverse = "inverse";

// A new ratio: the iteration relative to the first compared value.
profiler::StudyRatio newRatio(const profiler::Study& study)
{
    profiler::StudyRatio ratio;
    const auto isTaken = [&](const std::string& name) {
        return std::ranges::find(study.ratios, name, &profiler::StudyRatio::name)
            != study.ratios.end();
    };
    for (std::size_t n = study.ratios.size() + 1; ratio.name.empty() || isTaken(ratio.name); ++n)
        ratio.name = "ratio_" + std::to_string(n);
    if (const profiler::StudyAxis* axis = study.comparedAxis(); axis != nullptr)
        ratio.baseline[axis->key] = axis->values.front();
    return ratio;
}

} // namespace

RatioDialog::RatioDialog(const profiler::Study& study, std::size_t ratio, QWidget* parent)
    : PartDialog(study, ratio < study.ratios.size() ? tr("Ratio") : tr("New ratio"), parent)
    , m_ratio(ratio)
{
    setObjectName(QStringLiteral("ratioDialog"));
    const bool isNew = ratio >= study.ratios.size();
    const profiler::StudyRatio shown = isNew ? newRatio(study) : study.ratios[ratio];
    m_name = addLine(tr("Name"), "ratioName", shown.name);
    m_metric = addChoice(tr("Metric"), "ratioMetric", metricChoices(),
                         std::string(metricName(shown.metric)));
    m_direction = addChoice(tr("Ratio"), "ratioDirection",
                            {{tr("Value / baseline"), {}}, {tr("Baseline / value"), kInverse}},
                            shown.inverse ? kInverse : "");
    addAxes(tr("Same as the value"), shown.baseline);
    addButtons();
}

void RatioDialog::apply(profiler::Study& study)
{
    profiler::StudyRatio ratio;
    ratio.name = m_name->text().toStdString();
    ratio.metric = profiler::metricNamed(valueOf(m_metric)).value_or(ratio.metric);
    ratio.inverse = valueOf(m_direction) == kInverse;
    ratio.baseline = axisValues();
    setRatio(study, m_ratio, std::move(ratio));
}

} // namespace app
