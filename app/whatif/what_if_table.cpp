#include "app/whatif/what_if_table.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/verdict.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
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

DataTable* makeWhatIfTable(const ThemeController& theme, WhatIfModel& model)
{
    using C = WhatIfModel::Column;
    auto* table = named(new DataTable(theme, 26), "whatIfTable",
                        QObject::tr("All schemes with the measured times"));
    table->setItemDelegateForColumn(C::Bars, new IntervalDelegate(theme, table));
    table->setModel(&model);
    return table;
}

} // namespace app
