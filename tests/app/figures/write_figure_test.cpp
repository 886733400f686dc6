#include "app/figures/write_figure.h"
#include "profiler/figure/layout.h"
#include "tests/profiler/figure/figure_runs.h"

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QHashSeed>
#include <QImage>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include <atomic>
#include <chrono>
#include <thread>

using namespace app;

namespace {

profiler::Scene bitpipeFigure()
{
    const engine::Run run = tests::unitRun("bitpipe", 4, 4);
    const engine::Run* runs[] = {&run};
    return profiler::layoutFigure(runs, {}).value();
}

QByteArray bytes(FigureFormat format, int dpi = 300)
{
    return renderFigure(bitpipeFigure(), format, dpi).value();
}

} // namespace

TEST_CASE("the same scene gives the same bytes in every format")
{
    for (const auto format : {FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png})
        CHECK(bytes(format) == bytes(format));
}

TEST_CASE("the PDF of a figure with two fonts has the same bytes in every process")
{
    const engine::Run run = tests::unitRun("bitpipe", 4, 4);
    const engine::Run* runs[] = {&run, &run}; // titles are bold
    const profiler::Scene scene = profiler::layoutFigure(runs, {}).value();
    const QByteArray first = renderFigure(scene, FigureFormat::Pdf, 300).value();
    for (int process = 0; process < 12; ++process) {
        QHashSeed::resetRandomGlobalSeed(); // as at the start of a process
        CHECK(renderFigure(scene, FigureFormat::Pdf, 300).value() == first);
    }
}

// The export dialog checks a figure while it writes it.
TEST_CASE("the PDF of a figure has the same bytes while another thread writes it, too")
{
    const engine::Run run = tests::unitRun("bitpipe", 4, 4);
    const engine::Run* runs[] = {&run, &run};
    const profiler::Scene scene = profiler::layoutFigure(runs, {}).value();
    const auto pdf = [&scene] { return renderFigure(scene, FigureFormat::Pdf, 300).value(); };
    const QByteArray first = pdf();
    std::atomic<bool> isDone = false;
    std::thread other([&] {
        while (!isDone) {
            pdf();
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // with a random seed
        }
    });
    constexpr int kTimes = 30;
    int same = 0;
    for (int time = 0; time < kTimes; ++time)
        same += pdf() == first ? 1 : 0;
    isDone = true;
    other.join();
    CHECK(same == kTimes);
}

TEST_CASE("the PDF is cropped to the figure, dated by its run and embeds its font")
{
    const profiler::Scene scene = bitpipeFigure();
    const QByteArray pdf = bytes(FigureFormat::Pdf);
    CHECK(pdf.startsWith("%PDF-1."));
    CHECK(pdf.contains("/CreationDate (D:20261121034633Z)"));
    CHECK(pdf.contains("/FontFile2"));
    const auto box = pdf.mid(pdf.indexOf("/MediaBox [") + 11, 27).simplified().split(' ');
    CHECK(box[2].toDouble() - box[0].toDouble() == Approx(scene.width).margin(0.01));
    CHECK(box[3].split(']')[0].toDouble() - box[1].toDouble() == Approx(scene.height).margin(0.01));
}

// pdffonts reported fonts that are embedded in full.
TEST_CASE("the fonts of a PDF are named as subsets, and its offsets lead to the objects")
{
    const engine::Run run = tests::unitRun("bitpipe", 4, 4);
    const engine::Run* runs[] = {&run, &run}; // two fonts
    const QByteArray pdf
        = renderFigure(profiler::layoutFigure(runs, {}).value(), FigureFormat::Pdf, 300).value();
    const auto count = [&pdf](const char* font) { return pdf.count(font); };
    CHECK(count("/BaseFont /") == 4);
    CHECK(count("/BaseFont /Roboto") == 0);
    CHECK(count("+Roboto-Bold\n") == 3); // with its descriptor
    CHECK(count("+Roboto-Regular\n") == 3);
    const auto table = pdf.lastIndexOf("\nxref\n") + 1;
    CHECK(pdf.contains("startxref\n" + QByteArray::number(table) + "\n"));
    const QList<QByteArray> lines = pdf.mid(table).split('\n');
    for (int object = 1; lines.value(object + 2).endsWith("n "); ++object)
        CHECK(pdf.mid(lines[object + 2].left(10).toLongLong())
                  .startsWith(QByteArray::number(object) + " 0 obj"));
}

TEST_CASE("a new date in a PDF moves every offset of its table with it")
{
    QByteArray pdf
        = "%PDF-1.4\n1 0 obj\n<< /CreationDate (D:20260101120000+01'00') /ModDate "
          "(D:20260101120000Z) >>\nendobj\n2 0 obj\n<< xmp:ModifyDate=\"2026-01-01T12:00:"
          "00+01:00\" >>\nendobj\nxref\n0 3\n0000000000 65535 f \n"
          "0000000009 00000 n \n0000000099 00000 n \ntrailer\nstartxref\n99\n%%EOF\n";
    REQUIRE(pdf.indexOf("2 0 obj") == 99);
    setPdfDate(pdf, "20261121034633");
    CHECK(pdf.count("(D:20261121034633Z)") == 2);
    CHECK(pdf.contains("xmp:ModifyDate=\"2026-11-21T03:46:33+00:00\""));
    CHECK(pdf.contains("0000000009 00000 n"));
    CHECK(pdf.contains(QByteArray::number(pdf.indexOf("2 0 obj")).rightJustified(10, '0')
                       + " 00000 n"));
    CHECK(pdf.contains("startxref\n" + QByteArray::number(pdf.indexOf("xref\n0 3")) + "\n"));
}

TEST_CASE("the SVG is well-formed XML with a group per device and an element per op")
{
    QXmlStreamReader xml(bytes(FigureFormat::Svg));
    int ops = 0, devices = 0, texts = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        ops += xml.attributes().hasAttribute(QStringLiteral("data-op"));
        devices
            += xml.attributes().value(QStringLiteral("id")).startsWith(QLatin1String("device-"));
        texts += xml.name() == QLatin1String("text");
    }
    CHECK_FALSE(xml.hasError());
    CHECK(ops == 64);
    CHECK(devices == 4);
    CHECK(texts >= 64 + 8);
}

TEST_CASE("the PNG has its width in pixels at the dpi, and states the dpi")
{
    const QImage image = QImage::fromData(bytes(FigureFormat::Png, 600), "PNG");
    CHECK(image.width() == 1998); // 3.33 in
    CHECK(image.dotsPerMeterX() == 23622);
    CHECK(image.text(QStringLiteral("Title")) == QStringLiteral("BitPipe, D = 4, N = 4, v = 2"));
    CHECK_FALSE(renderFigure(bitpipeFigure(), FigureFormat::Png, 0).has_value());
    CHECK_FALSE(renderFigure(bitpipeFigure(), FigureFormat::Png, 100000).has_value());
}

TEST_CASE("the end of a file's name is its format")
{
    CHECK(figureFormat(QStringLiteral("a.b/x.PDF")) == FigureFormat::Pdf);
    CHECK(figureFormat(QStringLiteral("x.svg")) == FigureFormat::Svg);
    CHECK(figureFormat(QStringLiteral("x.png")) == FigureFormat::Png);
    CHECK_FALSE(figureFormat(QStringLiteral("x.tiff")).has_value());
    CHECK_FALSE(figureFormat(QStringLiteral("pdf/x")).has_value());
}
