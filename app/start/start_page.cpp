#include "app/start/start_page.h"

#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/device_facts.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/setting_table.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QScrollArea>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

engine::ScheduleRequest of(const char* scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return request;
}

// Each build has its own folder, so that runs of another build are not shown.
QString sampleFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation)
        + QStringLiteral("/bubblescope/samples-") + fromUtf8(engine::buildId());
}

QString fileOf(const engine::ScheduleRequest& request)
{
    return sampleFolder()
        + QStringLiteral("/%1-D%2-N%3.sqlite")
              .arg(QString::fromStdString(request.scheme))
              .arg(request.devices)
              .arg(request.microBatches);
}

// The recorded runs of the sample; empty unless all of them exist.
QStringList recordedFiles(const Sample& sample)
{
    const QString folder = recordedSampleFolder(QCoreApplication::applicationDirPath());
    if (folder.isEmpty())
        return {};
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        files.append(QStringLiteral("%1/%2-d%3-n%4.sqlite")
                         .arg(folder, QString::fromStdString(request.scheme))
                         .arg(request.devices)
                         .arg(request.microBatches));
        if (!QFileInfo(files.back()).isReadable())
            return {};
    }
    return files;
}

engine::Result<void> writeSample(const engine::ScheduleRequest& request, const QString& file)
{
    auto prediction = TRY(predict(PredictionRequest{.schedule = request}));
    engine::Run run = *prediction.run;
    run.info.command = "bscope simulate --scheme " + request.scheme + " --devices "
        + std::to_string(request.devices) + " --micro-batches "
        + std::to_string(request.microBatches);
    run.info.program = engine::buildId();
    return profiler::writeRun(file.toStdString(), run, engine::IfExists::Replace);
}

} // namespace

std::vector<Sample> samples()
{
    std::vector<Sample> all = {
        {"BitPipe and 1F1B",
         "Two runs on one time axis.",
         {of("1f1b", 4, 8), of("bitpipe", 4, 8)},
         {}},
        {"BitPipe", "Two directions, two chunks per device.", {of("bitpipe", 4, 8)}, {}},
        {"1F1B", "Alternates forward and backward.", {of("1f1b", 4, 8)}, {}},
        {"GPipe", "All forwards first, so all stashes are kept.", {of("gpipe", 4, 8)}, {}},
        {"GPipe and 1F1B",
         "Equal bubble, different memory.",
         {of("gpipe", 4, 8), of("1f1b", 4, 8)},
         {}},
        {"BitPipe on eight devices",
         "Sixteen stages, eight micro-batches.",
         {of("bitpipe", 8, 8)},
         {}},
    };
    std::erase_if(all, [](const Sample& sample) {
        return std::ranges::any_of(sample.runs, [](const engine::ScheduleRequest& request) {
            return engine::findScheme(request.scheme) == nullptr;
        });
    });
    if (!all.empty())
        all.front().recorded = recordedFiles(all.front());
    return all;
}

QString recordedSampleFolder(const QString& programFolder)
{
    constexpr const char* kPlaces[] = {"../share/bubblescope/sample_runs", "../../../sample_runs"};
    for (const char* place : kPlaces) {
        QString folder
            = QDir::cleanPath(programFolder + QLatin1Char('/') + QString::fromLatin1(place));
        if (QFileInfo(folder).isDir())
            return folder;
    }
    return {};
}

engine::Result<QStringList> sampleFiles(const Sample& sample)
{
    if (!sample.recorded.isEmpty())
        return sample.recorded;
    if (!QDir().mkpath(sampleFolder()))
        return engine::fail(
            engine::Error::Code::Io,
            sampleFolder().toStdString()
                + ": the folder cannot be created; set XDG_CACHE_HOME to a writable folder");
    QStringList files;
    for (const engine::ScheduleRequest& request : sample.runs) {
        const QString file = fileOf(request);
        if (!QFileInfo::exists(file))
            TRY(writeSample(request, file));
        files.append(file);
    }
    return files;
}

namespace {

// The runs of a sample: recorded, or predicted from their schedules.
std::vector<engine::Run> runsOf(const Sample& sample)
{
    std::vector<engine::Run> runs;
    for (const QString& file : sample.recorded)
        if (auto run = profiler::readRun(file.toStdString()))
            runs.push_back(*std::move(run));
    for (const engine::ScheduleRequest& request : sample.runs)
        if (auto predicted = predict(PredictionRequest{.schedule = request});
            predicted && sample.recorded.isEmpty())
            runs.push_back(*predicted->run);
    return runs;
}

// A sample of two runs has the numbers of both and the picture of the second one.
StartRow rowOf(const Sample& sample)
{
    StartRow row{.title = fromUtf8(sample.title), .line = fromUtf8(sample.line), .sample = sample};
    QStringList iterations, bubbles;
    for (const engine::Run& run : runsOf(sample)) {
        const RecentRun described = describeRecent({}, run, {});
        iterations.append(timeText(described.iteration, run.info));
        bubbles.append(described.bubble);
        row.mode = described.mode;
        row.thumbnail = described.thumbnail;
    }
    row.iteration = iterations.join(StartPage::tr(" and "));
    row.bubble = bubbles.join(StartPage::tr(" and "));
    return row;
}

StartRow rowOf(const RecentRun& run, const QDateTime& now)
{
    engine::RunInfo info;
    info.ticksPerUnit = run.ticksPerUnit;
    return {.title = run.title,
            .line = run.subtitle,
            .iteration = run.iteration > 0 ? timeText(run.iteration, info) : QString(),
            .bubble = run.bubble,
            .mode = run.mode,
            .when = whenText(run.opened, now),
            .thumbnail = run.thumbnail,
            .files = {run.file}};
}

// `last` is the title of the last column; "": there is none.
std::vector<TableColumn<StartRow>> startColumns(const QString& last)
{
    using Column = TableColumn<StartRow>;
    std::vector<Column> columns{
        Column(StartPage::tr("Name"), &StartRow::title, Qt::AlignLeft)
            .with(kThumbnailRole,
                  [](const StartRow& row) {
                      return QVariant::fromValue<const Thumbnail*>(&row.thumbnail);
                  })
            .with(kThumbnailWidthRole, [](const StartRow& row) { return QVariant(row.width); })
            .tip([](const StartRow& row) { return row.files.value(0); }),
        Column(StartPage::tr("Description"), &StartRow::line, Qt::AlignLeft).flag(kHintRole),
        Column(StartPage::tr("Mode"), &StartRow::mode, Qt::AlignLeft),
        Column(StartPage::tr("Iteration"), &StartRow::iteration),
        Column(StartPage::tr("Bubble"), &StartRow::bubble)};
    if (!last.isEmpty())
        columns.push_back(Column(last, &StartRow::when).flag(kHintRole));
    return columns;
}

QWidget* makeFact(const ThemeController& theme, Icon icon, IconLabel::Colour colour,
                  const QString& fact, const QString& hint)
{
    auto* part = new QWidget;
    spaced(new QHBoxLayout(part), {}, 8,
           {{new IconLabel(theme, icon, colour), 0, Qt::AlignTop},
            spaced(new QVBoxLayout, {}, 1, {makeLabel(fact), makeLabel(hint, "hint")})});
    return part;
}

} // namespace

StartPage::StartPage(const ThemeController& theme, Settings& settings, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_error(new Band(theme, Band::Shape::Verdict))
    , m_queue(named(new Band(theme, Band::Shape::Verdict), "queueBand"))
    , m_empty(
          named(new EmptyState(theme, {Icon::Compare, {}, {}, tr("Open a sample")}), "noRecent"))
    , m_clear(makeButton(tr("Clear"), QStringLiteral("clearRecent"), "link"))
{
    constexpr int kWidth = 1136;
    setObjectName(QStringLiteral("startPage"));
    const auto answer = [this](const QString& text, const char* name, bool start) {
        connect(m_queue->addAction(text, QString::fromLatin1(name)), &QPushButton::clicked, this,
                [this, start] {
                    m_queue->hide();
                    Q_EMIT queueAnswered(start);
                });
    };
    answer(tr("Start them"), "startQueue", true);
    answer(tr("Discard"), "discardQueue", false);
    m_queue->hide();
    m_error->hide();
    auto* content = new QWidget;
    content->setMaximumWidth(kWidth);
    spaced(new QVBoxLayout(content), {0, 28, 0, 28}, 14,
           {makeTop(), m_error, m_queue, makeRecent(), makeSamples(), m_hints = makeHints(),
            kStretch});
    auto* centred = new QWidget;
    spaced(new QHBoxLayout(centred), {24, 0, 24, 0}, 0, {kStretch, {content, 1000}, kStretch});
    QScrollArea* scroll = makeScroll(centred);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    spaced(new QVBoxLayout(this), {}, 0, {scroll});
    refresh();
}

// The name of the program, the devices of this machine, and the first steps.
QWidget* StartPage::makeTop()
{
    const DeviceFacts facts = deviceFacts();
    auto* check = makeButton(tr("Device check"), QStringLiteral("deviceCheck"), "tool");
    connect(check, &QPushButton::clicked, this, &StartPage::deviceCheckRequested);
    QWidget* line = named(makeSurface("card-alt"), "deviceLine");
    spaced(new QHBoxLayout(line), {16, 8, 14, 8}, 40,
           {makeFact(m_theme, Icon::Check, &Chrome::ok,
                     facts.cpu + QStringLiteral(", ") + countOf(facts.cores, "core"),
                     tr("OpenBLAS; runs simulation, emulation and training")),
            facts.hasNvidiaDriver
                ? makeFact(m_theme, Icon::Info, &Chrome::text3, tr("NVIDIA driver found"),
                           tr("see the device check"))
                : makeFact(m_theme, Icon::Info, &Chrome::text3, tr("No NVIDIA GPU found"),
                           tr("No NVIDIA driver. Only runs on a GPU need one.")),
            kStretch, check});
    auto* run = makeButton(tr("New run"), QStringLiteral("beginNewRun"), "primary");
    run->setToolTip(tr("Choose a scheme and preview it (Ctrl+N)"));
    connect(run, &QPushButton::clicked, this, [this] { Q_EMIT pageRequested({"setup"}); });
    auto* open = makeButton(tr("Open runs…"), QStringLiteral("beginOpen"));
    open->setToolTip(tr("Open one run, or several to compare them (Ctrl+O)"));
    connect(open, &QPushButton::clicked, this, [this] { Q_EMIT filesRequested(FileKind::Runs); });
    auto* top = new QWidget;
    spaced(
        new QVBoxLayout(top), {}, 14,
        {spaced(new QHBoxLayout, {}, 14,
                {makeLabel(QStringLiteral("Bubblescope"), "title"),
                 {makeLabel(tr("Time and memory of pipeline-parallel training."), "secondary"), 1},
                 makeLabel(tr("Version %1").arg(fromUtf8(engine::version())), "small")}),
         line, spaced(new QHBoxLayout, {}, 8, {run, open, kStretch})});
    return top;
}

// Three things to try first, until the user hides them.
QWidget* StartPage::makeHints()
{
    auto* hide = makeButton(tr("Hide"), QStringLiteral("hideHints"), "link");
    hide->setAccessibleName(tr("Hide the hints"));
    hide->setToolTip(tr("Hide the hints; Settings (Ctrl+,) shows them again"));
    connect(hide, &QPushButton::clicked, this, [this] {
        m_settings.setValue(key::kHints, false);
        refresh();
    });
    auto* hints = named(new QWidget, "startHints");
    auto* column
        = spaced(new QVBoxLayout(hints), {}, 4,
                 {spaced(new QHBoxLayout, {}, 8, {{makeLabel(tr("Hints"), "section"), 1}, hide})});
    for (const QString& hint :
         {tr("Open a sample and click a hatched bubble: Details names the op that it waits for."),
          tr("Change a number of a new run: its schedule, bubble and memory are predicted at "
             "once."),
          tr("Ctrl+K finds every command, run, scheme and setting; ? lists the keys.")}) {
        column->addWidget(makeLabel(hint, "small"));
        static_cast<QLabel*>(column->itemAt(column->count() - 1)->widget())->setWordWrap(true);
    }
    return hints;
}

DataTable* StartPage::makeTable(TableModel<StartRow>& model, const char* name, const QString& title)
{
    auto* table = named(new DataTable(m_theme, 28), name, title);
    table->setModel(&model);
    table->setRestColumn(1);
    table->setDispensable({2, 4});
    const auto openRow = [this, &model](const QModelIndex& index) { open(model.at(index.row())); };
    connect(table, &QAbstractItemView::clicked, this, openRow);
    connect(table, &QAbstractItemView::activated, this, openRow);
    return table;
}

QWidget* StartPage::makeRecent()
{
    auto* all = makeButton(tr("All runs"), QStringLiteral("allRuns"), "link");
    connect(all, &QPushButton::clicked, this, [this] { Q_EMIT pageRequested({"runs"}); });
    connect(m_clear, &QPushButton::clicked, this, [this] {
        m_settings.clearRecent();
        refresh();
    });
    m_empty->setFixedHeight(140);
    connect(m_empty, &EmptyState::activated, this, [this] {
        if (m_samples.rowCount() > 0)
            open(m_samples.at(0));
    });
    m_recentTable = makeTable(m_recent, "recentRuns", tr("Recent runs"));
    auto* recent = new QWidget;
    spaced(new QVBoxLayout(recent), {}, 8,
           {spaced(new QHBoxLayout, {}, 8, {{makeLabel(tr("Recent"), "section"), 1}, all, m_clear}),
            m_recentTable, m_empty});
    return recent;
}

QWidget* StartPage::makeSamples()
{
    std::vector<StartRow> rows;
    double longest = 1; // of the simulated samples, in units
    for (const Sample& sample : samples())
        rows.push_back(rowOf(sample));
    const auto isSimulated = [](const StartRow& row) { return row.sample->recorded.isEmpty(); };
    for (const StartRow& row : rows)
        if (isSimulated(row))
            longest = std::max(longest, row.thumbnail.duration);
    for (StartRow& row : rows)
        row.width = isSimulated(row) ? row.thumbnail.duration / longest : 1;
    DataTable* table = makeTable(m_samples, "samples", tr("Sample runs"));
    m_samples.reset(startColumns({}), std::move(rows));
    table->setFixedHeight(table->fittingHeight());
    auto* part = new QWidget;
    spaced(new QVBoxLayout(part), {}, 8, {makeLabel(tr("Sample runs"), "section"), table});
    return part;
}

void StartPage::describeEmpty()
{
    if (m_knownRuns > 0)
        m_empty->setTexts(tr("No recent runs"),
                          tr("\"All runs\" lists %1. Samples open immediately.")
                              .arg(countOf(m_knownRuns, "recorded run")));
    else
        m_empty->setTexts(
            tr("No run yet"),
            tr("Runs that you start or open are listed here. Samples open immediately."));
}

void StartPage::setKnownRuns(int runs)
{
    m_knownRuns = runs;
    describeEmpty();
}

void StartPage::open(const StartRow& row)
{
    const auto files = row.sample ? sampleFiles(*row.sample) : row.files;
    if (!files)
        showError(tr("The sample was not opened."), fromUtf8(files.error().message));
    else
        Q_EMIT pageRequested({files->size() == 1 ? "run" : "compare", *files});
}

void StartPage::refresh()
{
    const QDateTime now = QDateTime::currentDateTime();
    std::vector<StartRow> rows;
    for (const RecentRun& run : m_settings.recentRuns())
        rows.push_back(rowOf(run, now));
    const bool isEmpty = rows.empty();
    m_recent.reset(startColumns(tr("Opened")), std::move(rows));
    m_recentTable->setFixedHeight(m_recentTable->fittingHeight());
    m_recentTable->setVisible(!isEmpty);
    m_clear->setVisible(!isEmpty);
    m_empty->setVisible(isEmpty);
    describeEmpty();
    m_hints->setVisible(m_settings.value(key::kHints).toBool());
}

void StartPage::showError(const QString& bold, const QString& sentence)
{
    m_error->show(Band::Kind::Error, bold, sentence);
}

void StartPage::offerQueue(int runs)
{
    m_queue->show(Band::Kind::Neutral, tr("%1 not started.").arg(countOf(runs, "queued run")),
                  tr("They were in the queue when the program ended."));
}

void StartPage::showEvent(QShowEvent* event)
{
    refresh();
    Page::showEvent(event);
}

QStringList StartPage::statusTexts() const
{
    const DeviceFacts facts = deviceFacts();
    return {facts.cpu.toHtmlEscaped() + QStringLiteral(", ") + countOf(facts.cores, "core"),
            facts.hasNvidiaDriver ? tr("NVIDIA driver found") : tr("no GPU")};
}

} // namespace app
