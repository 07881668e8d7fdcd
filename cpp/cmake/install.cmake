# `cmake --install`: the library, its headers and a package config, so that
# another project says find_package(attention) and links attention::attention.

include(CMakePackageConfigHelpers)

install(TARGETS attention EXPORT attention_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/attention DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/attention)
install(EXPORT attention_targets NAMESPACE attention:: FILE attention-config.cmake
        DESTINATION ${package_folder})
write_basic_package_version_file(attention-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attention-config-version.cmake
        DESTINATION ${package_folder})
