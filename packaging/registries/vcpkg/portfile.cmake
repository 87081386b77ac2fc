# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inmem as its release has it: one build for all configurations.
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_DLLS_IN_STATIC_LIBRARY enabled)

vcpkg_download_distfile(ARCHIVE
  URLS "@URL@"
  FILENAME "@ARCHIVE@"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

file(INSTALL "${SOURCE_PATH}/include" "${SOURCE_PATH}/lib" DESTINATION "${CURRENT_PACKAGES_DIR}" USE_SOURCE_PERMISSIONS)
file(INSTALL "${SOURCE_PATH}/share/inmem" DESTINATION "${CURRENT_PACKAGES_DIR}/share" USE_SOURCE_PERMISSIONS)
file(INSTALL "${SOURCE_PATH}/bin/" DESTINATION "${CURRENT_PACKAGES_DIR}/bin" USE_SOURCE_PERMISSIONS)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/share/doc/inmem/LICENSE")
