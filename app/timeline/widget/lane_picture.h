#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/timeline/widget/timeline_scene.h"
#include "app/ui/background.h"

#include <QImage>

namespace app {

// The picture of the lanes in sight. A frame with few spans is painted in the GUI thread. With many
// spans, the picture is painted in the background. Until it is ready, a frame shows the last
// picture, moved and stretched to the time in sight, over a picture of the whole run.
class LanePicture
{
public:
    // Painting this many spans in sight takes about 5 ms.
    static constexpr std::size_t kSpansInBackground = 100'000;

    // Calls owner->update() when a picture is ready; `owner` owns this object.
    explicit LanePicture(QWidget* owner);
    ~LanePicture(); // waits for the picture being painted, about 0.1 s at most

    // Draws the lanes into the area of the scene. `colours` must be those of the scene's widget.
    void paint(QPainter& painter, const TimelineScene& scene,
               const std::shared_ptr<const BoxColours>& colours, const CachedPicture::Key& key);
    void clear(); // call it when another run is shown

    // Waits until the requested pictures of all widgets are painted. They appear when events are
    // next processed.
    static void waitForPainting();

private:
    struct Picture
    {
        CachedPicture::Key key;
        QImage image;
        std::vector<Lane> lanes;
        std::shared_ptr<const BoxColours> colours;
    };
    // The input of painted(); independent of the widget, so that another thread can paint it.
    struct Request
    {
        CachedPicture::Key key;
        TimelineScene scene;
        std::shared_ptr<const BoxColours> colours;
    };

    static Picture painted(const Request& request);
    static bool isAlike(const Picture& picture, const Request& request);
    void drawStale(QPainter& painter, const Request& request) const;
    static QRectF draw(QPainter& painter, const Picture& picture, const Request& request);
    void start(Request request, Picture& into);
    void startWhole(Request request);

    QWidget* m_owner;
    Picture m_last, m_whole; // `m_whole` shows all iterations
    CachedPicture::Key m_wanted;
    bool m_isDense = false, m_isPainting = false;
    int m_cleared = 0; // number of clear() calls; drops older requests
    Background m_background;
};

} // namespace app
