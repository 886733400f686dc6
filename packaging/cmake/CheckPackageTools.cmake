foreach(tool dpkg-shlibdeps file)
    find_program(found_${tool} ${tool})
    if(NOT found_${tool})
        message(FATAL_ERROR "${tool} is missing, so the libraries that the package needs cannot be found: "
            "install dpkg-dev and file (packaging/quickstart.sh deps)")
    endif()
endforeach()
