# attention_xsimd: the headers of xsimd, and only those. A cross compiler must
# not be shown the host's include folder as a whole, so the one folder inside it
# is linked into the build tree.

find_path(XSIMD_INCLUDE_DIR xsimd/xsimd.hpp NO_CMAKE_FIND_ROOT_PATH
          PATHS /usr/include /usr/local/include /opt/homebrew/include
          DOC "The folder that holds xsimd/xsimd.hpp")
if(NOT XSIMD_INCLUDE_DIR)
  message(FATAL_ERROR "xsimd 11.2 or newer was not found: install libxsimd-dev (Debian, Ubuntu) "
                      "or xsimd (Homebrew), or set XSIMD_INCLUDE_DIR.")
endif()

file(STRINGS "${XSIMD_INCLUDE_DIR}/xsimd/config/xsimd_config.hpp" xsimd_version
     REGEX "#define XSIMD_VERSION_(MAJOR|MINOR) ")
string(REGEX REPLACE "[^0-9;]" "" xsimd_version "${xsimd_version}")
list(JOIN xsimd_version "." xsimd_version)
if(xsimd_version VERSION_LESS 11.2)
  message(FATAL_ERROR "xsimd ${xsimd_version} in ${XSIMD_INCLUDE_DIR} is too old: 11.2 is the "
                      "first with WebAssembly.")
endif()

set(xsimd_only "${CMAKE_CURRENT_BINARY_DIR}/xsimd")
file(MAKE_DIRECTORY "${xsimd_only}")
file(CREATE_LINK "${XSIMD_INCLUDE_DIR}/xsimd" "${xsimd_only}/xsimd" SYMBOLIC)
add_library(attention_xsimd INTERFACE)
target_include_directories(attention_xsimd SYSTEM INTERFACE "${xsimd_only}")
