#include "app/estimator/estimator_form.h"

#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

QString attentionText(engine::AttentionMode mode)
{
    switch (mode) {
    case engine::AttentionMode::Standard:
        return QStringLiteral("Scores are stored until the backward pass.");
    case engine::AttentionMode::Recompute:
        return QStringLiteral("Scores are recomputed in the backward pass.");
    case engine::AttentionMode::Flash:
        return QStringLiteral("Scores are never stored.");
    }
    return {};
}

} // namespace

EstimatorForm::EstimatorForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_fields(new BoundFields(theme, this))
    , m_mfuFrom(named(new SegmentControl(theme, {tr("roofline"), tr("typed")}), "estimatorMfuFrom"))
    , m_attentionHint(makeWrapped("hint"))
    , m_mfuHint(makeWrapped("hint"))
{
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {}, 0);
    QVBoxLayout* setup = makeFormSection(*column);
    for (const char* flag :
         {"--model", "--hardware", "--devices", "--tensor-parallel", "--data-parallel",
          "--global-batch", "--micro-batch-size", "--reserve"})
        addRow(*setup, flag);
    makeAttention(*column);
    makeStageMfu(*column);
    makePresets(*column);
    column->addStretch(1);
    spaced(new QVBoxLayout(this), {}, 0, {{makeScroll(content), 1}});
    showRequest();
    connect(m_fields, &BoundFields::edited, this, &EstimatorForm::changed);
    connect(m_mfuFrom, &SegmentControl::currentChanged, this,
            [this](int choice) { chooseMfu(choice == 1); });
}

void EstimatorForm::addRow(QVBoxLayout& rows, std::string_view flag)
{
    const auto* field = engine::findField(profiler::estimateFields(), flag);
    const bool isShare = field->kind == engine::FieldKind::Real;
    m_fields->addRow(rows, *field, m_request, "estimator",
                     isShare ? BoundFields::Look::Spin : BoundFields::Look::ByKind);
}

QString EstimatorForm::problem() const
{
    return withLabels(profiler::estimateFields(), m_fields->problem().toStdString());
}

void EstimatorForm::makeAttention(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Attention"), "dock"));
    for (const auto& field : profiler::estimateFields()) {
        if (field.flag == "--attention") {
            auto* modes = static_cast<SegmentControl*>(
                m_fields->add(field, m_request, "estimator", BoundFields::Look::Segments));
            modes->setName(tr("Attention"));
            rows->addWidget(modes, 0, Qt::AlignLeft);
            rows->addWidget(m_attentionHint);
        } else if (field.kind == engine::FieldKind::Flag) {
            m_fields->addRow(*rows, field, m_request, "estimator");
        }
    }
}

void EstimatorForm::makeStageMfu(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    m_mfuFrom->setToolTip(tr("Use the roofline's prediction, or measured values"));
    rows->addLayout(makeFormRow(tr("Stage MFU from"), {m_mfuFrom}));
    addRow(*rows, "--stage-mfu");
    rows->addWidget(m_mfuHint);
}

void EstimatorForm::makePresets(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Published cases"), "dock"));
    for (const BpipeCase& one : bpipeCases()) {
        auto* button = makeButton(QStringLiteral("%1: %2").arg(one.title, one.published),
                                  QStringLiteral("estimatorCase%1").arg(m_presets.size()));
        button->setCheckable(true);
        button->setToolTip(one.detail);
        button->setAccessibleDescription(one.detail);
        connect(button, &QAbstractButton::clicked, this, [this, &one] { setRequest(one.request); });
        m_presets.push_back(button);
        rows->addWidget(button);
    }
    QLabel* note = makeWrapped("hint");
    note->setText(tr("A case sets every field above; its published speed-up is from arXiv "
                     "2401.02088."));
    rows->addWidget(note);
}

// Chooses between typed values and those of the roofline. If nothing is typed yet, starts with the
// values of the roofline.
void EstimatorForm::chooseMfu(bool isTyped)
{
    if (isTyped == m_request.hasStageMfu)
        return;
    m_request.hasStageMfu = isTyped;
    if (isTyped && m_request.stageMfu.empty())
        for (const double share : m_roofline)
            m_request.stageMfu.push_back(std::round(1000 * share) / 10);
    m_fields->show();
    changed();
}

void EstimatorForm::setRequest(const EstimateRequest& request)
{
    m_request = request;
    showRequest();
    Q_EMIT edited();
}

void EstimatorForm::showRequest()
{
    m_fields->show();
    m_mfuFrom->setCurrent(m_request.hasStageMfu ? 1 : 0);
    showPreset();
}

void EstimatorForm::showPreset()
{
    for (std::size_t i = 0; i < m_presets.size(); ++i)
        m_presets[i]->setChecked(bpipeCases()[i].request == m_request);
    m_attentionHint->setText(attentionText(m_request.source.setup.attention));
    m_mfuHint->setText(m_request.hasStageMfu ? tr("One measured value for each micro-batch size.")
                                             : tr("Planning constants, not measured."));
}

void EstimatorForm::changed()
{
    showPreset();
    Q_EMIT edited();
}

} // namespace app
