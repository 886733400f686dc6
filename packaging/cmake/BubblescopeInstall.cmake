# bs_install_compressed(FILE FOLDER): installs FILE.gz, as Debian wants manual pages and changelogs.
function(bs_install_compressed file folder)
    get_filename_component(name "${file}" NAME)
    set(compressed "${CMAKE_BINARY_DIR}/compressed/${name}.gz")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/compressed")
    execute_process(COMMAND gzip -9nc "${CMAKE_SOURCE_DIR}/${file}" OUTPUT_FILE "${compressed}" COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${file}")
    install(FILES "${compressed}" DESTINATION "${folder}")
endfunction()
