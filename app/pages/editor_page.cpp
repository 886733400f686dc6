#include "app/pages/editor_page.h"

#include "app/models/numbers.h"
#include "app/models/tables/scheme_table_model.h"
#include "app/models/text.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/key_numbers.h"
#include "app/widgets/editor/schedule_grid.h"
#include "app/widgets/editor/violation_list.h"
#include "app/widgets/setup/schedule_preview.h"
#include "engine/base/read_file.h"
#include "engine/schedule/formats/read_schedule.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/predicted_info.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QStackedLayout>

#include <algorithm>

namespace app {

EditorPage::EditorPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_check(std::make_shared<ScheduleCheck>())
    , m_band(new Band(theme, Band::Shape::Verdict))
    , m_grid(new ScheduleGrid(theme))
    , m_list(new ViolationList(theme))
    , m_preview(new SchedulePreview(theme))
    , m_numbers(new KeyNumbers(theme))
{
    setObjectName(QStringLiteral("editorPage"));
    m_band->setObjectName(QStringLiteral("verdict"));
    m_grid->setObjectName(QStringLiteral("grid"));
    m_grid->setAccessibleName(tr("Order of ops"));
    m_preview->setObjectName(QStringLiteral("preview"));
    m_numbers->setObjectName(QStringLiteral("keyNumbers"));
    makeActions();
    buildLayout();
    connect(m_undo, &QAction::triggered, this, [this] { m_edited->undoStack().undo(); });
    connect(m_redo, &QAction::triggered, this, [this] { m_edited->undoStack().redo(); });
    connect(m_earlier, &QAction::triggered, this,
            [this] { moveTo(m_edited->swap(m_grid->selected(), -1)); });
    connect(m_later, &QAction::triggered, this,
            [this] { moveTo(m_edited->swap(m_grid->selected(), 1)); });
    connect(m_delete, &QAction::triggered, this,
            [this] { select(m_edited->remove(m_grid->selected())); });
    connect(m_restore, &QAction::triggered, this, [this] { restore(m_list->chosenAbsent()); });
    connect(m_next, &QAction::triggered, this, &EditorPage::nextViolation);
    connect(m_revert, &QAction::triggered, this, &EditorPage::revert);
    connect(m_costs, &QAction::triggered, this, &EditorPage::showCosts);
    connect(m_save, &QAction::triggered, this, &EditorPage::save);
    connect(m_saveAs, &QAction::triggered, this, &EditorPage::saveAs);
    connect(m_copy, &QAction::triggered, this, &EditorPage::copyCommand);
    connect(m_simulate, &QAction::triggered, this, &EditorPage::simulate);
    connect(m_train, &QAction::triggered, this, &EditorPage::train);
    connect(m_list, &ViolationList::placeChosen, this, &EditorPage::select);
    connect(m_list, &ViolationList::restoreRequested, this, &EditorPage::restore);
    connect(m_grid, &ScheduleGrid::moveRequested, this,
            [this](const OpPlace& from, int before) { moveTo(m_edited->move(from, before)); });
    connect(m_grid, &ScheduleGrid::selectionChanged, this, [this] {
        updateActions();
        Q_EMIT statusChanged();
    });
    updateActions();
}

EditorPage::~EditorPage()
{
    m_grid->setSchedule(nullptr); // before its schedule is destroyed
    if (m_edited != nullptr)      // clearing the stack would emit signals
        m_edited->undoStack().disconnect(this);
}

void EditorPage::edit(const engine::Schedule& schedule, const QString& name,
                      const PredictionRequest& request)
{
    m_name = name;
    // The order already contains the ops of evict and recompute. Only the cost of recomputing
    // remains a setting.
    m_plan = {};
    m_plan.experiment.schedule = request.schedule;
    m_plan.experiment.sync = request.sync;
    m_plan.costs = request.costs;
    m_plan.source = request.source;
    if (request.recompute == engine::Recompute::Attention && !request.costs.recompute)
        m_plan.costs.recompute = profiler::kAttentionShare;
    take(schedule);
}

void EditorPage::open(const QString& file)
{
    m_name = QFileInfo(file).fileName();
    m_file = file;
    const auto text = engine::readFile(file.toStdString());
    if (!text) {
        refuse(tr("%1 cannot be read").arg(m_name),
               tr("%1. Nothing was changed.").arg(fromUtf8(text.error().message)));
        return;
    }
    auto schedule = engine::readScheduleText(*text);
    if (!schedule) {
        refuse(tr("%1 is not a schedule").arg(m_name),
               fromUtf8(schedule.error().message) + tr(". Nothing was changed."));
        return;
    }
    take(std::move(*schedule));
    const auto format = engine::scheduleFormat(*text);
    if (format == engine::ScheduleFormat::Csv || m_edited == nullptr)
        return;
    m_file.clear(); // Save writes our CSV, so it must not replace another program's file
    m_band->show(Band::Kind::Ok, tr("Read."),
                 tr("%1 is %2; Save asks for a new file.")
                     .arg(m_name, fromUtf8(engine::formatTitle(*format))));
    Q_EMIT statusChanged();
}

void EditorPage::take(engine::Schedule schedule)
{
    auto edited = std::make_unique<EditedSchedule>(std::move(schedule));
    const std::size_t ops = engine::opCount(edited->schedule());
    if (ops > kMostOps || ops == 0) {
        refuse(ops == 0 ? tr("%1 has no op").arg(m_name)
                        : tr("%1 has %2 ops").arg(m_name, number(static_cast<double>(ops), 0)),
               tr("The editor takes schedules of 1 to %1 compute ops; use fewer devices or "
                  "micro-batches.")
                   .arg(number(kMostOps, 0)));
        return;
    }
    m_edited = std::move(edited);
    connect(m_edited.get(), &EditedSchedule::changed, this, [this](const OpPlace& place) {
        checkAgain();
        if (m_edited->has(place))
            m_grid->select(place);
    });
    connect(&m_edited->undoStack(), &QUndoStack::indexChanged, this, [this] {
        updateActions();
        Q_EMIT titleChanged();
    });
    connect(&m_edited->undoStack(), &QUndoStack::cleanChanged, this, &Page::titleChanged);
    m_stack->setCurrentIndex(0);
    m_grid->setSchedule(m_edited.get());
    checkAgain();
    m_grid->select({0, 0});
    if (m_edited->leftOut() > 0)
        m_band->show(Band::Kind::Warning, tr("Compute ops only."),
                     tr("%1 transfers, all-reduces and optimizer steps of the file were left out: "
                        "they follow from the order.")
                         .arg(m_edited->leftOut()));
    Q_EMIT titleChanged();
}

void EditorPage::refuse(const QString& fact, const QString& advice)
{
    m_refused->setWords(fact, advice);
    m_stack->setCurrentIndex(1);
    updateActions();
    Q_EMIT titleChanged();
}

void EditorPage::checkAgain()
{
    m_check = std::make_shared<const ScheduleCheck>(
        checkSchedule(m_edited->schedule(), m_name, m_plan.request()));
    m_grid->setCheck(m_check);
    m_list->show(m_edited->schedule(), *m_check, absentOps());
    if (m_check->isValid()) {
        m_preview->show(std::make_shared<RunView>(m_check->prediction.run));
        m_numbers->show(&m_check->prediction);
    } else {
        m_preview->setNothing(tr("No times: the schedule is not valid"));
        m_preview->setStale();
        m_numbers->show(nullptr);
    }
    m_timesNote->setText(timesNote());
    showVerdict();
    updateActions();
    Q_EMIT statusChanged();
}

QString EditorPage::timesNote() const
{
    if (!m_check->isValid())
        return m_preview->hasPicture() ? tr("of the last valid order") : tr("none yet");
    const Prediction& prediction = m_check->prediction;
    return tr("%1, bubble %2, peak stash %3 Mₐ. %4")
        .arg(timeText(prediction.metrics.duration, prediction.info),
             percent(prediction.metrics.bubbleRatio), number(largestStash(prediction.metrics), 1),
             costsText(m_plan.request()));
}

void EditorPage::showVerdict()
{
    const Prediction& prediction = m_check->prediction;
    if (!m_check->problem.isEmpty())
        m_band->show(Band::Kind::Error, tr("Cannot be simulated."), m_check->problem);
    else if (prediction.isValid())
        m_band->show(Band::Kind::Ok, tr("Valid."),
                     tr("%1 ops on %2, no deadlock.")
                         .arg(number(static_cast<double>(prediction.computeOps), 0),
                              countOf(m_edited->schedule().shape.devices, "device")));
    else
        m_band->show(Band::Kind::Error,
                     countOf(static_cast<std::int64_t>(prediction.violations.size()), "violation")
                         + QLatin1Char('.'),
                     fromUtf8(prediction.violations.front().message));
}

// First the ops that were removed from the opened schedule, then other ops that the validator
// misses.
std::vector<AbsentOp> EditorPage::absentOps() const
{
    std::vector<AbsentOp> all = m_edited->removed();
    for (const AbsentOp& missing : m_check->missing) {
        const bool isKnown = std::ranges::any_of(all, [&missing](const AbsentOp& absent) {
            return absent.place.device == missing.place.device
                && engine::toString(absent.op) == engine::toString(missing.op);
        });
        if (!isKnown)
            all.push_back(missing);
    }
    return all;
}

void EditorPage::updateActions()
{
    const bool isOpen = m_edited != nullptr;
    const bool isChosen = isOpen && m_edited->has(m_grid->selected());
    const bool isValid = isOpen && m_check->isValid();
    m_undo->setEnabled(isOpen && m_edited->undoStack().canUndo());
    m_redo->setEnabled(isOpen && m_edited->undoStack().canRedo());
    m_revert->setEnabled(isOpen && isModified());
    m_costs->setEnabled(isOpen);
    const auto say = [&](QAction* action, const QString& what, const QString& plain) {
        const QString tip = what.isEmpty() ? plain : plain + QStringLiteral(": ") + what;
        action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString()));
    };
    say(m_undo, isOpen ? m_edited->undoStack().undoText() : QString(), tr("undo"));
    say(m_redo, isOpen ? m_edited->undoStack().redoText() : QString(), tr("redo"));
    for (QAction* action : {m_earlier, m_later, m_delete})
        action->setEnabled(isChosen);
    m_restore->setEnabled(isOpen && !m_list->absent().empty());
    m_next->setEnabled(isOpen && !m_check->messages.empty());
    for (QAction* action : {m_save, m_saveAs})
        action->setEnabled(isOpen);
    for (QAction* action : {m_copy, m_simulate, m_train})
        action->setEnabled(isValid);
}

void EditorPage::select(OpPlace place)
{
    if (m_edited != nullptr && m_edited->has(place))
        m_grid->select(place);
}

void EditorPage::moveTo(OpPlace now)
{
    if (now.isValid())
        m_grid->select(now);
}

void EditorPage::restore(int row)
{
    const std::vector<AbsentOp> all = m_list->absent();
    if (row < 0 || row >= static_cast<int>(all.size()))
        return;
    AbsentOp absent = all[static_cast<std::size_t>(row)];
    if (absent.place.index < 0)
        absent.place = placeFor(m_edited->schedule(), absent);
    moveTo(m_edited->restore(absent));
}

// The undone steps stay on the stack for redo.
void EditorPage::revert()
{
    QUndoStack& stack = m_edited->undoStack();
    stack.setIndex(std::max(0, stack.cleanIndex()));
}

void EditorPage::nextViolation()
{
    const auto& messages = m_check->messages;
    if (messages.empty())
        return;
    auto next = messages.upper_bound(m_grid->selected());
    select((next == messages.end() ? messages.begin() : next)->first);
    m_grid->setFocus();
}

QString EditorPage::title() const
{
    return isModified() ? m_name + QStringLiteral(" \u2022") : m_name;
}

QStringList EditorPage::statusTexts() const
{
    if (m_edited == nullptr)
        return {tr("nothing is open")};
    const engine::Shape& shape = m_edited->schedule().shape;
    QStringList texts = {
        tr("D %1, N %2, %3 stages").arg(shape.devices).arg(shape.microBatches).arg(shape.stages)};
    const OpPlace place = m_grid->selected();
    if (m_edited->has(place))
        texts.append(tr("%1 on device %2, index %3")
                         .arg(QString::fromStdString(engine::toString(m_edited->at(place))))
                         .arg(place.device)
                         .arg(place.index));
    return texts;
}

QString EditorPage::statusNote() const
{
    if (m_edited == nullptr)
        return {};
    return m_file.isEmpty() ? tr("not saved yet")
        : isModified()      ? tr("%1, changed").arg(m_file)
                            : m_file;
}

QList<QAction*> EditorPage::menuActions(Menu menu) const
{
    if (menu == Menu::File)
        return {m_save, m_saveAs};
    if (menu == Menu::Run)
        return {m_simulate, m_train, m_copy};
    if (menu == Menu::View)
        return {m_undo, m_redo, m_revert, m_costs, m_earlier, m_later, m_delete, m_restore, m_next};
    return {};
}

} // namespace app
