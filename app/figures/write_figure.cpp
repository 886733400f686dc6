#include "app/figures/write_figure.h"

#include "app/ui/theme.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QHashSeed>
#include <QImage>
#include <QList>
#include <QPageLayout>
#include <QPainter>
#include <QPainterPath>
#include <QPdfWriter>
#include <QUuid>

#include <cmath>
#include <mutex>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::invalid;
using engine::Result;

// Text is laid out at this many pixels per em and then scaled down. At this size, Qt's advances
// equal those in the font file on every paint device.
constexpr int kEmPixels = 200;

QFont figureFont(const QString& family, bool bold)
{
    QFont font(family);
    font.setPixelSize(kEmPixels);
    font.setBold(bold);
    font.setKerning(false); // because the layout measures text without kerning
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(QFont::ForceOutline);
    return font;
}

QPolygonF polygonOf(const std::vector<std::pair<double, double>>& points)
{
    QPolygonF polygon;
    for (const auto& [x, y] : points)
        polygon << QPointF(x, y);
    return polygon;
}

QPen solidPen(profiler::Colour colour, double width)
{
    QPen pen(app::toQt(colour), width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::MiterJoin);
    return pen;
}

class ScenePainter
{
public:
    ScenePainter(QPainter& painter, const QString& family)
        : m_painter(painter)
        , m_regular(figureFont(family, false))
        , m_bold(figureFont(family, true))
    { }

    void draw(const profiler::Box& box)
    {
        m_painter.setPen(box.stroke > 0 ? solidPen(box.strokeColour, box.stroke) : QPen(Qt::NoPen));
        m_painter.setBrush(app::toQt(box.fill));
        if (box.cut > 0)
            m_painter.drawPolygon(polygonOf(profiler::outline(box)));
        else
            m_painter.drawRect(app::toQt(box.rect));
    }

    void draw(const profiler::Hatch& hatch)
    {
        if (hatch.hasGround)
            m_painter.fillRect(app::toQt(hatch.rect), app::toQt(hatch.fill));
        QPainterPath lines;
        for (const profiler::Segment& s : profiler::hatchLines(hatch)) {
            lines.moveTo(s.x1, s.y1);
            lines.lineTo(s.x2, s.y2);
        }
        m_painter.strokePath(lines, solidPen(hatch.line, hatch.width));
    }

    void draw(const profiler::Line& line)
    {
        QPen pen = solidPen(line.colour, line.width);
        if (line.dashed)
            pen.setDashPattern({profiler::kDash, profiler::kDash});
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(line.x1, line.y1), QPointF(line.x2, line.y2));
    }

    void draw(const profiler::Text& text)
    {
        const QFont& font = text.bold ? m_bold : m_regular;
        const QString string = QString::fromStdString(text.text);
        const double shift[] = {0, 0.5, 1};
        const double width = QFontMetricsF(font).horizontalAdvance(string);
        const double scale = text.size / kEmPixels;
        m_painter.save();
        m_painter.translate(text.x, text.baseline);
        m_painter.scale(scale, scale);
        m_painter.setFont(font);
        m_painter.setPen(app::toQt(text.colour));
        m_painter.drawText(QPointF(-width * shift[static_cast<int>(text.anchor)], 0), string);
        m_painter.restore();
    }

    void draw(const profiler::Polygon& polygon)
    {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(app::toQt(polygon.fill));
        m_painter.drawPolygon(polygonOf(polygon.points));
    }

private:
    QPainter& m_painter;
    QFont m_regular, m_bold;
};

// Returns the start and the end of the value after `key`; {-1, -1} if the key is not found. The
// value ends at the character `end`.
std::pair<qsizetype, qsizetype> valueAfter(const QByteArray& pdf, const QByteArray& key, char end)
{
    const auto at = pdf.indexOf(key);
    if (at < 0)
        return {-1, -1};
    return {at + key.size(), pdf.indexOf(end, at + key.size())};
}

// Corrects the offsets in a file into which `by` bytes were inserted at `behind`: the entries of
// the cross-reference table at the end of the file, and the offset of this table. An entry has 20
// bytes and starts with the offset of an object in ten digits.
void moveOffsets(QByteArray& pdf, qsizetype behind, qsizetype by)
{
    const auto table = pdf.lastIndexOf("\nxref\n") + 1;
    const auto trailer = pdf.indexOf("trailer", table);
    const auto entries = pdf.indexOf('\n', table + 5) + 1;
    for (auto at = entries; at + 20 <= trailer; at += 20) {
        const auto offset = pdf.mid(at, 10).toLongLong();
        if (pdf.at(at + 17) != 'n' || offset <= behind)
            continue;
        pdf.replace(at, 10, QByteArray::number(offset + by).rightJustified(10, '0'));
    }
    const auto [begin, end] = valueAfter(pdf, "startxref\n", '\n');
    if (begin > 0)
        pdf.replace(begin, end - begin, QByteArray::number(table));
}

// QPdfWriter embeds subsets of fonts, but names them so only in their descriptors. Gives every font
// the name of its descriptor, "QNAAAA+Roboto-Regular", as PDF requires of a subset. The fonts
// follow their descriptor.
void nameSubsets(QByteArray& pdf)
{
    const QByteArray descriptor = "/FontName /", font = "/BaseFont /";
    for (auto at = pdf.indexOf(descriptor); at >= 0; at = pdf.indexOf(descriptor, at + 1)) {
        const auto begin = at + descriptor.size();
        const QByteArray name = pdf.mid(begin, pdf.indexOf('\n', begin) - begin);
        const QByteArray tag = name.left(name.indexOf('+') + 1),
                         plain = font + name.mid(tag.size());
        const auto next = [&] { return static_cast<std::size_t>(pdf.indexOf(descriptor, begin)); };
        for (auto found = pdf.indexOf(plain, begin);
             !tag.isEmpty() && found >= 0 && static_cast<std::size_t>(found) < next();
             found = pdf.indexOf(plain, found)) {
            found += font.size();
            pdf.insert(found, tag);
            moveOffsets(pdf, found, tag.size());
        }
    }
}

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
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
        writer.setDocumentId(QUuid::createUuidV5(QUuid(), writer.title())); // otherwise random
#endif
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
    nameSubsets(pdf);
    return pdf;
}

Result<QByteArray> pngBytes(const profiler::Scene& scene, int dpi)
{
    const double scale = dpi / kPointsPerInch;
    const QSizeF size(std::round(scene.width * scale), std::round(scene.height * scale));
    if (dpi < 1 || size.width() * size.height() > kMaxPixels)
        return invalid("a PNG of {:.0f} x {:.0f} pixels is too large; use a resolution "
                       "below {} dpi, or a narrower figure",
                       size.width(), size.height(), dpi);
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

void paintScene(QPainter& painter, const profiler::Scene& scene)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    ScenePainter to(painter, QString::fromStdString(scene.font));
    for (const auto& group : scene.groups)
        for (const auto& shape : group.shapes)
            std::visit([&to](const auto& s) { to.draw(s); }, shape);
    painter.restore();
}

void setPdfDate(QByteArray& pdf, const QByteArray& digits)
{
    const auto set = [&pdf](const char* key, char closing, const QByteArray& date) {
        const auto [begin, end] = valueAfter(pdf, key, closing);
        if (begin < 0)
            return;
        pdf.replace(begin, end - begin, date);
        moveOffsets(pdf, begin, date.size() - (end - begin));
    };
    for (const char* key : {"/CreationDate (D:", "/ModDate (D:"})
        set(key, ')', digits + 'Z');
    // 2026-11-21T03:46:33+00:00, as long as what it replaces.
    QByteArray xmp = digits + "+00:00";
    for (const auto& [at, separator] :
         {std::pair(4, '-'), {7, '-'}, {10, 'T'}, {13, ':'}, {16, ':'}})
        xmp.insert(at, separator);
    for (const char* key : {"xmp:CreateDate=\"", "xmp:ModifyDate=\"", "xmp:MetadataDate=\""})
        set(key, '"', xmp);
}

void cropPdfPage(QByteArray& pdf, QSizeF points)
{
    const auto [begin, end] = valueAfter(pdf, "/MediaBox [", ']');
    if (begin < 0)
        return;
    const QList<QByteArray> old = pdf.mid(begin, end - begin).simplified().split(' ');
    // In PDF, y grows upwards, so this is the upper edge.
    const double top = old.value(3).toDouble();
    const QByteArray box = "0 " + QByteArray::number(top - points.height(), 'f', 2) + ' '
        + QByteArray::number(points.width(), 'f', 2) + ' ' + QByteArray::number(top, 'f', 0);
    if (box.size() <= end - begin)
        pdf.replace(begin, end - begin, box.leftJustified(end - begin, ' '));
}

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
