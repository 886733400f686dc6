#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "engine/model/model_spec.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/metrics.h"

#include <QScrollArea>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace app {

// The contents of the details panel as values: texts, links, bars. The panel only lays them out.

struct Swatch
{
    enum class Look : std::uint8_t { None, Op, Bubble, Exposed, Kernel };

    Look look = Look::None;
    engine::OpKind kind = engine::OpKind::Forward;
    int chunk = 0;
    bool isUp = false;
    profiler::KernelKind kernel = profiler::KernelKind::Other;

    friend bool operator==(const Swatch&, const Swatch&) = default;
};

struct DetailsLink
{
    Swatch swatch;
    QString prefix;     // text before the link, such as the number of a note
    QString name;       // text of the link: "1B5"
    QString rest;       // "on device 1"
    QString time;       // "103.6 – 107.5"
    bool isCut = false; // whether the name may be elided
    Selection target;

    friend bool operator==(const DetailsLink&, const DetailsLink&) = default;
};

struct DetailsRow
{
    QString name, value;
    bool isStrong = false;

    friend bool operator==(const DetailsRow&, const DetailsRow&) = default;
};

// Rows with several values, which share the columns.
struct DetailsTable
{
    struct Cell
    {
        QString text;
        bool isStrong = false, isError = false;

        friend bool operator==(const Cell&, const Cell&) = default;
    };
    struct Row
    {
        QString name;
        std::vector<Cell> cells; // one per column

        friend bool operator==(const Row&, const Row&) = default;
    };
    QStringList columns; // titles of the cells' columns; the column of names has no title
    std::vector<Row> rows;

    friend bool operator==(const DetailsTable&, const DetailsTable&) = default;
};

struct DetailsBar
{
    struct Part
    {
        Swatch swatch;
        double share = 0;

        friend bool operator==(const Part&, const Part&) = default;
    };
    QString name, value; // both empty for a bar without texts
    std::vector<Part> parts;

    friend bool operator==(const DetailsBar&, const DetailsBar&) = default;
};

// An amount before and after a change, shown as two bars. Lengths are fractions of the full width.
struct DetailsPair
{
    QString name, value, change;
    double before = 0, after = 0; // before < 0: unknown

    friend bool operator==(const DetailsPair&, const DetailsPair&) = default;
};

// The stages of one micro-batch over time.
struct StageStrip
{
    struct Box
    {
        Swatch swatch;
        int stage = 0;
        engine::Window window;
        bool isMarked = false;

        friend bool operator==(const Box&, const Box&) = default;
    };
    int stages = 0;
    engine::Window window;
    QString from, to; // labels at the ends of the strip
    std::vector<Box> boxes;

    friend bool operator==(const StageStrip&, const StageStrip&) = default;
};

// The durations of the measured iterations on an axis; a dot leads to its iteration.
struct DetailsDots
{
    struct Dot
    {
        double at = 0; // on the axis, from 0 to 1
        QString text;
        Selection target;
        bool isShown = false; // the iteration that the details describe

        friend bool operator==(const Dot&, const Dot&) = default;
    };
    std::vector<Dot> dots;
    std::vector<std::pair<double, QString>> ticks; // place from 0 to 1, label
    QString unit;

    friend bool operator==(const DetailsDots&, const DetailsDots&) = default;
};

struct DetailsSection
{
    DetailsSection(const QString& heading = {}, const QString& remark = {}) // NOLINT: a title
        : title(heading)
        , note(remark)
    { }

    QString title, note;
    std::vector<DetailsBar> bars;
    std::vector<DetailsLink> links;
    bool isChain = false; // the links form a chain and are connected by a line
    std::optional<StageStrip> strip;
    std::vector<DetailsPair> pairs;
    QString pairLegend[2]; // names of the `before` and `after` bars
    double pairLimit = 0;  // drawn as a line through the pairs; 0: none
    DetailsTable table;    // not shown if it has no rows
    std::vector<DetailsRow> rows;

    void add(const QString& name, const QString& value, bool isStrong = false)
    {
        rows.push_back({name, value, isStrong});
    }
    bool isEmpty() const // apart from its title
    {
        return bars.empty() && links.empty() && !strip && pairs.empty() && table.rows.empty()
            && rows.empty();
    }
    friend bool operator==(const DetailsSection&, const DetailsSection&) = default;
};

struct Details
{
    Swatch swatch;
    QString title, value, unit;
    bool isCode = false; // the title begins with the name of an op
    QString left, right; // texts below the title
    QString file;        // path, named below the title; "": `left` is shown
    QString tag, note;   // mode of the value, and a remark beside it
    DetailsDots dots;
    QString sentence; // rich text
    std::vector<DetailsSection> sections;

    bool isEmpty() const { return title.isEmpty(); }
    void add(DetailsSection section) // unless it is empty
    {
        if (!section.isEmpty())
            sections.push_back(std::move(section));
    }
    friend bool operator==(const Details&, const Details&) = default;
};

// What the details describe besides the times of a run.
struct DetailsFacts
{
    DetailsFacts(const KernelView* notOwned = nullptr) // NOLINT: only the kernels may be known
        : kernels(KernelViewPointer(), notOwned)
    { }

    QString file;                                // of the run; named below its title
    KernelViewPointer kernels;                   // nullptr: unknown
    std::optional<profiler::RangeMetrics> range; // shown while exactly that range is selected
    FoundPointer hits;                           // described while nothing is selected
    std::vector<engine::Note> notes;             // sorted by time
    // A simulated run of the same schedule with one iteration, which begins at tick 0; nullptr:
    // unknown.
    RunPointer prediction;
    // Shown while nothing is selected, even before `running` has a view; nullopt: not running.
    std::optional<RunProgress> progress;
    RunPointer running;
};

// Describes the selection or, if nothing is selected, the run in its reported iteration. Returns
// empty details if the run has no iteration, or if the selected item does not exist in it.
Details detailsOf(const RunView& view, const Selection& selection, const DetailsFacts& facts = {});
// Describes a run in progress that has no iterations yet.
Details runningDetails(const engine::Run& run, const RunProgress& progress);
QString plainText(const Details& details); // one line per row, with tabs

// The tooltip of an op, a bubble or a device: the head of its details, as rich text.
QString toolTipText(const RunView& view, const Selection& selection);
QString rangeToolTip(const RunView& view, const HostRange& range);
QString kernelToolTip(const RunView& view, const KernelView& kernels, const Selection& selection);
// Rich text with the title and the length in one line, and `lines` below.
QString toolTipPage(const QString& title, const QString& length, const QStringList& lines);

// The model that a run trained, from its experiment; nullopt: unknown, because the run was
// simulated in cost units or imported.
std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info);
// The first and the last layer of a stage; nullopt if the stage has no layer.
std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage);
// The model FLOPs of an op, with full attention; 0 for an op that does not count as work of the
// model, such as a recompute. The ops of an iteration add up to engine::flopsPerIteration().
double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op);

// The texts of the status bar of a run's page: mode and devices, counts, selection, timing method.
// `metrics` without devices means that they are not known yet. `kernels` may be nullptr.
QStringList runStatus(const RunDocument& document, const profiler::RunMetrics& metrics,
                      const Selection& selection, const KernelView* kernels);
QString linkStatus(const engine::RunInfo& info); // "free links", "link 1/4 units"; rich text
// "overlaps 0, dropped 0": the number of compute ops that overlap on a device and, if the run was
// traced, the number of records that the tracer lost. Numbers above 0 are bold.
QStringList recordStatus(const RunView& view, const KernelView* kernels);
// Returns the metrics of the shown iteration: "iteration 3: 115.3 ms, bubble 13.0 %"; "" if
// they are unknown.
QString iterationStatus(const RunDocument& document, const profiler::RunMetrics& metrics);

// A scroll area with details. It keeps its position while the title stays.
class DetailsView : public QScrollArea
{
public:
    using Follow = std::function<void(const Selection&)>; // called when a link is clicked

    // `empty` is shown without details.
    DetailsView(
        const ThemeController& theme, const char* name, const QString& title,
        EmptyState::Texts empty, Follow follow = [](const Selection&) {});
    void show(Details details);
    using QWidget::show;

private:
    void layOut();

    const ThemeController& m_theme;
    EmptyState::Texts m_empty;
    Follow m_follow;
    Details m_shown;
};

// Describes the selection (name, duration, cause, chain and facts), or the whole run if nothing is
// selected.
class DetailsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DetailsPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view, const Selection& selection); // nullptr: clears the panel
    using QWidget::show;
    template<class Fact>
    void set(Fact DetailsFacts::*fact, std::type_identity_t<Fact> value)
    {
        m_facts.*fact = std::move(value);
        refresh();
    }
    QString text() const // the details as plain text; also while the panel is hidden
    {
        return plainText(details());
    }
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void jumpTo(const app::Selection& selection); // a link to an op was clicked

protected:
    void showEvent(QShowEvent* event) override;

private:
    Details details() const;
    void refresh();

    RunViewPointer m_view;
    Selection m_selection;
    DetailsFacts m_facts;
    DetailsView* m_details;
};

} // namespace app
