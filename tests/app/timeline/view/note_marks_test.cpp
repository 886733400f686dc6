#include "app/timeline/paint/ruler_painter.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

using namespace app;

namespace {

// 100 pixels a thousand ticks, the strip on top of the lanes.
struct PaintedNotes
{
    explicit PaintedNotes(std::vector<engine::Note> of, int current = -1)
        : notes(std::move(of))
        , image(400, 200, QImage::Format_RGB32)
    {
        image.fill(Qt::white);
        const NoteStrip strip{notes, {0, 4000, 0, 400, 1}, QRectF(0, 0, 400, 20), current};
        QPainter painter(&image);
        paintNoteFlags(painter, strip, theme);
        paintNoteLines(painter, strip, QRectF(0, 20, 400, 180), theme);
    }
    bool hasLine(int x) const
    {
        for (int y = 20; y < 200; ++y)
            if (image.pixelColor(x, y) != QColor(Qt::white))
                return true;
        return false;
    }
    QColor body(int x) const { return image.pixelColor(x - 4, 2); } // above the number

    Theme theme = makeTheme(profiler::ThemeMode::Light);
    std::vector<engine::Note> notes;
    QImage image;
};

engine::Note noteAt(std::int64_t time)
{
    engine::Note note;
    note.window = {time, time};
    note.text = "words";
    return note;
}

} // namespace

TEST_CASE("each note has a flag and a line down through the lanes where its time is")
{
    const PaintedNotes painted({noteAt(1000), noteAt(2500)}, 1);
    CHECK(painted.hasLine(100));
    CHECK(painted.hasLine(250));
    CHECK_FALSE(painted.hasLine(180));
    CHECK(painted.body(100) == painted.theme.chrome.surface);
    CHECK(painted.body(250) == painted.theme.chrome.text); // the current one
}

TEST_CASE("of several notes within a pixel the current one is drawn on top")
{
    const std::vector<engine::Note> crowd(50, noteAt(1000));
    const PaintedNotes other(crowd), first(crowd, 0);
    CHECK(other.body(100) == other.theme.chrome.surface);
    CHECK(first.body(100) == first.theme.chrome.text); // though 49 lie over its place
    CHECK(first.hasLine(100));
    // One flag: the antialiased edges of more would add up.
    auto two = crowd;
    two.resize(2);
    const auto edges
        = [](const PaintedNotes& painted) { return painted.image.copy(80, 0, 14, 20); };
    CHECK(edges(other) == edges(PaintedNotes(two)));
}
