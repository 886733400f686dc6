// The window's tests: one QApplication, offscreen unless the caller chose a platform.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <QApplication>
#include <QTemporaryDir>

#include <cstdio>

namespace {
// Settings, runs and caches of these tests are their own: not those of whoever runs them, nor of
// tests that run at the same time.
bool moveIn(const QTemporaryDir& home)
{
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        qputenv(name, home.path().toLocal8Bit());
    return home.isValid();
}
} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir home;
    if (!moveIn(home)) {
        std::fputs("the tests find no place for their files\n", stderr);
        return 1;
    }
    QApplication application(argc, argv);
    return Catch::Session().run(argc, argv);
}
