#include "app/ui/thumbnail.h"

#include <QDataStream>
#include <QIODevice>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr quint32 kMagic = 0x42535431; // "BST1"
constexpr std::size_t kBoxes = 4000;   // per device

void addDevice(Thumbnail& thumbnail, const engine::Run& run, int device, int iteration)
{
    const engine::Window window
        = run.timeline.iterations[static_cast<std::size_t>(iteration)].window;
    const engine::OpIndex index(run.schedule);
    const auto* track = run.timeline.track({device}, engine::Track::Kind::Compute);
    if (track == nullptr)
        return;
    const double scale = 1.0 / static_cast<double>(window.duration());
    const auto spans = std::ranges::equal_range(track->spans, static_cast<std::uint32_t>(iteration),
                                                {}, &engine::Span::iteration);
    bool second = false;
    for (const engine::Span& span : std::span(spans).first(std::min(spans.size(), kBoxes))) {
        const engine::Op& op = engine::opAt(run.schedule, index, span.op);
        const bool first = op.flags == engine::OpFlag::JointWithNext;
        const int devices = std::max(1, run.schedule.shape.devices);
        thumbnail.boxes.push_back(
            {static_cast<float>(static_cast<double>(span.begin - window.begin) * scale),
             static_cast<float>(static_cast<double>(span.end - window.begin) * scale),
             static_cast<std::uint8_t>(device), static_cast<std::uint8_t>(op.kind),
             static_cast<std::uint8_t>(std::max(0, op.stage.value) / devices),
             static_cast<std::uint8_t>(first        ? 1
                                           : second ? 2
                                                    : 0)});
        second = first;
    }
}

} // namespace

Thumbnail makeThumbnail(const engine::Run& run)
{
    const int reported = engine::reportedIteration(run.timeline);
    if (reported < 0)
        return {};
    const engine::Window window
        = run.timeline.iterations[static_cast<std::size_t>(reported)].window;
    if (window.duration() <= 0)
        return {};
    Thumbnail result;
    result.devices = std::min(run.schedule.shape.devices, kThumbnailDevices);
    result.duration
        = static_cast<double>(window.duration()) / static_cast<double>(run.info.ticksPerUnit);
    for (int d = 0; d < result.devices; ++d)
        addDevice(result, run, d, reported);
    return result;
}

QByteArray toBytes(const Thumbnail& thumbnail)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setFloatingPointPrecision(QDataStream::SinglePrecision);
    out << kMagic << qint32(thumbnail.devices) << float(thumbnail.duration)
        << quint32(thumbnail.boxes.size());
    for (const Thumbnail::Box& box : thumbnail.boxes)
        out << box.begin << box.end << box.device << box.kind << box.chunk << box.half;
    return qCompress(bytes);
}

Thumbnail thumbnailFromBytes(const QByteArray& bytes)
{
    const QByteArray plain = bytes.isEmpty() ? QByteArray() : qUncompress(bytes);
    QDataStream in(plain);
    in.setFloatingPointPrecision(QDataStream::SinglePrecision);
    quint32 magic = 0, count = 0;
    qint32 devices = 0;
    float duration = 0;
    in >> magic >> devices >> duration >> count;
    constexpr quint32 kBoxBytes = 12;
    if (magic != kMagic || devices < 1 || devices > kThumbnailDevices
        || count > static_cast<quint32>(plain.size()) / kBoxBytes)
        return {};
    Thumbnail result{devices, duration, std::vector<Thumbnail::Box>(count)};
    for (Thumbnail::Box& box : result.boxes)
        in >> box.begin >> box.end >> box.device >> box.kind >> box.chunk >> box.half;
    return in.status() == QDataStream::Ok ? result : Thumbnail();
}

namespace {

QColor colourOf(const Thumbnail::Box& box, const profiler::Palette& palette)
{
    const auto kind = static_cast<engine::OpKind>(std::min<int>(box.kind, engine::kOpKinds - 1));
    return toQt(palette.fill(kind, std::min<int>(box.chunk, 2)));
}

constexpr double kCutWidth = 9; // width of the mark of a cut picture

void paintCutMark(QPainter& painter, const QRectF& box, const QColor& ink)
{
    const double side = box.height() > 20 ? 2 : 1;
    for (int i = 0; i < 3; ++i)
        painter.fillRect(QRectF(box.right() - kCutWidth + 3 + 2.0 * i * side,
                                std::round(box.center().y()), side, side),
                         ink);
}

} // namespace

void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette, const QColor& ink)
{
    if (thumbnail.isEmpty() || thumbnail.devices < 1)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (share > 1) {
        paintCutMark(painter, box, ink);
        painter.setClipRect(box.adjusted(0, 0, -kCutWidth, 0), Qt::IntersectClip);
    }
    const double gap = box.height() / thumbnail.devices >= 6 ? 1 : 0.5;
    const double row = (box.height() + gap) / thumbnail.devices;
    const double width = box.width() * share;
    const double ratio = painter.device()->devicePixelRatioF();
    const auto snap = [ratio](double x) { return std::round(x * ratio) / ratio; };
    const auto lane = [&](int device) {
        const double top = snap(box.y() + device * row);
        return QRectF(box.x(), top, width, snap(box.y() + (device + 1) * row - gap) - top);
    };
    for (int d = 0; d < thumbnail.devices; ++d)
        painter.fillRect(lane(d), toQt(palette.bubbleSolid));
    for (const Thumbnail::Box& item : thumbnail.boxes) {
        const double begin = snap(box.x() + item.begin * width);
        const double end = snap(box.x() + item.end * width);
        if (end <= begin || begin > box.right())
            continue; // narrower than a pixel, or beyond the cut
        QRectF r = lane(item.device);
        if (item.half != 0)
            r.setHeight(r.height() / 2);
        if (item.half == 2)
            r.translate(0, r.height());
        const double space = end - begin >= 3 ? 1 / ratio : 0;
        r.setLeft(begin);
        r.setRight(end - space);
        painter.fillRect(r, colourOf(item, palette));
    }
    painter.restore();
}

} // namespace app
