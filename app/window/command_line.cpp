#include "app/window/command_line.h"

#include "app/setup/setup_page.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/message_log.h"
#include "app/ui/text.h"
#include "app/window/main_window.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/version.h"
#include "engine/schedules/scheme.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QBuffer>
#include <QComboBox>
#include <QCoreApplication>
#include <QFileInfo>
#include <QFont>
#include <QLineEdit>
#include <QMessageBox>
#include <QRawFont>
#include <QSlider>
#include <QThreadPool>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <utility>

namespace app {

QObject* wheelReceiver(QObject* receiver)
{
    const auto isField = [](const QObject* object) {
        return qobject_cast<const QComboBox*>(object) != nullptr
            || qobject_cast<const QAbstractSpinBox*>(object) != nullptr
            || qobject_cast<const QSlider*>(object) != nullptr;
    };
    QObject* field = receiver;
    if (qobject_cast<QLineEdit*>(field) != nullptr && isField(field->parent()))
        field = field->parent();
    return isField(field) && field->parent() != nullptr ? field->parent() : receiver;
}

bool Application::notify(QObject* receiver, QEvent* event)
{
    try {
        return QApplication::notify(
            event->type() == QEvent::Wheel ? wheelReceiver(receiver) : receiver, event);
    } catch (const std::bad_alloc&) {
        report(tr("Out of memory. Close some runs."));
    } catch (const std::exception& error) {
        const auto limit = engine::limitReached(error);
        report(
            limit
                ? QString::fromStdString(*limit)
                : tr("%1. This is a bug, please report it.").arg(QString::fromUtf8(error.what())));
    }
    return false;
}

// Shows one message box at a time, because a paint handler may throw again and again.
void Application::report(const QString& what)
{
    keepError(what);
    engine::printError(QStringLiteral("bubblescope: %1\n").arg(what).toStdString());
    if (std::exchange(m_isReporting, true))
        return;
    QMessageBox::critical(activeWindow(), tr("The last action failed"), what);
    m_isReporting = false;
}

namespace {

constexpr QSize kDefaultSize(1600, 1000); // of a screenshot

// Triggers the action `name` of a page as soon as it is visible and enabled, then calls `then`.
// Does nothing if the action is already checked.
void triggerWhenOffered(const Page& page, const char* name, const std::function<void()>& then)
{
    auto* action = page.findChild<QAction*>(QString::fromLatin1(name));
    if (action == nullptr)
        return;
    const auto trigger = [action, then] {
        if (!action->isVisible() || !action->isEnabled() || action->isChecked())
            return;
        action->disconnect(action); // this connection
        action->trigger();
        then();
    };
    QObject::connect(action, &QAction::changed, action, trigger);
    trigger();
}

// Calls `then` when no run is being read any more.
void whenRead(MainWindow& window, const std::function<void()>& then)
{
    if (window.library().isAnyLoading())
        QTimer::singleShot(100, &window, [&window, then] { whenRead(window, then); });
    else
        then();
}

// Opens the import report as soon as the run is known to have one, and then the rules. If the
// command line names traces, the current page already shows their report.
void openReport(MainWindow& window, bool withRules)
{
    const auto openRules = [&window, withRules] {
        if (withRules)
            triggerWhenOffered(*window.currentPage(), "editRules", [] {});
    };
    openRules();
    triggerWhenOffered(*window.currentPage(), "importReport", openRules);
    whenRead(window, [&window] {
        for (const auto& one : window.library().runs())
            if (const RunPointer run = one->run();
                run && !run->info.import && window.currentPage()->files().contains(one->file()))
                std::fprintf(stderr, "bubblescope: %s was not imported, so it has no report\n",
                             qPrintable(one->file()));
    });
}

void capture(MainWindow& window, const CommandLine& line)
{
    QWidget* shown = &window;
    for (QWidget* child : window.findChildren<QWidget*>()) {
        if (child != &window && child->isWindow() && child->isVisible())
            shown = child;
    }
    constexpr int kMost = 20'000;                      // ms
    QThreadPool::globalInstance()->waitForDone(kMost); // waits until runs are prepared for painting
    QCoreApplication::processEvents();
    // Painting in the background may need two rounds: a picture of the whole run, then the visible
    // part.
    for (int k = 0; k < 2; ++k) {
        shown->grab(); // requests the pictures
        TimelineWidget::waitForPainting();
        QCoreApplication::processEvents();
    }
    QBuffer png;
    png.open(QIODevice::WriteOnly);
    shown->grab().save(&png, "PNG");
    const auto saved
        = engine::saveFile(line.screenshot.toStdString(), png.data().toStdString(),
                           line.force ? engine::IfExists::Replace : engine::IfExists::Refuse);
    if (!saved)
        std::fprintf(stderr, "bubblescope: %s\n", saved.error().message.c_str());
    QCoreApplication::exit(saved ? 0 : 1);
}

} // namespace

void openPage(MainWindow& window, const CommandLine& line)
{
    const PageKind* kind = findPageKind(line.page);
    const auto isStudy = [](const QString& file) { return file.endsWith(QStringLiteral(".toml")); };
    const bool isOpen
        = line.page == QStringLiteral("study") && std::ranges::any_of(line.files, isStudy);
    const bool isReport = kind != nullptr && kind->about == PageKind::About::Traces;
    if (kind != nullptr && !isOpen && !isReport) {
        PageRequest request{.kind = kind->name};
        if (kind->tabs == PageKind::Tabs::PerRun)
            request.files = line.files.mid(0, 1);
        else if (kind->about == PageKind::About::Runs)
            request.files = line.files;
        if (line.page == QStringLiteral("cluster"))
            request.plan = planOnNodes(); // unless it is about a run
        if (line.page == QStringLiteral("editor"))
            request.schedule = std::make_shared<const engine::Schedule>(
                *engine::buildSchedule(engine::ScheduleRequest()));
        window.open(request);
    }
    if (line.page == QStringLiteral("scheme")) {
        window.open({"setup"});
        window.findChild<QAction*>(QStringLiteral("explainScheme"))->trigger();
    }
    if (line.page == QStringLiteral("mapping"))
        qobject_cast<SetupPage*>(window.open({.kind = "setup", .plan = planOnNodes()}))
            ->showMapping();
    if (line.page == QStringLiteral("devices"))
        window.showHelp(HelpDialog::Topic::Devices);
    if (line.page == QStringLiteral("keys"))
        window.showHelp(HelpDialog::Topic::Keys);
    if (line.page == QStringLiteral("commands"))
        window.showCommands();
    if (line.page == QStringLiteral("why"))
        triggerWhenOffered(*window.open({.kind = "run", .files = line.files.mid(0, 1)}),
                           "whyNotFaster", [] {});
    const bool hasRules = line.page == QStringLiteral("rules");
    if (hasRules || isReport || line.page == QStringLiteral("report"))
        openReport(window, hasRules);
}

void scheduleScreenshot(MainWindow& window, const CommandLine& line)
{
    for (const QString& file : line.files) {
        if (QFileInfo::exists(file))
            continue;
        std::fprintf(stderr, "bubblescope: %s does not exist: check the name\n", qPrintable(file));
        QTimer::singleShot(0, &window, [] { QCoreApplication::exit(1); });
        return;
    }
    constexpr int kSettle = 1800; // ms for preparing runs in the background
    window.resize(line.size.value_or(kDefaultSize));
    openPage(window, line);
    // These pages take longest, because they first read a run or make a kit.
    const QStringList slow{QStringLiteral("cluster"), QStringLiteral("report"),
                           QStringLiteral("rules")};
    const PageKind* kind = findPageKind(line.page);
    const bool isAboutRun = kind != nullptr && kind->about == PageKind::About::Runs;
    const int delay = kSettle * (slow.contains(line.page) ? 3 : isAboutRun ? 2 : 1);
    QTimer::singleShot(0, &window, [&window, line, delay] {
        whenRead(window, [&window, line, delay] {
            QTimer::singleShot(delay, &window, [&window, line] { capture(window, line); });
        });
    });
}

namespace {

constexpr const char* kHelp
    = "bubblescope [RUN.sqlite ...]       the window; several files open side by side\n"
      "bubblescope TRACE ...              traces of another program, imported as one run: files\n"
      "                                   or a folder\n"
      "bubblescope SCHEDULE.csv           a schedule file, edited op by op\n"
      "bubblescope STUDY.toml             a grid of simulations with its charts\n"
      "bubblescope figure RUN.sqlite ... -o FILE.(pdf|svg|tex|png)\n"
      "                                   a figure for a paper; needs no screen (figure --help)\n"
      "bubblescope --screenshot FILE.png [RUN.sqlite ...]\n"
      "                                   a screenshot of the window\n"
      "bubblescope --version | --help\n"
      "\n"
      "  --theme light|dark  --size WxH     theme and size of the window\n"
      "  --page setup|scheme|mapping|editor|estimator|search|layout|study|runs\n"
      "  --page guide|settings|devices|keys|commands\n"
      "                                     the page or dialog to open\n"
      "  --page run|compare|import|whatif|why|memory|query|report|rules|cluster\n"
      "                                     the page to open about the runs\n"
      "  --no-restore                       do not open the tabs of the last session\n"
      "  --force                            replace the screenshot's file if it exists\n"
      "\n"
      "Example: bubblescope 1f1b.sqlite bitpipe.sqlite\n"
      "Without a screen: bubblescope figure, and bscope for everything else (bscope --help).\n";

constexpr const char* kNoDisplay
    = "bubblescope: no display is available; set DISPLAY or WAYLAND_DISPLAY, or use "
      "`bubblescope figure RUN.sqlite -o FIGURE.pdf` and `bscope`, which need no display\n";

// Pages and dialogs of --page beside those of pageKinds(); the second list needs a run.
const QStringList kOtherPages{QStringLiteral("scheme"), QStringLiteral("mapping"),
                              QStringLiteral("devices"), QStringLiteral("keys"),
                              QStringLiteral("commands")};
const QStringList kOtherPagesOfRuns{QStringLiteral("why"), QStringLiteral("report"),
                                    QStringLiteral("rules")};

QStringList pageNames()
{
    QStringList names;
    for (const PageKind& kind : pageKinds())
        names.append(QLatin1String(kind.name));
    return names + kOtherPages + kOtherPagesOfRuns;
}

bool needsRun(const QString& page)
{
    const PageKind* kind = findPageKind(page);
    return kOtherPagesOfRuns.contains(page)
        || (kind != nullptr && kind->about != PageKind::About::Nothing
            && kind->tabs != PageKind::Tabs::PerFile);
}

QString wrong(const QString& what)
{
    return QStringLiteral("bubblescope: %1; see bubblescope --help").arg(what);
}

QtMessageHandler previousHandler = nullptr; // used only before there is a second thread

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const bool isOfPlatform
        = QString::fromUtf8(context.category).startsWith(QStringLiteral("qt.qpa"));
    if (type == QtFatalMsg) {
        std::fputs(kNoDisplay, stderr);
        std::_Exit(1);
    }
    // Drops Qt's warning about XDG_RUNTIME_DIR, which appears for root and in containers and needs
    // no action by the user.
    const bool isOfSession
        = text.startsWith(QStringLiteral("QStandardPaths: XDG_RUNTIME_DIR not set"));
    if (!isOfPlatform && !isOfSession && previousHandler != nullptr)
        previousHandler(type, context, text);
}

// Stores `value` in `chosen`. Returns what is wrong with it; "" if it is one of `choices`.
QString takeChoice(QString& chosen, const QString& value, const QStringList& choices)
{
    chosen = value;
    return choices.contains(value)
        ? QString()
        : QStringLiteral("is not one of ") + choices.join(QLatin1String(", "));
}

QString takeSize(std::optional<QSize>& size, const QString& value)
{
    constexpr int kLeast = 100, kMost = 16384; // pixels, within what Qt can paint
    const QStringList sides = value.split(QLatin1Char('x'));
    const int width = sides.value(0).toInt(), height = sides.value(1).toInt();
    size = QSize(width, height);
    const bool fits = sides.size() == 2 && std::min(width, height) >= kLeast
        && std::max(width, height) <= kMost;
    return fits ? QString()
                : QStringLiteral("is not a size from %1x%1 to %2x%2, such as 1600x1000")
                      .arg(kLeast)
                      .arg(kMost);
}

QString takeValue(CommandLine& result, const QString& option, const QString& value)
{
    if (option == QStringLiteral("--page"))
        return takeChoice(result.page, value, pageNames());
    if (option == QStringLiteral("--theme"))
        return takeChoice(result.theme, value, {QStringLiteral("light"), QStringLiteral("dark")});
    if (option == QStringLiteral("--size"))
        return takeSize(result.size, value);
    result.screenshot = value;
    return value.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)
        ? QString()
        : QStringLiteral("does not end in .png");
}

} // namespace

CommandLine parseCommandLine(const QStringList& arguments)
{
    const QStringList withValue = {QStringLiteral("--screenshot"), QStringLiteral("--page"),
                                   QStringLiteral("--theme"), QStringLiteral("--size")};
    CommandLine result;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& argument = arguments.at(i);
        if (argument == QStringLiteral("--help") || argument == QStringLiteral("-h"))
            result.print = QString::fromUtf8(kHelp);
        else if (argument == QStringLiteral("--version"))
            result.print
                = QStringLiteral("bubblescope ") + fromUtf8(engine::version()) + QLatin1Char('\n');
        else if (argument == QStringLiteral("--force"))
            result.force = true;
        else if (argument == QStringLiteral("--no-restore"))
            result.restore = false;
        else if (withValue.contains(argument) && i + 1 == arguments.size())
            result.error = wrong(argument + QStringLiteral(" needs a value"));
        else if (withValue.contains(argument)) {
            const QString& value = arguments.at(++i);
            if (const QString problem = takeValue(result, argument, value); !problem.isEmpty())
                result.error = wrong(QStringLiteral("%1 %2: %2 %3").arg(argument, value, problem));
        } else if (argument.startsWith(QLatin1Char('-')) && argument.size() > 1)
            result.error = wrong(argument + QStringLiteral(" is not an option"));
        else
            result.files.append(argument);
    }
    const auto isSchedule
        = [](const QString& file) { return file.endsWith(QStringLiteral(".csv")); };
    if (result.error.isEmpty() && std::ranges::all_of(result.files, isSchedule)
        && needsRun(result.page))
        result.error
            = wrong(QStringLiteral("--page %1 needs a run: bubblescope --page %1 RUN.sqlite")
                        .arg(result.page));
    return result;
}

DisplayGuard::DisplayGuard()
{
    previousHandler = qInstallMessageHandler(onMessage);
}

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(previousHandler);
}

QString fontProblem()
{
    // Without a font, Qt draws every letter as the same box, so all letters have the same glyph.
    const QList<quint32> glyphs
        = QRawFont::fromFont(QFont()).glyphIndexesForString(QStringLiteral("ab"));
    if (glyphs.size() == 2 && glyphs.front() != glyphs.back())
        return {};
    return QStringLiteral(
        "bubblescope: no font is installed, so no text can be shown; install one: "
        "apt install fonts-roboto-unhinted");
}

} // namespace app
