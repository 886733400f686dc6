# cmake -DMOC=PROGRAM -DFOLDER=DIR -DHEADERS=LIST -DOUTPUT=FILE -P Moc.cmake: writes moc's output for all HEADERS (paths
# relative to FOLDER) to one file. moc gets no include folders: it needs none of what our headers include, and
# parsing Qt's and the standard library's headers took it 30 times as long as ours.
set(output "")
foreach(header IN LISTS HEADERS)
    file(STRINGS "${FOLDER}/${header}" objects REGEX "Q_OBJECT|Q_GADGET|Q_NAMESPACE")
    if(objects)
        execute_process(COMMAND "${MOC}" -f "${header}" "${FOLDER}/${header}"
            OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
        string(APPEND output "${code}")
    endif()
endforeach()
file(WRITE "${OUTPUT}" "${output}")
