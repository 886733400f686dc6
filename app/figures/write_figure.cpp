#include "app/figures/write_figure.h"

#include "app/figures/paint_scene.h"
#include "app/figures/pdf_patch.h"
#include "profiler/figure/scene.h"

#include <QBuffer>
#include <QHashSeed>
#include <QImage>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>

#include <fmt/format.h>

#include <cmath>
#include <mutex>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

constexpr double kPointsPerInch = 72;
constexpr int kPdfResolution = 7200;       // units per inch; a unit is a hundredth of a point
constexpr double kMaxPixels = 400'000'000; // 20 000 x 20 000; drawing it needs 1.6 GB

// Makes the bytes of a PDF deterministic. QPdfWriter numbers the fonts of a page in the order of a
// hash table. While an instance exists, new hash tables have the same order in every process. A
// second instance waits until the first is destroyed.
class DeterministicHashes
{
public:
    DeterministicHashes()
        : m_lock(mutex())
    {
        QHashSeed::setDeterministicGlobalSeed();
    }
    ~DeterministicHashes() { QHashSeed::resetRandomGlobalSeed(); }
    DeterministicHashes(const DeterministicHashes&) = delete;
    DeterministicHashes& operator=(const DeterministicHashes&) = delete;

private:
    static std::mutex& mutex()
    {
        static std::mutex one;
        return one;
    }

    std::lock_guard<std::mutex> m_lock;
};

QByteArray pdfBytes(const profiler::Scene& scene)
{
    const DeterministicHashes hashes;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kPdfResolution);
        writer.setTitle(QString::fromStdString(scene.title));
        writer.setCreator(QString::fromStdString(scene.description));
        // QPdfWriter rounds the page size to whole points. cropPdfPage() below reduces the page to
        // the size of the figure.
        const QSizeF page(std::ceil(scene.width), std::ceil(scene.height));
        writer.setPageLayout(QPageLayout(
            QPageSize(page, QPageSize::Point, QStringLiteral("figure"), QPageSize::ExactMatch),
            QPageLayout::Portrait, QMarginsF()));
        QPainter painter(&writer);
        const double scale = kPdfResolution / kPointsPerInch;
        painter.scale(scale, scale);
        paintScene(painter, scene);
    }
    QByteArray pdf = buffer.data();
    setPdfDate(pdf, scene.date.empty() ? "20000101000000" : QByteArray::fromStdString(scene.date));
    cropPdfPage(pdf, {scene.width, scene.height});
    return pdf;
}

Result<QByteArray> pngBytes(const profiler::Scene& scene, int dpi)
{
    const double scale = dpi / kPointsPerInch;
    const QSizeF size(std::round(scene.width * scale), std::round(scene.height * scale));
    if (dpi < 1 || size.width() * size.height() > kMaxPixels)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("a PNG of {:.0f} x {:.0f} pixels is too large; use a resolution "
                                "below {} dpi, or a narrower figure",
                                size.width(), size.height(), dpi));
    QImage image(size.toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    image.setDotsPerMeterX(static_cast<int>(std::lround(dpi / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    image.setText(QStringLiteral("Title"), QString::fromStdString(scene.title));
    image.setText(QStringLiteral("Description"), QString::fromStdString(scene.description));
    {
        QPainter painter(&image);
        painter.scale(scale, scale);
        paintScene(painter, scene);
    }
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return fail(Error::Code::Io, "the PNG could not be encoded; use a lower --dpi");
    return buffer.data();
}

} // namespace

std::optional<FigureFormat> figureFormat(const QString& file)
{
    const QString end = file.mid(file.lastIndexOf(QLatin1Char('.')) + 1).toLower();
    if (end == QLatin1String("pdf"))
        return FigureFormat::Pdf;
    if (end == QLatin1String("svg"))
        return FigureFormat::Svg;
    if (end == QLatin1String("png"))
        return FigureFormat::Png;
    if (end == QLatin1String("tex"))
        return FigureFormat::Tikz;
    return std::nullopt;
}

Result<QByteArray> renderFigure(const profiler::Scene& scene, FigureFormat format, int dpi)
{
    switch (format) {
    case FigureFormat::Pdf:
        return pdfBytes(scene);
    case FigureFormat::Svg:
        return QByteArray::fromStdString(profiler::toSvg(scene));
    case FigureFormat::Png:
        return pngBytes(scene, dpi);
    case FigureFormat::Tikz:
        return QByteArray::fromStdString(profiler::toTikz(scene));
    }
    return QByteArray();
}

} // namespace app
