#include "app/whatif/what_if_page.h"

#include "app/compare/compare_widget.h"
#include "app/plan/edited_schedule.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/whatif/stage_times.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QValidator>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {
namespace {

constexpr int kBar = 26, kStageText = 18, kHandle = 5, kReach = 6;

// The number of layers before each stage, then the total.
std::vector<int> borders(const LayerSplit& split)
{
    std::vector<int> all{0};
    std::partial_sum(split.begin(), split.end(), std::back_inserter(all));
    return all;
}

} // namespace

std::vector<profiler::LayerMove> layerMoves(const LayerSplit& measured, const LayerSplit& split)
{
    const std::vector<int> now = borders(split), before = borders(measured);
    std::vector<profiler::LayerMove> moves;
    for (std::size_t from = 0; from < split.size(); ++from)
        for (std::size_t to = 0; to < split.size(); ++to) {
            const int common
                = std::min(now[to + 1], before[from + 1]) - std::max(now[to], before[from]);
            if (from != to && common > 0)
                moves.push_back({engine::StageId{static_cast<int>(from)},
                                 engine::StageId{static_cast<int>(to)}, common});
        }
    return moves;
}

LayerSplit withMoves(LayerSplit split, const std::vector<profiler::LayerMove>& moves)
{
    for (const profiler::LayerMove& move : moves) {
        split[static_cast<std::size_t>(move.from.value)] -= move.count;
        split[static_cast<std::size_t>(move.to.value)] += move.count;
    }
    return split;
}

std::pair<int, int> borderRange(const LayerSplit& measured, const LayerSplit& split, int border)
{
    const std::vector<int> now = borders(split), before = borders(measured);
    const auto at = static_cast<std::size_t>(border);
    return {std::max(now[at], before[at]) + 1, std::min(now[at + 2], before[at + 2]) - 1};
}

LayerSplit withBorder(const LayerSplit& measured, LayerSplit split, int border, int before)
{
    const auto [least, most] = borderRange(measured, split, border);
    const auto at = static_cast<std::size_t>(border);
    const int moved = std::clamp(before, least, most) - borders(split)[at + 1];
    split[at] += moved;
    split[at + 1] -= moved;
    return split;
}

LayerBar::LayerBar(const ThemeController& theme)
    : ThemedWidget(theme)
{
    setFixedHeight(kBar + kStageText);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void LayerBar::setSplit(const LayerSplit& measured, const LayerSplit& split)
{
    m_measured = measured;
    if (split == m_split)
        return;
    m_split = split;
    m_hovered = m_dragged = -1;
    choose(std::clamp(m_current, 0, std::max(0, borders() - 1)));
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
    int nearest = -1;
    for (int border = 0, reach = kReach; border < borders(); ++border)
        if (const int to = std::abs(x - borderX(border)); to <= reach) {
            nearest = border;
            reach = to - 1;
        }
    return nearest;
}

void LayerBar::choose(int border)
{
    if (border < 0 || border >= borders())
        return;
    m_current = border;
    const auto at = static_cast<std::size_t>(border);
    setAccessibleDescription(tr("Stage %1: %2, stage %3: %4")
                                 .arg(border)
                                 .arg(countOf(m_split[at], "layer"))
                                 .arg(border + 1)
                                 .arg(countOf(m_split[at + 1], "layer")));
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
    choose(border);
    Q_EMIT changed();
}

void LayerBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRect(0, 0, width(), kBar), isEnabled() ? chrome.pressed : chrome.hover);
    const auto draw = [&](const QRect& area, const QFont& font, const QString& text) {
        painter.setFont(font);
        const bool fits = QFontMetrics(font).horizontalAdvance(text) + kHandle + 2 <= area.width();
        if (fits)
            painter.drawText(area, Qt::AlignCenter, text);
        return fits;
    };
    for (int stage = 0, left = 0; stage <= borders(); left = borderX(stage++)) {
        const int wide = borderX(stage) - left;
        painter.setPen(chrome.text);
        draw({left, 0, wide, kBar}, uiFont(12, QFont::Medium),
             QString::number(m_split[static_cast<std::size_t>(stage)]));
        painter.setPen(chrome.text2);
        if (const QRect below(left, kBar, wide, kStageText);
            !draw(below, uiFont(11), tr("stage %1").arg(stage)))
            draw(below, uiFont(11), QString::number(stage));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(chrome.surface);
    for (int border = 0; border < borders(); ++border) {
        const bool isChosen = border == m_dragged || (hasFocus() && border == m_current);
        const bool isHot = isChosen || border == m_hovered;
        painter.setPen(QPen(isHot ? chrome.text : chrome.text2, isChosen ? 2 : 1));
        painter.drawRoundedRect(QRectF(borderX(border) - kHandle / 2.0, 1, kHandle, kBar - 2), 2,
                                2);
    }
}

bool LayerBar::event(QEvent* event)
{
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    const int x = mouse != nullptr ? mouse->position().toPoint().x() : -1;
    if (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton)
        choose(m_dragged = borderAt(x));
    else if (event->type() == QEvent::MouseButtonRelease)
        m_dragged = -1;
    else if (event->type() == QEvent::MouseMove && width() > 0)
        move(m_dragged, qRound(static_cast<double>(x) * layersBefore(borders()) / width()));
    if (mouse != nullptr || event->type() == QEvent::Leave) {
        m_hovered = mouse != nullptr ? borderAt(x) : -1;
        setCursor(m_dragged >= 0 || m_hovered >= 0 ? Qt::SplitHCursor : Qt::ArrowCursor);
        update();
    }
    return mouse != nullptr || ThemedWidget::event(event);
}

void LayerBar::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right)
        choose(std::clamp(m_current + (key == Qt::Key_Left ? -1 : 1), 0, borders() - 1));
    else if (key == Qt::Key_Minus || key == Qt::Key_Plus)
        move(m_current, layersBefore(m_current) + (key == Qt::Key_Minus ? -1 : 1));
    else
        QWidget::keyPressEvent(event);
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

// The scale of the bars ends at most at this multiple of the measured iteration.
constexpr double kLongBars = 1.1;
constexpr int kBarsWidth = 110, kBarHeight = 8, kBarsPadding = 9;

// Draws the interval as a bar, the prediction as a line and the measured iteration as a dashed
// line. Unknown intervals have no bar.
class IntervalDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        const QVariant stored = index.data(kIntervalRole);
        if (!stored.isValid())
            return;
        const auto interval = stored.value<Interval>();
        const Chrome& chrome = theme().chrome;
        const QRectF area = QRectF(option.rect).adjusted(kBarsPadding, 0, -kBarsPadding, 0);
        const auto x = [&](double share) { return std::round(area.left() + share * area.width()); };
        const double middle = std::round(area.center().y());
        painter->save();
        QPen measured(chrome.text, 1);
        measured.setDashPattern({3, 2});
        painter->setPen(measured);
        const double baseline = x(interval.baseline) + 0.5;
        painter->drawLine(QPointF(baseline, option.rect.top()),
                          QPointF(baseline, option.rect.bottom()));
        if (interval.isKnown)
            painter->fillRect(QRectF(x(interval.least), middle - kBarHeight / 2,
                                     std::max(2.0, x(interval.most) - x(interval.least)),
                                     kBarHeight),
                              toQt(theme().palette.gradients));
        painter->fillRect(QRectF(x(interval.value) - 1, middle - 7, 2, 14),
                          interval.isKnown ? chrome.text : chrome.text3);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {kBarsWidth, option.rect.height()};
    }
};

} // namespace

WhatIfModel::WhatIfModel(std::int64_t measured, QObject* parent)
    : TableModel(parent)
    , m_measured(measured)
{
    std::vector<WhatIfRow> all;
    for (const QString& scheme : whatIfSchemes())
        all.emplace_back().scheme = scheme;
    rescale();
    reset(columns(), std::move(all));
    sort(Iteration);
}

void WhatIfModel::update(const std::vector<WhatIfRow>& changed)
{
    std::vector<WhatIfRow> all = rows();
    for (const WhatIfRow& row : changed)
        *std::ranges::find(all, row.scheme, &WhatIfRow::scheme) = row;
    TableModel::update(0, std::move(all));
    rescale();
    describe(columns());
    sortAgain();
}

void WhatIfModel::setMemory(const engine::MemoryCapacity& memory)
{
    m_memory = memory;
    update({});
}

void WhatIfModel::setMeasured(std::int64_t measured)
{
    m_measured = measured;
    update({});
}

void WhatIfModel::rescale()
{
    m_mostBytes = 0;
    m_first = m_last = m_measured;
    const auto longest = static_cast<std::int64_t>(kLongBars * static_cast<double>(m_measured));
    for (const WhatIfRow& row : rows()) {
        if (!row.isKnown)
            continue;
        m_mostBytes = std::max(m_mostBytes, row.mostBytes());
        m_first = std::min(m_first, row.least);
        m_last = std::max(m_last, std::min(row.most, longest));
    }
    m_last = std::max(m_last, m_first + 1);
    m_time = timeScale(m_measured);
    m_bytes = byteScale(m_mostBytes);
}

bool WhatIfModel::isComplete() const
{
    return std::ranges::all_of(
        rows(), [](const WhatIfRow& row) { return row.isKnown || !row.reason.isEmpty(); });
}

QString WhatIfModel::excess(const WhatIfRow& row) const
{
    const std::int64_t most = row.mostBytes();
    const auto needed = static_cast<double>(most);
    if (m_memory.holds(needed))
        return {};
    return tr("%1 on device %2, %3 too much (%4)")
        .arg(m_bytes.withUnit(needed))
        .arg(std::ranges::find(row.deviceBytes, most) - row.deviceBytes.begin())
        .arg(m_bytes.withUnit(-m_memory.left(needed)), fromUtf8(m_memory.text()));
}

Interval WhatIfModel::interval(const WhatIfRow& row) const
{
    const auto place = [this](std::int64_t time) {
        return std::clamp(
            static_cast<double>(time - m_first) / static_cast<double>(m_last - m_first), 0.0, 1.0);
    };
    return {place(row.least), place(row.iteration), place(row.most), place(m_measured),
            row.hasInterval};
}

double WhatIfModel::difference(const WhatIfRow& row) const
{
    return 100.0 * static_cast<double>(row.iteration - m_measured)
        / static_cast<double>(std::max<std::int64_t>(1, m_measured));
}

bool WhatIfModel::isDistinguishable(const WhatIfRow& row) const
{
    return (row.hasInterval || row.scheme == kOwnOrder)
        && (row.most < m_measured || row.least > m_measured);
}

// The columns of every scheme. In place of the iteration, a scheme without a result has the reason,
// over the rest of its row.
WhatIfModel::Columns WhatIfModel::firstColumns() const
{
    const auto hasReason = [this](const WhatIfRow& row) {
        return !fits(row) && (row.isKnown || !row.reason.isEmpty());
    };
    return {Shown(
                tr("Scheme"), [](const WhatIfRow& row) { return schemeLabel(row.scheme); },
                Qt::AlignLeft)
                .with(kThumbnailRole,
                      [](const WhatIfRow& row) {
                          return QVariant::fromValue<const Thumbnail*>(row.thumbnail.get());
                      })
                .with(kThumbnailWidthRole,
                      [this](const WhatIfRow& row) {
                          return static_cast<double>(row.iteration) / static_cast<double>(m_last);
                      }),
            Shown({tr("Iteration, %1"), m_time},
                  [this](const WhatIfRow& row) {
                      return fits(row)  ? m_time.text(row.iteration)
                          : row.isKnown ? excess(row)
                                        : row.reason;
                  })
                .with(kSpanRole, hasReason)
                .with(Qt::TextAlignmentRole, [this](const WhatIfRow& row) {
                    return fits(row)
                        ? QVariant()
                        : QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
                })};
}

// The columns of schemes that fit; the others have no text in them.
WhatIfModel::Columns WhatIfModel::resultColumns() const
{
    const auto time = [this](std::int64_t ns) { return m_time.text(ns); };
    const ColumnTitle limit(
        [this] { return m_memory.isKnown() ? m_bytes.withUnit(m_memory.usable()) : QString(); });
    const ColumnTitle ends(
        [=, this] { return tr("%1 to %2").arg(time(m_first), m_time.withUnit(m_last)); });
    const auto nothing = [](const WhatIfRow&) { return QString(); };
    return {Shown(tr("Diff., %"),
                  [this](const WhatIfRow& row) { return signedNumber(difference(row), 1); })
                .verdict([this](const WhatIfRow& row) {
                    return isDistinguishable(row) ? differenceVerdict(difference(row), 100, 1)
                                                  : Verdict::Neutral;
                }),
            Shown(tr("Bubble, %"),
                  [](const WhatIfRow& row) { return number(100 * row.bubbleRatio, 1); }),
            knowsBytes()
                ? Shown({tr("Peak, %1"), m_bytes},
                        [this](const WhatIfRow& row) { return m_bytes.text(row.mostBytes()); })
                : Shown(tr("Peak stash, Mₐ"),
                        [](const WhatIfRow& row) { return number(row.peakStash, 1); }),
            Shown(
                limit,
                [this](const WhatIfRow& row) {
                    return m_memory.isKnown() && row.mostBytes() > 0 ? tr("fits") : QString();
                },
                Qt::AlignLeft),
            Shown({tr("95 % int., %1"), m_time},
                  [=](const WhatIfRow& row) {
                      return row.hasInterval ? tr("%1 to %2").arg(time(row.least), time(row.most))
                                             : QString();
                  }),
            Shown(ends, nothing, Qt::AlignLeft).with(kIntervalRole, [this](const WhatIfRow& row) {
                return fits(row) ? QVariant::fromValue(interval(row)) : QVariant();
            })};
}

WhatIfModel::Columns WhatIfModel::columns() const
{
    Columns all = firstColumns();
    for (Shown& one : resultColumns()) {
        one.text = [this, shown = std::move(one.text)](const WhatIfRow& row) {
            return fits(row) ? shown(row) : QString();
        };
        all.push_back(std::move(one));
    }
    for (Shown& one : all)
        one.sortedBy([](const WhatIfRow& row) { return static_cast<double>(row.iteration); })
            .with(kHintRole, [this](const WhatIfRow& row) { return !fits(row); });
    return all;
}

const WhatIfRow* WhatIfModel::find(const QString& scheme) const
{
    const auto at = std::ranges::find(rows(), scheme, &WhatIfRow::scheme);
    return at == rows().end() ? nullptr : &*at;
}

int WhatIfModel::fitting() const
{
    return static_cast<int>(
        std::ranges::count_if(rows(), [this](const WhatIfRow& row) { return fits(row); }));
}

namespace {

using engine::OpKind;
using engine::StageId;
using profiler::RunEdit;

class StageCosts : public TableModel<int>
{
public:
    StageCosts(const engine::Schedule& schedule, profiler::MeasuredTimes times, WhatIfEdits& edits,
               QObject* parent)
        : TableModel(parent)
        , m_times(std::move(times))
        , m_edits(edits)
        , m_messages(m_times.stages.size() + 1, 0)
    {
        for (const auto& program : schedule.program)
            for (const engine::Op& op : program)
                if (engine::isTransfer(op.kind)) {
                    ++m_messages[static_cast<std::size_t>(op.stage.value)];
                    ++m_messages.back();
                }
        double longest = 0;
        for (const OpKind kind :
             {OpKind::Forward, OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight}) {
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

    Scale time() const { return m_time; }

    QVariant data(const QModelIndex& index, int role) const override
    {
        return role == Qt::EditRole
            ? QVariant(TableModel::data(index, Qt::DisplayRole).toString().remove(kNarrowSpace))
            : TableModel::data(index, role);
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override
    {
        const Qt::ItemFlags flags = TableModel::flags(index);
        return index.isValid()
                && isEditable(at(index.row()), static_cast<std::size_t>(index.column()))
            ? flags | Qt::ItemIsEditable
            : flags;
    }

    // An unchanged text is not stored, because it is rounded.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override
    {
        const double entered = decimal(value.toString()).value_or(0);
        if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable) || entered <= 0)
            return false;
        if (value.toString() == index.data(Qt::EditRole).toString())
            return true;
        const auto kind = static_cast<std::size_t>(index.column()) - 1;
        const bool isShare = kind == m_kinds.size();
        const double ns = entered * m_time.perUnit();
        if (isShare ? entered >= 100 : ns < 1 || ns > 1e15)
            return false;
        m_edits.change({}, [&](WhatIfChanges& next) {
            if (isShare)
                next.weightShare = entered / 100;
            else
                next.times[{at(index.row()), m_kinds[kind]}] = std::llround(ns);
        });
        return true;
    }

private:
    Columns columns() const
    {
        const auto isBold = [this](int row) { return isSum(row); };
        const auto share = [](double of) { return of < 0 ? kNoValue : number(100 * of, 1); };
        const auto isShareEdited = [this] { return m_edits.changes().weightShare.has_value(); };
        Columns all{{tr("Stage"),
                     [this](int row) { return isSum(row) ? tr("Sum") : QString::number(row); },
                     Qt::AlignLeft}};
        all.front().flag(kStrongRole);
        // Edited cells have the text `before`; others have "".
        const auto add = [&](const QString& title, auto now, auto before, const char* tip) {
            const std::size_t column = all.size();
            all.push_back(
                TableColumn<int>(title, now)
                    .with(kStrongRole,
                          [=](int row) { return isBold(row) || !QString(before(row)).isEmpty(); })
                    .with(kBeforeRole, before)
                    .with(Qt::ToolTipRole, [=, this](int row) {
                        return isEditable(row, column) ? QVariant(tr(tip)) : QVariant();
                    }));
        };
        for (const OpKind kind : m_kinds)
            add(
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
                "Double-click or F2 to change it");
        add(
            tr("W, %"), [=, this](int row) { return share(weightShare(row)); },
            [=, this](int row) {
                return isShareEdited() && !isSum(row) ? share(1 - m_times.inputShare) : QString();
            },
            "Assumed, because the run has only B; double-click to change it");
        all.back().with(kHintRole,
                        [=, this](int) { return !m_times.backwardIsSplit && !isShareEdited(); });
        all.emplace_back(tr("Msg."),
                         [this](int row) { return m_messages[static_cast<std::size_t>(row)]; })
            .with(kStrongRole, isBold);
        all.emplace_back(tr("±, %"), [this](int row) {
            return isSum(row) ? QString()
                              : number(100 * m_times.stages[StageId{row}].forward.spread(), 1);
        });
        return all;
    }

    bool isSum(int row) const { return row == static_cast<int>(m_times.stages.size()); }

    bool isEditable(int row, std::size_t column) const
    {
        return !isSum(row) && column > 0 && column <= m_kinds.size() + 1
            && (column <= m_kinds.size() ? measured(row, m_kinds[column - 1]) > 0
                                         : !m_times.backwardIsSplit);
    }

    double measured(int stage, OpKind kind) const // ns; 0: not measured
    {
        return static_cast<double>(
            (m_times.stages[StageId{stage}].*profiler::samplesOf(kind)).median());
    }

    // The edited value if there is one, otherwise the measured one; of the last row the sum.
    double value(int row, OpKind kind) const
    {
        double sum = 0;
        for (int stage = isSum(row) ? 0 : row; stage < (isSum(row) ? row : row + 1); ++stage) {
            const auto& times = m_edits.changes().times;
            const auto edited = times.find({stage, kind});
            sum += edited == times.end() ? measured(stage, kind)
                                         : static_cast<double>(edited->second);
        }
        return sum;
    }

    double weightShare(int row) const // < 0: unknown
    {
        const double weight = value(row, OpKind::BackwardWeight);
        return weight > 0 ? weight / (value(row, OpKind::BackwardInput) + weight)
            : m_times.backwardIsSplit
            ? -1
            : m_edits.changes().weightShare.value_or(1 - m_times.inputShare);
    }

    const profiler::MeasuredTimes m_times;
    WhatIfEdits& m_edits;
    std::vector<int> m_messages; // messages that each stage sends and receives, then their sum
    std::vector<OpKind> m_kinds; // of the columns after the first
    Scale m_time;
};

class AboveZero : public QValidator
{
public:
    using QValidator::QValidator;

    State validate(QString& text, int&) const override
    {
        const auto value = decimal(text);
        return text.isEmpty() || text == QLatin1String(".") || value == 0.0 ? Intermediate
            : value                                                         ? Acceptable
                                                                            : Invalid;
    }
};

// Draws an edited cell with a frame and its measured value struck through. A refused number stays
// in the field, with a frame in the error colour.
class CostDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        constexpr int kCellPadding = 9;
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
        if (const QString before = index.data(kBeforeRole).toString(); !before.isEmpty())
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

private:
    static constexpr int kStruckGap = 5;
};

constexpr double kStepsPerDoubling = 10;

// A factor from 1/4 to 4. A double click returns to the middle.
class LinkSlider : public QSlider
{
public:
    LinkSlider()
        : QSlider(Qt::Horizontal)
    {
        setRange(static_cast<int>(-2 * kStepsPerDoubling), static_cast<int>(2 * kStepsPerDoubling));
        setPageStep(static_cast<int>(kStepsPerDoubling));
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void mouseDoubleClickEvent(QMouseEvent*) override { setValue(0); }
};

// The labels and limits of the form are those of the options of bscope whatif.
const engine::FieldFacts& option(std::string_view flag)
{
    return *engine::findField(profiler::whatIfFields(), flag);
}

QString labelOf(std::string_view flag)
{
    return fromUtf8(option(flag).label);
}

enum Scope { OneOp, KindOnDevice, KindEverywhere };

// The op of the run's own order that the user selected, with its predicted duration and the
// changes that this duration includes.
struct OpInFocus
{
    engine::Op op;
    engine::DeviceId device;
    std::int64_t duration = 0; // in ns
    WhatIfChanges included;
};

// The measured times of a run, and controls to change them. A control is a function that shows
// WhatIfEdits::changes() and a connection that writes to them.
class WhatIfForm : public QWidget
{
public:
    // `measured` and `edits` must outlive the form.
    WhatIfForm(const ThemeController& theme, const profiler::WhatIfPredictor& measured,
               WhatIfEdits& edits, const std::function<void()>& memoryChanged)
        : m_theme(theme)
        , m_measured(measured)
        , m_edits(edits)
    {
        auto* content = makeColumn({}, 0, {makeCosts(), makeEditList()});
        auto& column = static_cast<QVBoxLayout&>(*content->layout());
        column.setSizeConstraint(QLayout::SetMinAndMaxSize);
        addOp(*makeFormSection(column));
        addSlowdowns(*makeFormSection(column));
        addLinks(*makeFormSection(column));
        addStragglers(*makeFormSection(column));
        addLayers(*makeFormSection(column));
        addJob(*makeFormSection(column));
        fill(*makeFormSection(column),
             {makeLabel(tr("Interval"), "dock"),
              makeWrapped("hint", "",
                          tr("%1 Every prediction is multiplied by %2: the measured iteration time "
                             "divided by the time predicted for the same schedule.")
                              .arg(QUtf8StringView(profiler::kIntervalCovers).toString(),
                                   number(measured.correction(), 3)))});
        column.addStretch(1);
        auto* reset = makeButton(tr("Reset"), QStringLiteral("resetEdits"), "link");
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8, {makeLabel(tr("Measured times"), "dock"), kStretch, reset}),
                makeLine(Qt::Horizontal),
                {makeScroll(content), 1}});
        connect(reset, &QPushButton::clicked, &edits, &WhatIfEdits::reset);
        connect(&edits, &WhatIfEdits::changed, this, &WhatIfForm::show);
        connect(&theme, &ThemeController::unitsChanged, this, &WhatIfForm::show);
        for (HundredthsField* field : {m_memory, m_reserve})
            connect(field, &QSpinBox::valueChanged, this, memoryChanged);
        setKnowsBytes(false);
        show();
    }

    // Enables the memory limit if the memory of the schemes is known.
    void setKnowsBytes(bool knows)
    {
        m_memory->setEnabled(knows);
        m_reserve->setEnabled(knows);
        setHint(m_memoryHint, knows ? QString() : tr("The run has no memory by category."));
    }

    engine::MemoryCapacity memory() const // of a device; unknown: no limit
    {
        if (!m_memory->isEnabled())
            return {};
        return {std::llround(m_memory->value() / 100.0 * scaleIn(Unit::GiB).perUnit()),
                m_reserve->value() / 100.0};
    }

    // Ops can be selected only in the run's own order.
    void showOp(const std::optional<OpInFocus>& op, bool isOwnOrder)
    {
        m_op = op;
        m_isOwnOrder = isOwnOrder;
        showSelected();
    }

    // Multiplies the duration of the selected op, or of all ops of its kind. The calls during one
    // drag, of which only the last has `isLast`, are undone together.
    void scaleOp(double ratio, bool isLast = true)
    {
        if (m_op)
            m_edits.change(m_time->objectName(), [&](WhatIfChanges& next) {
                RunEdit edit = selection();
                edit.factor = slowdown(next, edit) * ratio;
                setSlowdown(next, edit);
            });
        if (isLast)
            m_edits.endStep();
    }

private:
    const engine::Run& run() const { return m_measured.run(); }

    void show()
    {
        for (const auto& one : m_show)
            one();
    }

    // Connects a control to a part of the changes. Successive values of a number are undone
    // together.
    template<class Control, class Get, class Set>
    void bind(void (Control::*changed)(int), void (Control::*display)(int),
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

    template<class Spin>
    Spin* makeSpin(const char* name, int least, int most, int step)
    {
        auto* field = named(new Spin(m_theme), name);
        field->setRange(least, most);
        field->setSingleStep(step);
        return field;
    }

    QWidget* makeCosts()
    {
        auto* model = new StageCosts(run().schedule, m_measured.times(), m_edits, this);
        auto* table
            = named(new DataTable(m_theme, 26), "costTable", tr("Measured times of the stages"));
        table->setModel(model);
        table->setItemDelegate(new CostDelegate(m_theme, table));
        table->setSelectionMode(QAbstractItemView::NoSelection);
        table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                               | QAbstractItemView::AnyKeyPressed);
        connect(table, &DataTable::activated, table, [table](const QModelIndex& index) { // Enter
            if (index.flags().testFlag(Qt::ItemIsEditable))
                table->edit(index);
        });
        auto *unit = makeLabel({}, "hint"), *edited = makeWrapped("hint", "costEdits");
        unit->setContentsMargins(14, 10, 14, 2);
        auto* undo = makeButton(tr("Undo"), QStringLiteral("undoEdit"), "link");
        connect(undo, &QPushButton::clicked, &m_edits, &WhatIfEdits::undo);
        m_show.emplace_back([=, this] {
            unit->setText(tr("%1 per stage and micro-batch, median").arg(model->time().unit()));
            const std::int64_t each = m_measured.times().message.median();
            const QString messages = each > 0
                ? tr("Msg. counts sent and received messages; %1 each.")
                      .arg(timeScale(each).withUnit(each))
                : tr("Messages take no time.");
            const auto cells = static_cast<std::int64_t>(m_edits.changes().editedCells());
            edited->setText(cells > 0 ? tr("%1 edited. %2").arg(countOf(cells, "cell"), messages)
                                      : messages);
            undo->setVisible(m_edits.canUndo());
            table->fitRows(DataTable::Fit::Fixed);
        });
        auto* part = makeColumn(
            {}, 0,
            {unit, table,
             spaced(new QHBoxLayout, {14, 8, 14, 12}, 8, {{edited, 1}, {undo, 0, Qt::AlignTop}})});
        part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
        return part;
    }

    // Lists the changes, each with a button that removes it.
    QWidget* makeEditList()
    {
        auto* rows = spaced(new QVBoxLayout, {}, 0);
        auto* list = named(makeColumn({14, 0, 8, 8}, 0, {makeLabel(tr("Edits"), "dock"), rows}),
                           "whatIfEdits", tr("Edits"));
        m_show.emplace_back([=, this] {
            const bool hadFocus = list->isAncestorOf(focusWidget());
            clearLayout(*rows);
            for (const WhatIfEdit& edit : editsOf(m_edits.changes(), run())) {
                auto* remove
                    = makeIconButton("", Icon::Close, tr("Remove %1").arg(edit.text), m_theme);
                remove->setObjectName(QStringLiteral("removeEdit%1").arg(rows->count()));
                remove->setFocusPolicy(Qt::StrongFocus);
                connect(remove, &QToolButton::clicked, this,
                        [this, rest = edit.without] { m_edits.take(rest); });
                rows->addWidget(makeRow({}, 8, {{makeWrapped("", "", edit.text), 1}, remove}));
                if (hadFocus && rows->count() == 1)
                    remove->setFocus();
            }
            list->setVisible(rows->count() > 0);
        });
        return list;
    }

    void addOp(QVBoxLayout& rows)
    {
        m_scope->addItems({QString(), QString(), QString()});
        m_time->setAlignment(Qt::AlignRight);
        m_time->setToolTip(tr("Sets the duration when Enter is pressed"));
        fill(rows,
             {m_opTitle, makeFormRow(tr("Duration"), {m_time}),
              makeFormRow(tr("Apply to"), {m_scope}), m_opHint});
        connect(m_time, &QLineEdit::returnPressed, this, &WhatIfForm::takeTime);
        m_show.emplace_back([this] { showSelected(); });
    }

    RunEdit selection() const // the ops in scope; requires an op
    {
        RunEdit edit;
        if (m_scope->currentIndex() == OneOp)
            edit.op = m_op->op;
        else
            edit.kind = m_op->op.kind;
        if (m_scope->currentIndex() == KindOnDevice)
            edit.device = m_op->device;
        return edit;
    }

    void showSelected()
    {
        const bool canEdit = m_op && m_op->duration > 0;
        m_time->setEnabled(canEdit);
        m_scope->setEnabled(canEdit);
        setLook(m_time, "invalid", false);
        QStringList texts{tr("one op"), tr("its op type on the device"),
                          tr("its op type on all devices")};
        m_opTitle->setText(tr("Selected op"));
        if (m_op) {
            const QString name = fromUtf8(engine::toString(m_op->op)),
                          kind = fromUtf8(engine::kindShortName(m_op->op.kind)),
                          onDevice
                = tr("%1 on device %2")
                      .arg(QStringLiteral("%1"), QString::number(m_op->device.value));
            m_opTitle->setText(onDevice.arg(name));
            texts
                = {tr("%1 only").arg(name), onDevice.arg(kind), tr("%1 on all devices").arg(kind)};
            m_unit = timeScale(m_op->duration);
        }
        for (const int scope : {OneOp, KindOnDevice, KindEverywhere})
            m_scope->setItemText(scope, texts.at(scope));
        m_time->setText(canEdit ? m_unit.withUnit(m_op->duration) : QString());
        m_opHint->setText(canEdit    ? tr("Drag the end of the op, or press < and >.")
                              : m_op ? tr("This op takes no time; select one that does.")
                              : m_isOwnOrder
                              ? tr("Select an op of either timeline, or drag its end.")
                              : tr("Choose \"Own order\" as the scheme to change single ops."));
    }

    // Accepts "12.4" and "12.4 ms" in the unit of the field. Ignores an unchanged text, because the
    // shown duration is rounded.
    void takeTime()
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
            return m_opHint->setText(tr("%1 is not a duration; enter a positive number of %2.")
                                         .arg(m_time->text(), m_unit.unit()));
        }
        const RunEdit edit = selection();
        scaleOp(entered * m_unit.perUnit() / duration * slowdown(m_op->included, edit)
                    / slowdown(m_edits.changes(), edit),
                true);
    }

    void addSlowdowns(QVBoxLayout& rows)
    {
        std::vector<RunEdit> targets;
        for (const engine::DeviceId device : run().schedule.program.ids())
            targets.emplace_back().device = device;
        std::ranges::copy(linksOf(run()), std::back_inserter(targets));
        QComboBox* target = makeFormCombo(QStringLiteral("slowTarget"));
        for (const RunEdit& one : targets)
            target->addItem(selectionText(one));
        const auto chosen = [=] {
            return targets[static_cast<std::size_t>(std::max(0, target->currentIndex()))];
        };
        auto* factor = makeSpin<HundredthsField>("slowFactor", 1,
                                                 static_cast<int>(100 * RunEdit::kMostFactor), 10);
        factor->setToolTip(
            tr("Multiplies the times of the device or links; 2.00 is twice as long"));
        auto* delay = makeSpin<SpinField>("messageDelay", 0,
                                          static_cast<int>(option("--link-delay").most), 10);
        delay->setToolTip(tr("Adds this time to every message between devices"));
        fill(rows,
             {makeFormRow(tr("Device or links"), {target}),
              makeFormRow(labelOf("--slow"), {factor}),
              makeFormRow(labelOf("--link-delay"), {delay})});
        bind(
            &QSpinBox::valueChanged, &QSpinBox::setValue, factor,
            [=](const WhatIfChanges& now) {
                return static_cast<int>(std::lround(100 * slowdown(now, chosen())));
            },
            [=](WhatIfChanges& next, int hundredths) {
                RunEdit edit = chosen();
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

    void addLinks(QVBoxLayout& rows)
    {
        auto* slider = named(new LinkSlider, "linkSlider", labelOf("--link-speed"));
        QLabel *speed = named(makeLabel({}), "linkSpeed"),
               *middle = makeLabel(tr("as measured"), "hint");
        middle->setAlignment(Qt::AlignCenter);
        fill(
            rows,
            {spaced(new QHBoxLayout, {}, 8, {{makeLabel(labelOf("--link-speed")), 1}, speed}),
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

    void addStragglers(QVBoxLayout& rows)
    {
        auto* segments
            = named(new SegmentControl(m_theme, {tr("as measured"), tr("removed")}), "stragglers");
        const SlowestDevice slowest = slowestDevice(run(), m_measured.times());
        fill(rows,
             {makeFormRow(labelOf("--no-stragglers"), {segments}),
              makeWrapped("hint", "",
                          slowest.device < 0
                              ? tr("All devices take equally long, within 1 %.")
                              : tr("Device %1 is %2 slower than the mean of the others.")
                                    .arg(slowest.device)
                                    .arg(percent(slowest.excess)))});
        bind(
            &SegmentControl::currentChanged, &SegmentControl::setCurrent, segments,
            [](const WhatIfChanges& now) { return now.removesStragglers ? 1 : 0; },
            [](WhatIfChanges& next, int choice) { next.removesStragglers = choice == 1; });
    }

    // The number of layers is part of the changes only if layers are moved. The user enters it only
    // if the run does not have it.
    void addLayers(QVBoxLayout& rows)
    {
        const int stages = run().schedule.shape.stages, known = profiler::modelLayers(run());
        auto* layers
            = makeSpin<SpinField>("layers", 0, static_cast<int>(option("--layers").most), 1);
        layers->setSpecialValueText(tr("unknown"));
        layers->setValue(known);
        layers->setEnabled(known == 0);
        auto* bar = named(new LayerBar(m_theme), "layerBar", tr("Layers per stage"));
        QLabel* hint = makeWrapped("hint");
        fill(rows, {makeFormRow(labelOf("--layers"), {layers}), bar, hint});
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
                isKnown ? tr("Drag a border to move layers between stages. Every layer of a stage "
                             "is assumed to take the same time.")
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

    void addJob(QVBoxLayout& rows)
    {
        constexpr double kFactors[] = {0.25, 0.5, 1, 2, 4, 8};
        constexpr int kMostBatches = 4096; // more take seconds, for each of all schemes
        auto* microBatches = makeSpin<SpinField>(
            "microBatches", 1, std::max(kMostBatches, run().schedule.shape.microBatches), 1);
        QComboBox* tensor = makeFormCombo(QStringLiteral("tensorParallel"));
        tensor->setToolTip(
            tr("Divides every op among more or fewer GPUs, without communication between them"));
        for (const double factor : kFactors)
            tensor->addItem(factor == 1 ? tr("as measured") : tr("× %1").arg(factor));
        const engine::MemoryCapacity ofRun = profiler::deviceMemory(run());
        const engine::FieldFacts& reserve = engine::experimentField("--reserve");
        m_memory->setSpecialValueText(tr("none"));
        m_memory->setValue(static_cast<int>(
            std::llround(100 * static_cast<double>(ofRun.bytes) / scaleIn(Unit::GiB).perUnit())));
        m_reserve->setValue(static_cast<int>(std::llround(100 * ofRun.reserve)));
        m_reserve->setToolTip(fromUtf8(reserve.help));
        fill(rows,
             {makeFormRow(tr("Micro-batches N"), {microBatches}),
              makeFormRow(labelOf("--tensor-parallel"), {tensor}),
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

    const ThemeController& m_theme;
    const profiler::WhatIfPredictor& m_measured;
    WhatIfEdits& m_edits;
    std::vector<std::function<void()>> m_show;
    QLabel *m_opTitle = named(makeLabel({}, "dock"), "opTitle"),
           *m_opHint = makeWrapped("hint", "opHint");
    QLineEdit* m_time = named(new QLineEdit, "opTime", tr("Duration of the selected op"));
    QComboBox* m_scope = makeFormCombo(QStringLiteral("opScope"));
    std::optional<OpInFocus> m_op;
    Scale m_unit;
    bool m_isOwnOrder = false;
    HundredthsField *m_memory = makeSpin<HundredthsField>("deviceMemory", 0, 10'000'000, 100),
                    *m_reserve = makeSpin<HundredthsField>("reserve", 0, 10'000, 100);
    QLabel* m_memoryHint = makeFormHint();
};

} // namespace

QAbstractTableModel* makeStageCosts(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                                    WhatIfEdits& edits, QObject* parent)
{
    return new StageCosts(schedule, std::move(times), edits, parent);
}

namespace {

constexpr double kStep = 1.05; // factor by which a key changes the duration of an op

// Predicts other schemes from the measured times of a run, which the user can change: the runs, the
// measured times, both timelines above the ranking, and the details. We make these parts when the
// times of the run are known, so that none of them has a state without a run.
class WhatIfPage : public Page
{
public:
    WhatIfPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_library(library)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("whatIfPage"));
        makeActions();
        m_refused->button()->hide();
        m_stack->addWidget(makeColumn({40, 40, 40, 40}, 0, {m_refused}, ""));
        spaced(new QVBoxLayout(this), {}, 0, {m_stack});
        m_delay.setSingleShot(true);
        m_delay.setInterval(60); // ms
        connect(&m_delay, &QTimer::timeout, this, &WhatIfPage::predict);
        connect(m_refused, &EmptyState::activated, this, &WhatIfPage::replaceRun);
        connect(&m_theme, &ThemeController::unitsChanged, this, &WhatIfPage::showSentence);
        connect(&m_theme, &ThemeController::unitsChanged, this, &WhatIfPage::showDetails);
        connect(m_document.get(), &RunDocument::stateChanged, this, &WhatIfPage::showDocument);
        connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
            m_measuredView = views.front();
            showViews();
        });
        showDocument();
    }

    QString title() const override { return tr("What if: %1").arg(m_document->title()); }

    QStringList statusTexts() const override
    {
        const RunPointer run = m_document->run();
        if (m_measured == nullptr)
            return run == nullptr
                ? QStringList()
                : QStringList(tr("<b>%1</b> %2")
                                  .arg(capitalized(modeText(run->info)),
                                       countOf(run->schedule.shape.devices, "device")));
        QStringList texts{
            tr("<b>Predicted</b> from %1").arg(m_document->title().toHtmlEscaped()),
            countOf(static_cast<std::int64_t>(editsOf(m_changes, *m_run).size()), "edit"),
            countOf(m_model->rowCount(), "prediction")};
        if (m_model->memory().isKnown())
            texts.append(fromUtf8(m_model->memory().text()));
        return texts;
    }

    QString statusNote() const override
    {
        const WhatIfRow* row = chosenRow();
        return row == nullptr || !row->isKnown
            ? QString()
            : schemeLabel(m_scheme) + QLatin1Char(' ') + m_model->time().withUnit(row->iteration);
    }

    const RunDocument* document() const override { return m_document.get(); }

private:
    void makeActions()
    {
        m_open = makeAction(
            "openPrediction", tr("Save as prediction"), Qt::CTRL | Qt::Key_Return,
            [this] { openPrediction(); },
            tr("write the prediction as a simulated run and open it"));
        m_copy = makeAction(
            "copyWhatIf", tr("Copy as command"), {},
            [this] {
                QGuiApplication::clipboard()->setText(command());
                m_notice->show(Band::Kind::Ok, tr("Copied."), command());
            },
            tr("copy the bscope whatif command with these changes"));
        m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E, [this] {
            Q_EMIT exportRequested({m_run, m_details.run});
        });
        m_schedule = makeAction("openSchedule", tr("Open the schedule"), {},
                                [this] { openSchedule(m_scheme); });
        m_search = makeAction(
            "searchSchedule", tr("Shortest schedule for these times"), {}, [this] { openSearch(); },
            tr("search the shortest order of the ops for the measured times, without the edits"));
        m_fit = makeAction("fitRuns", tr("Fit both runs"), Qt::Key_0,
                           [this] { m_compare->zoomToFit(); });
        m_undo = makeAction("undoEdit", tr("Undo the edit"), QKeySequence::Undo,
                            [this] { m_edits->undo(); });
        m_redo = makeAction("redoEdit", tr("Redo the edit"), QKeySequence::Redo,
                            [this] { m_edits->redo(); });
        m_reset
            = makeAction("resetWhatIf", tr("Reset all changes"), {}, [this] { m_edits->reset(); });
        m_shorten = makeAction("shortenOp", tr("Shorten the op by 5 %"), Qt::Key_Less,
                               [this] { m_form->scaleOp(1 / kStep); });
        m_lengthen = makeAction("lengthenOp", tr("Lengthen the op by 5 %"), Qt::Key_Greater,
                                [this] { m_form->scaleOp(kStep); });
        m_showRuns = makeAction("showRuns", tr("Runs"), {});
        m_showDetails = makeAction("showDetails", tr("Details"), {});
        foldBelow(1180, *m_showRuns);
        foldBelow(1360, *m_showDetails);
        followTheme(m_export, Icon::Export, m_theme);
        followTheme(m_showRuns, Icon::Compare, m_theme);
        followTheme(m_showDetails, Icon::Info, m_theme);
        enablePrediction(false);
        for (QAction* action : {m_search, m_fit, m_undo, m_redo, m_reset, m_shorten, m_lengthen})
            action->setEnabled(false);
        inMenu(Menu::Run, {m_open, m_schedule, m_copy});
        inMenu(Menu::View, {m_fit, m_showRuns, m_showDetails});
        inMenu(Menu::Analyze, {m_search, m_undo, m_redo, m_reset, m_shorten, m_lengthen});
        inMenu(Menu::Export, {m_export});
    }

    void enablePrediction(bool isKnown)
    {
        for (QAction* action : {m_open, m_copy, m_export, m_schedule})
            action->setEnabled(isKnown);
    }

    QWidget* makeRuns()
    {
        auto* runs = new RunsDock(m_theme, m_library);
        connect(runs, &RunsDock::pageRequested, this, &Page::pageRequested);
        runs->setCurrent(m_document.get());
        return runs;
    }

    QWidget* makeForm()
    {
        m_form = new WhatIfForm(m_theme, *m_measured, *m_edits, [this] {
            m_model->setMemory(m_form->memory());
            showSentence();
            showDetails();
        });
        auto* column
            = makeLined({{m_form, 1},
                         makeFoot({{makeButton(m_open, "openPredictionButton", "primary"), 1},
                                   makeButton(m_copy, "copyWhatIfButton")})});
        column->setMinimumWidth(280);
        return column;
    }

    QWidget* makeCentre()
    {
        m_schemes = named(new QComboBox, "whatIfScheme", tr("Scheme"));
        m_schemes->setMinimumWidth(150);
        m_schemes->setFocusPolicy(Qt::TabFocus);
        for (const QString& scheme : whatIfSchemes())
            m_schemes->addItem(schemeLabel(scheme), scheme);
        m_schemes->setCurrentIndex(-1);
        connect(m_schemes, &QComboBox::activated, this,
                [this] { choose(m_schemes->currentData().toString()); });
        auto* bar = makeRow({8, 0, 8, 0}, 8,
                            {makeToolButton(m_showRuns), makeLabel(tr("Scheme"), "small"),
                             m_schemes, new Tag(m_theme, tr("simulated")), kStretch,
                             makeActionButton(m_export), makeToolButton(m_showDetails)});
        bar->setFixedHeight(40);
        m_notice->hide();
        QPushButton* search
            = m_sentence->addAction(m_search->text(), QStringLiteral("searchTimes"));
        search->setToolTip(m_search->toolTip());
        connect(search, &QPushButton::clicked, m_search, &QAction::trigger);
        m_compare = new CompareWidget(m_theme);
        setInitialFocus(m_compare);
        connect(m_compare, &CompareWidget::opScaled, m_form, &WhatIfForm::scaleOp);
        connect(m_compare, &CompareWidget::selectionChanged, this, &WhatIfPage::showSelected);
        auto* rows = makeSplitter(Qt::Vertical, {{m_compare, 440, 3}, {makeTable(), 380, 2}});
        QWidget* centre = makeColumn({}, 0,
                                     {bar,
                                      makeLine(Qt::Horizontal),
                                      m_notice,
                                      makeColumn({14, 8, 14, 8}, 0, {m_sentence}),
                                      makeLine(Qt::Horizontal),
                                      {rows, 1}});
        m_sentence->show(Band::Kind::Neutral, tr("Predicting all schemes."), {});
        return centre;
    }

    // The ranking of all schemes with their intervals.
    QWidget* makeTable()
    {
        m_table = named(new DataTable(m_theme, 26), "whatIfTable",
                        tr("All schemes with the measured times"));
        m_table->setItemDelegateForColumn(WhatIfModel::Bars,
                                          new IntervalDelegate(m_theme, m_table));
        m_table->setModel(m_model);
        m_progress = named(makeLabel({}, "hint"), "whatIfProgress");
        auto* summary = named(makeLabel({}, "hint"), "whatIfSummary");
        auto* table = makeLined(
            {makeBar(32, 8,
                     {makeLabel(tr("All schemes with these times"), "dock"),
                      new Tag(m_theme, tr("simulated")), kStretch, m_progress, summary}),
             {m_table, 1}});
        table->setMinimumHeight(120);
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& row) {
                    if (row.isValid())
                        choose(m_model->at(row.row()).scheme);
                });
        connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
            openSchedule(m_model->at(index.row()).scheme);
        });
        connect(m_model, &QAbstractItemModel::layoutChanged, summary, [this, summary] {
            const int fitting = m_model->fitting();
            const QString of = m_model->memory().isKnown()
                ? tr("%1 of %2 fit, shortest first")
                : tr("%1 of %2 possible, shortest first");
            summary->setText(fitting > 0
                                 ? of.arg(fitting).arg(countOf(m_model->rowCount(), "prediction"))
                                 : QString());
        });
        connect(m_predictions.get(), &WhatIfPredictions::progressed, m_progress,
                [this](int intervals, int all) {
                    m_progress->setText(intervals < all
                                            ? tr("intervals: %1 of %2").arg(intervals).arg(all)
                                            : QString());
                });
        return table;
    }

    QWidget* makeDetails()
    {
        m_detailsView = new DetailsView(m_theme, "whatIfDetails", tr("Details"),
                                        {Icon::Info, tr("No prediction yet"), {}, {}});
        auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
        connect(close, &QToolButton::clicked, m_showDetails, &QAction::toggle);
        auto* dock
            = named(makeLined({makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close}),
                               {m_detailsView, 1},
                               makeFoot({{makeButton(m_schedule, "openScheduleButton"), 1}})}),
                    "detailsDock");
        dock->setMinimumWidth(220);
        return dock;
    }

    // Starts the predictions when the run has ended. Until then, some of its times are missing.
    void showDocument()
    {
        if (m_run != nullptr)
            return;
        if (m_document->state() == RunDocument::State::Failed)
            return refuse(m_document->notice().text);
        if (m_document->state() != RunDocument::State::Finished)
            return;
        const QString reason = whyNoWhatIf(m_document->run().get());
        if (!reason.isEmpty())
            return refuse(reason + QLatin1Char('.'));
        start(m_document->run());
    }

    void start(const RunPointer& run)
    {
        m_run = run;
        Q_EMIT titleChanged();
        m_predictions = std::make_unique<WhatIfPredictions>(run);
        const WhatIfPredictions* predictions = m_predictions.get();
        connect(predictions, &WhatIfPredictions::measured, this, &WhatIfPage::showMeasured);
        connect(predictions, &WhatIfPredictions::failed, this, &WhatIfPage::refuse);
        connect(predictions, &WhatIfPredictions::predicted, this, &WhatIfPage::showRow);
        connect(predictions, &WhatIfPredictions::schemeExplained, this,
                &WhatIfPage::showPrediction);
    }

    void showMeasured(const WhatIfPredictions::Predictor& predictor)
    {
        m_measured = predictor;
        m_edits = new WhatIfEdits(*m_run, this);
        m_model = new WhatIfModel(predictor->measured(), this);
        connect(m_edits, &WhatIfEdits::changed, this, &WhatIfPage::takeChanges);
        QWidget *runs = makeRuns(), *form = makeForm(), *centre = makeCentre(),
                *dock = makeDetails();
        auto* columns = makeSplitter(Qt::Horizontal,
                                     {{runs, 216}, {form, 310}, {centre, 780, 1}, {dock, 292}});
        for (const auto& [action, column] : {std::pair(m_showRuns, runs), {m_showDetails, dock}}) {
            column->setVisible(action->isChecked());
            connect(action, &QAction::toggled, column, &QWidget::setVisible);
        }
        m_stack->setCurrentIndex(m_stack->addWidget(columns));
        for (QAction* action : {m_fit, m_reset, m_search})
            action->setEnabled(true);
        if (isVisible())
            m_compare->setFocus();
        m_views.ask({m_run});
        predict();
    }

    // Shows why there are no predictions. The button is hidden if it could open nothing.
    void refuse(const QString& reason)
    {
        const RunPointer run = m_document->run();
        const bool isImported = run != nullptr && run->info.import;
        const bool canRepeat = run != nullptr && !run->info.experiment.empty();
        m_refused->setTexts(tr("Other schemes cannot be predicted from this run."),
                            capitalized(reason));
        m_refused->button()->setText(isImported ? tr("Import report")
                                                : tr("New run with these settings"));
        m_refused->button()->setVisible(isImported || canRepeat);
        Q_EMIT titleChanged();
        Q_EMIT statusChanged();
    }

    void replaceRun()
    {
        const engine::RunInfo& info = m_document->run()->info;
        if (info.import)
            Q_EMIT pageRequested({"import", {m_document->file()}});
        else
            Q_EMIT pageRequested(
                {.kind = "setup",
                 .plan = planFromExperiment(QString::fromStdString(info.experiment))});
    }

    // Predicts the run's own order at once, all schemes after a delay.
    void takeChanges()
    {
        enablePrediction(false); // until the prediction includes these changes
        m_undo->setEnabled(m_edits->canUndo());
        m_redo->setEnabled(m_edits->canRedo());
        if (isOwnOrder()) {
            m_changes = m_edits->changes();
            m_predictions->preview(m_changes, m_scheme);
        }
        m_delay.start();
    }

    void predict()
    {
        m_changes = m_edits->changes();
        m_model->setMeasured(numbers().atPace());
        m_predictions->ask(m_changes, m_scheme);
        Q_EMIT statusChanged();
    }

    bool isOwnOrder() const { return m_scheme == kOwnOrder; }

    void showSelected(int run, const Selection& selection)
    {
        m_selected = {run, selection};
        const auto op = predictedOp();
        m_shorten->setEnabled(op.has_value());
        m_lengthen->setEnabled(op.has_value());
        m_form->showOp(op, isOwnOrder());
    }

    // The selected op with its predicted duration, even if it is selected in the measured run.
    std::optional<OpInFocus> predictedOp() const
    {
        const auto& [run, selection] = m_selected;
        const auto* row = m_compare->rows().rowOf(1);
        if (!isOwnOrder() || run < 0 || selection.kind != Selection::Kind::Op || row == nullptr
            || row->view->run().schedule != m_compare->view(0)->run().schedule)
            return std::nullopt;
        const auto span = row->view->spanOf(selection.op, row->iteration);
        return span ? std::optional(OpInFocus{row->view->op(selection.op), selection.device,
                                              span->window().duration(), m_shown})
                    : std::nullopt;
    }

    // Initially chooses the scheme with the shortest iteration.
    void showRow(const WhatIfRow& row)
    {
        m_model->update({row});
        m_form->setKnowsBytes(m_model->knowsBytes());
        if (m_scheme.isEmpty() && m_model->isComplete()) {
            if (m_model->best().isEmpty())
                m_sentence->show(Band::Kind::Error, tr("No scheme can be predicted."),
                                 m_model->at(0).reason);
            else
                choose(m_model->best());
        }
        if (row.scheme == m_scheme) {
            showPeak();
            showSentence();
            showDetails();
        }
        Q_EMIT statusChanged();
    }

    void choose(const QString& scheme)
    {
        if (scheme.isEmpty() || scheme == m_scheme)
            return;
        m_scheme = scheme;
        enablePrediction(false); // until the prediction of this scheme is known
        m_compare->setEditable(isOwnOrder() ? 1 : -1);
        m_compare->setGhost(isOwnOrder());
        showSelected(-1, {});
        m_schemes->setCurrentIndex(m_schemes->findData(scheme));
        if (const int row = m_model->rowOf(scheme);
            row >= 0 && m_table->currentIndex().row() != row)
            m_table->selectRow(row); // choose() ignores the chosen scheme
        m_predictions->explain(scheme);
        showSentence();
        Q_EMIT statusChanged();
    }

    void showPrediction(const WhatIfDetails& details, const RunViewPointer& view)
    {
        // While the delay lasts, another prediction, with later changes, will follow.
        if (details.row.scheme != m_scheme || (m_delay.isActive() && !details.isPreview))
            return;
        m_shown = details.changes;
        m_predictedView = view;
        showViews();
        if (details.isPreview)
            return showRow(details.row);
        m_details = details;
        enablePrediction(details.run != nullptr);
        showDetails();
        showSentence();
    }

    // The selection stays if only the times have changed.
    void showViews()
    {
        const auto* shown = m_compare->rows().rowOf(1);
        if (m_predictedView != nullptr && shown != nullptr && m_compare->view(0) == m_measuredView
            && shown->view->run().schedule == m_predictedView->run().schedule) {
            m_compare->replaceView(1, m_predictedView);
            m_form->showOp(predictedOp(), isOwnOrder());
            return showPeak();
        }
        std::vector<RunViewPointer> views;
        for (const RunViewPointer& view : {m_measuredView, m_predictedView})
            if (view != nullptr)
                views.push_back(view);
        m_compare->setViews(std::move(views), 0);
        showPeak();
    }

    void showPeak()
    {
        const WhatIfRow* row = chosenRow();
        if (row != nullptr && m_compare->rows().rowOf(1) != nullptr)
            m_compare->setPredictedPeak(1, row->mostBytes());
    }

    const WhatIfRow* chosenRow() const
    {
        return m_model != nullptr ? m_model->find(m_scheme) : nullptr;
    }

    WhatIfNumbers numbers() const
    {
        WhatIfNumbers numbers;
        numbers.measured = m_measured->measured();
        numbers.memory = m_form->memory();
        numbers.measuredBatches = m_run->schedule.shape.microBatches;
        numbers.batches = m_changes.microBatches;
        if (!m_details.comparison.runs.empty())
            numbers.measuredBytes = peaksOf(m_details.comparison.runs.front());
        return numbers;
    }

    void showDetails()
    {
        if (m_details.row.scheme.isEmpty())
            return;
        const WhatIfRow* row = m_details.row.scheme == m_scheme ? chosenRow() : nullptr;
        m_detailsView->show(describeWhatIf(m_details, row, m_form->memory()));
    }

    void showSentence()
    {
        const WhatIfRow* row = chosenRow();
        if (row == nullptr)
            return;
        if (!row->isKnown)
            return m_sentence->show(Band::Kind::Error,
                                    tr("%1 is not possible.").arg(schemeLabel(m_scheme)),
                                    row->reason);
        const WhatIfVerdict verdict = verdictOf(*row, numbers());
        const QString excess = m_model->excess(*row);
        using Kind = WhatIfVerdict::Kind;
        m_sentence->show(verdict.kind == Kind::Shorter       ? Band::Kind::Ok
                             : verdict.kind == Kind::Unclear ? Band::Kind::Neutral
                                                             : Band::Kind::Warning,
                         verdict.bold,
                         excess.isEmpty() ? verdict.rest
                                          : verdict.rest + tr(" It needs %1.").arg(excess));
    }

    void openPrediction()
    {
        engine::Run run = *m_details.run;
        run.info.command = command().toStdString();
        run.info.timing = tr("medians of %1").arg(m_document->title()).toStdString();
        run.info.started = m_run->info.started;
        m_writing.run([run = std::move(run)] { return writeNewRun(run); },
                      [this](const engine::Result<QString>& file) {
                          if (file)
                              Q_EMIT pageRequested({"run", {*file}});
                          else
                              m_notice->show(Band::Kind::Error, tr("Not written."),
                                             fromUtf8(file.error().message));
                      });
    }

    void openSchedule(const QString& scheme)
    {
        const engine::Schedule& own = m_run->schedule;
        const bool isOwn = scheme == kOwnOrder;
        PredictionRequest request;
        request.schedule.scheme = isOwn ? own.scheme : scheme.toStdString();
        request.schedule.devices = own.shape.devices;
        request.schedule.microBatches = isOwn ? own.shape.microBatches : m_changes.microBatches;
        request.schedule.dataParallel = own.shape.dataParallel;
        // The run may have another order than its scheme builds, for example one from a file.
        const auto schedule = isOwn ? EditedSchedule(own).schedule() : profiler::orderOf(request);
        if (schedule)
            Q_EMIT pageRequested({.kind = "editor",
                                  .schedule = std::make_shared<const engine::Schedule>(*schedule),
                                  .costs = request});
        else
            m_notice->show(Band::Kind::Error, tr("Not opened."),
                           fromUtf8(schedule.error().message));
    }

    void openSearch()
    {
        const engine::Schedule& own = m_run->schedule;
        RunPlan plan;
        plan.source.kind = CostSource::Kind::Recorded;
        plan.source.file = m_document->file().toStdString();
        plan.source.run = m_run;
        engine::ScheduleRequest& schedule = plan.experiment.schedule;
        schedule.scheme = own.scheme;
        schedule.devices = own.shape.devices;
        schedule.microBatches = own.shape.microBatches;
        schedule.dataParallel = own.shape.dataParallel;
        schedule = withStagesOf(plan.source, schedule);
        Q_EMIT pageRequested({.kind = "search", .plan = plan});
    }

    QString command() const
    {
        return whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape);
    }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunPointer m_run;
    RunViewPointer m_measuredView, m_predictedView; // null: not prepared yet
    ViewPreparation m_views;
    std::unique_ptr<WhatIfPredictions> m_predictions;
    WhatIfPredictions::Predictor m_measured;
    WhatIfChanges m_changes; // changes of the last request
    WhatIfChanges m_shown;   // changes that m_predictedView includes
    QString m_scheme;        // the chosen scheme
    // The selected item, with the index of its run in the comparison.
    std::pair<int, Selection> m_selected = {-1, {}};
    WhatIfDetails m_details; // of the last prediction that was no preview
    QTimer m_delay;          // delays predictions while a slider moves
    Background m_writing{this};

    QAction *m_open, *m_copy, *m_export, *m_schedule, *m_search, *m_fit, *m_undo, *m_redo, *m_reset,
        *m_shorten, *m_lengthen, *m_showRuns, *m_showDetails;
    EmptyState* m_refused
        = named(new EmptyState(m_theme,
                               {Icon::Info, tr("Reading the run"),
                                tr("Collecting the op times of this run…"), tr("Import report")}),
                "whatIfRefused"); // replaces all other parts
    QStackedWidget* m_stack = new QStackedWidget;
    Band *m_sentence = named(new Band(m_theme, Band::Shape::Verdict), "whatIfSentence"),
         *m_notice = named(new Band(m_theme, Band::Shape::State), "whatIfNotice");
    // Made by showMeasured():
    WhatIfEdits* m_edits = nullptr;
    WhatIfModel* m_model = nullptr;
    WhatIfForm* m_form = nullptr;
    CompareWidget* m_compare = nullptr;
    DataTable* m_table = nullptr; // its current row is the chosen scheme
    QLabel* m_progress = nullptr;
    QComboBox* m_schemes = nullptr;
    DetailsView* m_detailsView = nullptr;
};

} // namespace

Page* makeWhatIf(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document)
{
    return new WhatIfPage(theme, library, document);
}

} // namespace app
