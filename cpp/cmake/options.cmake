# Flags that hold for every C++ file of this project, the tests included.

option(ATTENTION_WARNINGS_ARE_ERRORS "Fail on a compiler warning" OFF)
option(ATTENTION_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(ATTENTION_RELAXED_SIMD "WebAssembly: use relaxed SIMD" OFF)

add_library(attention_options INTERFACE)
if(ATTENTION_WARNINGS_ARE_ERRORS)
  target_compile_options(attention_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endif()
if(ATTENTION_SANITIZE)
  target_compile_options(attention_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(attention_options INTERFACE -fsanitize=address,undefined)
endif()
if(ATTENTION_FUZZ)
  target_compile_options(attention_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(EMSCRIPTEN)
  target_compile_options(attention_options INTERFACE
    -msimd128 $<$<BOOL:${ATTENTION_RELAXED_SIMD}>:-mrelaxed-simd>)
endif()
