# `cpack` in a build folder makes a Debian package; packaging/release.sh makes all that is released.
set(CPACK_PACKAGE_NAME bubblescope)
set(CPACK_PACKAGE_DESCRIPTION
"Trains a transformer with a pipeline scheme (GPipe, 1F1B, zero bubble,
Chimera, DualPipe, BPipe, BitPipe ...) on GPUs or on the CPU, records every
operation, message and byte, and draws where the time and the memory went.")
set(CPACK_PACKAGE_VENDOR "Bubblescope maintainers")
set(CPACK_PACKAGE_CONTACT "Bubblescope maintainers <maintainers@bubblescope.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What no program is linked against: OpenBLAS is loaded when the first run needs it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0-pthread, fonts-roboto-unhinted")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, qt6-wayland")
# Without these programs CPack makes a package without dependencies, which cannot start.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/CheckPackageTools.cmake")
include(CPack)
