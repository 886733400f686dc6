#include "app/documents/run_process.h"

#include "app/ui/settings.h"
#include "engine/base/version.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <sys/prctl.h>

#include <csignal>

namespace app {
namespace {

WorkerEvent::Kind kindOf(const QString& name)
{
    using Kind = WorkerEvent::Kind;
    static constexpr struct
    {
        const char* name;
        Kind kind;
    } kKinds[] = {{"started", Kind::Started},     {"rows", Kind::Rows},
                  {"iteration", Kind::Iteration}, {"points", Kind::Points},
                  {"warning", Kind::Warning},     {"locked", Kind::Locked},
                  {"finishing", Kind::Finishing}, {"finished", Kind::Finished},
                  {"failed", Kind::Failed},       {"ops", Kind::Ops}};
    for (const auto& known : kKinds)
        if (name == QLatin1String(known.name))
            return known.kind;
    return Kind::Other;
}

} // namespace

std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QJsonValue name = object.value(QStringLiteral("event"));
    if (!name.isString())
        return {};
    WorkerEvent event;
    event.kind = kindOf(name.toString());
    event.run = object.value(QStringLiteral("run")).toInt(-1);
    event.time = object.value(QStringLiteral("t")).toDouble();
    event.file = object.value(QStringLiteral("file")).toString();
    event.build = object.value(QStringLiteral("build")).toString();
    event.outcome = object.value(QStringLiteral("outcome")).toString();
    event.message = object.value(QStringLiteral("message")).toString();
    event.iterations = object.value(QStringLiteral("iterations")).toInt();
    event.warmup = object.value(QStringLiteral("warmup")).toInt();
    event.index = object.value(QStringLiteral("index")).toInt(-1);
    if (const QJsonValue loss = object.value(QStringLiteral("loss")); loss.isDouble())
        event.loss = loss.toDouble();
    event.duration = object.value(QStringLiteral("duration")).toDouble();
    event.rows = object.value(QStringLiteral("last")).toInteger();
    event.done = object.value(QStringLiteral("done")).toInteger();
    event.all = object.value(QStringLiteral("all")).toInteger();
    for (const QJsonValue one : object.value(QStringLiteral("devices")).toArray())
        event.devices.push_back(one.toInt());
    event.left = object.value(QStringLiteral("left")).toDouble();
    return event;
}

namespace {

QString ownBuild()
{
    const std::string_view build = engine::buildId();
    return QString::fromUtf8(build.data(), static_cast<qsizetype>(build.size()));
}

} // namespace

QString workerProgram()
{
    QString chosen = Settings().value(key::kWorker).toString();
    if (!chosen.isEmpty())
        return chosen;
    const QString beside
        = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("bscope"));
    return QFileInfo(beside).isExecutable() ? beside : QString();
}

RunProcess::RunProcess(QObject* parent)
    : QObject(parent)
{
    for (QProcess* process : {&m_version, &m_worker}) {
        process->setProcessChannelMode(QProcess::MergedChannels);
        process->setStandardInputFile(QProcess::nullDevice());
        // The worker must not outlive its window, so it gets SIGTERM when the window exits. It then
        // keeps the complete iterations. SIGINT would not work, because a shell script starts
        // background programs with SIGINT ignored.
        process->setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
        connect(&m_killTimer, &QTimer::timeout, process, &QProcess::kill);
        connect(process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                end(WorkerEnd::How::Refused,
                    tr("%1 cannot be started; reinstall Bubblescope.").arg(m_program));
        });
    }
    connect(&m_version, &QProcess::finished, this, &RunProcess::versionAnswered);
    connect(&m_worker, &QProcess::readyRead, this, &RunProcess::readLines);
    connect(&m_worker, &QProcess::finished, this, &RunProcess::workerFinished);
    m_killTimer.setSingleShot(true);
    setPatience(std::chrono::seconds(Settings().value(key::kPatience).toInt()));
}

RunProcess::~RunProcess()
{
    for (QProcess* process : {&m_version, &m_worker}) {
        process->disconnect(this);
        process->kill();
    }
}

void RunProcess::start(const QString& program, const QStringList& arguments)
{
    m_program = program.isEmpty() ? workerProgram() : program;
    m_arguments = arguments;
    m_isStopping = false;
    for (QString* text : {&m_outcome, &m_failure, &m_lastLine})
        text->clear();
    m_isRunning = true;
    if (m_program.isEmpty())
        end(WorkerEnd::How::Refused,
            tr("bscope is not in the folder of this program; reinstall Bubblescope."));
    else
        launch(m_version, {QStringLiteral("--version"), QStringLiteral("--json")});
}

void RunProcess::launch(QProcess& process, const QStringList& arguments)
{
    process.start(m_program, arguments, QIODevice::ReadOnly);
}

void RunProcess::versionAnswered()
{
    if (!m_isRunning)
        return;
    const QByteArray answer = m_version.readAll();
    const QString build
        = QJsonDocument::fromJson(answer).object().value(QStringLiteral("build")).toString();
    if (m_isStopping)
        end(WorkerEnd::How::Cancelled, tr("Stopped before the run began."));
    else if (build == ownBuild())
        launch(m_worker, m_arguments);
    else
        end(WorkerEnd::How::Refused,
            tr("%1 is build %2, but this window is build %3; install both together.")
                .arg(m_program, build.isEmpty() ? tr("unknown") : build, ownBuild()));
}

void RunProcess::stop()
{
    if (!m_isRunning || m_isStopping)
        return;
    // Resumes the worker, which would not react to the signal while it is suspended.
    setPaused(false);
    m_isStopping = true;
    if (m_worker.processId() > 0)
        ::kill(static_cast<pid_t>(m_worker.processId()), SIGTERM);
    m_killTimer.start();
}

void RunProcess::setPaused(bool paused)
{
    if (!m_isRunning || paused == m_isPaused || m_worker.processId() <= 0)
        return;
    m_isPaused = paused;
    ::kill(static_cast<pid_t>(m_worker.processId()), paused ? SIGSTOP : SIGCONT);
}

void RunProcess::readLines()
{
    while (m_worker.canReadLine())
        handleLine(m_worker.readLine().trimmed());
}

void RunProcess::handleLine(const QByteArray& line)
{
    if (line.isEmpty())
        return;
    const std::optional<WorkerEvent> parsed = parseWorkerEvent(line);
    if (!parsed) {
        m_lastLine = QString::fromUtf8(line);
        Q_EMIT lineReceived(m_lastLine);
        return;
    }
    if (parsed->kind == WorkerEvent::Kind::Finished)
        m_outcome = parsed->outcome;
    if (parsed->kind == WorkerEvent::Kind::Failed)
        m_failure = parsed->message;
    Q_EMIT eventReceived(*parsed);
}

void RunProcess::workerFinished(int code, QProcess::ExitStatus status)
{
    readLines();
    handleLine(m_worker.readAll().trimmed()); // the last line may lack a newline
    if (m_isStopping)
        end(WorkerEnd::How::Cancelled,
            status == QProcess::CrashExit ? tr("The worker stopped responding and was terminated.")
                                          : QString());
    else if (status == QProcess::CrashExit)
        end(WorkerEnd::How::Killed, tr("Killed by signal %1.").arg(code));
    else if (!m_failure.isEmpty())
        end(WorkerEnd::How::Failed, m_failure);
    else if (code != 0)
        end(WorkerEnd::How::Failed,
            m_lastLine.isEmpty() ? tr("The worker ended with status %1.").arg(code) : m_lastLine);
    else
        end(m_outcome == QLatin1String("cancelled") ? WorkerEnd::How::Cancelled
                                                    : WorkerEnd::How::Finished,
            {});
}

void RunProcess::end(WorkerEnd::How how, const QString& text)
{
    if (!m_isRunning)
        return;
    m_isRunning = false;
    m_killTimer.stop();
    Q_EMIT ended({how, text});
}

} // namespace app
