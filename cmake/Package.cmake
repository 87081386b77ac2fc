# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` adds to the rooms' own targets: headers, the clang
# configuration file and the CMake package. Build and install folders have the
# same shape, so inmem.cfg works in both.
include(CMakePackageConfigHelpers)

set(InmemShareDir ${CMAKE_INSTALL_DATADIR}/inmem)
# For several versions of clang these options are given to all: newer ones are told the same
# by the plugin. Clang 16 and 17 drop the plugin's wishes for source locations and for destructors
# without aliases; see tools/wrapper.
set(InmemCfgLocations "")
set(InmemCMakeLocations "")
if(LLVM_VERSION VERSION_LESS 18 OR INMEM_SIDE_BY_SIDE)
  set(InmemCfgLocations
    "-Rpass=inmem-keeps-locations\n-Xclang -mno-constructor-aliases\n")
  set(InmemCMakeLocations
    "-Rpass=inmem-keeps-locations \"SHELL:-Xclang -mno-constructor-aliases\"")
endif()

set(InmemLibFromCfg ../../lib)
configure_file(${CMAKE_CURRENT_LIST_DIR}/inmem.cfg.in
  ${PROJECT_BINARY_DIR}/share/inmem/inmem.cfg @ONLY)
file(RELATIVE_PATH InmemLibFromCfg
  ${CMAKE_INSTALL_FULL_DATADIR}/inmem ${CMAKE_INSTALL_FULL_LIBDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/inmem.cfg.in
  ${PROJECT_BINARY_DIR}/cmake-package/inmem.cfg @ONLY)

set(InmemPackageDir ${CMAKE_INSTALL_LIBDIR}/cmake/inmem)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/inmemConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake-package/inmemConfig.cmake
  INSTALL_DESTINATION ${InmemPackageDir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/inmemSettings.cmake.in
  ${PROJECT_BINARY_DIR}/cmake-package/inmemSettings.cmake
  INSTALL_DESTINATION ${InmemPackageDir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
file(RELATIVE_PATH InmemPackageFromShare ${CMAKE_INSTALL_FULL_DATADIR}/inmem
  ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/inmem)
configure_file(${CMAKE_CURRENT_LIST_DIR}/inmem.cmake.in
  ${PROJECT_BINARY_DIR}/cmake-package/inmem.cmake @ONLY)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake-package/inmemConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)

install(FILES
  ${PROJECT_BINARY_DIR}/cmake-package/inmemConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake-package/inmemConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/cmake-package/inmemSettings.cmake
  ${CMAKE_CURRENT_LIST_DIR}/inmemBudgets.cmake
  ${CMAKE_CURRENT_LIST_DIR}/inmemBudgetTest.cmake
  DESTINATION ${InmemPackageDir} COMPONENT libinmem-dev)
if(NOT INMEM_WITHOUT_PLUGIN) # which both name
  install(FILES
    ${PROJECT_BINARY_DIR}/cmake-package/inmem.cfg
    ${PROJECT_BINARY_DIR}/cmake-package/inmem.cmake
    DESTINATION ${InmemShareDir} COMPONENT inmem)
endif()
file(RELATIVE_PATH InmemPrefixFromPc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/inmem.pc.in ${PROJECT_BINARY_DIR}/cmake-package/inmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake-package/inmem.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libinmem-dev)
# Once, and by a link in a folder of their own, which the compilers search after
# all others and in which nothing else is to be found.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/inmem
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libinmem-dev FILES_MATCHING PATTERN "*.h")
file(RELATIVE_PATH InmemHeadersFromOwn ${CMAKE_INSTALL_FULL_LIBDIR}/inmem/include
  ${CMAKE_INSTALL_FULL_INCLUDEDIR}/inmem)
install(CODE "
  set(Own \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/inmem/include\")
  if(IS_DIRECTORY \"\${Own}/inmem\" AND NOT IS_SYMLINK \"\${Own}/inmem\") # of an older inmem
    file(REMOVE_RECURSE \"\${Own}/inmem\")
  endif()
  file(MAKE_DIRECTORY \"\${Own}\")
  file(CREATE_LINK ${InmemHeadersFromOwn} \"\${Own}/inmem\" SYMBOLIC)" COMPONENT libinmem-dev)
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/inmem/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/inmem
  ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/inmem/include/inmem SYMBOLIC)
foreach(Target inmem_rt inmem_rt_link inmem_rt_static)
  if(TARGET ${Target})
    install(TARGETS ${Target}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libinmem-rt NAMELINK_COMPONENT libinmem-dev
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libinmem-dev)
  endif()
endforeach()

# What every package has, and the Debian packages: `cpack -G DEB`, which scripts/package
# runs and finishes.
set(InmemDocDir ${CMAKE_INSTALL_DATADIR}/doc/inmem)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${InmemDocDir} COMPONENT inmem)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${InmemDocDir} COMPONENT inmem
  FILES_MATCHING PATTERN "*.md" PATTERN "*.yml")
include(${CMAKE_CURRENT_LIST_DIR}/Debian.cmake)
