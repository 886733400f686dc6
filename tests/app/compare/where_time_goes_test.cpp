#include "app/compare/compare_charts.h"
#include "tests/catch.h"

#include <QImage>
#include <QPixmap>

// Names had 104 pixels and values 56, however short they were; 92 of 252 were left for the bars.
TEST_CASE("bars of the time by category have the width that short names leave")
{
    const app::ThemeController theme;
    app::WhereTimeGoes chart(theme);
    chart.resize(252, 200);
    chart.show({{QStringLiteral("a"),
                 {{app::TimeShare::Kind::Compute, engine::OpKind::Forward, 10}},
                 app::Scale{1, 1, {}}}});
    const QImage picture = chart.grab().toImage().convertToFormat(QImage::Format_RGB32);
    constexpr int kMiddle = 29; // of the first bar
    for (const int x : {60, 126, 190})
        CHECK(picture.pixelColor(x, kMiddle) == app::toQt(theme.theme().palette.forward));
}
