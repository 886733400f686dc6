#include "app/whatif/what_if_form.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"
#include "app/ui/table_roles.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/whatif/stage_times.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
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

QLabel* makeHint(const QString& text)
{
    QLabel* hint = makeWrapped("hint");
    hint->setText(text);
    return hint;
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

void LayerBar::setSplit(const LayerSplit& measured, const LayerSplit& split)
{
    m_measured = measured;
    if (split == m_split)
        return;
    m_split = split;
    m_current = std::clamp(m_current, 0, std::max(0, borders() - 1));
    m_hovered = m_dragged = -1;
    update();
}

int LayerBar::layersBefore(int border) const
{
    return std::accumulate(m_split.begin(), m_split.begin() + border + 1, 0);
}

int LayerBar::borderX(int border) const
{
    return width() * layersBefore(border) / std::max(1, layersBefore(borders()));
}

int LayerBar::borderAt(int x) const
{
    int nearest = -1, distance = kReach + 1;
    for (int border = 0; border < borders(); ++border)
        if (const int to = std::abs(x - borderX(border)); to < distance) {
            nearest = border;
            distance = to;
        }
    return nearest;
}

void LayerBar::choose(int border)
{
    if (border < 0 || border >= borders())
        return;
    m_current = border;
    update();
}

void LayerBar::move(int border, int before)
{
    if (border < 0 || border >= borders())
        return;
    LayerSplit split = withBorder(m_measured, m_split, border, before);
    if (split == m_split)
        return;
    m_split = std::move(split);
    update();
    Q_EMIT changed();
}

void LayerBar::update()
{
    QWidget::update();
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
    const int width = borderX(stage) - left;
    const auto draw = [&](const QRect& area, const QFont& font, const QString& text) {
        const bool fits
            = QFontMetrics(font).horizontalAdvance(text) + kHandleWidth + 2 <= area.width();
        painter.setFont(font);
        if (fits)
            painter.drawText(area, Qt::AlignCenter, text);
        return fits;
    };
    painter.setPen(chrome.text);
    draw({left, 0, width, kLayerBarHeight}, uiFont(12, QFont::Medium),
         QString::number(m_split[static_cast<std::size_t>(stage)]));
    painter.setPen(chrome.text2);
    const QRect below(left, kLayerBarHeight, width, kStageTextHeight);
    if (!draw(below, uiFont(11), tr("stage %1").arg(stage)))
        draw(below, uiFont(11), QString::number(stage));
}

void LayerBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRect(0, 0, width(), kLayerBarHeight),
                     isEnabled() ? chrome.pressed : chrome.hover);
    for (int stage = 0; stage <= borders(); ++stage)
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
    if (width() > 0)
        move(m_dragged, qRound(static_cast<double>(x) * layersBefore(borders()) / width()));
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
        return move(m_current, layersBefore(m_current) - 1);
    case Qt::Key_Plus:
        return move(m_current, layersBefore(m_current) + 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

QString LayerBar::toolTipAt(QPoint at) const
{
    const int border = borderAt(at.x());
    if (border < 0)
        return {};
    const auto [least, most] = borderRange(m_measured, m_split, border);
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
    std::vector<int> messages(static_cast<std::size_t>(schedule.shape.stages) + 1, 0);
    for (const auto& program : schedule.program)
        for (const engine::Op& op : program)
            if (engine::isTransfer(op.kind)) {
                ++messages[static_cast<std::size_t>(op.stage.value)];
                ++messages.back();
            }
    return messages;
}

} // namespace

StageCostsModel::StageCostsModel(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                                 WhatIfEdits& edits, QObject* parent)
    : TableModel(parent)
    , m_times(std::move(times))
    , m_edits(edits)
    , m_messages(messagesOf(schedule))
{
    double longest = 0;
    for (const OpKind kind : kKinds) {
        double most = 0;
        for (const StageId stage : m_times.stages.ids())
            most = std::max(most, measured(stage.value, kind));
        if (most > 0)
            m_kinds.push_back(kind);
        longest = std::max(longest, most);
    }
    m_time = timeScale(std::llround(longest));
    std::vector<int> rows(m_messages.size());
    std::iota(rows.begin(), rows.end(), 0);
    reset(columns(), std::move(rows));
    connect(&edits, &WhatIfEdits::changed, this, [this] {
        sortAgain(); // the view measures the columns again: edited cells are wider
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

// A column of texts `now`. Edited cells have the text `before`; others have "".
template<class Now, class Before>
TableColumn<int> StageCostsModel::editable(const QString& title, Now now, Before before,
                                           const char* tip) const
{
    return TableColumn<int>(title, now)
        .with(kStrongRole,
              [=, this](int row) { return isSum(row) || !QString(before(row)).isEmpty(); })
        .with(kBeforeRole, before)
        .with(Qt::ToolTipRole, [=, this, column = m_kinds.size()](int row) {
            return isEditable(row, column) ? QVariant(tr(tip)) : QVariant();
        });
}

StageCostsModel::Columns StageCostsModel::columns() const
{
    const auto isBold = [this](int row) { return isSum(row); };
    const auto share = [](double of) { return of < 0 ? kNoValue : number(100 * of, 1); };
    Columns all{TableColumn<int>(
                    tr("Stage"),
                    [this](int row) { return isSum(row) ? tr("Sum") : QString::number(row); },
                    Qt::AlignLeft)
                    .with(kStrongRole, kAlways)};
    for (const OpKind kind : m_kinds)
        all.push_back(editable(
            fromUtf8(engine::kindName(kind)),
            [=, this](int row) {
                const double time = value(row, kind);
                return time > 0 ? m_time.text(time) : kNoValue;
            },
            [=, this](int row) {
                return m_edits.changes().times.contains({row, kind})
                    ? m_time.text(measured(row, kind))
                    : QString();
            },
            "Double-click or F2 to change it"));
    all.push_back(editable(
                      tr("W, %"), [=, this](int row) { return share(weightShare(row)); },
                      [=, this](int row) {
                          return m_edits.changes().weightShare && !isSum(row)
                              ? share(1 - m_times.inputShare)
                              : QString();
                      },
                      "Assumed, because the run has only B; double-click to change it")
                      .with(kHintRole, [this](int) {
                          return !m_times.backwardIsSplit && !m_edits.changes().weightShare;
                      }));
    all.push_back(TableColumn<int>(tr("Msg."), [this](int row) {
                      return m_messages[static_cast<std::size_t>(row)];
                  }).with(kStrongRole, isBold));
    all.push_back(TableColumn<int>(tr("±, %"), [this](int row) {
                      return isSum(row)
                          ? QString()
                          : number(100 * m_times.stages[StageId{row}].forward.spread(), 1);
                  }).with(kStrongRole, isBold));
    return all;
}

double StageCostsModel::measured(int stage, OpKind kind) const
{
    return static_cast<double>(
        (m_times.stages[StageId{stage}].*profiler::samplesOf(kind)).median());
}

double StageCostsModel::value(int row, OpKind kind) const
{
    double sum = 0;
    for (int stage = isSum(row) ? 0 : row; stage < (isSum(row) ? row : row + 1); ++stage) {
        const auto& times = m_edits.changes().times;
        const auto edited = times.find({stage, kind});
        sum += edited == times.end() ? measured(stage, kind) : static_cast<double>(edited->second);
    }
    return sum;
}

double StageCostsModel::weightShare(int row) const
{
    const double input = value(row, OpKind::BackwardInput),
                 weight = value(row, OpKind::BackwardWeight);
    if (weight > 0)
        return weight / (input + weight);
    return m_times.backwardIsSplit ? -1
                                   : m_edits.changes().weightShare.value_or(1 - m_times.inputShare);
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
    const auto entered = decimal(value.toString());
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable) || !entered
        || *entered <= 0)
        return false;
    if (value.toString() == index.data(Qt::EditRole).toString())
        return true; // the text was not changed, so its rounded number is not stored
    const auto kind = static_cast<std::size_t>(index.column()) - 1;
    const bool isShare = kind == m_kinds.size();
    const double ns = *entered * m_time.perUnit();
    if (isShare ? *entered >= 100 : ns < 1 || ns > 1e15)
        return false;
    m_edits.change({}, [&](WhatIfChanges& next) {
        if (isShare)
            next.weightShare = *entered / 100;
        else
            next.times[{at(index.row()), m_kinds[kind]}] = std::llround(ns);
    });
    return true;
}

namespace {

constexpr int kCostRow = 26, kStruckGap = 5, kCellPadding = 9;

class AboveZero : public QValidator
{
public:
    using QValidator::QValidator;

    State validate(QString& text, int&) const override
    {
        const auto value = decimal(text);
        if (text.isEmpty() || text == QLatin1String(".") || value == 0.0)
            return Intermediate;
        return value ? Acceptable : Invalid;
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
        auto* field = named(
            new QLineEdit(parent), "costEditor",
            index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
        field->setProperty("small", true);
        field->setAlignment(Qt::AlignRight);
        field->setValidator(new AboveZero(field));
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

enum Scope { OneOp, KindOnDevice, KindEverywhere };

// Ends of the slider for links: 2^(20/10) = 4 times as fast, or as slow.
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

} // namespace

WhatIfForm::WhatIfForm(const ThemeController& theme, const profiler::WhatIfPredictor& measured,
                       WhatIfEdits& edits, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_measured(measured)
    , m_edits(edits)
    , m_opTitle(named(makeLabel({}, "dock"), "opTitle"))
    , m_opHint(named(makeWrapped("hint"), "opHint"))
    , m_time(named(new QLineEdit, "opTime", tr("Duration of the selected op")))
    , m_scope(makeFormCombo(QStringLiteral("opScope")))
    , m_memory(named(new HundredthsField(theme), "deviceMemory"))
    , m_reserve(named(new HundredthsField(theme), "reserve"))
    , m_memoryHint(makeFormHint())
{
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {}, 0, {makeCosts(), makeEditList()});
    column->setSizeConstraint(QLayout::SetMinAndMaxSize);
    addOp(*column);
    addSlowdowns(*column);
    addLinks(*column);
    addStragglers(*column);
    addLayers(*column);
    addJob(*column);
    QLabel* interval = makeHint(
        tr("%1 Every prediction is multiplied by %2: the measured iteration time divided by the "
           "time predicted for the same schedule.")
            .arg(QUtf8StringView(profiler::kIntervalCovers).toString(),
                 number(measured.correction(), 3)));
    fill(*makeFormSection(*column), {makeLabel(tr("Interval"), "dock"), interval});
    column->addStretch(1);
    auto* reset = makeButton(tr("Reset"), QStringLiteral("resetEdits"), "link");
    auto* title = makeBar(40, 8, {makeLabel(tr("Measured times"), "dock"), kStretch, reset});
    spaced(new QVBoxLayout(this), {}, 0,
           {title, makeLine(Qt::Horizontal), {makeScroll(content), 1}});
    connect(reset, &QPushButton::clicked, &edits, &WhatIfEdits::reset);
    connect(&edits, &WhatIfEdits::changed, this, &WhatIfForm::show);
    connect(&theme, &ThemeController::unitsChanged, this, &WhatIfForm::show);
    setKnowsBytes(false);
    show();
}

void WhatIfForm::show()
{
    for (const auto& one : m_show)
        one();
}

// Connects a control to a part of the changes. Successive values of a number are undone together.
template<class Control, class Get, class Set>
void WhatIfForm::bind(void (Control::*changed)(int), void (Control::*display)(int),
                      std::type_identity_t<Control>* control, Get get, Set set)
{
    m_show.emplace_back([=, this] {
        const QSignalBlocker quiet(control);
        (control->*display)(get(m_edits.changes()));
    });
    connect(control, changed, this, [=, this](int value) {
        constexpr bool isNumber = requires
        {
            &Control::setValue;
        };
        m_edits.change(isNumber ? control->objectName() : QString(),
                       [&](WhatIfChanges& next) { set(next, value); });
    });
}

void WhatIfForm::addOp(QVBoxLayout& column)
{
    m_scope->addItems({QString(), QString(), QString()});
    m_time->setAlignment(Qt::AlignRight);
    m_time->setToolTip(tr("Sets the duration when Enter is pressed"));
    fill(*makeFormSection(column),
         {m_opTitle, makeFormRow(tr("Duration"), {m_time}), makeFormRow(tr("Apply to"), {m_scope}),
          m_opHint});
    connect(m_time, &QLineEdit::returnPressed, this, &WhatIfForm::takeTime);
    m_show.emplace_back([this] { showSelected(); });
}

void WhatIfForm::showOp(const std::optional<OpInFocus>& op, bool isOwnOrder)
{
    m_op = op;
    m_isOwnOrder = isOwnOrder;
    showSelected();
}

profiler::RunEdit WhatIfForm::selection() const
{
    profiler::RunEdit edit;
    if (m_scope->currentIndex() == OneOp)
        edit.op = m_op->op;
    else
        edit.kind = m_op->op.kind;
    if (m_scope->currentIndex() == KindOnDevice)
        edit.device = m_op->device;
    return edit;
}

void WhatIfForm::scaleOp(double ratio, bool isLast)
{
    if (m_op)
        m_edits.change(m_time->objectName(), [&](WhatIfChanges& next) {
            profiler::RunEdit edit = selection();
            edit.factor = slowdown(next, edit) * ratio;
            setSlowdown(next, edit);
        });
    if (isLast)
        m_edits.endStep();
}

void WhatIfForm::showSelected()
{
    const bool canEdit = m_op && m_op->duration > 0;
    m_time->setEnabled(canEdit);
    m_scope->setEnabled(canEdit);
    setLook(m_time, "invalid", false);
    QString title
        = tr("Selected op"),
        scopes[]{tr("one op"), tr("its op type on the device"), tr("its op type on all devices")};
    if (m_op) {
        const QString name = fromUtf8(engine::toString(m_op->op));
        const QString kind = fromUtf8(engine::kindShortName(m_op->op.kind));
        const auto onDevice = [&](const QString& what) {
            return tr("%1 on device %2").arg(what).arg(m_op->device.value);
        };
        title = onDevice(name);
        scopes[OneOp] = tr("%1 only").arg(name);
        scopes[KindOnDevice] = onDevice(kind);
        scopes[KindEverywhere] = tr("%1 on all devices").arg(kind);
        m_unit = timeScale(m_op->duration);
    }
    m_opTitle->setText(title);
    for (const int scope : {OneOp, KindOnDevice, KindEverywhere})
        m_scope->setItemText(scope, scopes[scope]);
    m_time->setText(canEdit ? m_unit.withUnit(static_cast<double>(m_op->duration)) : QString());
    m_opHint->setText(canEdit            ? tr("Drag the end of the op, or press < and >.")
                          : m_op         ? tr("This op takes no time; select one that does.")
                          : m_isOwnOrder ? tr("Select an op of either timeline, or drag its end.")
                                         : tr("Choose \"Own order\" as the scheme to change single "
                                              "ops."));
}

// Accepts "12.4" and "12.4 ms" in the unit of the field. Ignores an unchanged text, because the
// shown duration is rounded.
void WhatIfForm::takeTime()
{
    QString text = m_time->text();
    const auto duration = static_cast<double>(m_op ? m_op->duration : 0);
    if (m_op && text == m_unit.withUnit(duration))
        return showSelected();
    if (text.endsWith(m_unit.unit()))
        text.chop(m_unit.unit().size());
    const double entered = decimal(text.remove(kNarrowSpace)).value_or(0);
    if (!m_op || entered <= 0) {
        setLook(m_time, "invalid", true);
        m_opHint->setText(tr("%1 is not a duration; enter a positive number of %2.")
                              .arg(m_time->text(), m_unit.unit()));
        return;
    }
    const profiler::RunEdit edit = selection();
    scaleOp(entered * m_unit.perUnit() / duration * slowdown(m_op->included, edit)
            / slowdown(m_edits.changes(), edit));
}

QWidget* WhatIfForm::makeCosts()
{
    auto* model = new StageCostsModel(run().schedule, m_measured.times(), m_edits, this);
    auto* table
        = named(new DataTable(m_theme, kCostRow), "costTable", tr("Measured times of the stages"));
    table->setModel(model);
    table->setItemDelegate(new CostDelegate(m_theme, table));
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                           | QAbstractItemView::AnyKeyPressed);
    connect(table, &DataTable::activated, table, [table](const QModelIndex& index) { // Enter
        if (index.flags().testFlag(Qt::ItemIsEditable))
            table->edit(index);
    });
    auto *unit = makeLabel({}, "hint"), *edited = named(makeWrapped("hint"), "costEdits");
    unit->setContentsMargins(14, 10, 14, 2);
    auto* undo = makeButton(tr("Undo"), QStringLiteral("undoEdit"), "link");
    connect(undo, &QPushButton::clicked, &m_edits, &WhatIfEdits::undo);
    m_show.emplace_back([=, this] {
        unit->setText(tr("%1 per stage and micro-batch, median").arg(model->time().unit()));
        const std::int64_t each = m_measured.times().message.median();
        const QString messages = each > 0
            ? tr("Msg. counts sent and received messages; %1 each.")
                  .arg(timeScale(each).withUnit(static_cast<double>(each)))
            : tr("Messages take no time.");
        const auto cells = static_cast<std::int64_t>(m_edits.changes().editedCells());
        edited->setText(cells > 0 ? tr("%1 edited. %2").arg(countOf(cells, "cell"), messages)
                                  : messages);
        undo->setVisible(m_edits.canUndo());
        table->setFixedHeight(table->fittingHeight());
    });
    auto* part = makeSurface("plain");
    part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* note
        = spaced(new QHBoxLayout, {14, 8, 14, 12}, 8, {{edited, 1}, {undo, 0, Qt::AlignTop}});
    spaced(new QVBoxLayout(part), {}, 0, {unit, table, note});
    return part;
}

QWidget* WhatIfForm::makeEditList()
{
    auto* list = named(new QWidget, "whatIfEdits", tr("Edits"));
    spaced(new QVBoxLayout(list), {14, 0, 8, 8}, 0, {makeLabel(tr("Edits"), "dock"), new QWidget});
    m_show.emplace_back([=, this] { listEdits(*list); });
    return list;
}

// Lists the changes, each with a button that removes it. Deletes the old rows later, because a
// click on one of their buttons may call this function.
void WhatIfForm::listEdits(QWidget& list)
{
    const bool hadFocus = list.isAncestorOf(focusWidget());
    QWidget* old = list.layout()->takeAt(1)->widget();
    old->hide();
    old->deleteLater();
    auto* listed = new QWidget;
    auto* rows = spaced(new QVBoxLayout(listed), {}, 0);
    list.layout()->addWidget(listed);
    for (const WhatIfEdit& edit : editsOf(m_edits.changes(), run())) {
        auto* remove = makeIconButton("", Icon::Close, tr("Remove %1").arg(edit.text), m_theme);
        remove->setObjectName(QStringLiteral("removeEdit%1").arg(rows->count()));
        remove->setFocusPolicy(Qt::StrongFocus);
        connect(remove, &QToolButton::clicked, this,
                [this, rest = edit.without] { m_edits.take(rest); });
        auto* text = makeWrapped();
        text->setText(edit.text);
        text->setTextFormat(Qt::PlainText);
        rows->addLayout(spaced(new QHBoxLayout, {}, 8, {{text, 1}, remove}));
    }
    list.setVisible(rows->count() > 0);
    if (auto* first = listed->findChild<QToolButton*>(); hadFocus && first != nullptr)
        first->setFocus();
}

void WhatIfForm::addSlowdowns(QVBoxLayout& column)
{
    std::vector<profiler::RunEdit> targets = linksOf(run());
    for (const engine::DeviceId device : run().schedule.program.ids()) {
        const auto at = targets.begin() + device.value; // before the links
        targets.insert(at, profiler::RunEdit())->device = device;
    }
    QComboBox* target = makeFormCombo(QStringLiteral("slowTarget"));
    for (const profiler::RunEdit& one : targets)
        target->addItem(selectionText(one));
    const auto chosen
        = [=] { return targets[static_cast<std::size_t>(std::max(0, target->currentIndex()))]; };
    auto* factor = named(new HundredthsField(m_theme), "slowFactor", tr("Slow-down factor"));
    factor->setRange(1, static_cast<int>(100 * profiler::RunEdit::kMostFactor));
    factor->setToolTip(tr("Multiplies the times of the device or links; 2.00 is twice as long"));
    auto* delay = named(new SpinField(m_theme), "messageDelay", fieldLabel("--link-delay"));
    delay->setRange(0, static_cast<int>(changeField("--link-delay").most));
    delay->setToolTip(tr("Adds this time to every message between devices"));
    for (SpinField* field : {static_cast<SpinField*>(factor), delay})
        field->setSingleStep(10);
    fill(*makeFormSection(column),
         {makeFormRow(tr("Device or links"), {target}), makeFormRow(fieldLabel("--slow"), {factor}),
          makeFormRow(fieldLabel("--link-delay"), {delay})});
    bind(
        &QSpinBox::valueChanged, &QSpinBox::setValue, factor,
        [=](const WhatIfChanges& now) {
            return static_cast<int>(std::lround(100 * slowdown(now, chosen())));
        },
        [=](WhatIfChanges& next, int hundredths) {
            profiler::RunEdit edit = chosen();
            edit.factor = hundredths / 100.0;
            setSlowdown(next, edit);
        });
    bind(
        &QSpinBox::valueChanged, &QSpinBox::setValue, delay,
        [](const WhatIfChanges& now) { return static_cast<int>(now.messageDelay / 1000); },
        [](WhatIfChanges& next, int us) { next.messageDelay = std::int64_t{1000} * us; });
    connect(target, &QComboBox::currentIndexChanged, this, [this] {
        m_edits.endStep();
        show();
    });
}

void WhatIfForm::addLinks(QVBoxLayout& column)
{
    auto* slider = named(new LinkSlider, "linkSlider", fieldLabel("--link-speed"));
    QLabel *speed = named(makeLabel({}), "linkSpeed"),
           *middle = makeLabel(tr("as measured"), "hint");
    middle->setAlignment(Qt::AlignCenter);
    fill(*makeFormSection(column),
         {spaced(new QHBoxLayout, {}, 8, {{makeLabel(fieldLabel("--link-speed")), 1}, speed}),
          slider,
          spaced(new QHBoxLayout, {}, 0,
                 {makeLabel(tr("× 0.25"), "hint"), {middle, 1}, makeLabel(tr("× 4"), "hint")})});
    bind(
        &QSlider::valueChanged, &QSlider::setValue, slider,
        [](const WhatIfChanges& now) {
            return static_cast<int>(std::lround(kStepsPerDoubling * std::log2(now.linkSpeed)));
        },
        [](WhatIfChanges& next, int steps) {
            next.linkSpeed = std::exp2(steps / kStepsPerDoubling);
        });
    m_show.emplace_back([=, this] {
        speed->setText(QStringLiteral("× %1").arg(number(m_edits.changes().linkSpeed, 2)));
    });
}

void WhatIfForm::addStragglers(QVBoxLayout& column)
{
    auto* segments
        = named(new SegmentControl(m_theme, {tr("as measured"), tr("removed")}), "stragglers");
    const SlowestDevice slowest = slowestDevice(run(), m_measured.times());
    QLabel* hint
        = makeHint(slowest.device < 0 ? tr("All devices take equally long, within 1 %.")
                                      : tr("Device %1 is %2 slower than the mean of the others.")
                                            .arg(slowest.device)
                                            .arg(percent(slowest.excess)));
    fill(*makeFormSection(column), {makeFormRow(fieldLabel("--no-stragglers"), {segments}), hint});
    bind(
        &SegmentControl::currentChanged, &SegmentControl::setCurrent, segments,
        [](const WhatIfChanges& now) { return now.removesStragglers ? 1 : 0; },
        [](WhatIfChanges& next, int choice) { next.removesStragglers = choice == 1; });
}

// The number of layers is part of the changes only if layers are moved.
void WhatIfForm::addLayers(QVBoxLayout& column)
{
    const int stages = run().schedule.shape.stages;
    auto* layers = named(new SpinField(m_theme), "layers", fieldLabel("--layers"));
    layers->setRange(0, static_cast<int>(changeField("--layers").most));
    layers->setSpecialValueText(tr("unknown"));
    layers->setValue(profiler::modelLayers(run()));
    // The user enters the number of layers only if the run does not have it.
    layers->setEnabled(layers->value() == 0);
    auto* bar = named(new LayerBar(m_theme), "layerBar", tr("Layers per stage"));
    QLabel* hint = makeWrapped("hint");
    fill(*makeFormSection(column), {makeFormRow(fieldLabel("--layers"), {layers}), bar, hint});
    const auto showSplit = [=, this] {
        const WhatIfChanges& now = m_edits.changes();
        const QSignalBlocker quiet(layers);
        if (now.layers > 0)
            layers->setValue(now.layers);
        const bool isKnown = layers->value() >= stages && stages > 1;
        bar->setVisible(isKnown);
        LayerSplit measured = profiler::stageLayers(run());
        if (isKnown && measured.empty())
            measured = engine::LayerLayout().counts(layers->value(), stages);
        bar->setSplit(measured, isKnown ? withMoves(measured, now.moves) : LayerSplit());
        hint->setText(
            isKnown ? tr("Drag a border to move layers between stages. Every layer of a stage is "
                         "assumed to take the same time.")
                : stages == 1
                ? tr("The run has one stage.")
                : tr("Enter the number of layers, at least %1, to move layers between stages.")
                      .arg(stages));
    };
    m_show.emplace_back(showSplit);
    connect(layers, &QSpinBox::valueChanged, this, [=, this] {
        m_edits.change(layers->objectName(), [](WhatIfChanges& next) {
            next.moves.clear();
            next.layers = 0;
        });
        showSplit();
    });
    connect(bar, &LayerBar::changed, this, [=, this] {
        m_edits.change(bar->objectName(), [=](WhatIfChanges& next) {
            next.moves = layerMoves(bar->measured(), bar->split());
            next.layers = next.moves.empty() ? 0 : layers->value();
        });
    });
}

void WhatIfForm::addJob(QVBoxLayout& column)
{
    constexpr double kFactors[] = {0.25, 0.5, 1, 2, 4, 8};
    constexpr int kMostBatches = 4096; // more take seconds, for each of all schemes
    auto* microBatches = named(new SpinField(m_theme), "microBatches");
    microBatches->setRange(1, std::max(kMostBatches, run().schedule.shape.microBatches));
    QComboBox* tensor = makeFormCombo(QStringLiteral("tensorParallel"));
    tensor->setToolTip(
        tr("Divides every op among more or fewer GPUs, without communication between them"));
    for (const double factor : kFactors)
        tensor->addItem(factor == 1 ? tr("as measured") : tr("× %1").arg(factor));
    const engine::MemoryCapacity ofRun = profiler::deviceMemory(run());
    m_memory->setRange(0, 10'000'000);
    m_memory->setSingleStep(100);
    m_memory->setSpecialValueText(tr("none"));
    m_memory->setValue(static_cast<int>(
        std::llround(100 * static_cast<double>(ofRun.bytes) / scaleIn(Unit::GiB).perUnit())));
    m_reserve->setRange(0, 10'000);
    m_reserve->setSingleStep(100);
    m_reserve->setValue(static_cast<int>(std::llround(100 * ofRun.reserve)));
    const engine::FieldFacts& reserve = engine::experimentField("--reserve");
    m_reserve->setToolTip(fromUtf8(reserve.help));
    for (HundredthsField* field : {m_memory, m_reserve})
        connect(field, &QSpinBox::valueChanged, this, &WhatIfForm::memoryChanged);
    fill(*makeFormSection(column),
         {makeFormRow(tr("Micro-batches N"), {microBatches}),
          makeFormRow(fieldLabel("--tensor-parallel"), {tensor}),
          makeFormRow(labelled(tr("Device memory, %1"), Unit::GiB), {m_memory}),
          makeFormRow(fromUtf8(reserve.label), {m_reserve}), m_memoryHint});
    bind(
        &QSpinBox::valueChanged, &QSpinBox::setValue, microBatches,
        [](const WhatIfChanges& now) { return now.microBatches; },
        [](WhatIfChanges& next, int count) { next.microBatches = count; });
    bind(
        &QComboBox::currentIndexChanged, &QComboBox::setCurrentIndex, tensor,
        [=](const WhatIfChanges& now) {
            return static_cast<int>(std::ranges::find(kFactors, now.tensorParallel) - kFactors);
        },
        [=](WhatIfChanges& next, int index) { next.tensorParallel = kFactors[index]; });
}

void WhatIfForm::setKnowsBytes(bool knows)
{
    m_memory->setEnabled(knows);
    m_reserve->setEnabled(knows);
    setHint(m_memoryHint, knows ? QString() : tr("The run has no memory by category."));
}

engine::MemoryCapacity WhatIfForm::memory() const
{
    if (!m_memory->isEnabled())
        return {};
    return {std::llround(m_memory->value() / 100.0 * scaleIn(Unit::GiB).perUnit()),
            m_reserve->value() / 100.0};
}

} // namespace app
