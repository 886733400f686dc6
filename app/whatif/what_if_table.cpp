#include "app/whatif/what_if_table.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/table_roles.h"
#include "app/ui/text.h"
#include "app/ui/verdict.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

// The scale of the bars ends at most at this multiple of the measured iteration.
constexpr double kLongBars = 1.1;

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
        .arg(m_bytes.withUnit(static_cast<double>(-m_memory.left(needed))),
             fromUtf8(m_memory.text()));
}

int WhatIfModel::rank(const WhatIfRow& row) const
{
    return fits(row) ? 0 : row.isKnown ? 1 : 2;
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

double WhatIfModel::differenceOf(const WhatIfRow& row) const
{
    return 100.0 * static_cast<double>(row.iteration - m_measured)
        / static_cast<double>(std::max<std::int64_t>(1, m_measured));
}

// In place of the iteration, a scheme without a result has the reason, over the rest of its row.
WhatIfModel::Columns WhatIfModel::firstColumns() const
{
    using Shown = TableColumn<WhatIfRow>;
    return {Shown(
                tr("Scheme"), [](const WhatIfRow& row) { return schemeLabel(row.scheme); },
                Qt::AlignLeft)
                .with(kThumbnailRole,
                      [](const WhatIfRow& row) {
                          return QVariant::fromValue(
                              static_cast<const Thumbnail*>(row.thumbnail.get()));
                      })
                .with(kThumbnailWidthRole,
                      [this](const WhatIfRow& row) {
                          return static_cast<double>(row.iteration) / static_cast<double>(m_last);
                      }),
            Shown({tr("Iteration, %1"), m_time},
                  [this](const WhatIfRow& row) {
                      return fits(row)  ? m_time.text(static_cast<double>(row.iteration))
                          : row.isKnown ? excess(row)
                                        : row.reason;
                  })
                .with(kSpanRole,
                      [this](const WhatIfRow& row) {
                          return !fits(row) && (row.isKnown || !row.reason.isEmpty());
                      })
                .with(Qt::TextAlignmentRole, [this](const WhatIfRow& row) {
                    return fits(row)
                        ? QVariant()
                        : QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
                })};
}

WhatIfModel::Columns WhatIfModel::columns() const
{
    using Shown = TableColumn<WhatIfRow>;
    const auto time = [this](std::int64_t ns) { return m_time.text(static_cast<double>(ns)); };
    Columns all = firstColumns();
    all.push_back(Shown(tr("Diff., %"), [this](const WhatIfRow& row) {
                      return signedNumber(differenceOf(row), 1);
                  }).with(kVerdictRole, [this](const WhatIfRow& row) {
        return static_cast<int>(differenceVerdict(differenceOf(row), 100, 1));
    }));
    all.emplace_back(tr("Bubble, %"),
                     [](const WhatIfRow& row) { return number(100 * row.bubbleRatio, 1); });
    if (knowsBytes())
        all.push_back(Shown({tr("Peak, %1"), m_bytes}, [this](const WhatIfRow& row) {
            return m_bytes.text(static_cast<double>(row.mostBytes()));
        }));
    else
        all.emplace_back(tr("Peak stash, Mₐ"),
                         [](const WhatIfRow& row) { return number(row.peakStash, 1); });
    const auto limit = [this] {
        return m_memory.isKnown() ? m_bytes.withUnit(static_cast<double>(m_memory.usable()))
                                  : QString();
    };
    all.push_back(Shown(
        ColumnTitle(limit),
        [this](const WhatIfRow& row) {
            return m_memory.isKnown() && row.mostBytes() > 0 ? tr("fits") : QString();
        },
        Qt::AlignLeft));
    all.push_back(Shown({tr("95 % int., %1"), m_time}, [=](const WhatIfRow& row) {
        return row.hasInterval ? tr("%1 to %2").arg(time(row.least), time(row.most)) : QString();
    }));
    const auto ends = [=, this] {
        return tr("%1 to %2").arg(time(m_first), m_time.withUnit(static_cast<double>(m_last)));
    };
    all.push_back(Shown(
                      ColumnTitle(ends), [](const WhatIfRow&) { return QString(); }, Qt::AlignLeft)
                      .with(kIntervalRole, [this](const WhatIfRow& row) {
                          return fits(row) ? QVariant::fromValue(interval(row)) : QVariant();
                      }));
    for (Shown& one : all) {
        one.sortedBy([](const WhatIfRow& row) { return static_cast<double>(row.iteration); })
            .with(kHintRole, [this](const WhatIfRow& row) { return !fits(row); });
        if (&one >= &all[Difference])
            one.text = [this, shown = std::move(one.text)](const WhatIfRow& row) {
                return fits(row) ? shown(row) : QString();
            };
    }
    return all;
}

const WhatIfRow* WhatIfModel::find(const QString& scheme) const
{
    const auto at = std::ranges::find(rows(), scheme, &WhatIfRow::scheme);
    return at == rows().end() ? nullptr : &*at;
}

int WhatIfModel::rowOf(const QString& scheme) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).scheme == scheme)
            return row;
    return -1;
}

QString WhatIfModel::best() const
{
    return rowCount() > 0 && fits(at(0)) ? at(0).scheme : QString();
}

int WhatIfModel::fitting() const
{
    return static_cast<int>(
        std::ranges::count_if(rows(), [this](const WhatIfRow& row) { return fits(row); }));
}

namespace {

constexpr int kSchemeRow = 26, kBarsWidth = 110, kBarHeight = 8, kBarsPadding = 9;

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

WhatIfTable::WhatIfTable(const ThemeController& theme, WhatIfModel& model, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_view(named(new DataTable(theme, kSchemeRow), "whatIfTable",
                   tr("All schemes with the measured times")))
    , m_progress(named(makeLabel({}, "hint"), "whatIfProgress"))
{
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the first column shrinks
    m_view->setItemDelegateForColumn(WhatIfModel::Bars, new IntervalDelegate(theme, m_view));
    m_view->setModel(&model);
    m_view->setDispensable(
        {WhatIfModel::Fits, WhatIfModel::Range, WhatIfModel::Memory, WhatIfModel::Bubble});
    auto* summary = named(makeLabel({}, "hint"), "whatIfSummary");
    auto* head = makeBar(32, 8,
                         {makeLabel(tr("All schemes with these times"), "dock"),
                          new Tag(theme, tr("simulated"), this), kStretch, m_progress, summary});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeLine(Qt::Horizontal), head, makeLine(Qt::Horizontal), {m_view, 1}});
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid())
                    Q_EMIT chosen(m_model.at(row.row()).scheme);
            });
    connect(m_view, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT openRequested(m_model.at(index.row()).scheme);
    });
    connect(&model, &QAbstractItemModel::layoutChanged, summary, [this, summary] {
        const int fitting = m_model.fitting();
        const QString of = m_model.memory().isKnown() ? tr("%1 of %2 fit, shortest first")
                                                      : tr("%1 of %2 possible, shortest first");
        summary->setText(fitting > 0
                             ? of.arg(fitting).arg(countOf(m_model.rowCount(), "prediction"))
                             : QString());
    });
}

void WhatIfTable::choose(const QString& scheme)
{
    const QSignalBlocker quiet(this);
    if (const int row = m_model.rowOf(scheme); row >= 0 && m_view->currentIndex().row() != row)
        m_view->selectRow(row);
}

void WhatIfTable::showProgress(int intervals, int all)
{
    m_progress->setText(intervals < all ? tr("intervals: %1 of %2").arg(intervals).arg(all)
                                        : QString());
}

} // namespace app
