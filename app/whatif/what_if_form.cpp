#include "app/whatif/what_if_form.h"

#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"
#include "app/ui/table_roles.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/schedule/notation.h"
#include "profiler/whatif/stage_times.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <QValidator>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace app {
namespace {

// The labels and limits of the form are those of the options of bscope whatif.
const engine::FieldFacts& changeField(std::string_view flag)
{
    return *engine::findField(profiler::whatIfFields(), flag);
}

QString fieldLabel(std::string_view flag)
{
    return fromUtf8(changeField(flag).label);
}

constexpr int kLayerBarHeight = 26, kStageTextHeight = 18, kHandleWidth = 5, kReach = 6;

} // namespace

LayerBar::LayerBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(kLayerBarHeight + kStageTextHeight);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void LayerBar::setSplit(LayerSplit split)
{
    m_split = std::move(split);
    m_current = std::min(m_current, std::max(0, borders() - 1));
    m_hovered = m_dragged = -1;
    speak();
    update();
}

int LayerBar::layers() const
{
    return std::accumulate(m_split.begin(), m_split.end(), 0);
}

int LayerBar::before(int border) const
{
    return std::accumulate(m_split.begin(), m_split.begin() + border + 1, 0);
}

int LayerBar::borderX(int border) const
{
    return width() * before(border) / std::max(1, layers());
}

int LayerBar::borderAt(int x) const
{
    int nearest = -1;
    for (int border = 0; border < borders(); ++border)
        if (std::abs(x - borderX(border)) <= kReach
            && (nearest < 0 || std::abs(x - borderX(border)) < std::abs(x - borderX(nearest))))
            nearest = border;
    return nearest;
}

void LayerBar::choose(int border)
{
    if (border < 0 || border >= borders())
        return;
    m_current = border;
    speak();
    update();
}

void LayerBar::move(int border, int before)
{
    if (border < 0 || border >= borders())
        return;
    LayerSplit split = withBorder(m_split, border, before);
    if (split == m_split)
        return;
    m_split = std::move(split);
    speak();
    update();
    Q_EMIT changed();
}

void LayerBar::speak()
{
    if (borders() < 1)
        return setAccessibleDescription({});
    const auto at = static_cast<std::size_t>(m_current);
    setAccessibleDescription(tr("Stage %1: %2, stage %3: %4")
                                 .arg(m_current)
                                 .arg(countOf(m_split[at], "layer"))
                                 .arg(m_current + 1)
                                 .arg(countOf(m_split[at + 1], "layer")));
}

void LayerBar::paintStage(QPainter& painter, int stage) const
{
    const Chrome& chrome = theme().chrome;
    const int left = stage == 0 ? 0 : borderX(stage - 1);
    const int right = stage == borders() ? width() : borderX(stage);
    const QRect box(left, 0, right - left, kLayerBarHeight);
    const auto draw = [&](const QRect& area, const QFont& font, const QString& text) {
        if (QFontMetrics(font).horizontalAdvance(text) + kHandleWidth + 2 > area.width())
            return;
        painter.setFont(font);
        painter.drawText(area, Qt::AlignCenter, text);
    };
    painter.setPen(chrome.text);
    draw(box, uiFont(12, QFont::Medium), QString::number(m_split[static_cast<std::size_t>(stage)]));
    painter.setPen(chrome.text2);
    const QRect below(left, kLayerBarHeight, right - left, kStageTextHeight);
    const QString name = tr("stage %1").arg(stage);
    const bool isWide = QFontMetrics(uiFont(11)).horizontalAdvance(name) + 8 <= below.width();
    draw(below, uiFont(11), isWide ? name : QString::number(stage));
}

void LayerBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRect(0, 0, width(), kLayerBarHeight),
                     isEnabled() ? chrome.pressed : chrome.hover);
    for (int stage = 0; stage <= borders() && !m_split.empty(); ++stage)
        paintStage(painter, stage);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int border = 0; border < borders(); ++border) {
        const bool isChosen = border == m_dragged || (hasFocus() && border == m_current);
        const bool isHot = isChosen || border == m_hovered;
        painter.setPen(QPen(isHot ? chrome.text : chrome.text2, isChosen ? 2 : 1));
        painter.setBrush(chrome.surface);
        painter.drawRoundedRect(
            QRectF(borderX(border) - kHandleWidth / 2.0, 1, kHandleWidth, kLayerBarHeight - 2), 2,
            2);
    }
}

void LayerBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = borderAt(event->position().toPoint().x());
    choose(m_dragged);
}

void LayerBar::mouseMoveEvent(QMouseEvent* event)
{
    const int x = event->position().toPoint().x();
    m_hovered = borderAt(x);
    setCursor(m_dragged >= 0 || m_hovered >= 0 ? Qt::SplitHCursor : Qt::ArrowCursor);
    if (m_dragged >= 0 && width() > 0)
        move(m_dragged, qRound(static_cast<double>(x) * layers() / width()));
    update();
}

void LayerBar::mouseReleaseEvent(QMouseEvent*)
{
    m_dragged = -1;
    update();
}

void LayerBar::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void LayerBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(m_current - 1);
    case Qt::Key_Right:
        return choose(m_current + 1);
    case Qt::Key_Minus:
        return move(m_current, before(m_current) - 1);
    case Qt::Key_Plus:
        return move(m_current, before(m_current) + 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

QString LayerBar::toolTipAt(QPoint at) const
{
    const int border = borderAt(at.x());
    if (border < 0)
        return {};
    const auto [least, most] = borderRange(m_split, border);
    return tr("Drag to move layers between stages %1 and %2 (keys − and +). Stage %1 can end after "
              "layer %3 to %4; every stage keeps at least one of its measured layers.")
        .arg(border)
        .arg(border + 1)
        .arg(least)
        .arg(most);
}

namespace {

using engine::OpKind;
using engine::StageId;
constexpr OpKind kKinds[]
    = {OpKind::Forward, OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight};

std::vector<int> messagesOf(const engine::Schedule& schedule)
{
    const auto stages = static_cast<std::size_t>(schedule.shape.stages);
    std::vector<int> messages(stages + 1, 0);
    for (const auto& program : schedule.program)
        for (const engine::Op& op : program)
            if (engine::isTransfer(op.kind)) {
                ++messages[static_cast<std::size_t>(op.stage.value)];
                ++messages[stages];
            }
    return messages;
}

} // namespace

void StageCostsModel::show(const engine::Run& run, const profiler::MeasuredTimes& times)
{
    m_times = times;
    m_messages = messagesOf(run.schedule);
    m_edits = {};
    m_kinds.clear();
    std::int64_t longest = 0;
    for (const OpKind kind : kKinds) {
        std::int64_t most = 0;
        for (const StageId stage : m_times.stages.ids())
            most = std::max(most, (m_times.stages[stage].*profiler::samplesOf(kind)).median());
        if (most > 0)
            m_kinds.push_back(kind);
        longest = std::max(longest, most);
    }
    m_time = timeScale(longest);
    std::vector<int> rows(m_times.stages.size() + 1);
    std::iota(rows.begin(), rows.end(), 0);
    reset(columns(), std::move(rows));
}

StageCostsModel::Columns StageCostsModel::columns() const
{
    const auto isBold = [this](int row) { return isSum(row); };
    Columns all{TableColumn<int>(
                    tr("Stage"),
                    [this](int row) { return isSum(row) ? tr("Sum") : QString::number(row); },
                    Qt::AlignLeft)
                    .with(kStrongRole, kAlways)};
    for (const OpKind kind : m_kinds)
        all.push_back(timeColumn(kind));
    all.push_back(weightColumn());
    all.push_back(TableColumn<int>(tr("Msg."), [this](int row) {
                      return number(m_messages[static_cast<std::size_t>(row)], 0);
                  }).with(kStrongRole, isBold));
    all.push_back(TableColumn<int>(tr("±, %"), [this](int row) {
                      return isSum(row)
                          ? QString()
                          : number(100 * m_times.stages[StageId{row}].forward.spread(), 1);
                  }).with(kStrongRole, isBold));
    return all;
}

TableColumn<int> StageCostsModel::timeColumn(OpKind kind) const
{
    const auto isEdited = [=, this](int row) { return m_edits.times.contains({row, kind}); };
    return TableColumn<int>(fromUtf8(engine::kindName(kind)),
                            [=, this](int row) {
                                const double time = value(row, kind);
                                return time > 0 ? m_time.text(time) : QStringLiteral("–");
                            })
        .with(kStrongRole, [=, this](int row) { return isSum(row) || isEdited(row); })
        .with(kBeforeRole,
              [=, this](int row) {
                  return isEdited(row) ? m_time.text(measured(row, kind)) : QVariant();
              })
        .with(Qt::ToolTipRole, [=, this](int row) {
            return isSum(row) || measured(row, kind) <= 0 ? QVariant()
                                                          : tr("Double-click or F2 to change it");
        });
}

TableColumn<int> StageCostsModel::weightColumn() const
{
    const auto isEdited = [this](int row) { return m_edits.weightShare && !isSum(row); };
    return TableColumn<int>(tr("W, %"),
                            [this](int row) {
                                const double share = weightShare(row);
                                return share >= 0 ? number(100 * share, 1) : QStringLiteral("–");
                            })
        .with(kStrongRole, [=, this](int row) { return isSum(row) || isEdited(row); })
        .with(kHintRole, [this](int) { return !m_times.backwardIsSplit && !m_edits.weightShare; })
        .with(kBeforeRole,
              [=, this](int row) {
                  return isEdited(row) ? number(100 * (1 - m_times.inputShare), 1) : QVariant();
              })
        .with(Qt::ToolTipRole, [this](int) {
            return m_times.backwardIsSplit
                ? QVariant()
                : tr("Assumed, because the run has only B; double-click to change it");
        });
}

double StageCostsModel::measured(int stage, OpKind kind) const
{
    return static_cast<double>(
        (m_times.stages[StageId{stage}].*profiler::samplesOf(kind)).median());
}

double StageCostsModel::value(int row, OpKind kind) const
{
    if (isSum(row)) {
        double sum = 0;
        for (int stage = 0; stage < row; ++stage)
            sum += value(stage, kind);
        return sum;
    }
    const auto edited = m_edits.times.find({row, kind});
    return edited == m_edits.times.end() ? measured(row, kind)
                                         : static_cast<double>(edited->second);
}

double StageCostsModel::weightShare(int row) const
{
    const double input = value(row, OpKind::BackwardInput),
                 weight = value(row, OpKind::BackwardWeight);
    if (weight > 0)
        return weight / (input + weight);
    return m_times.backwardIsSplit ? -1 : m_edits.weightShare.value_or(1 - m_times.inputShare);
}

bool StageCostsModel::isEditable(int row, std::size_t column) const
{
    if (isSum(row) || column == 0 || column > m_kinds.size() + 1)
        return false;
    return column <= m_kinds.size() ? measured(row, m_kinds[column - 1]) > 0
                                    : !m_times.backwardIsSplit;
}

Qt::ItemFlags StageCostsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = TableModel::flags(index);
    return index.isValid() && isEditable(at(index.row()), static_cast<std::size_t>(index.column()))
        ? flags | Qt::ItemIsEditable
        : flags;
}

QVariant StageCostsModel::data(const QModelIndex& index, int role) const
{
    return role == Qt::EditRole
        ? QVariant(TableModel::data(index, Qt::DisplayRole).toString().remove(kNarrowSpace))
        : TableModel::data(index, role);
}

bool StageCostsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    bool isNumber = false;
    const double entered = value.toString()
                               .replace(QLatin1Char(','), QLatin1Char('.'))
                               .trimmed()
                               .toDouble(&isNumber);
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable) || !isNumber
        || !(entered > 0) || !std::isfinite(entered))
        return false;
    if (value.toString() == index.data(Qt::EditRole).toString())
        return true; // the text was not changed, so its rounded number is not stored
    WhatIfChanges edits = m_edits;
    const auto kind = static_cast<std::size_t>(index.column()) - 1;
    const double ns = entered * m_time.perUnit();
    if (kind == m_kinds.size() ? entered >= 100 : ns < 1 || ns > 1e15)
        return false;
    if (kind == m_kinds.size())
        edits.weightShare = entered / 100;
    else
        edits.times[{at(index.row()), m_kinds[kind]}] = std::llround(ns);
    set(edits);
    Q_EMIT edited();
    return true;
}

void StageCostsModel::set(const WhatIfChanges& edits)
{
    m_edits = edits;
    sortAgain(); // the view measures the columns again: edited cells are wider
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StageCostsModel::setEdits(const WhatIfChanges& changes)
{
    WhatIfChanges edits;
    edits.times = changes.times;
    edits.weightShare = changes.weightShare;
    if (edits != m_edits)
        set(edits);
}

QString StageCostsModel::editsText() const
{
    const auto count = static_cast<std::int64_t>(m_edits.editedCells());
    return count == 0 ? QString() : tr("%1 edited").arg(countOf(count, "cell"));
}

namespace {

constexpr int kCostRow = 26, kStruckGap = 5, kCellPadding = 9;

class AboveZero : public QValidator
{
public:
    using QValidator::QValidator;

    State validate(QString& text, int&) const override
    {
        bool isNumber = false;
        QString plain = text;
        const double value = plain.replace(QLatin1Char(','), QLatin1Char('.')).toDouble(&isNumber);
        if (plain.isEmpty() || plain == QLatin1String("."))
            return Intermediate;
        if (!isNumber || !std::isfinite(value) || plain.startsWith(QLatin1Char('-')))
            return Invalid;
        return value > 0 ? Acceptable : Intermediate;
    }
};

// Draws an edited cell with a frame and its measured value struck through. Accepts numbers above 0;
// a refused number stays in the field, with a frame in the error colour.
class CostDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        const Chrome& chrome = theme().chrome;
        const QString before = index.data(kBeforeRole).toString();
        painter->save();
        if (!before.isEmpty()) {
            const int now = QFontMetrics(uiFont(12, QFont::Medium))
                                .horizontalAdvance(index.data().toString());
            QFont struck = uiFont(11);
            struck.setStrikeOut(true);
            painter->setFont(struck);
            painter->setPen(chrome.text2);
            painter->drawText(option.rect.adjusted(2, 0, -kCellPadding - now - kStruckGap, 0),
                              Qt::AlignRight | Qt::AlignVCenter, before);
            painter->setPen(QPen(chrome.text, 1));
            painter->drawRect(option.rect.adjusted(1, 1, -3, -3));
        }
        if (option.state & QStyle::State_HasFocus) {
            painter->setPen(QPen(chrome.text, 2));
            painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = CellDelegate::sizeHint(option, index);
        const QString before = index.data(kBeforeRole).toString();
        if (!before.isEmpty())
            size.rwidth() += QFontMetrics(uiFont(11)).horizontalAdvance(before) + kStruckGap;
        return size;
    }

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex& index) const override
    {
        auto* field = named(new QLineEdit(parent), "costEditor", tr("Time"));
        field->setProperty("small", true);
        field->setAlignment(Qt::AlignRight);
        field->setValidator(new AboveZero(field));
        field->setAccessibleName(
            index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
        field->setToolTip(tr("Type a number above 0"));
        connect(field, &QLineEdit::textChanged, field,
                [field] { setLook(field, "invalid", !field->hasAcceptableInput()); });
        return field;
    }

    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex&) const override
    {
        constexpr int kLeastEditor = 64;
        QRect box = option.rect;
        box.setLeft(std::min(box.left(), box.right() - kLeastEditor));
        editor->setGeometry(box);
    }
};

// The measured times of the stages; F2, Enter or a double click edits a cell.
class CostTable : public DataTable
{
public:
    explicit CostTable(const ThemeController& theme)
        : DataTable(theme, kCostRow)
    {
        setItemDelegate(new CostDelegate(theme, this));
        setSelectionMode(QAbstractItemView::NoSelection);
        setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                        | QAbstractItemView::AnyKeyPressed);
    }

protected:
    // Starts editing with Enter. While a cell is edited, its editor handles Enter.
    void keyPressEvent(QKeyEvent* event) override
    {
        const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (isEnter && state() != EditingState
            && currentIndex().flags().testFlag(Qt::ItemIsEditable)) {
            edit(currentIndex());
            return;
        }
        DataTable::keyPressEvent(event);
    }
};

enum Scope { OneOp, KindOnDevice, KindEverywhere };

} // namespace

SlowForm::SlowForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(named(makeLabel({}, "dock"), "opTitle"))
    , m_hint(named(makeLabel({}, "hint"), "opHint"))
    , m_time(named(new QLineEdit, "opTime", tr("Duration of the selected op")))
    , m_scope(makeFormCombo(QStringLiteral("opScope")))
    , m_target(makeFormCombo(QStringLiteral("slowTarget")))
    , m_factor(named(new HundredthsField(theme), "slowFactor", tr("Slow-down factor")))
    , m_delay(named(new SpinField(theme), "messageDelay", fieldLabel("--link-delay")))
    , m_unit(timeScale(1))
{
    m_hint->setWordWrap(true);
    m_scope->addItems({QString(), QString(), QString()});
    m_factor->setRange(1, static_cast<int>(100 * profiler::RunEdit::kMostFactor));
    m_factor->setSingleStep(10);
    m_delay->setRange(0, static_cast<int>(changeField("--link-delay").most));
    m_delay->setSingleStep(10);
    auto* column = spaced(new QVBoxLayout(this), {}, 0);
    addOp(*column);
    QVBoxLayout* slow = makeFormSection(*column);
    slow->addLayout(makeFormRow(tr("Device or links"), {m_target}));
    slow->addLayout(makeFormRow(fieldLabel("--slow"), {m_factor}));
    slow->addLayout(makeFormRow(fieldLabel("--link-delay"), {m_delay}));
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
    setLook(m_time, "invalid", false);
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
        setLook(m_time, "invalid", true);
        m_hint->setText(tr("%1 is not a duration; enter a positive number of %2.")
                            .arg(m_time->text(), m_unit.unit()));
        return;
    }
    Q_EMIT opScaled(entered * m_unit.perUnit() / static_cast<double>(m_op->duration));
}

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
    , m_list(named(new QWidget, "whatIfEdits", tr("Edits")))
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
    , m_slider(named(new LinkSlider, "linkSlider", fieldLabel("--link-speed")))
    , m_stragglers(
          named(new SegmentControl(theme, {tr("as measured"), tr("removed")}), "stragglers"))
    , m_layers(named(new SpinField(theme), "layers", fieldLabel("--layers")))
    , m_microBatches(named(new SpinField(theme), "microBatches"))
    , m_layerBar(named(new LayerBar(theme), "layerBar", tr("Layers per stage")))
    , m_tensorParallel(makeFormCombo(QStringLiteral("tensorParallel")))
    , m_limit(named(new HundredthsField(theme), "memoryLimit"))
{
    m_table->setModel(m_costs);
    m_layers->setRange(0, static_cast<int>(changeField("--layers").most));
    m_layers->setSpecialValueText(tr("unknown"));
    m_microBatches->setRange(1, 4096); // more take seconds, for each of all schemes
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0})
        m_tensorParallel->addItem(factor == 1 ? tr("as measured") : tr("× %1").arg(factor), factor);
    m_limit->setRange(0, 1'000'000);
    m_limit->setSingleStep(100);
    m_limit->setSpecialValueText(tr("none"));
    spaced(new QVBoxLayout(m_list), {14, 0, 8, 8}, 0, {makeLabel(tr("Edits"), "dock")});
    m_list->hide();
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
        spaced(new QHBoxLayout, {}, 8, {{makeLabel(fieldLabel("--link-speed")), 1}, m_links}));
    links->addWidget(m_slider);
    QLabel* middle = makeLabel(tr("as measured"), "hint");
    middle->setAlignment(Qt::AlignCenter);
    links->addLayout(
        spaced(new QHBoxLayout, {}, 0,
               {makeLabel(tr("× 0.25"), "hint"), {middle, 1}, makeLabel(tr("× 4"), "hint")}));
    QVBoxLayout* stragglers = makeFormSection(*column);
    stragglers->addLayout(makeFormRow(fieldLabel("--no-stragglers"), {m_stragglers}));
    stragglers->addWidget(m_stragglersHint);
    addLayers(*column);
    QVBoxLayout* job = makeFormSection(*column);
    job->addLayout(makeFormRow(tr("Micro-batches N"), {m_microBatches}));
    job->addLayout(makeFormRow(fieldLabel("--tensor-parallel"), {m_tensorParallel}));
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
    layers->addLayout(makeFormRow(fieldLabel("--layers"), {m_layers}));
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
    m_layers->setValue(profiler::modelLayers(run));
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
    changes.times = m_costs->edits().times;
    changes.weightShare = m_costs->edits().weightShare;
    changes.linkSpeed = std::exp2(m_slider->value() / kStepsPerDoubling);
    changes.removesStragglers = m_stragglers->current() == 1;
    changes.microBatches = m_microBatches->value();
    changes.tensorParallel = m_tensorParallel->currentData().toDouble();
    changes.moves = layerMoves(m_layerBar->split());
    changes.layers = changes.moves.empty() ? 0 : m_layers->value();
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
    m_costs->setEdits(changes);
    m_slider->setValue(
        static_cast<int>(std::lround(kStepsPerDoubling * std::log2(changes.linkSpeed))));
    m_stragglers->setCurrent(changes.removesStragglers ? 1 : 0);
    m_microBatches->setValue(changes.microBatches);
    m_tensorParallel->setCurrentIndex(m_tensorParallel->findData(changes.tensorParallel));
    if (changes.layers > 0)
        m_layers->setValue(changes.layers);
    m_layerBar->setSplit(withMoves(evenSplit(m_layerBar->split()), changes.moves));
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
    listEdits();
    const double speed = std::exp2(m_slider->value() / kStepsPerDoubling);
    m_links->setText(QStringLiteral("× %1").arg(number(speed, 2)));
    m_table->setFixedHeight(m_table->fittingHeight());
}

// Lists the changes, each with a button that removes it. Deletes the old rows later, because a
// click on one of their buttons may call this function.
void WhatIfForm::listEdits()
{
    const bool hadFocus = m_list->isAncestorOf(focusWidget());
    if (m_listed != nullptr) {
        m_listed->hide();
        m_listed->deleteLater();
    }
    m_listed = new QWidget;
    auto* rows = spaced(new QVBoxLayout(m_listed), {}, 0);
    m_list->layout()->addWidget(m_listed);
    int count = 0;
    for (const WhatIfEdit& edit : editsOf(m_changes, *m_run)) {
        auto* remove = makeIconButton("", Icon::Close, tr("Remove %1").arg(edit.text), m_theme);
        remove->setObjectName(QStringLiteral("removeEdit%1").arg(count++));
        remove->setFocusPolicy(Qt::StrongFocus);
        connect(remove, &QToolButton::clicked, this, [this, rest = edit.without] {
            take(rest, nullptr);
            setChanges(rest);
        });
        auto* text = makeLabel(edit.text);
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        rows->addLayout(spaced(new QHBoxLayout, {}, 8, {{text, 1}, remove}));
    }
    m_list->setVisible(count > 0);
    if (auto* first = m_listed->findChild<QToolButton*>(); hadFocus && first != nullptr)
        first->setFocus();
}

} // namespace app
