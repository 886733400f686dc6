# One library per floor (ARCHITECTURE.md, "Folders and floors"). A floor's sources are found, not
# listed, so that a new scheme, importer or page is one new file.

add_library(bs_options INTERFACE)
target_include_directories(bs_options INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")
target_compile_options(bs_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough -fno-math-errno)
if(WARNINGS_AS_ERRORS)
    target_compile_options(bs_options INTERFACE -Werror)
endif()
# GCC 12 with sanitizers believes that std::function inside std::regex (Catch2) may be uninitialized.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-fsanitize=")
    target_compile_options(bs_options INTERFACE -Wno-maybe-uninitialized)
endif()
target_link_libraries(bs_options INTERFACE fmt::fmt tl::expected)

# In a unity build (packaging/quickstart.sh) a floor is one translation unit and reuses the precompiled header of
# bs_precompiled, a library with nothing else: what reuses a header waits for its whole library. A precompiled header
# serves only code of the same optimization.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
set(fast_floors bs_sim bs_exec bs_analysis bs_why bs_search)
set(fast_options $<$<CONFIG:Release>:-O2>)
function(bs_precompiled_headers name)
    if(CMAKE_UNITY_BUILD)
        file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
        add_library(${name} STATIC "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
        target_link_libraries(${name} PRIVATE bs_options)
        target_precompile_headers(${name} PRIVATE ${ARGN} <fmt/format.h> <tl/expected.hpp>
            <algorithm> <array> <functional> <map> <memory> <optional> <set> <span> <string> <vector>)
    endif()
endfunction()
bs_precompiled_headers(bs_precompiled)
bs_precompiled_headers(bs_fast_precompiled)
if(TARGET bs_fast_precompiled)
    target_compile_options(bs_fast_precompiled PRIVATE ${fast_options})
endif()
set(precompiled bs_precompiled)

# bs_floor(NAME FOLDERS [dependencies ...]): the sources directly in FOLDERS (a list, of the current directory).
function(bs_floor name folders)
    list(TRANSFORM folders APPEND "/*.cpp" OUTPUT_VARIABLE source_globs)
    list(TRANSFORM folders APPEND "/*.h" OUTPUT_VARIABLE header_globs)
    file(GLOB sources CONFIGURE_DEPENDS ${source_globs})
    file(GLOB headers CONFIGURE_DEPENDS ${header_globs})
    if(sources)
        add_library(${name} STATIC ${sources} ${headers})
        target_link_libraries(${name} PUBLIC bs_options ${ARGN})
        set(reused ${precompiled})
        if(name IN_LIST fast_floors)
            target_compile_options(${name} PRIVATE ${fast_options})
            set(reused bs_fast_precompiled)
        endif()
        if(CMAKE_UNITY_BUILD)
            target_precompile_headers(${name} REUSE_FROM ${reused})
        endif()
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE bs_options ${ARGN})
    endif()
endfunction()
