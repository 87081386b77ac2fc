# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages by CPack, one a component. INMEM_PACKAGE_BUILDS lists further
# build folders, each with the plugin of one more LLVM: VERSION=FOLDER.
set(INMEM_PACKAGE_BUILDS "" CACHE STRING "VERSION=FOLDER of builds whose plugins are packaged too")
set(Components inmem libinmem-rt libinmem-dev inmem-llvm-${LLVM_VERSION})
set(CPACK_COMPONENTS_FIRST ${Components})
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};inmem;FIRST;/")
set(Versions ${LLVM_VERSION})
foreach(Build ${INMEM_PACKAGE_BUILDS})
  string(REGEX MATCH "^([0-9]+)=(.*)$" Build "${Build}")
  set(Version ${CMAKE_MATCH_1})
  list(APPEND Versions ${Version})
  list(APPEND Components inmem-llvm-${Version})
  # CPack looks up which components to take of a build by this name.
  set(CPACK_COMPONENTS_LLVM${Version} inmem-llvm-${Version})
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_MATCH_2};inmem;LLVM${Version};/")
endforeach()

set(CPACK_PACKAGE_NAME inmem)
set(CPACK_PACKAGE_VENDOR "The inmem project")
set(CPACK_PACKAGE_CONTACT "The inmem project <inmem@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL ${Components})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(Exact "(= ${PROJECT_VERSION}-1)")
set(Plugins "")
foreach(Version ${Versions})
  list(APPEND Plugins inmem-llvm-${Version})
  string(TOUPPER inmem-llvm-${Version} Upper)
  set(CPACK_DEBIAN_${Upper}_PACKAGE_NAME inmem-llvm-${Version})
  set(CPACK_DEBIAN_${Upper}_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_${Upper}_PACKAGE_DEPENDS
    "inmem ${Exact}, clang-${Version}, libc6 (>= 2.28), libstdc++6 (>= 8)")
  set(CPACK_COMPONENT_${Upper}_DESCRIPTION
    "plugin of inmem for clang ${Version}
Finds the type of each allocation that a program makes, and instruments it,
when clang ${Version} compiles the program.")
endforeach()
list(JOIN Plugins " | " Plugins)
set(CPACK_DEBIAN_INMEM_PACKAGE_NAME inmem)
set(CPACK_DEBIAN_INMEM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_INMEM_PACKAGE_DEPENDS "libinmem-dev ${Exact}, libc6 (>= 2.28), libstdc++6 (>= 8)")
set(CPACK_DEBIAN_INMEM_PACKAGE_RECOMMENDS "${Plugins}")
# `inmem collect` loads it.
set(CPACK_DEBIAN_INMEM_PACKAGE_SUGGESTS "libcurl4 | libcurl4t64")
set(CPACK_COMPONENT_INMEM_DESCRIPTION
  "which types of object a C or C++ program allocates
Shows which types a program allocates, which line of code does it, how big
the objects are, and how long each one lives. This package has the
command-line tool and the drop-in compilers inmem-clang and inmem-clang++.")
set(CPACK_DEBIAN_LIBINMEM-RT_PACKAGE_NAME libinmem-rt)
set(CPACK_DEBIAN_LIBINMEM-RT_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBINMEM-RT_PACKAGE_DEPENDS "libc6 (>= 2.17), libgcc-s1 (>= 3.0)")
set(CPACK_COMPONENT_LIBINMEM-RT_DESCRIPTION
  "runtime of programs that were compiled with inmem
Records the allocations of a program while it runs, or places blocks by how
long they will live.")
set(CPACK_DEBIAN_LIBINMEM-DEV_PACKAGE_NAME libinmem-dev)
set(CPACK_DEBIAN_LIBINMEM-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBINMEM-DEV_PACKAGE_DEPENDS "libinmem-rt ${Exact}")
set(CPACK_COMPONENT_LIBINMEM-DEV_DESCRIPTION
  "headers of inmem, and its runtime to link with
For programs that count, limit or test their own allocations, and for those
that the compilers of inmem link. With a CMake package and a file for
pkg-config.")
include(CPack)
