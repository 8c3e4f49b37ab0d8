# Installation: libraries, headers, program, man page, and files for find_package and pkg-config.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# One export set for each library: the core can be used where expat and OpenMP are not installed.
install(TARGETS sinew-static EXPORT sinew-core)
if(TARGET sinew)
  install(TARGETS sinew EXPORT sinew-core)
endif()
install(EXPORT sinew-core NAMESPACE sinew:: DESTINATION ${package_dir})

set(headers base.h math.h model.h kinematics.h task.h solver.h objective.h global.h network.h batch.h crowd.h limb.h qp.h sinew.h
  reference.h)
if(SINEW_BUILD_FORMATS)
  list(APPEND headers formats.h)
  install(TARGETS sinew-formats-static EXPORT sinew-formats)
  if(TARGET sinew-formats)
    install(TARGETS sinew-formats EXPORT sinew-formats)
    # In other prefixes than the system's it is beside the core that it needs.
    set_target_properties(sinew-formats PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(EXPORT sinew-formats NAMESPACE sinew:: DESTINATION ${package_dir})
endif()
if(TARGET sinew-threads-static)
  list(APPEND headers threads.h)
  install(TARGETS sinew-threads-static EXPORT sinew-threads)
  if(TARGET sinew-threads)
    install(TARGETS sinew-threads EXPORT sinew-threads)
    set_target_properties(sinew-threads PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(EXPORT sinew-threads NAMESPACE sinew:: DESTINATION ${package_dir})
endif()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/sinew/)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinew)

if(TARGET sinew-program)
  install(TARGETS sinew-program)
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/sinew.1)
    install(FILES docs/man/sinew.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()
install(FILES docs/task_files.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)
if(TARGET sinew-viewer)
  install(FILES ${PROJECT_BINARY_DIR}/share/sinew/viewer.html DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)
endif()
# The files that the README names are installed beside it.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples models DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN man EXCLUDE)

# find_package(sinew)
configure_package_config_file(cmake/sinew-config.cmake.in sinew-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Until 1.0 a program must be rebuilt for each minor version.
write_basic_package_version_file(sinew-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/sinew-config.cmake ${PROJECT_BINARY_DIR}/sinew-config-version.cmake
  DESTINATION ${package_dir})

# pkg-config; its paths are relative to the file, so that a prefix can be moved
file(RELATIVE_PATH prefix_from_pc /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/sinew.pc.in sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${pkgconfig_dir})
if(SINEW_BUILD_FORMATS)
  set(formats_private_libs -lm)
  if(SINEW_XML STREQUAL "expat")
    string(PREPEND formats_private_libs "-lexpat ")
  endif()
  configure_file(cmake/sinew-formats.pc.in sinew-formats.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/sinew-formats.pc DESTINATION ${pkgconfig_dir})
endif()
if(TARGET sinew-threads-static)
  configure_file(cmake/sinew-threads.pc.in sinew-threads.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/sinew-threads.pc DESTINATION ${pkgconfig_dir})
endif()

# A Debian package: cpack -G DEB
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinew)
set(CPACK_PACKAGE_VENDOR "the sinew authors")
set(CPACK_PACKAGE_CONTACT "the sinew authors <sinew@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libexpat1-dev, pkg-config")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
