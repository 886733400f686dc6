#include "app/timeline/widget/time_canvas.h"
#include "tests/catch.h"

using app::centredThenFitted;
using app::ViewKey;
using app::viewKey;
using app::ViewWindow;

TEST_CASE("the arrows move the view, and plus and minus zoom at its centre")
{
    const ViewWindow window{100, 200};
    const auto stepped
        = [&](int key) { return app::steppedView(window, app::viewKey(key, Qt::NoModifier)); };
    CHECK(stepped(Qt::Key_Left) == ViewWindow{90, 190});
    CHECK(stepped(Qt::Key_Right) == ViewWindow{110, 210});
    CHECK(stepped(Qt::Key_Plus) == ViewWindow{110, 190});
    CHECK(stepped(Qt::Key_Equal) == stepped(Qt::Key_Plus)); // without shift
    CHECK(stepped(Qt::Key_Minus)->duration() == Approx(125));
    CHECK(stepped(Qt::Key_W) == stepped(Qt::Key_Plus)); // W A S D, as in Perfetto
    CHECK(stepped(Qt::Key_S) == stepped(Qt::Key_Minus));
    CHECK(stepped(Qt::Key_A) == stepped(Qt::Key_Left));
    CHECK(stepped(Qt::Key_D) == stepped(Qt::Key_Right));
    CHECK(viewKey(Qt::Key_S, Qt::ControlModifier) == ViewKey::None);
    CHECK_FALSE(stepped(Qt::Key_Home).has_value());
}

TEST_CASE("with Alt the arrows walk the zoom history, and nothing else is a key of the view")
{
    CHECK(app::viewKey(Qt::Key_Left, Qt::AltModifier) == ViewKey::Back);
    CHECK(app::viewKey(Qt::Key_Right, Qt::AltModifier) == ViewKey::Forward);
    CHECK(app::viewKey(Qt::Key_F, Qt::AltModifier) == ViewKey::None);
    CHECK(app::viewKey(Qt::Key_Q, Qt::NoModifier) == ViewKey::None);
}

TEST_CASE("a selection is centred first and fitted second")
{
    const ViewWindow box{300, 320};
    const ViewWindow centred = app::centredThenFitted({0, 100}, box);
    CHECK(centred == ViewWindow{260, 360});
    const ViewWindow fits = app::centredThenFitted(centred, box);
    CHECK(fits.duration() == Approx(25));
    CHECK(fits.centre() == Approx(310));
}

TEST_CASE("Backspace and Alt+Left return to the previous view")
{
    CHECK(viewKey(Qt::Key_Backspace, Qt::NoModifier) == ViewKey::Back);
    CHECK(viewKey(Qt::Key_Left, Qt::AltModifier) == ViewKey::Back);
}

TEST_CASE("F first centres the selection, however small the distance")
{
    const ViewWindow aside = centredThenFitted({0, 100}, {58, 62}); // a tenth of the width away
    CHECK(aside == ViewWindow{10, 110});
    CHECK(centredThenFitted(aside, {58, 62}) == ViewWindow{57.5, 62.5});
}
