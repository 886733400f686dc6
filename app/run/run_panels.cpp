#include "app/run/run_panels.h"

#include "app/memory/memory_page.h"
#include "app/timeline/paint/ruler_painter.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/ticks.h"
#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"
#include "profiler/study/chart_kit.h"

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRandomGenerator>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace app {
namespace {

enum class Toggle { None, Off, On };

struct ActionEntry
{
    QAction* RunActions::*action;
    Menu menu;
    const char *name, *text, *key;
    Toggle toggle = Toggle::None;
    std::optional<Icon> icon = {};
    const char *status = "", *tip = ""; // "": the text
};

using A = RunActions;

constexpr std::optional<Icon> kNoIcon;
// In the order of the menus.
constexpr ActionEntry kRunActions[] = {
    {&A::pause, Menu::Run, "pauseRun", "Pause", "", Toggle::Off, Icon::Pause},
    {&A::stop, Menu::Run, "stopRun", "Stop", "", Toggle::None, Icon::Stop, "",
     "Stops the worker and keeps complete iterations"},
    {&A::follow, Menu::Run, "followRun", "Follow", "", Toggle::Off, kNoIcon, "",
     "Keeps the newest iteration in view"},
    {&A::copyCommand, Menu::Run, "copyCommand", "Copy as command", ""},
    {&A::back, Menu::View, "zoomBack", "Zoom back", "Alt+Left", Toggle::None, Icon::ChevronLeft},
    {&A::forward, Menu::View, "zoomForward", "Zoom forward", "Alt+Right", Toggle::None,
     Icon::ChevronRight},
    {&A::fit, Menu::View, "fitIteration", "Fit the iteration", "", Toggle::None, Icon::Fit},
    {&A::fitAll, Menu::View, "fitAll", "Fit the whole run", "0"},
    {&A::fitSelection, Menu::View, "fitSelection", "Zoom to the selection", "F"},
    {&A::flow, Menu::View, "flow", "Flow arrows: off, selected, all", "L"},
    {&A::colourBy, Menu::View, "colourByNext", "Next colouring", "C"},
    {&A::kernels, Menu::View, "showKernels", "Kernels under their ops", "G", Toggle::Off, kNoIcon,
     "show or hide the kernels under their ops"},
    {&A::plan, Menu::View, "showPlan", "Planned ops", "", Toggle::On},
    {&A::showRuns, Menu::View, "showRuns", "Runs", "", Toggle::On, Icon::Compare},
    {&A::showDetails, Menu::View, "showDetails", "Details", "", Toggle::On, Icon::Info},
    {&A::foldPanels, Menu::View, "foldTables", "Collapse or expand the tables", "T"},
    {&A::expandLane, Menu::View, "expandLane", "Expand or collapse the lane", ""},
    {&A::groupLanes, Menu::View, "groupLanes", "Collapse the group of lanes", "Shift+G",
     Toggle::None, kNoIcon, "show the devices of a host or a node as one lane"},
    {&A::groupAllLanes, Menu::View, "groupAllLanes", "Collapse all groups of lanes", ""},
    {&A::compare, Menu::Compare, "compareWithPrediction", "Compare this run", ""},
    {&A::exportFigure, Menu::Export, "exportFigure", "Export figure…", "Ctrl+E", Toggle::None,
     Icon::Export},
    {&A::exportReport, Menu::Export, "exportReport", "Export report…", "Ctrl+Shift+E", Toggle::None,
     kNoIcon, "write the results as one HTML page"},
    {&A::exportTrace, Menu::Export, "exportTrace", "Export trace…", "", Toggle::None, kNoIcon,
     "write the ops as a Chrome trace for Perfetto, or as CSV"},
    {&A::importReport, Menu::Analyze, "importReport", "Import report", "I", Toggle::None,
     Icon::Chart, "", "Shows what the import recognised and what it left out (I)"},
    {&A::why, Menu::Analyze, "whyNotFaster", "Why not faster?", "Y", Toggle::Off, kNoIcon,
     "show the critical path, its parts and what would shorten it",
     "Shows the critical path and what would shorten it (Y)"},
    {&A::whatIf, Menu::Analyze, "whatIf", "What if…", "P", Toggle::None, kNoIcon,
     "predict other schemes with the measured times"},
    {&A::memory, Menu::Analyze, "memoryPage", "Memory page", "Shift+M", Toggle::None, kNoIcon,
     "show what occupies device memory at any time"},
    {&A::query, Menu::Analyze, "querySql", "SQL console", "Q", Toggle::None, kNoIcon,
     "query the file of the run with SQL"},
    {&A::find, Menu::Analyze, "find", "Find", "Ctrl+F", Toggle::None, Icon::Search,
     "find ops by kind, micro-batch, stage or duration",
     "Finds ops by kind, micro-batch, stage or duration (Ctrl+F)"},
    {&A::findNext, Menu::Analyze, "findNextHit", "Next hit", "F3"},
    {&A::findPrevious, Menu::Analyze, "findPreviousHit", "Previous hit", "Shift+F3"},
    {&A::markRange, Menu::Analyze, "markRange", "Mark a range…", "R", Toggle::None, kNoIcon,
     "type a range of time: 102-172.4 ms"},
    {&A::note, Menu::Analyze, "noteSelection", "Note on the selection", "N", Toggle::None, kNoIcon,
     "add a note on the selection"},
    {&A::bookmark, Menu::Analyze, "bookmarkSelection", "Bookmark the selection", "M", Toggle::None,
     kNoIcon, "bookmark the selection"},
    {&A::undo, Menu::Analyze, "undoNote", "Undo", "Ctrl+Z"},
    {&A::redo, Menu::Analyze, "redoNote", "Redo", "Ctrl+Shift+Z"},
    {&A::saveCopy, Menu::File, "saveCopy", "Save a copy of the run…", "Ctrl+Shift+S"},
    {&A::savePart, Menu::File, "savePart", "Save the selection as a new run…", "", Toggle::None,
     kNoIcon, "write the ops of the selected time range to a new file"},
};

} // namespace

RunActions::RunActions(const ThemeController& theme, Page& page)
{
    for (const ActionEntry& entry : kRunActions) {
        QAction* action = page.makeAction(entry.name, tr(entry.text),
                                          QKeySequence(QString::fromLatin1(entry.key)));
        if (*entry.status != 0)
            action->setStatusTip(tr(entry.status));
        if (*entry.tip != 0)
            action->setToolTip(tr(entry.tip));
        action->setCheckable(entry.toggle != Toggle::None);
        action->setChecked(entry.toggle == Toggle::On);
        if (entry.icon)
            followTheme(action, *entry.icon, theme);
        this->*entry.action = action;
    }
    savePart->setEnabled(false);
    importReport->setVisible(false); // until the run is known to be imported
    for (QAction* action : {exportTrace, memory, query})
        action->setEnabled(!page.file().isEmpty()); // a prediction has no file
    for (const auto& [action, kind] :
         {std::pair(memory, "memory"), std::pair(query, "query"), std::pair(importReport, "import"),
          std::pair(whatIf, "whatif")})
        QObject::connect(action, &QAction::triggered, &page, [&page, kind = kind] {
            Q_EMIT page.pageRequested({kind, {page.file()}});
        });
}

QList<QAction*> RunActions::of(Menu menu) const
{
    QList<QAction*> actions;
    for (const ActionEntry& entry : kRunActions)
        if (entry.menu == menu)
            actions.append(this->*entry.action);
    return actions;
}

namespace {

class Bar : public FindBar
{
private:
    enum class Tone { Normal, Problem };

public:
    explicit Bar(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("findBar"));
        setFixedHeight(36);
        setMinimumWidth(480); // narrower than the contents, because resizeEvent() hides the facets
        m_field->setPlaceholderText(tr("1B5, or op:B mb:3 stage:2 dur>5ms"));
        m_field->setClearButtonEnabled(true);
        m_field->setFont(codeFont(12));
        m_field->setFixedHeight(26);
        m_field->setMaximumWidth(388);
        m_all->setToolTip(tr("List all hits in Events and sum up their durations (Ctrl+Enter)"));
        m_all->setFocusPolicy(Qt::TabFocus);
        auto* close = makeIconButton("findClose", Icon::Close, tr("Close (Esc)"), theme);
        spaced(new QHBoxLayout(this), {8, 0, 8, 0}, 8,
               {{m_field, 2}, m_previous, m_next, m_answer, kStretch, m_facets, m_all, close});
        connect(m_field, &QLineEdit::textChanged, this, [this] {
            m_areAllSelected = false;
            search();
        });
        connect(close, &QToolButton::clicked, this, &Bar::close);
        showAnswer({}, Tone::Normal);
    }
    void setRun(RunViewPointer view, KernelViewPointer kernels) override
    {
        m_view = std::move(view);
        m_kernels = std::move(kernels);
        search();
    }
    void setPlace(const Selection& selection, int iteration) override
    {
        m_selection = selection;
        m_iteration = iteration;
        if (m_areAllSelected && selection.kind != Selection::Kind::None && !isHit(selection))
            forgetAll();
    }
    void open() override
    {
        QWidget::show();
        m_field->setFocus();
        m_field->selectAll();
        search();
    }
    void openWith(const QString& facets) override
    {
        open();
        m_field->setText(facets);
        step(1);
    }
    void step(int by) override
    {
        if (!hasHits())
            return;
        const std::vector<Selection>& hits = m_found->hits();
        if (m_hit < hits.size() && hits[m_hit] == m_selection) {
            m_hit = (m_hit + hits.size() + static_cast<std::size_t>(by)) % hits.size();
        } else {
            const auto next = std::ranges::find_if(
                hits, [this](const Selection& hit) { return hit.iteration >= m_iteration; });
            m_hit = next == hits.end() ? 0 : static_cast<std::size_t>(next - hits.begin());
        }
        Q_EMIT chosen(hits[m_hit]);
        showAnswer(tr("%1, hit %2 of %3").arg(nameOf(hits[m_hit])).arg(m_hit + 1).arg(hits.size()),
                   Tone::Normal);
    }
    void selectAll() override
    {
        if (!hasHits())
            return;
        showCount();
        forgetAll(); // otherwise a second call would not show all hits again
        Q_EMIT chosen({});
        m_areAllSelected = true;
        Q_EMIT allSelected(m_found);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (isEnter && (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
            selectAll();
        else if (isEnter)
            step(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        else if (event->key() == Qt::Key_Escape)
            close();
        else
            QWidget::keyPressEvent(event);
    }
    // Hides the buttons for facets in a narrow bar, so that the result fits. Facets can also be
    // typed.
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kWithFacets = 1230;
        QWidget::resizeEvent(event);
        m_facets->setVisible(width() >= kWithFacets);
    }

private:
    QWidget* makeFacets()
    {
        auto* facets = new QWidget;
        auto* row = spaced(new QHBoxLayout(facets), {}, 4, {makeLabel(tr("Add"), "hint")});
        for (const char* facet :
             {"op:", "mb:", "stage:", "device:", "chunk:", "iter:", "dir:", "dur>", "kernel:"}) {
            const QString text = QString::fromLatin1(facet);
            QPushButton* button = makeButton(text, QStringLiteral("facet-") + text.chopped(1),
                                             "tool", this, [this, text] { addFacet(text); });
            button->setFont(codeFont(11));
            button->setFixedHeight(22);
            button->setFocusPolicy(Qt::TabFocus);
            row->addWidget(button);
        }
        return facets;
    }
    void addFacet(const QString& facet)
    {
        QString before = m_field->text();
        if (!before.isEmpty() && !before.endsWith(QLatin1Char(' ')))
            before += QLatin1Char(' ');
        m_field->setText(before + facet);
        m_field->setFocus();
    }
    // Problem: outlines the field in the error colour
    void showAnswer(const QString& answer, Tone tone)
    {
        const bool isProblem = tone == Tone::Problem;
        m_answer->setText(answer);
        m_answer->setToolTip(answer);
        setLook(m_field, "invalid", isProblem);
        for (QAbstractButton* button :
             std::initializer_list<QAbstractButton*>{m_previous, m_next, m_all})
            button->setEnabled(!isProblem && !answer.isEmpty());
    }
    void showCount()
    {
        showAnswer(countOf(static_cast<std::int64_t>(m_found->hits().size()), "hit")
                       + (m_found->isCut() ? tr(", and more") : QString()),
                   Tone::Normal);
    }
    void search()
    {
        if (isHidden())
            return;
        const auto facets = parseFind(m_field->text());
        m_found.reset();
        m_hit = 0;
        if (!facets)
            showAnswer(QString::fromStdString(facets.error().message), Tone::Problem);
        else if (facets->empty() || !m_view)
            showAnswer({}, Tone::Normal);
        else
            m_found = std::make_shared<const Found>(*m_view, *facets, m_kernels.get());
        if (hasHits())
            showCount();
        else if (m_found)
            showAnswer(m_found->blame(), Tone::Problem);
        Q_EMIT found(hasHits() ? m_found : nullptr);
        m_areAllSelected = m_areAllSelected && hasHits();
        Q_EMIT allSelected(m_areAllSelected ? m_found : nullptr);
    }
    void close()
    {
        hide();
        forgetAll();
        m_found.reset();
        Q_EMIT found(nullptr);
        Q_EMIT closed();
    }
    void forgetAll()
    {
        m_areAllSelected = false;
        Q_EMIT allSelected(nullptr);
    }
    // In a search for kernels, the ops that launched them are also hits.
    bool isHit(const Selection& selection) const
    {
        if (selection.kind == Selection::Kind::Op)
            return m_found->has({selection.window.begin, selection.window.end, selection.op,
                                 static_cast<std::uint32_t>(selection.iteration)});
        return std::ranges::find(m_found->hits(), selection) != m_found->hits().end();
    }
    bool hasHits() const { return m_found && !m_found->hits().empty(); }
    QString nameOf(const Selection& hit) const
    {
        return hit.kind == Selection::Kind::Kernel ? m_kernels->label(hit.work)
                                                   : opName(m_view->run().info, m_view->op(hit.op));
    }

    const ThemeController& m_theme;
    QLineEdit* m_field = named(new QLineEdit, "findField", tr("Find ops"));
    QLabel* m_answer = named(makeLabel({}, "small"), "findAnswer");
    QToolButton *m_previous
        = makeIconButton("findPrevious", Icon::ChevronLeft, tr("Previous hit (Shift+Enter)"),
                         m_theme, this, [this] { step(-1); }),
        *m_next = makeIconButton("findNext", Icon::ChevronRight, tr("Next hit (Enter)"), m_theme,
                                 this, [this] { step(1); });
    QPushButton* m_all
        = makeButton(tr("Select all"), "findSelectAll", "tool", this, [this] { selectAll(); });
    QWidget* m_facets = makeFacets(); // buttons that add a facet to the query
    RunViewPointer m_view;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
    FoundPointer m_found; // nullptr: no search
    std::size_t m_hit = 0;
    bool m_areAllSelected = false;
};

} // namespace

FindBar* FindBar::make(const ThemeController& theme)
{
    return new Bar(theme);
}

using engine::Note;

namespace {

QThreadPool& noteWriter()
{
    struct OneThread : QThreadPool
    {
        OneThread() { setMaxThreadCount(1); }
    };
    static OneThread pool;
    return pool;
}

// The notes in the file of one run, sorted by time. A change is shown at once, written in the
// background, and can be undone. Changes are written in order; a change that cannot be written is
// reverted. Changes by other windows are read once a second. GUI thread only.
class RunNotes : public QObject
{
public:
    RunNotes()
    {
        m_timer.setInterval(1000);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            if (QFileInfo(m_file).lastModified() != m_readAt)
                read();
        });
    }

    // Reads in the background; the file must be complete.
    void open(const QString& file)
    {
        if (file == m_file)
            return;
        m_file = file;
        m_run.clear();
        m_undo.clear();
        read();
        m_timer.start();
    }

    const std::vector<Note>& notes() const { return m_notes; }
    QUndoStack& undoStack() { return m_undo; }

    // Adds a note with the current time. Its id is random, so that ids from two windows do not
    // collide.
    void add(Note note)
    {
        // Scripts read ids as doubles, which are exact below 2^53.
        constexpr qint64 kIds = qint64{1} << 53;
        note.id = QRandomGenerator::global()->bounded(qint64{1}, kIds);
        note.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
        m_undo.push(new NoteStep(*this, tr("note"), std::nullopt, note));
    }

    void setText(std::int64_t id, const QString& text)
    {
        const Note* before = find(id);
        if (before == nullptr || before->text == text.toStdString())
            return;
        Note after = *before;
        after.text = text.toStdString();
        m_undo.push(new NoteStep(*this, tr("edit of a note"), *before, after));
    }

    void remove(std::int64_t id)
    {
        if (const Note* before = find(id))
            m_undo.push(new NoteStep(*this, tr("deletion of a note"), *before, std::nullopt));
    }

    std::function<void()> changed;
    std::function<void(const QString& reason)> unreadable; // no notes are shown
    // `change` could not be written and was reverted.
    std::function<void(const Note& change, const QString& reason)> refused;

private:
    struct Stored
    {
        std::vector<Note> notes;
        std::string run;
        QString failure;
    };

    // A change of one note. `before` is nullopt if the note is added, `after` is nullopt if it is
    // removed.
    class NoteStep : public QUndoCommand
    {
    public:
        NoteStep(RunNotes& notes, const QString& text, std::optional<Note> before,
                 std::optional<Note> after)
            : QUndoCommand(text)
            , m_notes(notes)
            , m_before(std::move(before))
            , m_after(std::move(after))
        { }

        void undo() override { go(m_after, m_before); }
        void redo() override { go(m_before, m_after); }

    private:
        void go(const std::optional<Note>& from, const std::optional<Note>& to)
        {
            if (to)
                m_notes.put(*to);
            else if (from)
                m_notes.take(*from);
        }

        RunNotes& m_notes;
        std::optional<Note> m_before, m_after;
    };

    // Nullptr: the note does not exist.
    const Note* find(std::int64_t id) const
    {
        const auto found = std::ranges::find(m_notes, id, &Note::id);
        return found == m_notes.end() ? nullptr : &*found;
    }

    // Shows and writes a note.
    void put(const Note& note)
    {
        std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
        const auto key = [](const Note& one) { return std::tuple(one.window.begin, one.id); };
        m_notes.insert(std::ranges::upper_bound(m_notes, key(note), {}, key), note);
        write(note, [path = m_file.toStdString(), run = m_run, note] {
            return profiler::putNote(path, note, run);
        });
    }

    void take(const Note& note)
    {
        std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
        write(note, [path = m_file.toStdString(), run = m_run, id = note.id] {
            return profiler::removeNote(path, id, run);
        });
    }

    // If the write fails, the notes in memory are replaced by those of the file.
    void write(const Note& note, std::function<engine::Result<void>()> write)
    {
        ++m_changes;
        m_background.run(std::move(write), [this, note](const engine::Result<void>& done) {
            if (done)
                return;
            m_undo.clear();
            read();
            Q_EMIT refused(note, fromUtf8(done.error().message));
        });
        Q_EMIT changed();
    }

    void read()
    {
        m_readAt = QFileInfo(m_file).lastModified();
        const auto job = [path = m_file.toStdString()]() -> Stored {
            auto notes = profiler::readNotes(path);
            auto run = profiler::runIdentity(path);
            return notes && run
                ? Stored{*std::move(notes), *std::move(run), {}}
                : Stored{{}, {}, fromUtf8((notes ? run.error() : notes.error()).message)};
        };
        m_background.run(job, [this, file = m_file, changes = m_changes](const Stored& answer) {
            if (file != m_file || changes != m_changes)
                return;
            if (m_run.empty())
                m_run = answer.run;
            show(answer.run == m_run || !answer.failure.isEmpty()
                     ? answer
                     : Stored{{}, {}, tr("The file now contains another run. Open it again.")});
        });
    }

    void show(const Stored& stored)
    {
        if (stored.notes != m_notes) {
            m_notes = stored.notes;
            Q_EMIT changed();
        }
        if (!stored.failure.isEmpty())
            Q_EMIT unreadable(stored.failure);
    }

    Background m_background{this, noteWriter()}; // one thread, so that changes are written in order
    QString m_file;
    // The runIdentity() that m_file had at open(). It prevents writing a note to another run that
    // has replaced the file.
    std::string m_run;
    QDateTime m_readAt; // modification time of m_file at the last read
    // Number of changes by this window. The result of a read is discarded if the number changed
    // during the read.
    int m_changes = 0;
    QTimer m_timer;
    std::vector<Note> m_notes;
    QUndoStack m_undo;
};

// Returns the subject of a note: "1B5 on device 1", "all devices".
QString noteSubject(const engine::Run& run, const Note& note)
{
    const QString where = note.device.isValid() ? QObject::tr("device %1").arg(note.device.value)
                                                : QObject::tr("all devices");
    if (!note.op)
        return where;
    const engine::OpIndex index(run.schedule);
    return QObject::tr("%1 on %2")
        .arg(opName(run.info, engine::opAt(run.schedule, index, *note.op)), where);
}

// Table of the notes of a run. When `edited` is emitted, the owner must store the new text and show
// the notes again.
class NotesModel : public TableModel<Note>
{
public:
    enum class Column : int { Number, Subject, Iteration, Start, Duration, Text };

    explicit NotesModel(QObject* parent)
        : TableModel(parent)
    {
        reset(columns(), {});
    }

    void show(RunPointer run, std::vector<Note> notes)
    {
        m_run = std::move(run);
        reset(columns(), m_run ? std::move(notes) : std::vector<Note>());
    }

    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override
    {
        if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
            return false;
        edited(at(index.row()).id, value.toString().simplified());
        return true;
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override
    {
        const Qt::ItemFlags base = QAbstractTableModel::flags(index);
        const bool isText = index.isValid() && index.column() == static_cast<int>(Column::Text);
        return isText ? base | Qt::ItemIsEditable : base;
    }

    std::function<void(std::int64_t id, const QString& text)> edited;

private:
    Columns columns() const
    {
        const auto text = [](const Note& note) { return QString::fromStdString(note.text); };
        Columns columns = {
            {tr("No."),
             [this](const Note& note) { return QString::number(&note - rows().data() + 1); },
             Qt::AlignLeft},
            {tr("Subject"), [this](const Note& note) { return noteSubject(*m_run, note); },
             Qt::AlignLeft},
            {tr("Iteration"),
             [this](const Note& note) { return iterationName(m_run->timeline, note.iteration); },
             Qt::AlignLeft},
            {tr("Start"),
             [this](const Note& note) { return timeText(note.window.begin - origin(note)); }},
            {tr("Duration"), [this](const Note& note) { return timeText(note.window.duration()); }},
        };
        for (auto& column : columns)
            column.with(Qt::ToolTipRole, column.text);
        columns
            .emplace_back(
                tr("Note"),
                [text](const Note& note) {
                    return note.text.empty() ? tr("bookmark") : text(note);
                },
                Qt::AlignLeft)
            .with(Qt::ToolTipRole, text)
            .with(Qt::EditRole, text)
            .with(kHintRole, [](const Note& note) { return note.text.empty(); });
        return columns;
    }

    QString timeText(std::int64_t ticks) const
    {
        return timeScale(m_run->info, std::max<std::int64_t>(ticks, 0)).withUnit(ticks);
    }

    // Times are relative to the start of the note's iteration, as on the ruler.
    std::int64_t origin(const Note& note) const
    {
        const auto& iterations = m_run->timeline.iterations;
        return note.iteration >= 0 && note.iteration < static_cast<int>(iterations.size())
            ? iterations[static_cast<std::size_t>(note.iteration)].window.begin
            : 0;
    }

    RunPointer m_run;
};

// The notes of one run: a table, a bar in which a note on the selection is written, and a band that
// says why a note was not stored. If the file is read-only, the notes go to a copy of it.
class Panel : public NotesPanel
{
public:
    Panel(const ThemeController& theme, const RunActions& actions)
        : m_theme(theme)
        , m_actions(actions)
    {
        setObjectName(QStringLiteral("notesPanel"));
        m_table->setModel(m_model);
        m_table->setRestColumn(static_cast<int>(NotesModel::Column::Text));
        m_table->setEditTriggers(QAbstractItemView::DoubleClicked
                                 | QAbstractItemView::EditKeyPressed);
        auto* empty = named(
            new EmptyState(theme,
                           {Icon::Note, tr("No note yet"),
                            tr("Select an op, a bubble or a range and press N to add a note."),
                            tr("Note")}),
            "notesEmpty");
        auto* none = makeColumn({14, 10, 14, 10}, 0, {empty}, "");
        auto* full = makeColumn({}, 0, {{m_table, 1}, makeLine(Qt::Horizontal), makeButtons()}, "");
        m_stack->addWidget(none);
        m_stack->addWidget(full);
        spaced(new QVBoxLayout(this), {}, 0, {m_stack});
        m_band->hide();
        fillBar(theme);
        connect(empty, &EmptyState::activated, this, &Panel::begin);
        connect(m_band->addAction(tr("Close"), "dismissNoteBand"), &QPushButton::clicked, m_band,
                &QWidget::hide);
        connectActions();
        connectNotes();
        showCurrent();
    }

    // Both are children of the panel until they are added to a layout.
    QWidget* bar() const override { return m_bar; }
    QWidget* band() const override { return m_band; }
    const std::vector<Note>& notes() const override { return m_notes.notes(); }

    // Reads the notes once the file is complete. `view` may be nullptr.
    void setRun(const RunViewPointer& view, const RunDocument& document) override
    {
        m_view = view;
        m_file = document.file();
        m_problem.clear();
        if (!view || m_file.isEmpty())
            m_problem = tr("The run has no file yet in which to store notes.");
        else if (document.state() != RunDocument::State::Finished)
            m_problem = tr("Notes can be added when the run is complete.");
        m_actions.saveCopy->setEnabled(m_problem.isEmpty());
        if (m_problem.isEmpty())
            m_notes.open(m_file);
    }

    void setSelection(const Selection& selection) override { m_selection = selection; }

    // -1: none; emits no signal.
    void setCurrent(int row) override
    {
        if (row < 0)
            m_table->clearSelection();
        else if (row != m_table->currentIndex().row()
                 || m_table->selectionModel()->selectedRows().isEmpty())
            m_table->selectRow(row);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Delete)
            removeCurrent();
        else
            QWidget::keyPressEvent(event);
    }

    // Enter and Esc in the bar.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const int key
            = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
        if (key == Qt::Key_Return || key == Qt::Key_Enter)
            keep();
        else if (key == Qt::Key_Escape)
            closeBar();
        else
            return QWidget::eventFilter(watched, event);
        return true;
    }

private:
    void fillBar(const ThemeController& theme)
    {
        constexpr int kLongest = 400; // characters
        m_bar->setFixedHeight(36);
        m_bar->hide();
        m_bar->installEventFilter(this);
        m_text->setPlaceholderText(tr("Add a note; Enter saves it, Esc cancels"));
        m_text->setMaxLength(kLongest);
        m_text->setFixedHeight(26);
        m_text->setMaximumWidth(640);
        QPushButton* keep = makeButton(tr("Keep"), "keepNote", "tool");
        keep->setEnabled(false);
        QToolButton* close = makeIconButton("closeNote", Icon::Close, tr("Close (Esc)"), theme,
                                            this, [this] { closeBar(); });
        spaced(new QHBoxLayout(m_bar), {12, 0, 8, 0}, 8,
               {new IconLabel(theme, Icon::Note, &Chrome::text2),
                m_subject,
                {m_text, 2},
                keep,
                kStretch,
                close});
        connect(keep, &QPushButton::clicked, this, &Panel::keep);
        connect(m_text, &QLineEdit::textChanged, keep,
                [keep](const QString& text) { keep->setEnabled(!text.trimmed().isEmpty()); });
    }

    QWidget* makeButtons()
    {
        auto* bar = makeSurface("plain");
        bar->setFixedHeight(30);
        auto* row = spaced(new QHBoxLayout(bar), {6, 0, 8, 0}, 4);
        const auto add
            = [&](const char* name, const QString& text, const QString& tip, auto clicked) {
                  auto* button = named(new QToolButton, name);
                  button->setText(text);
                  button->setToolTip(tip);
                  button->setAutoRaise(true);
                  connect(button, &QToolButton::clicked, this, clicked);
                  row->addWidget(button);
                  return button;
              };
        add("addNote", tr("Note"), tr("Adds a note on the selection (N)"), [this] { begin(); });
        m_edit = add("editNote", tr("Edit"), tr("Edits the text of the note (F2)"), [this] {
            if (const int note = m_table->currentIndex().row(); note >= 0)
                m_table->edit(m_model->index(note, static_cast<int>(NotesModel::Column::Text)));
        });
        m_remove = add("removeNote", tr("Delete"), tr("Deletes the note (Del); Ctrl+Z restores it"),
                       [this] { removeCurrent(); });
        row->addStretch(1);
        return bar;
    }

    void connectActions()
    {
        QUndoStack& steps = m_notes.undoStack();
        QAction *undo = m_actions.undo, *redo = m_actions.redo;
        undo->setEnabled(false);
        redo->setEnabled(false);
        connect(undo, &QAction::triggered, &steps, &QUndoStack::undo);
        connect(redo, &QAction::triggered, &steps, &QUndoStack::redo);
        connect(&steps, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
        connect(&steps, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
        connect(&steps, &QUndoStack::undoTextChanged, undo,
                [undo](const QString& text) { undo->setText(tr("Undo %1").arg(text).trimmed()); });
        connect(&steps, &QUndoStack::redoTextChanged, redo,
                [redo](const QString& text) { redo->setText(tr("Redo %1").arg(text).trimmed()); });
        connect(m_actions.note, &QAction::triggered, this, &Panel::begin);
        connect(m_actions.bookmark, &QAction::triggered, this, [this] {
            if (prepare())
                m_notes.add(noteOn(m_selection));
        });
        connect(m_actions.saveCopy, &QAction::triggered, this,
                [this] { askForCopy(std::nullopt); });
    }

    void connectNotes()
    {
        m_model->edited
            = [this](std::int64_t id, const QString& text) { m_notes.setText(id, text); };
        m_notes.changed = [this] { showNotes(); };
        m_notes.refused = [this](const Note& note, const QString& reason) { refuse(note, reason); };
        m_notes.unreadable = [this](const QString& reason) {
            if (m_refused) // the refused change has a more specific message
                return;
            m_copy->hide();
            m_band->show(Band::Kind::Warning, tr("The notes cannot be read."), reason);
        };
        const auto choose = [this](const QModelIndex& index) { Q_EMIT chosen(index.row()); };
        connect(m_table, &QTableView::clicked, this, choose);
        connect(m_table, &QTableView::activated, this, choose);
        connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
                &Panel::showCurrent);
    }

    void showNotes()
    {
        if (m_view) {
            const int row = m_table->currentIndex().row();
            const std::int64_t current
                = row >= 0 && row < m_model->rowCount() ? m_model->at(row).id : 0;
            m_model->show(m_view->shared(), notes());
            m_stack->setCurrentIndex(notes().empty() ? 0 : 1);
            for (int i = 0; i < m_model->rowCount(); ++i)
                if (m_model->at(i).id == current)
                    setCurrent(i);
            showCurrent();
        }
        Q_EMIT changed();
    }

    void showCurrent()
    {
        const bool isAny = !m_table->selectionModel()->selectedRows().isEmpty();
        m_edit->setEnabled(isAny);
        m_remove->setEnabled(isAny);
    }

    // Returns false, with the reason in the band, if the selection cannot have a note.
    bool prepare()
    {
        if (m_problem.isEmpty() && canBeNoted(m_selection)) {
            m_band->hide();
            return true;
        }
        m_refused.reset();
        m_copy->hide();
        m_band->show(Band::Kind::Warning, tr("No note can be added."),
                     m_problem.isEmpty() ? tr("Select an op, a bubble, a kernel or a range first.")
                                         : m_problem);
        return false;
    }

    void begin()
    {
        if (!prepare())
            return;
        m_draft = noteOn(m_selection);
        m_subject->setText(tr("Note on %1").arg(noteSubject(m_view->run(), m_draft)));
        m_text->clear();
        m_bar->show();
        m_text->setFocus();
    }

    void keep()
    {
        m_draft.text = m_text->text().simplified().toStdString();
        if (m_draft.text.empty())
            return;
        m_notes.add(m_draft);
        closeBar();
    }

    void closeBar()
    {
        m_bar->hide();
        Q_EMIT closed();
    }

    void removeCurrent()
    {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (!rows.isEmpty())
            m_notes.remove(m_model->at(rows.front().row()).id);
    }

    void refuse(const Note& note, const QString& reason)
    {
        m_refused = note;
        m_copy->show();
        m_band->show(Band::Kind::Error, tr("The note was not saved."), reason);
    }

    // Asks where to copy the run; `note` is then written to the copy.
    void askForCopy(const std::optional<Note>& note)
    {
        auto* dialog = named(
            new QFileDialog(this, tr("Save a copy of the run"),
                            QFileInfo(m_file).completeBaseName() + QStringLiteral("-copy.sqlite"),
                            tr("Runs (*.sqlite)")),
            "copyDialog");
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QStringLiteral("sqlite"));
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, note](const QString& to) { copyRun(to, note); });
        dialog->open();
    }

    void copyRun(const QString& to, const std::optional<Note>& note)
    {
        const auto job = [from = m_file.toStdString(), to, note]() -> QString {
            auto done = profiler::copyRun(from, to.toStdString());
            if (done && note)
                done = profiler::putNote(to.toStdString(), *note);
            return done ? QString() : fromUtf8(done.error().message);
        };
        m_copying.run(job, [this, to](const QString& failure) {
            if (!failure.isEmpty())
                return m_band->show(Band::Kind::Error, tr("The run was not copied."), failure);
            m_band->hide();
            Q_EMIT openRequested(to);
        });
    }

    const ThemeController& m_theme;
    const RunActions& m_actions;
    NotesModel* m_model = new NotesModel(this);
    QStackedWidget* m_stack = new QStackedWidget;
    DataTable* m_table = named(new DataTable(m_theme, 28), "notesTable", tr("Notes"));
    QToolButton *m_edit = nullptr, *m_remove = nullptr;
    // 36 px high: the subject of the new note and its text.
    QWidget* m_bar = named(new QWidget(this), "noteBar");
    QLabel* m_subject = named(makeLabel({}, "small"), "noteSubject");
    QLineEdit* m_text = named(new QLineEdit, "noteField", tr("Text of the note"));
    Band* m_band = named(new Band(m_theme, Band::Shape::State, this), "noteBand");
    QPushButton* m_copy = m_band->addAction(tr("Save a copy…"), "copyForNote", this,
                                            [this] { askForCopy(m_refused); });
    RunNotes m_notes;
    Background m_copying{this};

    RunViewPointer m_view;
    QString m_file;
    QString m_problem; // why notes cannot be stored; "" if they can
    Selection m_selection;
    Note m_draft; // the note that is being written, without its text
    std::optional<Note> m_refused;
};

} // namespace

NotesPanel* NotesPanel::make(const ThemeController& theme, const RunActions& actions)
{
    return new Panel(theme, actions);
}

namespace {

using engine::DeviceId;
using profiler::ChartCanvas;
using profiler::DeviceMetrics;
using profiler::kChartText;
using profiler::Palette;
using profiler::Rect;
using profiler::RunMetrics;
using profiler::Text;
using namespace run_chart;

constexpr double kLossLeft = 34, kTop = 10;
constexpr int kFewIterations = 12; // up to this many iterations have labels and values

struct LossChart
{
    const LossSeries& series;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    double highest = series.highest() > 0 ? 1.05 * series.highest() : 1;
    double right = style.width - kRight, bottom = style.height - kFoot;
    std::int64_t warmup = std::ranges::count(series.points, true, &LossPoint::isWarmup);

    double x(double iteration) const // the centre of iteration i is at i + 0.5
    {
        return kLossLeft + (right - kLossLeft) * iteration / std::max(1, series.planned);
    }
    // A loss that is infinite or not a number is at the top.
    double y(double loss) const
    {
        return std::isfinite(loss) ? bottom - (bottom - kTop) * loss / highest : kTop;
    }

    void drawGround()
    {
        canvas.box({kLossLeft, kTop, x(static_cast<double>(warmup)) - kLossLeft, bottom - kTop},
                   style.shade);
        drawGrid(canvas, {kLossLeft, kTop, right - kLossLeft, bottom - kTop}, highest);
    }

    void drawReference(double loss, const QString& name, bool below)
    {
        const double at = std::round(y(loss)) + 0.5;
        canvas.line({kLossLeft, at}, {right, at}, 1, style.text, true);
        const std::string text = (name + QLatin1Char(' ') + number(loss, 2)).toStdString();
        const double width = profiler::textWidth(text), top = below ? at + 1 : at - 15;
        canvas.box({right - width - 2, top, width + 2, 14}, style.ground);
        canvas.text(right, top + kChartText, text, Text::Anchor::End);
    }

    void drawDots()
    {
        constexpr double kSize = 3;
        const profiler::Colour colour = profiler::mix(style.ground, style.text, 0.5);
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const auto& losses = series.points[i].microBatches;
            for (std::size_t m = 0; m < losses.size(); ++m) {
                const double share = 0.15
                    + 0.7 * (static_cast<double>(m) + 0.5) / static_cast<double>(losses.size());
                canvas.box({x(static_cast<double>(i) + share) - kSize / 2,
                            y(static_cast<double>(losses[m])) - kSize / 2, kSize, kSize},
                           colour);
            }
        }
    }

    void drawMean()
    {
        ChartCanvas::Point before;
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const LossPoint& point = series.points[i];
            const ChartCanvas::Point at{x(static_cast<double>(i) + 0.5), y(point.mean)};
            if (i > 0)
                canvas.line(before, at, 2, style.ink);
            before = at;
            const bool isLast = i + 1 == series.points.size();
            if (!isLast && series.planned > kFewIterations)
                continue;
            canvas.dot(at.first, at.second, style.ink, style.ink);
            const bool isHigh = at.second < kTop + 13; // no space for the text above the dot
            if (isLast || !point.isWarmup)
                canvas.text(std::min(at.first + 7, right - 26), at.second + (isHigh ? 16 : -5),
                            number(point.mean, 2).toStdString(), Text::Anchor::Start,
                            {isLast ? style.ink : style.text, isLast});
        }
    }

    void drawIterationNames()
    {
        const double base = bottom + 4 + kChartText;
        double end = kLossLeft; // right end of the labels so far
        if (warmup > 0) {
            const std::string text = "warm-up";
            const double room = std::max(60.0, x(static_cast<double>(warmup)) - kLossLeft);
            canvas.text(kLossLeft + room / 2, base, text, Text::Anchor::Middle);
            end += (room + profiler::textWidth(text)) / 2 + 4;
        }
        const std::int64_t measured = series.planned - warmup;
        const auto step = measured <= kFewIterations
            ? std::int64_t{1}
            : std::max<std::int64_t>(
                1,
                static_cast<std::int64_t>(profiler::ticks(0, static_cast<double>(measured),
                                                          static_cast<double>(measured) / 10)
                                              .step));
        for (std::int64_t i = 0; i < measured; i += step) {
            const std::string text = std::to_string(i);
            const double middle = x(static_cast<double>(warmup + i) + 0.5);
            if (middle - profiler::textWidth(text) / 2 >= end)
                canvas.text(middle, base, text, Text::Anchor::Middle);
        }
    }
};

} // namespace

profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look)
{
    if (series.points.empty())
        return profiler::emptyChart(look.style, "The first loss appears with the first iteration.");
    LossChart chart{series, look.style};
    chart.drawGround();
    chart.drawIterationNames();
    const bool areClose = series.unigramEntropy && series.entropyRate
        && std::abs(chart.y(*series.unigramEntropy) - chart.y(*series.entropyRate))
            < 1.4 * kChartText;
    if (series.unigramEntropy)
        chart.drawReference(*series.unigramEntropy, QStringLiteral("unigram entropy"), false);
    if (series.entropyRate)
        chart.drawReference(*series.entropyRate, QStringLiteral("entropy rate, estimate"),
                            areClose);
    chart.drawDots();
    chart.drawMean();
    return chart.canvas.finish();
}

LossSeries lossSeries(const engine::Run& run)
{
    LossSeries series;
    series.planned = allIterations(run.info);
    series.unigramEntropy = run.info.unigramEntropy;
    series.entropyRate = run.info.entropyRate;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss && iteration.kind != engine::Iteration::Kind::Replay)
            series.points.push_back({iteration.kind == engine::Iteration::Kind::Warmup,
                                     iteration.number, *iteration.loss, iteration.microBatchLoss});
    series.planned = std::max(series.planned, static_cast<int>(series.points.size()));
    return series;
}

double LossSeries::highest() const
{
    double highest = 0;
    const auto take = [&highest](double loss) {
        if (std::isfinite(loss))
            highest = std::max(highest, loss);
    };
    take(unigramEntropy.value_or(0));
    take(entropyRate.value_or(0));
    for (const LossPoint& point : points) {
        take(point.mean);
        std::ranges::for_each(point.microBatches, take);
    }
    return highest;
}

DeviceColumns bubbleColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.title = tr("Bubble by cause");
    columns.axis = tr("%1 of the iteration");
    columns.sum = tr("bubble");
    columns.scale = Scale(0.01, 1, QStringLiteral("%"));
    const auto add = [&](const QString& name, profiler::Colour Palette::*fill,
                         std::int64_t DeviceMetrics::*ticks) {
        addPart(columns, metrics, {name, fill}, [&metrics, ticks](const DeviceMetrics& one) {
            return static_cast<double>(one.*ticks)
                / static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
        });
    };
    add(tr("fill"), profiler::kFillCause, &DeviceMetrics::fill);
    add(tr("wait"), profiler::kWaitCause, &DeviceMetrics::wait);
    add(tr("drain"), profiler::kDrainCause, &DeviceMetrics::drain);
    columns.mean = metrics.bubbleRatio;
    return columns;
}

namespace {

struct PaceMap
{
    const profiler::Stragglers& found;
    const ChartLook& look;
    ChartCanvas canvas{look.style};
    Rect plot{kLeft, kHeader + kLegendLine, look.style.width - kLeft - kRight,
              look.style.height - kFoot - kHeader - kLegendLine};
    double most = highest(); // the share that has the strongest colour

    double highest() const
    {
        constexpr double kLeast = 0.1; // so that noise stays pale
        double share = kLeast;
        for (const profiler::DevicePace& pace : found.devices)
            if (!pace.mayHaveMoreWork)
                share = std::max(share, *std::ranges::max_element(pace.excesses));
        return share;
    }
    profiler::Colour colour(double excess) const
    {
        return profiler::mix(look.style.low, look.style.high, std::clamp(excess / most, 0.0, 1.0));
    }
    static std::string percent(double share) { return number(100 * share, 0).toStdString() + " %"; }

    void drawHeader()
    {
        canvas.text(kRight, 17, tr("Longer than the other devices").toStdString(),
                    Text::Anchor::Start, {look.style.ink, true});
        canvas.text(kRight, 17 + kLegendLine,
                    tr("own work, by device and iteration").toStdString());
        constexpr int kSteps = 5;
        double x = look.style.width - kRight - profiler::textWidth(percent(most)) - kTextGap;
        canvas.text(x + kTextGap, 17, percent(most));
        for (int step = kSteps; step >= 0; --step, x -= kSwatch)
            canvas.box({x - kSwatch, 8, kSwatch, kSwatch}, colour(most * step / kSteps));
        canvas.text(x - kTextGap, 17, percent(0), Text::Anchor::End);
    }
    void drawCells(int rows, int columns)
    {
        const int devices = static_cast<int>(found.devices.size()), count = found.iterations;
        const double width = plot.width / columns, height = plot.height / rows;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const Rect cell{plot.x + width * column, plot.y + height * row,
                                width - gapOf(width) / 2, height - gapOf(height) / 2};
                std::optional<double> judged; // nullopt: each device may have more work
                for (int d = row * devices / rows; d < (row + 1) * devices / rows; ++d)
                    for (int i = column * count / columns; i < (column + 1) * count / columns; ++i)
                        if (const auto& pace = found.devices[DeviceId{d}]; !pace.mayHaveMoreWork)
                            judged = std::max(judged.value_or(-1), pace.excesses[i]);
                if (!judged) {
                    canvas.hatch(cell);
                    continue;
                }
                const double excess = *judged;
                canvas.box(cell, colour(excess));
                const std::string text = number(100 * excess, 1).toStdString();
                if (excess > profiler::kStragglerExcess && cell.height > kChartText + 2
                    && cell.width > profiler::textWidth(text) + 4)
                    canvas.text(cell.x + cell.width / 2,
                                cell.y + (cell.height + kChartText) / 2 - 1, text,
                                Text::Anchor::Middle, {look.palette.inkOn(colour(excess))});
            }
    }
    std::vector<profiler::SceneMark> drawNames()
    {
        std::vector<profiler::SceneMark> marks;
        const int devices = static_cast<int>(found.devices.size());
        const double height = plot.height / devices, width = plot.width / found.iterations;
        for (const int device : labelledDevices(devices, height, kChartText + 2))
            canvas.text(plot.x - 6, plot.y + height * (device + 0.5) + kChartText / 3,
                        std::to_string(device), Text::Anchor::End);
        for (int device = 0; device < devices; ++device)
            marks.push_back(
                {static_cast<std::size_t>(device),
                 {plot.x, plot.y + height * device, plot.width, std::max(1.0, height)}});
        const double label = profiler::textWidth(std::to_string(found.iterations)) + 12;
        for (const int i : labelledDevices(found.iterations, width, label))
            canvas.text(plot.x + width * (i + 0.5), plot.y + plot.height + 4 + kChartText,
                        std::to_string(found.numbers[static_cast<std::size_t>(i)]),
                        Text::Anchor::Middle);
        return marks;
    }
};

} // namespace

profiler::MarkedScene paceMap(const profiler::Stragglers& found, const ChartLook& look)
{
    PaceMap map{found, look};
    if (map.plot.width < 1 || map.plot.height < 1)
        return profiler::emptyChart(look.style, "");
    constexpr double kLeastCell = 3; // points
    const auto cells = [](std::size_t count, double space) {
        return std::clamp(static_cast<int>(count), 1,
                          std::max(1, static_cast<int>(space / kLeastCell)));
    };
    map.drawHeader();
    map.drawCells(cells(found.devices.size(), map.plot.height),
                  cells(static_cast<std::size_t>(found.iterations), map.plot.width));
    return map.canvas.finish(map.drawNames());
}

QString paceText(const profiler::Stragglers& found, DeviceId device)
{
    using profiler::Spread;
    const profiler::DevicePace& pace = found.devices[device];
    const profiler::Amount& excess = pace.excess;
    const auto percent = [](double share) { return signedNumber(100 * share, 1); };
    const QString text
        = DevicesPanel::tr("Device %1: %2 % %3, median (%4)")
              .arg(device.value)
              .arg(number(100 * std::abs(excess.value), 1),
                   excess.value < 0 ? DevicesPanel::tr("shorter") : DevicesPanel::tr("longer"),
                   excess.spread == Spread::Interval
                       ? DevicesPanel::tr("95 % interval %1 to %2 %")
                             .arg(percent(excess.least), percent(excess.most))
                       : excess.spread == Spread::Unknown ? DevicesPanel::tr("interval unknown")
                                                          : DevicesPanel::tr("exact"));
    return pace.mayHaveMoreWork
        ? DevicesPanel::tr("%1; not compared: its first or last stage may have more layers, which "
                           "the run does not state")
              .arg(text)
        : DevicesPanel::tr("%1; the slowest in %2 of %3 iterations")
              .arg(text)
              .arg(pace.slowest)
              .arg(found.iterations);
}

DevicesPanel::DevicesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_memory(new DeviceView(theme, "devicesMemory"))
    , m_bubble(new DeviceView(theme, "devicesBubble"))
    , m_pace(named(new SceneView(theme,
                                 [this](std::size_t device) {
                                     return paceText(*m_paces, {static_cast<int>(device)});
                                 }),
                   "devicesPace", tr("Devices")))
    , m_comparison(
          this,
          [](const RunPointer& run) {
              return Paces{run, profiler::stragglers(*run)};
          },
          [this](const Paces& paces) { showPaces(paces); })
    , m_charts(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_empty(named(makeLabel(tr("The columns appear with the first complete iteration."), "hint"),
                    "devicesEmpty"))
{
    setObjectName(QStringLiteral("devicesPanel"));
    auto* charts = new QWidget;
    charts->setLayout(spaced(m_charts, {}, 0, {{m_memory, 1}, {m_bubble, 1}, {m_pace, 1}}));
    m_pace->setMinimumSize(m_bubble->minimumSize());
    mark({});
    for (const SceneView* view : views())
        connect(view, &SceneView::pointChosen, this,
                [this](std::size_t device) { Q_EMIT chosen({static_cast<int>(device)}); });
    m_scroll = makeScroll(charts);
    m_empty->setContentsMargins(12, 10, 12, 10);
    m_empty->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, {m_empty, 1}});
    arrange();
}

void DevicesPanel::showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    m_memory->show(memoryColumns(run, metrics));
    m_bubble->show(bubbleColumns(run, metrics));
    m_empty->setText(tr("No device has a bubble, and no memory was recorded."));
    arrange();
}

void DevicesPanel::comparePaces(const RunPointer& run)
{
    if (run->info.outcome == engine::Outcome::Running || run == m_pacesOf)
        return;
    m_pacesOf = run;
    m_comparison.ask(run);
}

void DevicesPanel::showPaces(const Paces& paces)
{
    const auto& [run, found] = paces;
    m_paces = found ? std::optional(*found) : std::nullopt;
    if (m_paces) {
        m_pace->setAccessibleName(
            QString::fromStdString(profiler::stragglersText(*run, *found).front()));
        m_pace->draw([found = *found](const ChartLook& look) { return paceMap(found, look); });
    }
    arrange();
}

void DevicesPanel::mark(engine::DeviceId device)
{
    for (SceneView* view : views())
        view->select(device.isValid() ? std::optional<std::size_t>(device.value) : std::nullopt);
}

void DevicesPanel::arrange()
{
    constexpr int kBesideFrom = 320; // for each chart
    const bool hasMemory = !m_memory->columns().isEmpty(),
               hasBubble = !m_bubble->columns().isEmpty();
    const int charts = int{hasMemory} + int{hasBubble} + int{m_paces.has_value()};
    const bool isBeside = width() >= kBesideFrom * charts;
    m_charts->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_memory->setVisible(hasMemory);
    m_bubble->setVisible(hasBubble);
    m_pace->setVisible(m_paces.has_value());
    m_scroll->setVisible(charts > 0);
    m_empty->setVisible(charts == 0);
}

void DevicesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

std::vector<Event> eventsOf(const engine::Run& run, std::optional<int> iteration,
                            const EventFilter& only, std::size_t most)
{
    std::vector<Event> events;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks) {
        engine::throwIfCancelled();
        std::span<const engine::Span> spans = track.spans;
        if (iteration) // not by its window, which does not contain the empty spans at its end
            spans = std::ranges::equal_range(spans, static_cast<std::uint32_t>(*iteration), {},
                                             &engine::Span::iteration);
        for (const engine::Span& span : spans)
            if (events.size() < most && (!only || only(span)))
                events.push_back({span.window(), span.op, static_cast<int>(span.iteration),
                                  track.device, track.kind,
                                  engine::opAt(run.schedule, index, span.op)});
    }
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.window.begin, event.device, event.op);
    });
    return events;
}

std::vector<TableColumn<Event>> eventColumns(const RunPointer& run, std::optional<int> iteration)
{
    using Described = TableColumn<Event>;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto& iterations = run->timeline.iterations;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < iterations.size(); ++i)
        if (!iteration || static_cast<int>(i) == *iteration)
            longest = std::max(longest, iterations[i].window.duration());
    const Scale scale = timeScale(run->info, longest).finer(2);
    const auto startOf = [run](const Event& event) {
        return run->timeline.iterations[static_cast<std::size_t>(event.iteration)].window.begin;
    };
    const auto sorting = [](auto valueOf) {
        return [valueOf](const Event& event) { return static_cast<double>(valueOf(event)); };
    };
    const auto whole = [=](const QString& title, auto valueOf) {
        return Described(title,
                         [valueOf](const Event& event) { return QString::number(valueOf(event)); })
            .sortedBy(sorting(valueOf));
    };
    const auto time = [=](const QString& title, auto ticks) {
        const auto valueOf = sorting(ticks);
        return Described({title, scale},
                         [=](const Event& event) { return scale.text(valueOf(event)); })
            .sortedBy(valueOf);
    };
    const auto stage = [](const Event& event) { return event.what.stage.value; };
    const auto kind = [](const Event& event) { return event.what.kind; };
    Described microBatch
        = whole(tr("Micro-batch"), [](const Event& event) { return event.what.microBatch.value; });
    microBatch.text = [run](const Event& event) {
        const engine::MicroBatchId id = event.what.microBatch;
        return id.isValid() && engine::knowsMicroBatches(run->info) ? QString::number(id.value)
                                                                    : QString();
    };
    Described stages = whole(tr("Stage"), stage);
    stages.text = [run, stage](const Event& event) {
        return engine::knowsStages(run->info) ? QString::number(stage(event)) : QString();
    };
    std::vector<Described> all{
        Described(
            tr("Op"), [run](const Event& event) { return opName(run->info, event.what); },
            Qt::AlignLeft)
            .sortedBy(sorting(stage))
            .flag(kCodeRole),
        Described(
            tr("Operation"),
            [kind](const Event& event) { return fromUtf8(engine::kindTitle(kind(event))); },
            Qt::AlignLeft)
            .sortedBy(sorting(kind)),
        whole(tr("Device"), [](const Event& event) { return event.device.value; }),
        stages,
        microBatch,
        Described(
            tr("Direction"),
            [tr](const Event& event) { return event.what.replica == 0 ? tr("down") : tr("up"); },
            Qt::AlignLeft)
            .sortedBy(sorting([](const Event& event) { return event.what.replica; }))
            .flag(kHintRole),
        time(tr("Start, %1"),
             [=](const Event& event) { return event.window.begin - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.begin; })),
        time(tr("Duration, %1"), [](const Event& event) { return event.window.duration(); }),
        time(tr("End, %1"), [=](const Event& event) { return event.window.end - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.end; })),
    };
    if (!iteration)
        all.push_back(Described(tr("Iteration"), [run](const Event& event) {
                          return iterationName(run->timeline, event.iteration);
                      }).sortedBy(sorting([](const Event& event) { return event.iteration; })));
    return all;
}

std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first)
{
    std::vector<IterationRow> rows;
    const bool isKnown = whyIterationUnknown(run).empty();
    for (std::size_t i = first; i < run.timeline.iterations.size(); ++i) {
        const engine::Iteration& iteration = run.timeline.iterations[i];
        IterationRow row{iteration.kind,
                         iteration.number,
                         isKnown ? std::optional(iteration.window.duration()) : std::nullopt,
                         0,
                         iteration.loss,
                         iteration.gradientNorm,
                         {}};
        if (const auto metrics = profiler::metrics(run, static_cast<int>(i))) {
            row.bubbleRatio = metrics->bubbleRatio;
            row.tokensPerSecond = metrics->tokensPerSecond;
        }
        rows.push_back(row);
    }
    return rows;
}

std::vector<TableColumn<IterationRow>> iterationColumns(const engine::RunInfo& info,
                                                        std::optional<std::int64_t> duration)
{
    using Row = IterationRow;
    using Kind = engine::Iteration::Kind;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto optional
        = [](const QString& title, std::optional<double> Row::*value, int decimals) {
              return TableColumn<Row>(title, [=](const Row& row) {
                  const auto& known = row.*value;
                  return known ? number(*known, decimals) : kNoValue;
              });
          };
    std::vector<TableColumn<Row>> columns = {
        {tr("Iteration"), [](const Row& row) { return iterationName(row.kind, row.number); },
         Qt::AlignLeft},
        {{QStringLiteral("%1"), timeScale(info, duration.value_or(0))},
         [time = timeScale(info, duration.value_or(0))](const Row& row) {
             return row.duration ? time.text(*row.duration) : kNoValue;
         }},
        {tr("Bubble, %"), [](const Row& row) { return number(row.bubbleRatio * 100, 1); }},
        optional(tr("Loss"), &Row::loss, 2),
        optional(tr("Gradient norm"), &Row::gradientNorm, 3),
        optional(tr("Tokens/s"), &Row::tokensPerSecond, 0),
    };
    for (auto& column : columns)
        column.with(kHintRole, [](const Row& row) { return row.kind == Kind::Warmup; })
            .with(kStrongRole, [](const Row& row) { return row.kind == Kind::Replay; });
    return columns;
}

void MetricsModel::show(RunPointer run, profiler::RunMetrics metrics)
{
    m_metrics = std::move(metrics);
    std::vector<const Device*> devices;
    for (const Device& device : m_metrics.devices)
        devices.push_back(&device);
    setDevices(std::move(run), std::move(devices), m_metrics.duration, m_metrics.bubbleRatio);
    showColumns();
}

void MetricsModel::setWorkOnPath(engine::IdVector<engine::DeviceId, std::int64_t> work)
{
    if (std::exchange(m_workOnPath, work) != work && !m_metrics.devices.empty())
        showColumns();
}

MetricsModel::Columns MetricsModel::categoryColumns() const
{
    using enum profiler::TimeCategory;
    const profiler::TimeByCategory mean = profiler::timeByCategory(m_metrics);
    Columns columns;
    for (const profiler::TimeCategory category : mean.enumerators()) {
        if (category < Exposed && mean[category] <= 0)
            continue;
        columns.push_back(
            {{capitalized(fromUtf8(profiler::timeCategoryName(category))) + QStringLiteral(", %1"),
              time()},
             [this, category, mean](const Device* device) {
                 const double step = time().perUnit() * std::pow(10.0, -time().decimals());
                 const auto times
                     = device == nullptr ? mean : profiler::timeByCategory(m_metrics, *device);
                 return time().text(profiler::rounded(times, step)[category]);
             }});
        if (category == Exposed)
            columns.back().onlyIf(messagesAreKnown());
    }
    columns.push_back(bubbleShareColumn());
    return columns;
}

// Omits columns of ops that do not occur in the run.
void MetricsModel::showColumns()
{
    Columns columns{nameColumn(), Column(tr("Stages"), [this](const Device* device) {
                                      return device != nullptr ? stagesText(run(), device->device)
                                                               : QString();
                                  }).flag(kHintRole)};
    if (whyUnknown(run().info).empty()) {
        append(columns, categoryColumns());
    } else {
        append(columns, workColumns());
        append(columns, bubbleColumns());
    }
    if (m_workOnPath.size() == m_metrics.devices.size())
        // The last row has the sum and not the mean, because all devices share one critical path.
        columns.push_back(column(
            {tr("On the path, %1"), time()}, time(),
            [this](const Device& one) { return m_workOnPath[one.device]; }, Total::Sum));
    append(columns, peakColumn());
    if (const Ticks allReduce = ticksOf(engine::OpKind::AllReduce); sum(allReduce) > 0)
        columns.push_back(timeColumn(tr("All-reduce"), allReduce));
    append(columns, stashColumn());
    append(columns, {messagesColumn(), countColumn(tr("Local"), &Device::localCopies)});
    for (auto column = columns.begin() + 2; column != columns.end(); ++column)
        column->onlyIf([this](const Device* device) {
            return device == nullptr || hasTrace(run(), device->device);
        });
    DeviceTable::show(std::move(columns));
}

void MetricsModel::setSelected(std::optional<profiler::TimeCategory> category)
{
    if (std::exchange(m_selected, category) != category && columnCount() > 0)
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

QVariant MetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != kStrongRole || orientation != Qt::Horizontal)
        return DeviceTable::headerData(section, orientation, role);
    return m_selected
        && headerData(section, orientation).toString()
        == capitalized(fromUtf8(profiler::timeCategoryName(*m_selected))) + QStringLiteral(", ")
            + time().unit();
}

// Returns the definition of the metric with its value for all devices, taken from the last row.
QVariant MetricsModel::headerToolTip(int section, const QString& title) const
{
    const QString unit = title.section(QLatin1String(", "), 1);
    const QString value = rowCount() == 0
        ? QString()
        : (index(rowCount() - 1, section).data().toString() + QLatin1Char(' ') + unit).trimmed();
    const QString text = definitionText(title, value);
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

using profiler::KernelRow;

QString kernelsCsv(const TableModel<KernelRow>& table, const KernelView& kernels)
{
    QStringList lines = {QStringLiteral("op,kernel,kind,count,total_ns,mean_ns,min_ns,max_ns,"
                                        "share_of_op_percent")};
    for (int i = 0; i < table.rowCount(); ++i) {
        const KernelRow& row = table.at(i);
        const profiler::KernelName& name = kernels.activity().names()[row.name];
        const QStringList cells{fromUtf8(engine::kindShortName(row.op)),
                                quotedCell(QString::fromStdString(name.full)),
                                fromUtf8(profiler::kernelKindName(name.kind)),
                                QString::number(row.count),
                                QString::number(row.total),
                                QString::number(row.mean(), 'f', 1),
                                QString::number(row.shortest),
                                QString::number(row.longest),
                                QString::number(100 * row.share, 'f', 3)};
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

std::vector<TableColumn<KernelRow>> kernelColumns(const KernelViewPointer& kernels)
{
    using Row = KernelRow;
    using Described = TableColumn<Row>;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto nameOf = [kernels](const Row& row) -> const profiler::KernelName& {
        return kernels->activity().names()[row.name];
    };
    const auto numeric = [](const QString& title, auto valueOf, const Scale& scale) {
        const auto value = [valueOf](const Row& row) { return static_cast<double>(valueOf(row)); };
        return Described(title, [=](const Row& row) { return scale.text(value(row)); })
            .sortedBy(value);
    };
    const Scale time = scaleIn(Unit::Microsecond), count{1, 0, {}}, share{0.01, 1, {}};
    const auto timed = [&](const QString& title, auto nanoseconds) {
        return numeric(title.arg(time.unit()), nanoseconds, time);
    };
    const auto kind = [nameOf](const Row& row) { return nameOf(row).kind; };
    return {
        Described(
            tr("Kernel"), [nameOf](const Row& row) { return fromUtf8(nameOf(row).label); },
            Qt::AlignLeft)
            .with(Qt::ToolTipRole, [nameOf](const Row& row) { return fromUtf8(nameOf(row).full); })
            .flag(kCodeRole)
            .with(kKernelKindRole, [kind](const Row& row) { return static_cast<int>(kind(row)); }),
        Described(
            tr("Kind"),
            [kind](const Row& row) { return fromUtf8(profiler::kernelKindName(kind(row))); },
            Qt::AlignLeft)
            .sortedBy([kind](const Row& row) { return static_cast<double>(kind(row)); })
            .flag(kHintRole),
        Described(
            tr("Op type"), [](const Row& row) { return fromUtf8(engine::kindTitle(row.op)); },
            Qt::AlignLeft)
            .sortedBy([](const Row& row) { return static_cast<double>(row.op); })
            .flag(kHintRole),
        numeric(tr("Count"), std::mem_fn(&Row::count), count),
        timed(tr("Total, %1"), std::mem_fn(&Row::total)),
        timed(tr("Mean, %1"), std::mem_fn(&Row::mean)),
        timed(tr("Min, %1"), std::mem_fn(&Row::shortest)),
        timed(tr("Max, %1"), std::mem_fn(&Row::longest)),
        numeric(tr("Share of the op type's time, %"), std::mem_fn(&Row::share), share)
            .with(kShareRole, [](const Row& row) { return row.share; }),
    };
}

namespace {

using engine::GpuMemory;
using Row = GpuMemoryRow;

bool isNote(const Row& row)
{
    return row.measure == nullptr;
}

// Of an owner, which has no row if it has no memory.
bool isOwned(const Row& row)
{
    return !isNote(row) && (row.measure->shown & profiler::kIfAny) != 0;
}

bool isSize(const Row& row)
{
    return !isNote(row) && row.measure->unit == profiler::Unit::Bytes;
}

double sizeOf(const Row& row, const GpuMemory& memory)
{
    return (*row.measure)(memory).number().value_or(0);
}

// Emphasizes a difference above kMemoryTolerance.
TableColumn<Row> memoryColumn(const GpuMemory& memory, const Scale& bytes)
{
    return TableColumn<Row>(
               memory.gpu < 0 ? QCoreApplication::translate("GpuMemory", "All GPUs")
                              : QCoreApplication::translate("GpuMemory", "GPU %1").arg(memory.gpu),
               [=](const Row& row) {
                   return isSize(row) ? bytes.text(sizeOf(row, memory))
                       : isNote(row)  ? QString()
                                      : percent(sizeOf(row, memory));
               })
        .with(kStrongRole, [memory](const Row& row) {
            return isSize(row) ? QVariant()
                               : QVariant(memory.differenceShare() > engine::kMemoryTolerance);
        });
}

TableColumn<Row> shareColumn(const GpuMemory& all)
{
    const auto share = [all](const Row& row) {
        return all.used > 0 ? sizeOf(row, all) / static_cast<double>(all.used) : 0;
    };
    return TableColumn<Row>(QCoreApplication::translate("GpuMemory", "Share, %"),
                            [share](const Row& row) {
                                return isSize(row) ? number(100 * share(row), 1) : QString();
                            })
        .with(kShareRole,
              [share](const Row& row) { return isOwned(row) ? QVariant(share(row)) : QVariant(); });
}

} // namespace

void showGpuMemory(TableModel<GpuMemoryRow>& model, const std::vector<GpuMemory>& gpus)
{
    if (gpus.empty())
        return model.reset({}, {});
    const GpuMemory all = gpus.size() > 1 ? engine::sumOf(gpus) : gpus.front();
    const Scale bytes = byteScale(std::max(all.used, all.known()));
    std::vector<Row> rows;
    for (const auto& measure : profiler::gpuMemoryMeasures()) {
        const Row row{&measure, capitalized(fromUtf8(measure.title))};
        const bool isColumn = (measure.shown & profiler::kColumn) != 0;
        if (isColumn && measure.unit != profiler::Unit::None
            && (!isOwned(row) || sizeOf(row, all) != 0))
            rows.push_back(row);
    }
    if (const std::string note = engine::memoryNote(gpus); !note.empty())
        rows.push_back({nullptr, fromUtf8(note)});
    std::vector<TableColumn<Row>> columns{
        TableColumn<Row>({QCoreApplication::translate("GpuMemory", "At the end, %1"), bytes},
                         &Row::title, Qt::AlignLeft)
            .with(kSpanRole, isNote),
        memoryColumn(all, bytes), shareColumn(all)};
    if (gpus.size() > 1)
        for (const GpuMemory& gpu : gpus)
            columns.push_back(memoryColumn(gpu, bytes));
    for (TableColumn<Row>& column : columns)
        column
            .with(Qt::ToolTipRole,
                  [](const Row& row) { return isNote(row) ? QVariant(row.title) : QVariant(); })
            .with(kStrongRole, [](const Row& row) { return isSize(row) && !isOwned(row); })
            .with(kHintRole, isNote);
    model.reset(std::move(columns), std::move(rows));
}

namespace {

class Dock : public RunPanels
{
private:
    enum class Listed { EveryOp, Path, Hits };
    // What the tab Events lists: the arguments of eventsOf() and its answer.
    struct Listing
    {
        RunPointer run;
        std::optional<int> iteration;
        EventFilter only = {};
        std::size_t most = std::numeric_limits<std::size_t>::max();
        std::vector<Event> rows = {};
    };

public:
    Dock(const ThemeController& theme, const RunActions& actions)
        : m_theme(theme)
        , m_notes(NotesPanel::make(theme, actions))
    {
        setObjectName(QStringLiteral("runPanels"));
        m_iterations.reset(iterationColumns({}, 0), {});
        m_summaryTable->setModel(m_metrics);
        m_events->show(eventColumns(std::make_shared<const engine::Run>(), 0), {});
        m_events->setSortingEnabled(true);
        m_events->sortByColumn(static_cast<int>(EventColumn::Start), Qt::AscendingOrder);
        m_log->setReadOnly(true);
        m_log->setFrameShape(QFrame::NoFrame);
        m_log->setFont(codeFont(12));
        const std::pair<QString, QWidget*> panels[] // in the order of Panel
            = {{tr("Range"), m_range},
               {tr("Devices"), m_devices},
               {tr("Summary"), m_summaryTable},
               {tr("Events"), m_events},
               {tr("Kernels"), m_kernels},
               {tr("Memory"), m_memory},
               {tr("Progress"), makeProgress()},
               {tr("Notes"), m_notes},
               {tr("Log"), m_log}};
        for (const auto& [name, panel] : panels) {
            m_tabs->addTab(name);
            m_stack->addWidget(panel);
        }
        spaced(new QVBoxLayout(this), {}, 0,
               {makeTabRow(), makeLine(Qt::Horizontal), {m_stack, 1}});

        connect(m_events, &QTableView::clicked, this, &Dock::chooseEvent);
        connect(m_summaryTable, &QTableView::clicked, this,
                [this](const QModelIndex& index) { chooseDevice(engine::DeviceId{index.row()}); });
        connect(m_devices, &DevicesPanel::chosen, this, &Dock::chooseDevice);
        connect(&theme, &ThemeController::unitsChanged, this, &Dock::updateHint);
        updateHint();
    }
    void showRun(const RunViewPointer& view, int iteration) override
    {
        const RunPointer& run = view->shared();
        // The list of hits covers all iterations, so it stays valid, with its selected row, if only
        // another iteration of the same run is shown.
        m_areEventsFresh = m_areEventsFresh && m_listed == Listed::Hits && run == m_run;
        m_isMemoryFresh = false;
        m_view = view;
        m_run = run;
        m_iteration = iteration;
        m_loss->draw(
            [series = lossSeries(*run)](const ChartLook& look) { return lossChart(series, look); });
        m_kernels->showIteration(iteration);
        m_mode->setText(modeText(run->info));
        setOffered(Panel::Devices, run->schedule.shape.devices > 1);
        fillShownPanel();
        updateHint();
    }
    void showMetrics(const RunPointer& run, const profiler::RunMetrics& metrics) override
    {
        m_metrics->show(run, metrics);
        m_devices->showMetrics(*run, metrics);
        updateHint();
    }
    void showSelection(const Selection& selection) override
    {
        m_selection = selection;
        m_kernels->showSelection(selection);
        selectEvent();
        const engine::DeviceId device
            = selection.kind == Selection::Kind::None ? engine::DeviceId{} : selection.device;
        m_devices->mark(device);
        m_metrics->setSelected(selection.kind == Selection::Kind::Category
                                   ? std::optional(selection.category)
                                   : std::nullopt);
        selectRow(m_summaryTable, device.isValid() ? device.value : -1);
    }
    void showKernels(KernelViewPointer kernels, const QString& reason) override
    {
        m_kernels->show(m_run, std::move(kernels), reason);
    }
    void setPath(PathMarksPointer path) override
    {
        m_path = std::move(path);
        m_metrics->setWorkOnPath(m_path && m_run ? m_path->why.workOnPath(*m_run)
                                                 : decltype(m_path->why.workOnPath(*m_run))());
        if (m_listed == Listed::Path)
            list(Listed::EveryOp);
    }
    void showPathEvents() override
    {
        if (!m_path)
            return;
        open(Panel::Events);
        list(Listed::Path);
    }
    void setHits(FoundPointer hits) override
    {
        const bool areNew = hits && !m_hits;
        m_hits = std::move(hits);
        if (areNew)
            open(Panel::Events);
        if (areNew || m_listed == Listed::Hits)
            list(m_hits ? Listed::Hits : Listed::EveryOp);
    }
    void addLogLine(const QString& line) override
    {
        m_log->appendPlainText(line);
        m_logLine->setText(line);
        m_logLine->setToolTip(line);
    }
    void open(Panel panel) override
    {
        setFolded(false);
        setPanel(panel);
    }
    void setPanel(Panel panel) override { m_tabs->setCurrentIndex(static_cast<int>(panel)); }
    void preferDevices() override
    {
        if (shown() == Panel::Summary && isOffered(Panel::Devices))
            setPanel(Panel::Devices);
    }
    void setRangeShown(bool isRangeShown) override
    {
        if (isOffered(Panel::Range) == isRangeShown)
            return;
        const Panel before = shown();
        setOffered(Panel::Range, isRangeShown);
        if (isRangeShown)
            m_beforeRange = before == Panel::Devices ? before : Panel::Summary;
        if (isRangeShown && before == m_beforeRange)
            setPanel(Panel::Range);
        else if (!isRangeShown && before == Panel::Range)
            setPanel(m_beforeRange);
        fitHint();
    }
    RangePanel& range() override { return *m_range; }
    void showIterations(const engine::RunInfo& info, std::size_t first,
                        std::vector<IterationRow> rows) override
    {
        if (rows.empty() || first > m_iterations.rows().size())
            return;
        m_iterations.describe(iterationColumns(info, rows.front().duration));
        m_iterations.update(first, std::move(rows));
    }
    NotesPanel& notes() override { return *m_notes; }
    bool isFolded() const override { return m_isFolded; }
    void setFolded(bool folded) override
    {
        if (folded == m_isFolded)
            return;
        m_isFolded = folded;
        m_stack->setVisible(!folded);
        updateFoldIcon();
        fillShownPanel();
        updateHint();
        Q_EMIT foldedChanged(folded);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        fitHint();
    }

private:
    QWidget* makeTabRow()
    {
        setLook(m_tabs, "kind", QStringLiteral("dock"));
        m_tabs->setDrawBase(false);
        m_tabs->setExpanding(false);
        m_tabs->setUsesScrollButtons(false);
        m_tabs->setElideMode(Qt::ElideNone);
        m_tabs->setTabVisible(static_cast<int>(Panel::Range), false);
        setPanel(Panel::Summary);
        m_stack->setCurrentIndex(m_tabs->currentIndex());
        m_fold->setAutoRaise(true);
        m_fold->setFocusPolicy(Qt::TabFocus);
        connect(&m_theme, &ThemeController::changed, this, &Dock::updateFoldIcon);
        updateFoldIcon();
        m_hint->setMinimumWidth(
            1); // lets the window shrink; fitHint() hides a hint that does not fit
        auto* row = makeRow({10, 0, 8, 0}, 8, {m_tabs, kStretch, m_mode, m_hint, m_fold});
        row->setFixedHeight(kTabsHeight - 1);
        connect(m_tabs, &QTabBar::currentChanged, this, [this](int panel) {
            m_stack->setCurrentIndex(panel);
            fillShownPanel();
            updateHint();
        });
        connect(m_tabs, &QTabBar::tabBarClicked, this, [this] { setFolded(false); });
        connect(m_fold, &QToolButton::clicked, this, [this] { setFolded(!m_isFolded); });
        return row;
    }
    // The progress of training: loss plot, table of iterations, last line of the log.
    QWidget* makeProgress()
    {
        m_loss->setMinimumSize(240, 110);
        m_loss->setFocusPolicy(Qt::NoFocus); // it has no marks to choose
        auto* save = makeIconButton("exportLoss", Icon::Export, tr("Export the chart"), m_theme,
                                    this, [this] {
                                        if (m_loss->drawing())
                                            Q_EMIT chartExported(m_loss->drawing());
                                    });
        auto* head
            = spaced(new QHBoxLayout, {12, 6, 12, 0}, 8,
                     {makeLabel(tr("Loss"), "dock"),
                      makeLabel(tr("nats; dots are micro-batches, the line is the mean"), "hint"),
                      kStretch, save});
        auto* loss = makeColumn({}, 0, {head, {m_loss, 1}});
        auto* table = named(new DataTable(m_theme, 26), "iterationsTable", tr("Iterations"));
        table->setModel(&m_iterations);
        m_logLine->setFont(codeFont(12));
        m_logLine->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* openLog
            = makeButton(tr("open log"), "openLog", "link", this, [this] { setPanel(Panel::Log); });
        auto* log = makeRow({12, 0, 8, 0}, 8, {{m_logLine, 1}, openLog}, "alt");
        log->setFixedHeight(24);
        auto* columns
            = spaced(new QHBoxLayout, {}, 0, {{loss, 576}, makeLine(Qt::Vertical), {table, 516}});
        auto* progress = makeColumn({}, 0, {{columns, 1}, makeLine(Qt::Horizontal), log}, "");
        connect(table, &QTableView::clicked, this,
                [this](const QModelIndex& index) { Q_EMIT iterationChosen(index.row()); });
        connect(&m_iterations, &QAbstractItemModel::rowsInserted, table,
                &QAbstractItemView::scrollToBottom);
        return progress;
    }
    void updateFoldIcon()
    {
        const Icon icon = m_isFolded ? Icon::ChevronUp : Icon::ChevronDown;
        m_fold->setIcon(makeIcon(icon, m_theme.theme().chrome.text2));
        m_fold->setToolTip(m_isFolded ? tr("Expand the tables")
                                      : tr("Collapse the tables to their tabs"));
    }
    // Shows which iteration the numbers belong to.
    void updateHint()
    {
        const bool hasNumbers = !m_metrics->metrics().devices.empty() && m_run;
        const bool isText = shown() == Panel::Log || shown() == Panel::Notes;
        m_mode->setVisible(hasNumbers && (!isText || m_isFolded));
        m_hint->setText(hasNumbers ? hintOf(shown()) : QString());
        fitHint();
    }
    QString hintOf(Panel panel) const
    {
        const QString which = iterationTitle(m_run->timeline, m_metrics->metrics().iteration);
        switch (panel) {
        case Panel::Range:
            return tr("only the part of an op inside the range counts");
        case Panel::Summary:
            return tr("%1. Last row: means, largest peak, sum of messages").arg(which);
        case Panel::Events:
            return m_listing.isBusy() ? tr("the list is being made") : eventsHint(which);
        case Panel::Devices:
        case Panel::Memory:
            return which;
        case Panel::Notes:
            return tr("stored in the run's file; double-click to edit the text");
        case Panel::Kernels:
        case Panel::Progress:
        case Panel::Log:
            break;
        }
        return {};
    }
    QString eventsHint(const QString& iteration) const
    {
        if (m_listed == Listed::Path)
            return tr("%1, only the critical path; click an op to show it").arg(iteration);
        if (m_listed == Listed::EveryOp)
            return tr("%1, every op; click one to show it").arg(iteration);
        return m_hits->hits().front().kind == Selection::Kind::Kernel
            ? tr("all iterations, only ops that launched a matching kernel; click one to show it")
            : tr("hits of all iterations; click a hit to show it");
    }
    // Shows the hint if it fits beside the tabs.
    void fitHint()
    {
        const auto widthOf = [](const QWidget* part) {
            return part->isHidden() ? 0 : part->sizeHint().width() + 8;
        };
        const int taken = widthOf(m_tabs) + widthOf(m_mode) + widthOf(m_fold) + 18;
        m_hint->setVisible(!m_hint->text().isEmpty()
                           && taken + m_hint->sizeHint().width() <= width());
    }
    void fillShownPanel()
    {
        if (!m_run || m_isFolded)
            return;
        if (shown() == Panel::Events && !std::exchange(m_areEventsFresh, true))
            fillEvents();
        if (shown() == Panel::Devices)
            m_devices->comparePaces(m_run);
        if (shown() == Panel::Memory && !std::exchange(m_isMemoryFresh, true))
            m_memory->show(m_view, m_iteration);
    }
    void fillEvents()
    {
        if (m_listed == Listed::Hits)
            m_listing.ask({m_run,
                           {},
                           [hits = m_hits](const auto& span) { return hits->has(span); },
                           Found::kMostHits});
        else if (m_listed == Listed::Path)
            m_listing.ask({m_run, m_iteration,
                           [path = m_path](const auto& span) { return path->ops[span.op]; }});
        else
            m_listing.ask({m_run, m_iteration});
    }
    void showEvents(Listing listing)
    {
        m_events->show(eventColumns(listing.run, listing.iteration), std::move(listing.rows));
        selectEvent();
        updateHint();
    }
    void selectEvent()
    {
        const auto keyOf = [](const auto& op) { return std::tuple(op.op, op.lane, op.iteration); };
        selectRow(m_events,
                  m_selection.kind == Selection::Kind::Op && m_areEventsFresh
                      ? m_events->rows().rowWith(keyOf, keyOf(m_selection))
                      : -1);
    }
    static void selectRow(DataTable* table, int row)
    {
        row >= 0 ? table->selectRow(row) : table->clearSelection();
    }
    void list(Listed listed)
    {
        m_listed = listed;
        m_areEventsFresh = false;
        fillShownPanel();
        updateHint();
    }
    void chooseEvent(const QModelIndex& index)
    {
        const Event& event = m_events->at(index.row());
        Q_EMIT selected({Selection::Kind::Op, event.iteration, event.device, event.lane, event.op,
                         event.window});
    }
    void chooseDevice(engine::DeviceId device)
    {
        const auto& metrics = m_metrics->metrics();
        if (!metrics.devices.has(device)) // the row of all devices
            return;
        const engine::Window whole
            = m_run->timeline.iterations[static_cast<std::size_t>(metrics.iteration)].window;
        Q_EMIT selected({Selection::Kind::Device, metrics.iteration, device,
                         engine::Track::Kind::Compute, 0, whole});
    }
    RunPanels::Panel shown() const { return static_cast<Panel>(m_tabs->currentIndex()); }
    bool isOffered(Panel panel) const { return m_tabs->isTabVisible(static_cast<int>(panel)); }
    // shows or hides the tab of a panel
    void setOffered(Panel panel, bool offered)
    {
        if (isOffered(panel) == offered)
            return;
        m_tabs->setTabVisible(static_cast<int>(panel), offered);
        m_tabs->updateGeometry(); // setTabVisible() does not
    }

    const ThemeController& m_theme;
    MetricsModel* m_metrics = new MetricsModel(this);
    TableModel<IterationRow> m_iterations;
    QTabBar* m_tabs = named(new QTabBar, "panelTabs");
    Tag* m_mode = new Tag(m_theme);
    QLabel *m_hint = makeLabel({}, "hint"),
           *m_logLine = named(makeLabel({}, "small"), "lastLogLine");
    QToolButton* m_fold = named(new QToolButton, "foldPanels", tr("Collapse the tables"));
    QStackedWidget* m_stack = new QStackedWidget;
    DataTable* m_summaryTable = named(new DataTable(m_theme, 26), "summaryTable", tr("Summary"));
    RowTable<Event>* m_events = new RowTable<Event>(m_theme, 23, "eventsTable", tr("Events"));
    RangePanel* m_range = new RangePanel(m_theme);
    DevicesPanel* m_devices = new DevicesPanel(m_theme);
    KernelPanel* m_kernels = KernelPanel::make(m_theme);
    MemoryPanel* m_memory = new MemoryPanel(m_theme);
    SceneView* m_loss = named(new SceneView(m_theme, {}), "lossPlot", tr("Loss"));
    NotesPanel* m_notes;
    QPlainTextEdit* m_log = named(new QPlainTextEdit, "log", tr("Log"));
    RunViewPointer m_view;
    RunPointer m_run; // run of m_view
    int m_iteration = -1;
    Panel m_beforeRange = Panel::Summary;
    bool m_isFolded = false;
    PathMarksPointer m_path;
    FoundPointer m_hits;
    Selection m_selection;
    Listed m_listed = Listed::EveryOp;                      // which ops the tab Events lists
    bool m_areEventsFresh = false, m_isMemoryFresh = false; // or asked for
    Latest<Listing, Listing> m_listing{this,
                                       [](Listing listing) {
                                           listing.rows = eventsOf(*listing.run, listing.iteration,
                                                                   listing.only, listing.most);
                                           return listing;
                                       },
                                       [this](Listing listing) { showEvents(std::move(listing)); }};
};

} // namespace

RunPanels* RunPanels::make(const ThemeController& theme, const RunActions& actions)
{
    return new Dock(theme, actions);
}

namespace {

QComboBox* makeCombo(const char* name, const QString& accessibleName)
{
    auto* combo = named(new QComboBox, name, accessibleName);
    combo->setFocusPolicy(Qt::TabFocus);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return combo;
}

// Returns the iteration whose kernels are listed. For a range, returns -1 (all iterations), unless
// the range begins in the Replay.
int iterationOf(const Selection& selection, const engine::Run& run)
{
    const auto& iterations = run.timeline.iterations;
    const auto index = static_cast<std::size_t>(selection.iteration);
    const bool isMedian
        = index < iterations.size() && iterations[index].kind == engine::Iteration::Kind::Replay;
    return selection.kind == Selection::Kind::Range && !isMedian ? -1 : selection.iteration;
}

class Kernels : public KernelPanel
{
private:
    enum class Scope : int { Run, Iteration, Selection };

public:
    explicit Kernels(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("kernelPanel"));
        m_table->show(kernelColumns(nullptr), {});
        m_table->setSortingEnabled(true);
        m_table->sortByColumn(static_cast<int>(KernelColumn::Total), Qt::DescendingOrder);
        auto* full = makeColumn({}, 0, {makeBar(), {m_table, 1}}, "");
        auto* none = new QWidget;
        spaced(new QVBoxLayout(none), {14, 10, 14, 10}, 0)->addWidget(m_empty);
        m_stack->addWidget(none);
        m_stack->addWidget(full);
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
        for (QComboBox* combo : {m_op, m_device, m_scope})
            connect(combo, &QComboBox::activated, this, &Kernels::refresh);
        connect(&theme, &ThemeController::unitsChanged, this, &Kernels::refresh);
    }
    void show(const RunPointer& run, KernelViewPointer kernels, const QString& reason) override
    {
        const bool isOther = run != m_run || kernels != m_kernels;
        m_run = run;
        m_kernels = std::move(kernels);
        const bool hasAny = m_kernels && !m_kernels->isEmpty();
        m_stack->setCurrentIndex(hasAny ? 1 : 0);
        m_empty->setTexts(tr("No kernels"), reason);
        if (isOther)
            fillChoices();
        refresh();
    }
    void showIteration(int iteration) override
    {
        if (std::exchange(m_iteration, iteration) != iteration && isOfScope(Scope::Iteration))
            refresh();
    }
    void showSelection(const Selection& selection) override
    {
        m_selection = selection;
        if (isOfScope(Scope::Selection))
            refresh();
    }

private:
    QWidget* makeBar()
    {
        m_scope->addItems({tr("whole run"), tr("this iteration"), tr("selected range or op")});
        auto* copy
            = makeIconButton("copyKernels", Icon::Copy, tr("Copy the table as CSV"), m_theme, this,
                             [this] { copyText(kernelsCsv(m_table->rows(), *m_kernels)); });
        auto* save
            = makeIconButton("saveKernels", Icon::Export, tr("Save the table as CSV"), m_theme);
        connect(save, &QToolButton::clicked, this, &Kernels::save);
        auto* bar = makeRow({10, 0, 8, 0}, 8, {m_op, m_device, m_scope, {m_sum, 1}, copy, save});
        bar->setFixedHeight(34);
        return bar;
    }
    void fillChoices()
    {
        m_op->clear();
        m_device->clear();
        m_op->addItem(tr("all op types"), -1);
        m_device->addItem(tr("all devices"), -1);
        if (!m_run || !m_kernels)
            return;
        std::set<engine::OpKind> kinds;
        const engine::OpIndex index(m_run->schedule);
        for (const profiler::GpuWork& work : m_kernels->activity().work())
            if (work.of.isKnown())
                kinds.insert(engine::opAt(m_run->schedule, index, work.of.op).kind);
        for (const engine::OpKind kind : kinds)
            m_op->addItem(fromUtf8(engine::kindTitle(kind)), static_cast<int>(kind));
        for (int d = 0; d < m_run->schedule.shape.devices; ++d)
            m_device->addItem(tr("device %1").arg(d), d);
    }
    void refresh()
    {
        if (!m_run || !m_kernels || m_kernels->isEmpty())
            return;
        auto table = profiler::kernelTable(*m_run, m_kernels->activity(), filter());
        m_table->show(kernelColumns(m_kernels), std::move(table.rows));
        std::int64_t launches = 0, time = 0, busy = 0;
        for (const profiler::OpKindWork& op : table.ops) {
            launches += op.works;
            time += op.time;
            busy += op.busy;
        }
        const Scale scale = timeScale(m_run->info, time);
        m_sum->setText(launches == 0
                           ? tr("No launches match; select another op type, device or scope")
                           : tr("%1 launches, busy %2 of %3; gaps are %4 of the ops' time")
                                 .arg(number(launches), scale.text(busy), scale.withUnit(time),
                                      percent(time > 0 ? static_cast<double>(time - busy)
                                                      / static_cast<double>(time)
                                                       : 0)));
    }
    bool isOfScope(Scope scope) const { return m_scope->currentIndex() == static_cast<int>(scope); }
    profiler::KernelFilter filter() const
    {
        profiler::KernelFilter filter;
        if (const int kind = m_op->currentData().toInt(); kind >= 0)
            filter.op = static_cast<engine::OpKind>(kind);
        if (const int device = m_device->currentData().toInt(); device >= 0)
            filter.device = engine::DeviceId{device};
        using Kind = Selection::Kind;
        if (isOfScope(Scope::Iteration))
            filter.iteration = m_iteration;
        if (!isOfScope(Scope::Selection) || m_selection.kind == Kind::None
            || m_selection.kind == Kind::Category)
            return filter;
        filter.iteration = iterationOf(m_selection, *m_run);
        if (m_selection.kind == Kind::Op || m_selection.kind == Kind::Kernel)
            filter.execution = {m_selection.op, static_cast<std::uint32_t>(m_selection.iteration)};
        else if (m_selection.kind == Kind::Device)
            filter.device = m_selection.device;
        else
            filter.begun = m_selection.window;
        return filter;
    }
    void save()
    {
        const std::string csv = kernelsCsv(m_table->rows(), *m_kernels).toStdString();
        m_saver.saveText({tr("Save the table"), QStringLiteral("kernels"), tr("CSV (*.csv)")},
                         [csv]() -> engine::Result<std::string> { return csv; });
    }

    const ThemeController& m_theme;
    QComboBox *m_op = makeCombo("kernelOp", tr("Op type")),
              *m_device = makeCombo("kernelDevice", tr("Device")),
              *m_scope = makeCombo("kernelScope", tr("Scope"));
    QLabel* m_sum = named(makeLabel({}, "small"), "kernelSum");
    QStackedWidget* m_stack = new QStackedWidget;
    RowTable<profiler::KernelRow>* m_table
        = new RowTable<profiler::KernelRow>(m_theme, 24, "kernelTable", tr("Kernels"));
    EmptyState* m_empty
        = named(new EmptyState(m_theme, {Icon::Chip, tr("No kernels"), {}, {}}), "kernelsEmpty");
    RunPointer m_run;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
    RunSaver m_saver{this};
};

} // namespace

KernelPanel* KernelPanel::make(const ThemeController& theme)
{
    return new Kernels(theme);
}

MemoryPanel::MemoryPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_areas(MemoryAreas::make(theme))
    , m_gpus(new QWidget)
    , m_gpuTable(new RowTable<GpuMemoryRow>(theme, 24, "gpuMemoryTable", tr("Memory of the GPUs")))
    , m_report(
          this,
          [](const auto& asked) {
              const auto& [view, iteration] = asked;
              return std::make_shared<const MemoryReport>(
                  view->hasMemory() ? memoryReport(view->shared(), iteration)
                                    : stashReport(*view, iteration));
          },
          [this](auto report) { m_areas->show(report); })
{
    constexpr int kLeastPanel = 270; // four devices in a row beside both docks
    m_areas->setLeastWidth(kLeastPanel);
    spaced(new QHBoxLayout(m_gpus), {}, 0, {makeLine(Qt::Vertical), {m_gpuTable, 1}});
    m_gpus->hide();
    spaced(new QHBoxLayout(this), {}, 0, {{makeScroll(m_areas), 1}, m_gpus});
}

void MemoryPanel::show(const RunViewPointer& view, int iteration)
{
    const auto& gpuMemory = view->run().info.gpuMemory;
    m_report.ask({view, iteration});
    showGpuMemory(m_gpuTable->rows(), gpuMemory);
    m_gpus->setVisible(!gpuMemory.empty());
    shareWidth();
}

// The table gets the width that it needs if the plots keep at least half of the total.
void MemoryPanel::shareWidth()
{
    const int needed
        = m_gpuTable->neededWidth() + m_gpuTable->verticalScrollBar()->sizeHint().width();
    m_gpus->setFixedWidth(std::min(needed, width() / 2));
}

void MemoryPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareWidth();
}

} // namespace app
