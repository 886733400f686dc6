#include "app/editor/violation_list.h"

#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QListWidget>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kLeastHeight = 44;
constexpr int kMostShown = 200; // one edit of a large schedule may break thousands of ops

QListWidget* makeList(const char* name, const QString& title)
{
    auto* list = named(new QListWidget, name, title);
    list->setFrameShape(QFrame::NoFrame);
    list->setMinimumHeight(kLeastHeight);
    list->setProperty("kind", QStringLiteral("lines"));
    list->setWordWrap(true);
    list->setFont(uiFont(12));
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return list;
}

} // namespace

ViolationList::ViolationList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(makeLabel({}, "dock"))
    , m_absentTitle(makeLabel({}, "dock"))
    , m_violations(makeList("violations", tr("Violations")))
    , m_absentList(makeList("absentOps", tr("Missing ops")))
    , m_nothingRoom(new QWidget)
    , m_nothing(new EmptyState(theme,
                               {Icon::Check,
                                tr("No violations"),
                                tr("The schedule is complete and in order, without a deadlock."),
                                {}}))
{
    spaced(new QVBoxLayout(m_nothingRoom), QMargins(12, 12, 12, 12), 0, {m_nothing});
    spaced(new QVBoxLayout(this), QMargins(), 0,
           {makeBar(32, 8, {{m_title, 1}}),
            makeLine(Qt::Horizontal),
            {m_nothingRoom, 1},
            {m_violations, 2},
            makeLine(Qt::Horizontal),
            makeBar(32, 8, {{m_absentTitle, 1}}),
            makeLine(Qt::Horizontal),
            {m_absentList, 1}});
    const auto choose = [this] {
        const int row = m_violations->currentRow();
        if (row >= 0 && row < static_cast<int>(m_places.size()))
            Q_EMIT placeChosen(m_places[static_cast<std::size_t>(row)]);
    };
    connect(m_violations, &QListWidget::currentRowChanged, this, choose);
    connect(m_violations, &QListWidget::itemClicked, this, choose); // also of the current row
    connect(m_violations, &QListWidget::itemActivated, this, choose);
    connect(m_absentList, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        Q_EMIT restoreRequested(m_absentList->row(item));
    });
}

int ViolationList::chosenAbsent() const
{
    const int row = m_absentList->currentRow();
    return row < static_cast<int>(m_absent.size()) ? row : -1;
}

void ViolationList::addLine(const QString& text, OpPlace place)
{
    auto* item = new QListWidgetItem(text);
    item->setToolTip(toolTipText(text));
    m_violations->addItem(item);
    m_places.push_back(place);
}

// Lists the violations, then the explanations of a deadlock. The title counts only the violations.
void ViolationList::showViolations(const engine::Schedule& schedule, const ScheduleCheck& check)
{
    const auto& violations = check.prediction.violations;
    m_places.clear();
    m_violations->clear();
    for (const engine::Violation& violation : violations) {
        if (m_violations->count() == kMostShown)
            break;
        addLine(capitalized(fromUtf8(violation.message)),
                {violation.device.value, violation.index});
    }
    if (violations.size() > kMostShown)
        addLine(tr("and %1 more").arg(static_cast<qsizetype>(violations.size()) - kMostShown), {});
    for (const Wait& wait : check.waits)
        if (m_violations->count() < 2 * kMostShown)
            addLine(tr("Why: %1").arg(sentence(schedule, wait)), wait.waiting);
    if (!check.problem.isEmpty())
        m_violations->addItem(check.problem);
    const bool isFine = m_violations->count() == 0;
    m_nothingRoom->setVisible(isFine);
    m_violations->setVisible(!isFine);
    const auto count = static_cast<std::int64_t>(violations.size());
    m_title->setText(count == 0 ? tr("Validator") : countOf(count, "violation"));
}

void ViolationList::show(const engine::Schedule& schedule, const ScheduleCheck& check,
                         const std::vector<AbsentOp>& absent, int chosen)
{
    showViolations(schedule, check);
    m_absent = absent;
    m_absentList->clear();
    for (const AbsentOp& op : absent)
        m_absentList->addItem(tr("%1 of device %2")
                                  .arg(QString::fromStdString(engine::toString(op.op)))
                                  .arg(op.place.device));
    m_absentTitle->setText(
        absent.empty() ? tr("No op is missing")
                       : tr("Missing ops: %1 (Ins restores the selected one)").arg(absent.size()));
    m_absentList->setVisible(!absent.empty());
    const int last = static_cast<int>(absent.size()) - 1;
    m_absentList->setCurrentRow(chosen >= 0 && chosen <= last ? chosen : last);
}

} // namespace app
