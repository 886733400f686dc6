#include "app/timeline/widget/lane_picture.h"

#include "app/timeline/widget/timeline_scene.h"

#include <QPainter>

#include <utility>

namespace app {
namespace {

// A separate pool, because simulations may occupy the threads of the global one for seconds.
QThreadPool& painters()
{
    static QThreadPool pool;
    pool.setMaxThreadCount(1);
    return pool;
}

std::size_t spansInSight(const TimelineScene& scene)
{
    const engine::Window sight = scene.axis.window();
    std::size_t count = scene.view->spansInSight(sight);
    if (const KernelView* kernels = scene.drawnKernels()) {
        const double share = (scene.axis.end - scene.axis.begin)
            / std::max(1.0, static_cast<double>(scene.view->extent().duration()));
        count += static_cast<std::size_t>(std::min(share, 1.0)
                                          * static_cast<double>(kernels->activity().work().size()));
    }
    return count;
}

} // namespace

LanePicture::LanePicture(QWidget* owner)
    : m_owner(owner)
    , m_background(owner, painters())
{ }

// Waits, because a thread must not paint after fonts and the application are destroyed.
LanePicture::~LanePicture()
{
    if (m_isPainting)
        waitForPainting();
}

LanePicture::Picture LanePicture::painted(const Request& request)
{
    const auto& [key, scene, colours] = request;
    QImage image((key.size * key.dpr).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(key.dpr);
    image.fill(colours->surface());
    QPainter painter(&image);
    painter.translate(-scene.areas.lanes.left(), -key.scroll);
    TimelinePainter(painter, scene, *colours).paintLanes();
    painter.end();
    return {key, std::move(image), scene.lanes, colours};
}

// Whether `picture` can be shown until the requested one is ready.
bool LanePicture::isAlike(const Picture& picture, const Request& request)
{
    return !picture.image.isNull() && picture.key.size == request.key.size
        && picture.key.dpr == request.key.dpr && picture.colours == request.colours
        && picture.lanes == request.scene.lanes;
}

// Draws the last picture. Where it does not cover the area, draws the picture of the whole run.
void LanePicture::drawStale(QPainter& painter, const Request& request) const
{
    painter.save();
    const QRectF last = draw(painter, m_last, request);
    painter.setClipRegion(QRegion(request.scene.areas.lanes.toRect()) - last.toRect());
    painter.fillRect(request.scene.areas.lanes, request.colours->surface());
    if (isAlike(m_whole, request))
        draw(painter, m_whole, request);
    painter.restore();
}

// Returns the covered part of the lanes' area.
QRectF LanePicture::draw(QPainter& painter, const Picture& picture, const Request& request)
{
    const QRectF& area = request.scene.areas.lanes;
    const TimeAxis& axis = request.scene.axis;
    const ViewWindow& shown = picture.key.window;
    // Draws only the part in sight, because painters have a limited range of coordinates.
    const double left = std::max(axis.snappedX(shown.begin), area.left());
    const double right = std::min(axis.snappedX(shown.end), area.right());
    const int down = request.key.scroll - picture.key.scroll;
    const double top = std::max(0, down), bottom = area.height() + std::min(0, down);
    if (left >= right || top >= bottom)
        return {};
    const double perTick = picture.image.width() / shown.duration(), dpr = picture.key.dpr;
    const QRectF source((axis.time(left) - shown.begin) * perTick, top * dpr,
                        (right - left) * axis.ticksPerPixel() * perTick, (bottom - top) * dpr);
    const QRectF target(left, area.top() + top - down, right - left, bottom - top);
    painter.drawImage(target, picture.image, source);
    return target;
}

void LanePicture::start(Request request, Picture& into)
{
    m_isPainting = true;
    m_background.run([request = std::move(request)] { return painted(request); },
                     [this, &into, cleared = m_cleared](Picture picture) {
                         m_isPainting = false;
                         const bool isLate = &into == &m_last && m_last.key == m_wanted;
                         if (cleared == m_cleared && !isLate)
                             into = std::move(picture);
                         m_owner->update();
                     });
}

void LanePicture::startWhole(Request request)
{
    request.key.window = viewOf(request.scene.view->extent());
    request.scene.axis.begin = request.key.window.begin;
    request.scene.axis.end = request.key.window.end;
    if (!(request.key == m_whole.key) || !isAlike(m_whole, request))
        start(std::move(request), m_whole);
}

void LanePicture::clear()
{
    m_last = m_whole = {};
    ++m_cleared;
}

void LanePicture::waitForPainting()
{
    painters().waitForDone();
}

void LanePicture::paint(QPainter& painter, const TimelineScene& scene,
                        const std::shared_ptr<const BoxColours>& colours,
                        const CachedPicture::Key& key)
{
    Request request{key, scene, colours};
    request.scene.notes.clear(); // drawn above the picture
    m_wanted = key;
    bool isExact = m_last.key == key && isAlike(m_last, request);
    if (!isExact) {
        m_isDense = spansInSight(scene) >= kSpansInBackground;
        if (!m_isDense || !isAlike(m_last, request)) {
            m_last = painted(request);
            isExact = true;
        }
    }
    if (isExact) {
        painter.drawImage(scene.areas.lanes.topLeft(), m_last.image);
        if (m_isDense && !m_isPainting)
            startWhole(std::move(request));
        return;
    }
    drawStale(painter, request);
    if (!m_isPainting)
        start(std::move(request), m_last);
}

} // namespace app
