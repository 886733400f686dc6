# test_fuzz mutates files for every reader. ctest builds it with AddressSanitizer and UBSan in a build folder of its own,
# which compiles only the libraries that the readers need. It uses clang if there is one with sanitizers, so that a
# second compiler reads engine and profiler.
find_program(CLANG_COMPILER clang++)
set(fuzzed_libraries bs_exec bs_analysis bs_export bs_figure bs_import bs_report bs_store)
add_executable(test_fuzz EXCLUDE_FROM_ALL fuzz/fuzz_test.cpp fuzz/mutate.cpp fuzz/readers.cpp)
target_link_libraries(test_fuzz PRIVATE bs_test_main ${fuzzed_libraries} SQLite::SQLite3)

# The checks of UBSan that AddressSanitizer makes, too, or that concern every access, cost a quarter of the build.
string(CONCAT sanitizer_flags "-O1 -g1 -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all "
    "-fno-sanitize=null,alignment,object-size,vptr")
if(CLANG_COMPILER)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/fuzz/main.cpp" "int main() {}\n")
    execute_process(COMMAND "${CLANG_COMPILER}" -fsanitize=address,undefined main.cpp -o main
        WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fuzz" RESULT_VARIABLE lacks_sanitizers OUTPUT_QUIET ERROR_QUIET)
endif()
if(CLANG_COMPILER AND lacks_sanitizers EQUAL 0)
    string(APPEND sanitizer_flags " -D__SANITIZE_ADDRESS__") # as GCC defines it
    set(fuzz_compiler "${CLANG_COMPILER}")
else()
    set(fuzz_compiler "${CMAKE_CXX_COMPILER}")
endif()
add_test(NAME "fuzz: readers of mutated files, with sanitizers" COMMAND "${CMAKE_CTEST_COMMAND}"
    --build-and-test "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/asan" --build-generator Ninja --build-noclean --build-target test_fuzz
    --build-options -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=${sanitizer_flags}" -DCMAKE_UNITY_BUILD=ON
        "-DCMAKE_CXX_COMPILER=${fuzz_compiler}" -DWITH_CUDA=OFF -DBUILD_GUI=OFF -DBUILD_BENCHMARKS=OFF
    --test-command "${CMAKE_BINARY_DIR}/asan/bin/test_fuzz")
set_tests_properties("fuzz: readers of mutated files, with sanitizers" PROPERTIES LABELS slow TIMEOUT 3600 COST 1000)

option(LIBFUZZER "Build libfuzzer, which fuzzes one reader (needs clang)" OFF)
if(LIBFUZZER)
    add_executable(libfuzzer EXCLUDE_FROM_ALL fuzz/libfuzzer.cpp fuzz/readers.cpp support/paths.cpp)
    target_link_libraries(libfuzzer PRIVATE bs_test_options ${fuzzed_libraries})
    target_link_options(libfuzzer PRIVATE -fsanitize=fuzzer)
endif()
