# NCCL by its functions alone, without its header and without CUDA, so that it is built and tested everywhere.
file(GLOB nccl_sources CONFIGURE_DEPENDS backend/cuda/nccl/*.cpp)
add_library(bs_nccl STATIC ${nccl_sources})
target_compile_options(bs_nccl PRIVATE -fvisibility=hidden)
target_link_libraries(bs_nccl PUBLIC bs_base Threads::Threads)

# The CUDA plug-in, libbubblescope_cuda.so, beside the programs: built where the toolkit is (WITH_CUDA=AUTO), loaded
# only by engine/backend/cuda_device.cpp. The runtime is linked statically and everything else of CUDA is opened at
# run time, so that the plug-in starts, and declines, on a machine without a GPU.
if(NOT WITH_CUDA STREQUAL "OFF")
    # An nvcc that is not on the PATH stands where the toolkit's installer puts it.
    find_program(nvcc nvcc HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
    if(nvcc)
        set(CUDAToolkit_NVCC_EXECUTABLE "${nvcc}")
        find_package(CUDAToolkit 12.4 QUIET)
    endif()
    if(NOT CUDAToolkit_FOUND)
        if(WITH_CUDA STREQUAL "ON")
            message(FATAL_ERROR "WITH_CUDA=ON, and no CUDA toolkit 12.4 or newer was found: install it, or set CUDA_HOME")
        endif()
        message(STATUS "No CUDA toolkit 12.4 or newer was found: building without the CUDA plug-in")
    endif()
endif()

if(CUDAToolkit_FOUND AND NOT WITH_CUDA STREQUAL "OFF")
    # A release has machine code for all of these, and PTX of the newest for later GPUs; packaging/quickstart.sh asks for
    # those of the GPUs at hand.
    set(cuda_released 80 90)
    if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
        list(APPEND cuda_released 100 120)
    endif()
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        set(CUDA_ARCHITECTURES "${cuda_released}" CACHE STRING "Compute capabilities the CUDA kernels are built for")
    else()
        set(CUDA_ARCHITECTURES "90" CACHE STRING "Compute capabilities the CUDA kernels are built for")
    endif()
    message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: building the CUDA plug-in for ${CUDA_ARCHITECTURES}")
    set(CMAKE_CUDA_COMPILER "${nvcc}")
    list(TRANSFORM CUDA_ARCHITECTURES APPEND "-real" OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
    list(GET CUDA_ARCHITECTURES -1 newest)
    list(APPEND CMAKE_CUDA_ARCHITECTURES "${newest}-virtual")
    enable_language(CUDA)
    # CMake 3.25 does not know that nvcc speaks C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    if(CCACHE)
        set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE}")
    endif()

    # Kernels, a family a file. nvcc takes other warnings than the compiler behind it, and #554 is about a conversion
    # of Matrix that is not meant to be called.
    file(GLOB cuda_kernels CONFIGURE_DEPENDS backend/cuda/kernels/*.cu)
    add_library(bs_cuda_kernels STATIC ${cuda_kernels})
    target_include_directories(bs_cuda_kernels PRIVATE "${CMAKE_SOURCE_DIR}")
    set_target_properties(bs_cuda_kernels PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON UNITY_BUILD OFF
        CUDA_VISIBILITY_PRESET hidden)
    target_compile_options(bs_cuda_kernels PRIVATE --diag-suppress=554 -Xcompiler=-Wall,-Wextra,-Wshadow)
    if(WARNINGS_AS_ERRORS)
        target_compile_options(bs_cuda_kernels PRIVATE -Werror=all-warnings)
    endif()

    # Where NCCL's header is (beside the toolkit, in /usr/include, in the folder of Python's nvidia-nccl wheel), what
    # bs_nccl says of it is compared with it.
    file(GLOB nccl_wheels /usr/lib/python3*/*-packages/nvidia/nccl/include /usr/local/lib/python3*/*-packages/nvidia/nccl/include)
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${nccl_wheels})
    mark_as_advanced(NCCL_INCLUDE_DIR)
    if(NCCL_INCLUDE_DIR)
        add_library(bs_nccl_header OBJECT "${CMAKE_SOURCE_DIR}/tests/engine/backend/cuda/nccl_header.cpp")
        target_include_directories(bs_nccl_header SYSTEM PRIVATE "${NCCL_INCLUDE_DIR}" ${CUDAToolkit_INCLUDE_DIRS})
        target_link_libraries(bs_nccl_header PRIVATE bs_options)
        add_dependencies(bs_nccl bs_nccl_header)
    endif()

    # The runtime for tests that ask it themselves; imported targets are of this folder alone.
    add_library(bs_cudart INTERFACE)
    target_include_directories(bs_cudart SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(bs_cudart INTERFACE "${CUDA_cudart_static_LIBRARY}" rt)

    file(GLOB cuda_sources CONFIGURE_DEPENDS backend/cuda/runtime/*.cpp backend/cuda/blas/*.cpp)
    add_library(bubblescope_cuda MODULE ${cuda_sources})
    target_link_libraries(bubblescope_cuda PRIVATE bs_cuda_kernels bs_nccl bs_base CUDA::cudart_static)
    target_compile_options(bubblescope_cuda PRIVATE -fvisibility=hidden)
    target_link_options(bubblescope_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
    set_target_properties(bubblescope_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
        UNITY_BUILD OFF LINKER_LANGUAGE CXX)
    # as pluginFile() looks for it, whatever the system calls its library folder
    install(TARGETS bubblescope_cuda LIBRARY DESTINATION lib/bubblescope)
endif()
