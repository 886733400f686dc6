#include "app/mapping/mapping_cards.h"
#include "tests/catch.h"

#include <QImage>

using namespace app;

namespace {

// The picture of four nodes in the upper right corner of a card.
QImage nodesWith(const std::vector<profiler::LinkLoad>& links)
{
    auto study = std::make_shared<MappingStudy>();
    study->nodes.resize(4);
    study->all.push_back({QStringLiteral("contiguous"), {}, 1000, {}});
    study->all.front().loads.links = links;
    const ThemeController theme;
    MappingCard card(theme, study, 0);
    card.resize(260, 122);
    const QImage image = card.grab().toImage();
    const double ratio = image.devicePixelRatio();
    return image.copy(QRectF(166 * ratio, 0, 94 * ratio, 44 * ratio).toRect());
}

profiler::LinkLoad linkOf(int from, int to)
{
    profiler::LinkLoad link;
    link.from = from;
    link.to = to;
    link.allReduces = 1e9;
    return link;
}

} // namespace

// A ring of all-reduces sends from the last node to the first one, and nothing back.
TEST_CASE("a card draws a link whose only traffic goes to the node of the lower number")
{
    const QImage back = nodesWith({linkOf(3, 0)});
    CHECK(back != nodesWith({}));
    CHECK(back == nodesWith({linkOf(0, 3)}));
    CHECK(back == nodesWith({linkOf(0, 3), linkOf(3, 0)}));
}

// Screen readers heard of messages and all-reduces only.
TEST_CASE("the description of exposed communication includes the stashes of BPipe")
{
    auto study = std::make_shared<MappingStudy>();
    study->all.push_back({QStringLiteral("pair-adjacent"), {}, 100'000'000, {}});
    study->all.front().loads.exposed = {1e6, 2e6, 3e6};
    const ThemeController theme;
    ExposedBars bars(theme);
    bars.show(study);
    CHECK(bars.accessibleDescription()
          == QStringLiteral("Pair-adjacent: messages 1.0, stashes 2.0, all-reduces 3.0 ms"));
}
