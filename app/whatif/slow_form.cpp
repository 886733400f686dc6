#include "app/whatif/slow_form.h"

#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/slider_field.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

enum Scope { OneOp, KindOnDevice, KindEverywhere };

void setInvalid(QLineEdit& field, bool isInvalid)
{
    field.setProperty("invalid", isInvalid);
    field.style()->unpolish(&field);
    field.style()->polish(&field);
}

} // namespace

SlowForm::SlowForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(named(makeLabel({}, "dock"), "opTitle"))
    , m_hint(named(makeLabel({}, "hint"), "opHint"))
    , m_time(named(new QLineEdit, "opTime", tr("Duration of the selected op")))
    , m_scope(makeFormCombo(QStringLiteral("opScope")))
    , m_target(makeFormCombo(QStringLiteral("slowTarget")))
    , m_factor(named(new HundredthsField(theme), "slowFactor", tr("Slow-down factor")))
    , m_delay(named(new SpinField(theme), "messageDelay",
                    labelled(tr("Delay of every message, %1"), Unit::Microsecond)))
    , m_unit(timeScale(1))
{
    m_hint->setWordWrap(true);
    m_scope->addItems({QString(), QString(), QString()});
    m_factor->setRange(1, 100'000);
    m_factor->setSingleStep(10);
    m_delay->setRange(0, 10'000'000);
    m_delay->setSingleStep(10);
    auto* column = spaced(new QVBoxLayout(this), {}, 0);
    addOp(*column);
    QVBoxLayout* slow = makeFormSection(*column);
    slow->addLayout(makeFormRow(tr("Device or links"), {m_target}));
    slow->addLayout(makeFormRow(tr("Slow-down factor"), {m_factor}));
    slow->addLayout(
        makeFormRow(labelled(tr("Delay of messages, %1"), Unit::Microsecond), {m_delay}));
    m_factor->setToolTip(tr("Multiplies the times of the device or links; 2.00 is twice as long"));
    m_delay->setToolTip(tr("Adds this time to every message between devices"));
    connect(m_time, &QLineEdit::returnPressed, this, &SlowForm::takeTime);
    connect(m_target, &QComboBox::currentIndexChanged, this, &SlowForm::showState);
    connect(&theme, &ThemeController::unitsChanged, this, &SlowForm::showState);
    connect(m_factor, &QSpinBox::valueChanged, this, [this](int hundredths) {
        profiler::RunEdit edit = target();
        edit.factor = hundredths / 100.0;
        Q_EMIT slowed(edit);
    });
    connect(m_delay, &QSpinBox::valueChanged, this,
            [this](int us) { Q_EMIT delayed(std::int64_t{1000} * us); });
    showState();
}

void SlowForm::addOp(QVBoxLayout& column)
{
    QVBoxLayout* op = makeFormSection(column);
    op->addWidget(m_title);
    m_time->setAlignment(Qt::AlignRight);
    m_time->setToolTip(tr("Sets the duration when Enter is pressed"));
    op->addLayout(makeFormRow(tr("Duration"), {m_time}));
    op->addLayout(makeFormRow(tr("Apply to"), {m_scope}));
    op->addWidget(m_hint);
}

void SlowForm::setRun(const engine::Run& run)
{
    const QSignalBlocker blocker(m_target);
    m_targets.clear();
    m_target->clear();
    for (const engine::DeviceId device : run.schedule.program.ids()) {
        profiler::RunEdit edit;
        edit.device = device;
        m_targets.push_back(edit);
    }
    for (const profiler::RunEdit& link : linksOf(run))
        m_targets.push_back(link);
    for (const profiler::RunEdit& edit : m_targets)
        m_target->addItem(selectionText(edit));
}

profiler::RunEdit SlowForm::target() const
{
    const auto index = static_cast<std::size_t>(m_target->currentIndex());
    return index < m_targets.size() ? m_targets[index] : profiler::RunEdit();
}

void SlowForm::show(const WhatIfChanges& changes)
{
    m_changes = changes;
    showState();
}

void SlowForm::setOwnOrder(bool isOwn)
{
    m_isOwn = isOwn;
    if (!isOwn)
        m_op.reset();
    showState();
}

void SlowForm::showOp(const std::optional<OpInFocus>& op)
{
    m_op = op;
    showState();
}

std::optional<profiler::RunEdit> SlowForm::selection() const
{
    if (!m_op)
        return std::nullopt;
    profiler::RunEdit edit;
    if (m_scope->currentIndex() == OneOp)
        edit.op = m_op->op;
    else
        edit.kind = m_op->op.kind;
    if (m_scope->currentIndex() == KindOnDevice)
        edit.device = m_op->device;
    return edit;
}

void SlowForm::showState()
{
    const QSignalBlocker factor(m_factor), delay(m_delay);
    m_factor->setValue(static_cast<int>(std::lround(100 * slowdown(m_changes, target()))));
    m_delay->setValue(static_cast<int>(m_changes.messageDelay / 1000));
    const bool canEdit = m_op && m_op->duration > 0;
    m_time->setEnabled(canEdit);
    m_scope->setEnabled(canEdit);
    setInvalid(*m_time, false);
    const QString name = m_op ? fromUtf8(engine::toString(m_op->op)) : QString();
    const QString kind = m_op ? fromUtf8(engine::kindShortName(m_op->op.kind)) : tr("kind");
    const int device = m_op ? m_op->device.value : 0;
    m_title->setText(m_op ? tr("%1 on device %2").arg(name).arg(device) : tr("Selected op"));
    m_scope->setItemText(OneOp, m_op ? tr("%1 only").arg(name) : tr("one op"));
    m_scope->setItemText(KindOnDevice,
                         m_op ? tr("%1 on device %2").arg(kind).arg(device)
                              : tr("its op type on the device"));
    m_scope->setItemText(KindEverywhere,
                         m_op ? tr("%1 on all devices").arg(kind)
                              : tr("its op type on all devices"));
    if (m_op)
        m_unit = timeScale(m_op->duration);
    m_time->setText(canEdit ? m_unit.withUnit(static_cast<double>(m_op->duration)) : QString());
    m_hint->setText(canEdit       ? tr("Drag the end of the op, or press < and >.")
                        : m_op    ? tr("This op takes no time; select one that does.")
                        : m_isOwn ? tr("Select an op of either timeline, or drag its end.")
                                  : tr("Choose \"Own order\" as the scheme to change single ops."));
}

// Accepts "12.4" and "12.4 ms" in the unit of the field. Ignores an unchanged text, because the
// shown duration is rounded.
void SlowForm::takeTime()
{
    QString text = m_time->text();
    if (m_op && text == m_unit.withUnit(static_cast<double>(m_op->duration)))
        return showState();
    if (text.endsWith(m_unit.unit()))
        text.chop(m_unit.unit().size());
    text.remove(kNarrowSpace).replace(QLatin1Char(','), QLatin1Char('.'));
    bool isNumber = false;
    const double entered = text.trimmed().toDouble(&isNumber);
    if (!m_op || !isNumber || !(entered > 0) || !std::isfinite(entered)) {
        setInvalid(*m_time, true);
        m_hint->setText(tr("%1 is not a duration; enter a positive number of %2.")
                            .arg(m_time->text(), m_unit.unit()));
        return;
    }
    Q_EMIT opScaled(entered * m_unit.perUnit() / static_cast<double>(m_op->duration));
}

} // namespace app
