# pip gets no chance to call `./run build` first: make the report page here, where Node.js is.
find_program(NPM npm)
if(NPM)
  execute_process(COMMAND ./run page WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE page_status)
  if(page_status)
    message(WARNING "The report page could not be built; this package writes no reports.")
  endif()
endif()
