# cmake -DMOC=PROGRAM -DFOLDER=DIR -DHEADERS=LIST -DOUTPUT=FILE -P Moc.cmake: writes moc's output for all HEADERS (in
# FOLDER, from which they are included) to one file. moc gets no include folders: it needs none of what our headers
# include, and parsing Qt's and the standard library's headers took it 30 times as long as ours.
set(output "")
foreach(header IN LISTS HEADERS)
    file(STRINGS "${header}" objects REGEX "Q_OBJECT|Q_GADGET|Q_NAMESPACE")
    if(objects)
        file(RELATIVE_PATH included "${FOLDER}" "${header}")
        execute_process(COMMAND "${MOC}" -f "${included}" "${header}"
            OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
        string(APPEND output "${code}")
    endif()
endforeach()
file(WRITE "${OUTPUT}" "${output}")
