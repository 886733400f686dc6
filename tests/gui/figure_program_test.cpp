#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "tests/catch.h"
#include "tests/gui/exporting.h"
#include "tests/support/paths.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

namespace {

// The real program with no display, as a script on a server runs it.
struct Program
{
    QTemporaryDir folder;
    int status = -1;
    QString out, error;

    void start(const QStringList& arguments)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder.path());
        process.start(QString::fromStdString(tests::buildPath("bin/bubblescope")), arguments);
        REQUIRE(process.waitForFinished(60000));
        status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
        out = QString::fromUtf8(process.readAllStandardOutput());
        error = QString::fromUtf8(process.readAllStandardError());
    }
    QByteArray bytes(const QString& name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

const QString kSample
    = QString::fromStdString(tests::sourcePath("sample_runs/bitpipe-d4-n8.sqlite"));

} // namespace

TEST_CASE("every option that bubblescope and bubblescope figure print is in the manual page")
{
    QFile file(QString::fromStdString(tests::sourcePath("packaging/man/bubblescope.1")));
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QString page = QString::fromUtf8(file.readAll())
                             .remove(QRegularExpression(QStringLiteral("\\\\f[BIR]|\\\\")));
    Program program;
    for (const QStringList& command : {QStringList(), {QStringLiteral("figure")}}) {
        program.start(command + QStringList{QStringLiteral("--help")});
        const QRegularExpression option(QStringLiteral("(?<![\\w-])--?[A-Za-z][a-z-]*"));
        int options = 0;
        for (auto found = option.globalMatch(program.out); found.hasNext(); ++options) {
            const QString name = found.next().captured();
            CAPTURE(name.toStdString());
            CHECK(page.contains(QRegularExpression(name + QStringLiteral("(?![a-z-])"))));
        }
        CHECK(options > 5);
    }
}

TEST_CASE("figures are drawn with no display, the same bytes twice")
{
    Program program;
    const QStringList arguments{QStringLiteral("figure"), kSample,
                                QStringLiteral("-o"),     QStringLiteral("a.pdf"),
                                QStringLiteral("-o"),     QStringLiteral("a.svg"),
                                QStringLiteral("-o"),     QStringLiteral("a.png")};
    program.start(arguments);
    CAPTURE(program.error.toStdString());
    REQUIRE(program.status == 0);
    CHECK(program.out.count(QLatin1Char('\n')) == 3);
    CHECK(program.bytes(QStringLiteral("a.pdf")).startsWith("%PDF-"));
    CHECK(program.bytes(QStringLiteral("a.png")).startsWith("\x89PNG"));
    const QByteArray first = program.bytes(QStringLiteral("a.pdf"));
    const QByteArray svg = program.bytes(QStringLiteral("a.svg"));
    CHECK(svg.contains("</svg>"));
    program.start(arguments + QStringList{QStringLiteral("--force")});
    REQUIRE(program.status == 0);
    CHECK(program.bytes(QStringLiteral("a.pdf")) == first);
    CHECK(program.bytes(QStringLiteral("a.svg")) == svg);
}

TEST_CASE("a figure has the notes of its run where they are asked for")
{
    Program program;
    const QString run = program.folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(QFile::copy(kSample, run));
    REQUIRE(QFile::setPermissions(run, QFile::ReadOwner | QFile::WriteOwner));
    const auto recorded = profiler::readRun(run.toStdString());
    REQUIRE(recorded);
    engine::Note note;
    note.id = 1;
    const int drawn = engine::reportedIteration(recorded->timeline);
    note.window = recorded->timeline.iterations[drawn].window;
    note.text = "from here on";
    REQUIRE(profiler::putNote(run.toStdString(), note));
    const QString figure = QStringLiteral("figure"), to = QStringLiteral("-o"),
                  file = QStringLiteral("a.svg");
    program.start({figure, run, to, file});
    REQUIRE(program.status == 0);
    CHECK_FALSE(program.bytes(file).contains("from here on"));
    program.start({figure, run, to, file, QStringLiteral("--notes")});
    CHECK(program.status == 1);
    CHECK(program.error.contains(QStringLiteral("a.svg exists already")));
    program.start({figure, run, to, file, QStringLiteral("--notes"), QStringLiteral("--force")});
    CAPTURE(program.error.toStdString());
    REQUIRE(program.status == 0);
    CHECK(program.bytes(file).contains("from here on"));
}

TEST_CASE("a figure that cannot be drawn leaves no file, one line and its status")
{
    Program program;
    const auto refused = [&](const QStringList& arguments, int status, const QString& words) {
        program.start(QStringList{QStringLiteral("figure")} + arguments);
        CAPTURE(program.error.toStdString());
        CHECK(program.status == status);
        CHECK(program.out.isEmpty());
        CHECK(program.error.startsWith(QStringLiteral("bubblescope: ")));
        CHECK(program.error.count(QLatin1Char('\n')) == 1);
        CHECK(program.error.contains(words));
    };
    const QString to = QStringLiteral("-o"), file = QStringLiteral("a.svg");
    refused({QStringLiteral("none.sqlite"), to, file}, 1, QStringLiteral("does not exist"));
    refused({kSample, to, QStringLiteral("a.docx")}, 2, QStringLiteral("has an unknown format"));
    refused({kSample, to, QStringLiteral("no/such/folder/a.svg")}, 1, QStringLiteral("folder"));
    refused({to, file}, 2, QStringLiteral("RUN.sqlite"));
    CHECK(program.bytes(file).isEmpty());
}

TEST_CASE("without a display the program lists the commands that need none")
{
    Program program;
    program.start({});
    CHECK(program.status == 1);
    CHECK(program.error.contains(QStringLiteral("bubblescope figure")));
}

TEST_CASE("a figure of the export dialog has the bytes of the command line's")
{
    auto run = profiler::readRun(kSample.toStdString());
    REQUIRE(run.has_value());
    std::vector<engine::Run> runs;
    runs.push_back(*std::move(run));
    app::Exporting window(std::move(runs));

    settle();
    window.exportFiles();
    Program program;
    program.start(
        {QStringLiteral("figure"), kSample, QStringLiteral("-o"), QStringLiteral("figure.pdf")});
    const QByteArray bytes = program.bytes(QStringLiteral("figure.pdf"));
    CHECK(bytes.size() > 1000);
    CHECK(app::contents(window.path("figure.pdf")) == bytes);
}
