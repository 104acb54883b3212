# What a build spends its time on, and how it spends less: docs/design/031-minutes.md.

# GCC collects garbage every 128 MB, which takes a sixth of its time: let it have half a gigabyte.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

# Kernels are compiled once for each instruction set: SSE4, AVX2 and AVX-512, and plain code for what is older.
set(instruction_sets "HWY_DISABLED_TARGETS=HWY_SSSE3")

# optimise(TARGET): for code that runs wait for. -O3 costs a fifth of the time more than -O2, and of what it does only the
# loops in vectors pay; the hottest are written in vectors. optimise_little(TARGET): for code that no run waits for. compile_quickly(TARGET): for tests, which call such code.
function(optimise target)
  target_compile_options(
    ${target} PRIVATE $<$<CONFIG:Release>:-O2> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fvect-cost-model=dynamic>)
endfunction()
function(optimise_little target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()
function(compile_quickly target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# compile_together(TARGET SIZE): with CMAKE_UNITY_BUILD up to SIZE files of a folder are compiled as one, for reading the
# headers takes longer than the files themselves. So names in the anonymous namespaces of a folder differ. Kernels stay
# alone: they are compiled once for each instruction set.
function(compile_together target size)
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source ${sources})
    if(NOT EXISTS ${source})
      continue() # it is generated
    endif()
    get_source_file_property(own ${source} COMPILE_DEFINITIONS)
    file(STRINGS ${source} kernel REGEX "hwy/foreach_target\\.h" LIMIT_COUNT 1)
    if(NOT own AND NOT kernel)
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
      string(MAKE_C_IDENTIFIER ${folder} folder)
      list(APPEND folders ${folder})
      list(APPEND files_of_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH files_of_${folder} count)
    math(EXPR groups "(${count} + ${size} - 1) / ${size}")
    set(number 0)
    foreach(source ${files_of_${folder}})
      math(EXPR group "${number} * ${groups} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
  set_target_properties(
    ${target} PROPERTIES UNITY_BUILD_MODE GROUP UNITY_BUILD_CODE_AFTER_INCLUDE "#undef COPSE_INSTANTIATE\n#undef COPSE_CHOICES")
  # Types of anonymous namespaces are as local as before: nobody includes the files.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
