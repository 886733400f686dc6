#include "app/start/start_page.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/device_facts.h"
#include "app/ui/text.h"
#include "app/ui/thumbnail.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QPainter>
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
         "Two runs on one time axis: start here.",
         {of("1f1b", 4, 8), of("bitpipe", 4, 8)},
         {}},
        {"ZB-V", "The backward is split; its second half fills gaps.", {of("zb-v", 4, 8)}, {}},
        {"DualPipe", "Forward and backward share one box.", {of("dualpipe", 4, 8)}, {}},
        {"Chimera", "Two directions, two copies of the weights.", {of("chimera", 4, 8)}, {}},
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

constexpr int kPadding = 16, kCardGap = 16, kCardsInRow = 3;

// The picture of a sample: its runs below each other, with their numbers.
class SampleCard : public CardButton
{
public:
    // `longest`: duration of the longest simulated sample, which the time scale of all of them
    // fits.
    SampleCard(const ThemeController& theme, const Sample& sample, std::vector<Thumbnail> pictures,
               const QString& numbers, double longest)
        : CardButton(theme)
        , m_title(fromUtf8(sample.title))
        , m_line(fromUtf8(sample.line))
        , m_numbers(numbers)
        , m_pictures(std::move(pictures))
        , m_longest(longest)
    {
        setObjectName(QStringLiteral("sample"));
        setFixedHeight(160);
        setMinimumWidth(180);
        setAccessibleName(m_title);
        setAccessibleDescription(m_line + QLatin1Char(' ') + m_numbers);
    }

protected:
    void paintContent(QPainter& painter) override
    {
        constexpr double kTop = 60, kFoot = 34, kGap = 6;
        const Chrome& c = theme().chrome;
        const double inner = width() - 2.0 * kPadding;
        text(painter, {kPadding, 14, inner, 18}, m_title, {uiFont(13, QFont::Medium), c.text});
        text(painter, {kPadding, 34, inner, 16}, m_line, {uiFont(12), c.text2});
        text(painter, {kPadding, height() - 28.0, inner, 16}, m_numbers, {uiFont(12), c.text2});
        const auto count = static_cast<double>(m_pictures.size());
        const double each = (height() - kTop - kFoot - kGap * (count - 1)) / count;
        double top = kTop;
        for (const Thumbnail& picture : m_pictures) {
            paintThumbnail(painter, {kPadding, top, inner, each}, picture,
                           picture.duration / m_longest, theme().palette);
            top += each + kGap;
        }
    }

private:
    QString m_title, m_line, m_numbers;
    std::vector<Thumbnail> m_pictures;
    double m_longest;
};

// An action that a user begins with.
class BeginCard : public CardButton
{
public:
    BeginCard(const ThemeController& theme, Icon icon, const QString& title, const QString& line,
              const QString& key, bool isPrimary = false)
        : CardButton(theme)
        , m_icon(icon)
        , m_title(title)
        , m_line(line)
        , m_key(key)
    {
        m_isPrimary = isPrimary;
        setFixedHeight(54);
        setMinimumWidth(320);
        setAccessibleName(title);
        setAccessibleDescription(line);
    }

protected:
    void paintContent(QPainter& painter) override
    {
        constexpr double kLeft = 44, kKeyWidth = 90;
        const Chrome& c = theme().chrome;
        const QColor ink = m_isPrimary ? c.primaryText : c.text;
        const QColor pale = m_isPrimary ? c.primaryText : c.text2;
        const double inner = width() - kLeft - kPadding;
        paintIcon(painter, m_icon, {kPadding, 19, 16, 16}, ink);
        text(painter, {kLeft, 8, inner - kKeyWidth, 18}, m_title, {uiFont(13, QFont::Medium), ink});
        text(painter, {kLeft, 28, inner, 16}, m_line, {uiFont(12), pale});
        text(painter, {width() - kPadding - kKeyWidth, 8, kKeyWidth, 18}, m_key, {uiFont(12), pale},
             Qt::AlignRight);
    }

private:
    Icon m_icon;
    QString m_title, m_line, m_key;
};

std::vector<TableColumn<StartRow>> recentColumns()
{
    using Row = const StartRow&;
    using Column = TableColumn<StartRow>;
    const auto model = [](Row row) { return row.run.setting(QStringLiteral("model")); };
    return {
        Column(
            StartPage::tr("Name"),
            [](Row row) {
                return row.run.number > 0
                    ? QStringLiteral("%1 #%2").arg(row.run.title()).arg(row.run.number)
                    : row.run.title();
            },
            Qt::AlignLeft)
            .flag(kStrongRole)
            .with(kBelowRole, [](Row row) { return QFileInfo(row.run.file).fileName(); })
            .with(kThumbnailRole,
                  [](Row row) { return QVariant::fromValue<const Thumbnail*>(&row.thumbnail); })
            .with(kThumbnailWidthRole, [](Row) { return QVariant(1.0); })
            .tip([](Row row) { return row.run.file; }),
        Column(
            StartPage::tr("Model, D × N"),
            [model](Row row) {
                return model(row).isEmpty() ? row.run.size()
                                            : model(row) + QStringLiteral(", ") + row.run.size();
            },
            Qt::AlignLeft)
            .with(kBelowRole, [](Row row) { return row.run.mode; }),
        Column(
            StartPage::tr("Iteration"),
            [](Row row) {
                const Scale time = row.run.time();
                return row.run.iteration ? time.withUnit(*row.run.iteration) : row.run.reason();
            },
            Qt::AlignLeft)
            .flag(kStrongRole)
            .with(kBelowRole,
                  [](Row row) {
                      return row.run.bubble
                          ? StartPage::tr("bubble %1").arg(percent(*row.run.bubble))
                          : QString();
                  })
            .with(kExceedsRole, [](Row row) { return !row.run.iteration && row.run.isFailed(); })
            .tip([](Row row) { return row.run.reason(); }),
        Column(
            StartPage::tr("State"), [](Row row) { return row.run.stateName(); }, Qt::AlignLeft)
            .with(kIconRole, [](Row row) { return static_cast<int>(row.run.stateIcon()); })
            .with(kExceedsRole, [](Row row) { return row.run.isFailed(); })
            .with(kWarnsRole, [](Row row) { return row.run.kind() == LedgerRun::State::Stopped; }),
        Column(StartPage::tr("Opened"), &StartRow::when).flag(kHintRole)};
}

QWidget* makeFact(const ThemeController& theme, Icon icon, IconLabel::Colour colour,
                  const QString& fact, const QString& hint)
{
    return makeRow({}, 8,
                   {{new IconLabel(theme, icon, colour), 0, Qt::AlignTop},
                    spaced(new QVBoxLayout, {}, 1, {makeLabel(fact), makeLabel(hint, "hint")})},
                   "");
}

class Start : public StartPage
{
public:
    Start(const ThemeController& theme, Settings& settings,
          std::function<std::vector<LedgerRun>()> runs)
        : m_theme(theme)
        , m_settings(settings)
        , m_all(makeButton({}, "allRuns", "link", this, [this] { Q_EMIT pageRequested({"runs"}); }))
        , m_runs(std::move(runs))
    {
        constexpr int kWidth = 1136; // pixels
        setObjectName(QStringLiteral("startPage"));
        const auto answer = [this](const QString& text, const char* name, bool start) {
            connect(m_queue->addAction(text, QString::fromLatin1(name)), &QPushButton::clicked,
                    this, [this, start] {
                        m_queue->hide();
                        Q_EMIT queueAnswered(start);
                    });
        };
        answer(tr("Start them"), "startQueue", true);
        answer(tr("Discard"), "discardQueue", false);
        m_queue->hide();
        m_error->hide();
        auto* content = makeColumn(
            {0, 28, 0, 28}, 14,
            {makeTop(), m_error, m_queue,
             spaced(new QHBoxLayout, {}, 32, {{makeBegin(), 0, Qt::AlignTop}, {makeRecent(), 1}}),
             makeSamples(), kStretch},
            "");
        content->setMaximumWidth(kWidth);
        auto* centred = makeRow({24, 0, 24, 0}, 0, {kStretch, {content, 1000}, kStretch}, "");
        QScrollArea* scroll = makeScroll(centred);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        spaced(new QVBoxLayout(this), {}, 0, {scroll});
        refresh();
    }
    QString title() const override { return tr("Start"); }
    bool isClosable() const override { return false; }
    QStringList statusTexts() const override
    {
        const DeviceFacts facts = deviceFacts();
        return {facts.cpu.toHtmlEscaped() + QStringLiteral(", ") + countOf(facts.cores, "core"),
                facts.hasNvidiaDriver ? tr("NVIDIA driver found") : tr("no GPU")};
    }
    QString statusNote() const override { return tr("samples open without a GPU"); }
    // Runs under way come first, then those that were opened last.
    void refresh() override
    {
        constexpr std::size_t kMost = 5;
        const QDateTime now = QDateTime::currentDateTime();
        const std::vector<LedgerRun> runs = m_runs ? m_runs() : std::vector<LedgerRun>();
        std::vector<StartRow> rows;
        for (const LedgerRun& run : runs)
            if (run.isUnderWay())
                rows.push_back({run, tr("now")});
        for (const RecentRun& recent : m_settings.recentRuns()) {
            StartRow row{{}, whenText(recent.opened, now), recent.thumbnail};
            row.run.file = recent.file;
            row.run.label = recent.title;
            if (const auto known = std::ranges::find(runs, recent.file, &LedgerRun::file);
                known != runs.end())
                row.run = *known;
            if (!row.run.isUnderWay())
                rows.push_back(std::move(row));
        }
        rows.resize(std::min(rows.size(), kMost));
        const bool isEmpty = rows.empty();
        m_recent.reset(recentColumns(), std::move(rows));
        m_recentTable->fitRows(DataTable::Fit::Fixed);
        m_recentTable->setVisible(!isEmpty);
        m_clear->setVisible(!isEmpty);
        m_empty->setVisible(isEmpty);
        const auto kept = static_cast<int>(
            std::ranges::count_if(runs, [](const LedgerRun& run) { return !run.isTrashed(); }));
        m_all->setText(kept > 0 ? tr("All runs (%1)").arg(kept) : tr("All runs"));
        if (kept > 0)
            m_empty->setTexts(
                tr("No recent runs"),
                tr("\"All runs\" lists %1. Samples open immediately.").arg(countOf(kept, "run")));
        else
            m_empty->setTexts(
                tr("No run yet"),
                tr("Runs that you start or open are listed here. Samples open immediately."));
    }
    void refreshLater() override
    {
        if (isVisible() && !m_late.isActive()) // otherwise, showEvent() lists them
            m_late.start();
    }
    void showError(const QString& bold, const QString& sentence) override
    {
        m_error->show(Band::Kind::Error, bold, sentence);
    }
    void offerQueue(int runs) override
    {
        m_queue->show(Band::Kind::Neutral, tr("%1 not started.").arg(countOf(runs, "queued run")),
                      tr("They were in the queue when the program ended."));
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        refresh();
        Page::showEvent(event);
    }

private:
    // The name of the program, the devices of this machine, and the first steps.
    QWidget* makeTop()
    {
        const DeviceFacts facts = deviceFacts();
        auto* check = makeButton(tr("Device check"), "deviceCheck", "tool", this,
                                 [this] { deviceCheckRequested(); });
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
        const auto help = [this](const QString& text, const char* name, const char* kind) {
            auto* link = makeButton(text, name, "link", this,
                                    [this, kind] { Q_EMIT pageRequested({kind}); });
            return link;
        };
        return makeColumn(
            {}, 14,
            {spaced(
                 new QHBoxLayout, {}, 14,
                 {makeLabel(QStringLiteral("Bubblescope"), "title"),
                  {makeLabel(tr("Time and memory of pipeline-parallel training."), "secondary"), 1},
                  help(tr("Guide F1"), "startGuide", "guide"),
                  makeLabel(tr("Version %1").arg(fromUtf8(engine::version())), "small")}),
             line},
            "");
    }
    QWidget* makeBegin()
    {
        const auto card = [this](Icon icon, const QString& title, const QString& line,
                                 const QString& key, const char* name,
                                 const std::function<void()>& begin) {
            auto* made
                = named(new BeginCard(m_theme, icon, title, line, key, icon == Icon::Run), name);
            connect(made, &CardButton::clicked, this, begin);
            return made;
        };
        const auto page
            = [this](const char* kind) { return [this, kind] { Q_EMIT pageRequested({kind}); }; };
        const auto files
            = [this](FileKind kind) { return [this, kind] { Q_EMIT filesRequested(kind); }; };
        return makeColumn(
            {}, 8,
            {makeLabel(tr("Begin"), "section"),
             card(Icon::Run, tr("New run"), tr("Choose a scheme and preview its schedule"),
                  tr("Ctrl+N"), "beginNewRun", page("setup")),
             card(Icon::Open, tr("Open runs"), tr("One run, or several to compare them"),
                  tr("Ctrl+O"), "beginOpen", files(FileKind::Runs)),
             card(Icon::Disk, tr("Import traces"), tr("PyTorch, Megatron-LM, Nsight Systems"),
                  tr("Ctrl+Shift+I"), "beginImport", files(FileKind::TraceFolder)),
             card(Icon::Chart, tr("New study"), tr("A grid of schemes, devices and batches"),
                  tr("Ctrl+Shift+G"), "beginStudy", page("study"))},
            "");
    }
    QWidget* makeRecent()
    {
        m_empty->setFixedHeight(140);
        connect(m_empty, &EmptyState::activated, this, [this] {
            if (!m_samples.empty())
                open(m_samples.front());
        });
        m_recentTable = named(new DataTable(m_theme, kTwoLines), "recentRuns", tr("Recent runs"));
        m_recentTable->setModel(&m_recent);
        m_recentTable->setRestColumn(2);
        const auto openRow = [this](const QModelIndex& index) {
            Q_EMIT pageRequested({"run", {m_recent.at(index.row()).run.file}});
        };
        connect(m_recentTable, &QAbstractItemView::clicked, this, openRow);
        connect(m_recentTable, &QAbstractItemView::activated, this, openRow);
        return makeColumn({}, 8,
                          {spaced(new QHBoxLayout, {}, 8,
                                  {{makeLabel(tr("Recent"), "section"), 1}, m_all, m_clear}),
                           m_recentTable, m_empty, kStretch},
                          "");
    }
    QWidget* makeSamples()
    {
        auto* part = new QWidget;
        auto* grid = spaced(new QGridLayout, {}, kCardGap);
        double longest = 1; // of the simulated samples, in units
        struct Shown
        {
            std::vector<Thumbnail> pictures;
            QString numbers;
        };
        std::vector<Shown> shown;
        for (const Sample& sample : m_samples) {
            Shown& one = shown.emplace_back();
            QStringList iterations, bubbles;
            QString mode;
            for (const engine::Run& run : runsOf(sample)) {
                const LedgerRun described = describeRun({}, run);
                iterations.append(described.time().withUnit(described.iteration.value_or(0)));
                bubbles.append(percent(described.bubble.value_or(0)));
                mode = described.mode;
                one.pictures.push_back(makeThumbnail(run));
                if (sample.recorded.isEmpty())
                    longest = std::max(longest, one.pictures.back().duration);
            }
            one.numbers = tr("%1, %2, bubble %3")
                              .arg(mode, iterations.join(tr(" and ")), bubbles.join(tr(" and ")));
        }
        for (std::size_t i = 0; i < m_samples.size(); ++i) {
            double scale = longest;
            if (!m_samples[i].recorded.isEmpty()) // two runs on a scale of their own
                for (const Thumbnail& picture : shown[i].pictures)
                    scale = std::max(scale == longest ? 0 : scale, picture.duration);
            auto* card
                = new SampleCard(m_theme, m_samples[i], shown[i].pictures, shown[i].numbers, scale);
            connect(card, &CardButton::clicked, this, [this, i] { open(m_samples[i]); });
            grid->addWidget(card, static_cast<int>(i) / kCardsInRow,
                            static_cast<int>(i) % kCardsInRow);
        }
        spaced(
            new QVBoxLayout(part), {0, 8, 0, 0}, 8,
            {spaced(new QHBoxLayout, {}, 12,
                    {makeLabel(tr("Samples"), "section"),
                     {makeLabel(tr("4 devices and 8 micro-batches, unless a card says otherwise; "
                                   "the simulated ones are on one time scale"),
                                "small"),
                      1}}),
             grid});
        return part;
    }
    void open(const Sample& sample)
    {
        const auto files = sampleFiles(sample);
        if (!files)
            showError(tr("The sample was not opened."), fromUtf8(files.error().message));
        else
            Q_EMIT pageRequested({files->size() == 1 ? "run" : "compare", *files});
    }

    const ThemeController& m_theme;
    Settings& m_settings;
    TableModel<StartRow> m_recent;
    std::vector<Sample> m_samples = samples();
    Band *m_error = new Band(m_theme, Band::Shape::Verdict),
         *m_queue = named(new Band(m_theme, Band::Shape::Verdict), "queueBand");
    EmptyState* m_empty
        = named(new EmptyState(m_theme, {Icon::Compare, {}, {}, tr("Open a sample")}),
                "noRecent"); // in place of recent runs
    DataTable* m_recentTable;
    QPushButton *m_all, *m_clear = makeButton(tr("Clear"), "clearRecent", "link", this, [this] {
        m_settings.clearRecent();
        refresh();
    });
    std::function<std::vector<LedgerRun>()> m_runs;
    Later m_late{500, [this] { refresh(); }};
};

} // namespace

StartPage* StartPage::make(const ThemeController& theme, Settings& settings,
                           std::function<std::vector<LedgerRun>()> runs)
{
    return new Start(theme, settings, runs);
}

} // namespace app
