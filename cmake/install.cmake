# What `cmake --install` puts where: library, headers, program, CMake package, pkg-config file, manual, completions.
include(CMakePackageConfigHelpers)

install(TARGETS copse EXPORT copse-targets FILE_SET HEADERS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${package_dir})
export(TARGETS copse copse_warnings NAMESPACE copse:: FILE ${PROJECT_BINARY_DIR}/built_copse.cmake) # for pip
configure_package_config_file(cmake/copse-config.cmake.in copse-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(copse-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/copse-config.cmake ${PROJECT_BINARY_DIR}/copse-config-version.cmake
        DESTINATION ${package_dir})

# The prefix is found from where the file lies, so that an installed tree may be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up_to_prefix /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
configure_file(cmake/copse.pc.in copse.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copse.pc DESTINATION ${pkgconfig_dir})

# The program writes its own manual and completions, so that they cannot drift from its options.
if(TARGET copse_program)
  install(TARGETS copse_program)
  set(generated ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(
    TARGET copse_program POST_BUILD
    COMMAND copse_program manual > ${generated}/copse.1
    COMMAND copse_program completion bash > ${generated}/copse
    COMMAND copse_program completion zsh > ${generated}/_copse
    COMMAND copse_program completion fish > ${generated}/copse.fish)
  install(FILES ${generated}/copse.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${generated}/copse DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${generated}/_copse DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${generated}/copse.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
