# What `cmake --install` puts where: library, headers, program, CMake package, pkg-config file, manual, completions.
include(CMakePackageConfigHelpers)

install(TARGETS copse EXPORT copse-targets FILE_SET HEADERS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/copse)
install(EXPORT copse-targets NAMESPACE copse:: DESTINATION ${package_dir})
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

if(TARGET copse_program)
  install(TARGETS copse_program)
  file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.1)
  install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  file(GLOB bash_completion CONFIGURE_DEPENDS apps/copse/completions/*.bash)
  if(bash_completion)
    install(FILES ${bash_completion} RENAME copse DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endif()
  file(GLOB zsh_completion CONFIGURE_DEPENDS apps/copse/completions/_copse)
  install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  file(GLOB fish_completion CONFIGURE_DEPENDS apps/copse/completions/*.fish)
  install(FILES ${fish_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
