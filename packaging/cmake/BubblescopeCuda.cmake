# The CUDA plug-in, libbubblescope_cuda.so, beside the programs: built where the toolkit is (WITH_CUDA=AUTO), loaded
# only by engine/backend/cuda_report.cpp. The runtime is linked statically and everything else of CUDA is opened at
# run time, so that the plug-in starts, and declines, on a machine without a GPU.
if(NOT WITH_CUDA STREQUAL "OFF")
    # An nvcc that is not on the PATH stands where the toolkit's installer puts it.
    find_program(nvcc nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin NO_CACHE)
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
    message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION}: building the CUDA plug-in")
    file(GLOB cuda_sources CONFIGURE_DEPENDS backend/cuda/*.cpp)
    add_library(bubblescope_cuda MODULE ${cuda_sources})
    target_link_libraries(bubblescope_cuda PRIVATE bs_base CUDA::cudart_static)
    target_compile_options(bubblescope_cuda PRIVATE -fvisibility=hidden)
    target_link_options(bubblescope_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
    set_target_properties(bubblescope_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    install(TARGETS bubblescope_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/bubblescope")
endif()
