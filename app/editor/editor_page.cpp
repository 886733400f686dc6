#include "app/editor/editor_page.h"

#include "app/documents/run_library.h"
#include "app/editor/schedule_editor.h"
#include "app/plan/cost_form.h"
#include "app/plan/key_numbers.h"
#include "app/plan/prediction.h"
#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/ui/unsaved_dialog.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/predicted_info.h"

#include <QAction>
#include <QClipboard>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <functional>
#include <string>

namespace app {
namespace {

std::optional<std::size_t> hashOf(const QString& file)
{
    const auto text = engine::readFile(file.toStdString());
    return text ? std::optional(std::hash<std::string>()(*text)) : std::nullopt;
}

} // namespace

ScheduleFile::ScheduleFile(QWidget* parent)
    : QObject(parent)
    , m_window(parent)
{ }

tl::expected<engine::Schedule, ScheduleFile::Refusal> ScheduleFile::read(const QString& file)
{
    m_name = QFileInfo(file).fileName();
    m_path = file;
    m_hash = hashOf(file);
    const auto text = engine::readFile(file.toStdString());
    if (!text)
        return tl::unexpected(
            Refusal{tr("%1 cannot be read").arg(m_name),
                    tr("%1. Nothing was changed.").arg(fromUtf8(text.error().message))});
    auto schedule = engine::readScheduleText(*text);
    if (!schedule)
        return tl::unexpected(
            Refusal{tr("%1 is not a schedule").arg(m_name),
                    fromUtf8(schedule.error().message) + tr(". Nothing was changed.")});
    const auto format = engine::scheduleFormat(*text);
    if (format != engine::ScheduleFormat::Csv) {
        m_path.clear();
        m_foreign = fromUtf8(engine::formatTitle(*format));
    }
    return *std::move(schedule);
}

ScheduleFile::Answer ScheduleFile::askBeforeSaving() const
{
    if (m_path.isEmpty())
        return Answer::SaveAs;
    const auto hash = hashOf(m_path);
    if (!hash || hash == m_hash)
        return Answer::Overwrite;
    QMessageBox box(
        QMessageBox::NoIcon, tr("%1 has changed").arg(m_name),
        tr("Another program has changed %1 since it was opened or saved here.").arg(m_name),
        QMessageBox::Cancel, m_window);
    box.setObjectName(QStringLiteral("changedOnDisk"));
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(tr("Overwriting loses the changes of the other program."));
    const auto* overwrite
        = named(box.addButton(tr("Overwrite"), QMessageBox::DestructiveRole), "overwrite");
    const auto* saveAs
        = named(box.addButton(tr("Save as…"), QMessageBox::AcceptRole), "saveAsInstead");
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == overwrite ? Answer::Overwrite
        : box.clickedButton() == saveAs     ? Answer::SaveAs
                                            : Answer::Cancel;
}

bool ScheduleFile::save(const engine::Schedule& schedule)
{
    const Answer answer = askBeforeSaving();
    if (answer == Answer::SaveAs)
        return saveAs(schedule);
    return answer == Answer::Overwrite && saveTo(m_path, schedule);
}

bool ScheduleFile::saveAs(const engine::Schedule& schedule)
{
    QFileDialog dialog(m_window, tr("Save the schedule"), m_path,
                       tr("Schedules (*.csv);;All files (*)"));
    dialog.setObjectName(QStringLiteral("saveScheduleDialog"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("csv"));
    if (m_path.isEmpty())
        dialog.selectFile(QString::fromStdString(schedule.scheme) + QStringLiteral("-edited.csv"));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().value(0), schedule);
}

bool ScheduleFile::saveTo(const QString& file, const engine::Schedule& schedule)
{
    const auto written = engine::saveFile(file.toStdString(), engine::writeCsv(schedule),
                                          engine::IfExists::Replace);
    if (!written) {
        Q_EMIT failed(tr("%1. The changes are not lost.").arg(fromUtf8(written.error().message)));
        return false;
    }
    m_path = file;
    m_name = QFileInfo(file).fileName();
    m_hash = hashOf(file);
    Q_EMIT saved();
    return true;
}

EditorPage::EditorPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_file(new ScheduleFile(this))
    , m_stack(new QStackedLayout(this))
    , m_refused(named(new EmptyState(theme, {Icon::Error, {}, {}, tr("Open another file")}),
                      "refusedSchedule"))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "verdict"))
    , m_editor(new ScheduleEditor(theme, *this))
    , m_preview(named(new SchedulePreview(theme), "preview"))
    , m_numbers(named(new KeyNumbers(theme), "keyNumbers"))
    , m_note(named(makeLabel({}, "small"), "timesNote"))
{
    setObjectName(QStringLiteral("editorPage"));
    makeActions();
    buildLayout();
    connectParts();
    updateActions();
}

void EditorPage::makeActions()
{
    m_costs = makeAction(
        "editorCosts", tr("&Costs"), tr("Ctrl+T"), [this] { showCosts(); },
        tr("set the costs of F, B, messages and all-reduces"));
    m_save = makeAction(
        "saveSchedule", tr("&Save"), tr("Ctrl+S"), [this] { m_file->save(schedule()->schedule()); },
        tr("save the schedule as CSV"));
    m_saveAs = makeAction(
        "saveScheduleAs", tr("Save &as…"), tr("Ctrl+Shift+S"),
        [this] { m_file->saveAs(schedule()->schedule()); },
        tr("save the schedule under another name"));
    m_copy = makeAction(
        "copyScheduleCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
        [this] { copyCommand(); }, tr("copy the command that simulates the saved file"));
    m_simulate = makeAction(
        "simulateSchedule", tr("Open as a &run"), tr("Ctrl+Return"), [this] { simulate(); },
        tr("simulate the schedule and open it as a run"));
    m_train = makeAction(
        "trainSchedule", tr("&Train with it"), tr("Ctrl+R"), [this] { train(); },
        tr("train the tiny model in this order"));
}

QWidget* EditorPage::makeToolbar()
{
    auto* row = new QHBoxLayout;
    const auto add = [row](const QList<QAction*>& actions) {
        for (QAction* action : actions) {
            QPushButton* button = makeActionButton(action);
            button->setText(withoutMnemonic(action->text()));
            row->addWidget(button);
        }
    };
    add(m_editor->editActions() + QList{m_costs});
    row->addStretch(1);
    add({m_copy, m_simulate, m_train, m_save});
    return makeBar(40, 0, {spaced(row, {}, 6)});
}

void EditorPage::buildLayout()
{
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), {}, 0,
           {makeToolbar(),
            makeLine(Qt::Horizontal),
            spaced(new QVBoxLayout, {12, 8, 12, 8}, 0, {m_band}),
            makeLine(Qt::Horizontal),
            {m_editor, 1},
            makeLine(Qt::Horizontal),
            makeTimes()});
    auto* error = new QWidget;
    spaced(new QVBoxLayout(error), {40, 40, 40, 40}, 0, {m_refused});
    m_stack->addWidget(body);
    m_stack->addWidget(error);
    setInitialFocus(m_editor);
}

QWidget* EditorPage::makeTimes()
{
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* times = new QWidget;
    spaced(new QVBoxLayout(times), {}, 0,
           {makeBar(32, 8, {makeLabel(tr("Times of this order"), "dock"), {m_note, 1}}),
            makeLine(Qt::Horizontal), spaced(new QVBoxLayout, {14, 4, 8, 4}, 0, {m_preview}),
            makeLine(Qt::Horizontal), m_numbers});
    return times;
}

void EditorPage::showTimes()
{
    const Prediction& prediction = check().prediction;
    const bool isValid = check().isValid();
    m_numbers->show(isValid ? &prediction : nullptr);
    if (isValid) {
        m_preview->show(std::make_shared<RunView>(prediction.run));
        return m_note->setText(tr("%1, bubble %2, peak stash %3 Mₐ. %4")
                                   .arg(timeText(prediction.metrics.duration, prediction.info),
                                        percent(prediction.metrics.bubbleRatio),
                                        number(prediction.metrics.peakStash(), 1),
                                        costsText(m_plan.request())));
    }
    m_preview->setPlaceholder(tr("No times: the schedule is not valid"));
    m_preview->setStale();
    m_note->setText(m_preview->hasPicture() ? tr("of the last valid order") : tr("none yet"));
}

void EditorPage::connectParts()
{
    connect(m_refused, &EmptyState::activated, this,
            [this] { Q_EMIT filesRequested(FileKind::Runs); });
    connect(m_editor, &ScheduleEditor::changed, this, &EditorPage::checkAgain);
    connect(&m_theme, &ThemeController::unitsChanged, this, &EditorPage::checkAgain);
    connect(m_editor, &ScheduleEditor::modifiedChanged, this, &Page::titleChanged);
    connect(m_editor, &ScheduleEditor::selectionChanged, this, &Page::statusChanged);
    connect(m_file, &ScheduleFile::saved, this, &EditorPage::showSaved);
    connect(m_file, &ScheduleFile::failed, this, [this](const QString& message) {
        m_band->show(Band::Kind::Error, tr("Not saved."), message);
    });
}

void EditorPage::edit(const engine::Schedule& schedule, const QString& name,
                      const PredictionRequest& request)
{
    m_file->setName(name);
    // Does not copy `evict` and `recompute` to the plan, because `schedule` already has the ops
    // that they add. The plan needs only the cost of recomputation.
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
    auto opened = m_file->read(file);
    if (!opened) {
        refuse(opened.error().fact, opened.error().advice);
        return;
    }
    take(*std::move(opened));
    const bool isEdited = schedule() != nullptr;
    // Reports a foreign format, unless another message is shown that says what to repair.
    if (m_file->foreign().isEmpty() || !isEdited || !check().isValid() || schedule()->leftOut() > 0)
        return;
    m_band->show(Band::Kind::Ok, tr("Read."),
                 tr("%1 is %2 and is not changed. Save writes CSV to a new file.")
                     .arg(m_file->name(), m_file->foreign()));
    Q_EMIT statusChanged();
}

void EditorPage::take(engine::Schedule opened)
{
    auto edited = std::make_unique<EditedSchedule>(std::move(opened));
    const std::size_t ops = engine::opCount(edited->schedule()), leftOut = edited->leftOut();
    if (ops > kMostOps || ops == 0) {
        refuse(ops == 0
                   ? tr("%1 has no ops").arg(m_file->name())
                   : tr("%1 has %2 ops").arg(m_file->name(), number(static_cast<double>(ops), 0)),
               tr("The editor takes schedules of 1 to %1 compute ops; use fewer devices or "
                  "micro-batches.")
                   .arg(number(kMostOps, 0)));
        return;
    }
    m_stack->setCurrentIndex(0);
    m_editor->setSchedule(std::move(edited));
    if (leftOut > 0)
        m_band->show(Band::Kind::Warning, tr("Compute ops only."),
                     tr("%1 transfers, all-reduces and optimizer steps of the file were left out: "
                        "they follow from the order.")
                         .arg(leftOut));
    Q_EMIT titleChanged();
}

void EditorPage::refuse(const QString& fact, const QString& advice)
{
    m_refused->setTexts(fact, advice);
    m_stack->setCurrentIndex(1);
    updateActions();
    Q_EMIT titleChanged();
}

void EditorPage::checkAgain()
{
    if (schedule() == nullptr) // the file was refused
        return;
    m_editor->check(m_file->name(), m_plan.request());
    showTimes();
    showVerdict();
    updateActions();
    Q_EMIT statusChanged();
}

void EditorPage::updateActions()
{
    for (QAction* action : {m_costs, m_save, m_saveAs})
        action->setEnabled(schedule() != nullptr);
    for (QAction* action : {m_copy, m_simulate, m_train})
        action->setEnabled(schedule() != nullptr && check().isValid());
}

void EditorPage::showVerdict()
{
    const Prediction& prediction = check().prediction;
    if (!check().problem.isEmpty())
        m_band->show(Band::Kind::Error, tr("Cannot be simulated."), check().problem);
    else if (prediction.isValid())
        m_band->show(Band::Kind::Ok, tr("Valid."),
                     tr("%1 ops on %2, no deadlock.")
                         .arg(number(static_cast<double>(prediction.computeOps), 0),
                              countOf(schedule()->schedule().shape.devices, "device")));
    else if (const QString deadlock = deadlockSentence(schedule()->schedule(), check());
             !deadlock.isEmpty())
        m_band->show(Band::Kind::Error, tr("Deadlock."), deadlock);
    else
        m_band->show(Band::Kind::Error,
                     countOf(static_cast<std::int64_t>(prediction.violations.size()), "violation")
                         + QLatin1Char('.'),
                     capitalized(fromUtf8(prediction.violations.front().message)));
}

QDialog& EditorPage::costsDialog()
{
    if (auto* made = findChild<QDialog*>(QStringLiteral("costsDialog")))
        return *made;
    auto* dialog = named(new QDialog(this), "costsDialog");
    dialog->setWindowTitle(tr("Costs for the simulated times"));
    dialog->resize(330, 420);
    auto* form = new CostForm(m_theme, m_plan, CostForm::Order::Given);
    form->showPlan();
    connect(form, &CostForm::edited, this, &EditorPage::checkAgain);
    connect(form, &CostForm::planChanged, this, &EditorPage::checkAgain);
    auto* content = new QWidget;
    spaced(new QVBoxLayout(content), {}, 0, {form, kStretch});
    spaced(new QVBoxLayout(dialog), {}, 0, {makeScroll(content)});
    return *dialog;
}

void EditorPage::showCosts()
{
    QDialog& dialog = costsDialog();
    dialog.show();
    dialog.raise();
    dialog.activateWindow();
}

void EditorPage::setPlan(const RunPlan& plan)
{
    if (plan == m_plan)
        return;
    m_plan = plan;
    costsDialog().findChild<CostForm*>()->showPlan(); // reads the run that the costs are from
    checkAgain();
}

QString EditorPage::simulateCommand() const
{
    RunPlan plan = m_plan;
    plan.experiment.mode = engine::Mode::Simulate;
    plan.experiment.scheduleFile = QFileInfo(m_file->path()).absoluteFilePath().toStdString();
    return commandText(plan);
}

// Saves first, because commands name a file.
bool EditorPage::saveFirst()
{
    return (!m_file->path().isEmpty() && !isModified()) || m_file->save(schedule()->schedule());
}

void EditorPage::copyCommand()
{
    if (!saveFirst())
        return;
    const QString command = simulateCommand();
    QGuiApplication::clipboard()->setText(command);
    m_band->show(Band::Kind::Ok, tr("Copied."),
                 tr("%1 (`bscope run --schedule` trains with the file.)").arg(command));
}

void EditorPage::simulate()
{
    engine::Run run = *check().prediction.run;
    run.info.scheme = "file";
    run.info.label = m_file->name().toStdString();
    if (!m_file->path().isEmpty() && !isModified())
        run.info.command = simulateCommand().toStdString();
    if (const auto file = writeNewRun(std::move(run)); !file)
        m_band->show(Band::Kind::Error, tr("Not written."), fromUtf8(file.error().message));
    else
        Q_EMIT pageRequested({"run", {*file}});
}

void EditorPage::train()
{
    const QString problem = planProblem(RunPlan(), check().prediction.run->schedule);
    if (!problem.isEmpty())
        m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
    else if (saveFirst())
        Q_EMIT startRequested({{QStringLiteral("--schedule"), m_file->path()}});
}

void EditorPage::showSaved()
{
    m_editor->schedule()->undoStack().setClean();
    if (check().isValid())
        m_band->show(Band::Kind::Ok, tr("Saved."), m_file->path());
    else
        m_band->show(Band::Kind::Warning, tr("Saved, but not valid."),
                     tr("%1 can be edited, but not simulated or trained.").arg(m_file->path()));
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

bool EditorPage::queryClose()
{
    if (!isModified())
        return true;
    const QUndoStack& steps = m_editor->schedule()->undoStack();
    const int saved = steps.cleanIndex(); // -1: no step leads to the saved schedule
    return mayDiscard(m_file->name(), saved < 0 ? 0 : std::abs(steps.index() - saved), this,
                      [this] { return m_file->save(schedule()->schedule()); });
}

QString EditorPage::title() const
{
    return isModified() ? m_file->name() + QStringLiteral(" \u2022") : m_file->name();
}

QStringList EditorPage::statusTexts() const
{
    if (schedule() == nullptr)
        return {tr("no schedule is open")};
    const engine::Shape& shape = schedule()->schedule().shape;
    QStringList texts = {
        tr("D %1, N %2, %3 stages").arg(shape.devices).arg(shape.microBatches).arg(shape.stages)};
    const OpPlace place = m_editor->selected();
    if (schedule()->has(place))
        texts.append(tr("%1 on device %2, index %3")
                         .arg(QString::fromStdString(engine::toString(schedule()->at(place))))
                         .arg(place.device)
                         .arg(place.index));
    return texts;
}

QString EditorPage::statusNote() const
{
    if (schedule() == nullptr)
        return {};
    return m_file->path().isEmpty() ? tr("not saved yet")
        : isModified()              ? tr("%1, changed").arg(m_file->path())
                                    : m_file->path();
}

QList<QAction*> EditorPage::menuActions(Menu menu) const
{
    if (menu == Menu::File)
        return {m_save, m_saveAs};
    if (menu == Menu::Run)
        return {m_simulate, m_train, m_copy};
    if (menu == Menu::View)
        return m_editor->editActions() + QList{m_costs};
    return {};
}

void EditorPage::resizeEvent(QResizeEvent* event)
{
    constexpr int kLow = 720, kPicture = 184, kLowPicture = 84;
    const bool isLow = event->size().height() < kLow;
    m_preview->setRowsHeight(isLow ? kLowPicture : kPicture);
    m_numbers->setVisible(!isLow);
    Page::resizeEvent(event);
}

void EditorPage::showRequest(const PageRequest& request)
{
    if (schedule() == nullptr && !request.files.isEmpty())
        open(request.files.front());
}

void EditorPage::restoreState(const QJsonObject& state)
{
    if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
        setPlan(restoredPlan(plan.toObject()));
}

} // namespace app
