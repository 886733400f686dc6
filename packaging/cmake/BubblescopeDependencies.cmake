# Everything the project stands on: Debian 12's packages (packaging/quickstart.sh installs them).
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Freetype REQUIRED)
find_package(simdjson REQUIRED)
find_package(LibArchive REQUIRED)
find_package(ZLIB REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_package(OpenBLAS REQUIRED)
find_package(Threads REQUIRED)
if(BUILD_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Test)
endif()

# ccache makes a rebuild cheap; it is used where it is installed. Paths are hashed relative to the source tree, so
# that every checkout shares one cache.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
        "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE}")
endif()
