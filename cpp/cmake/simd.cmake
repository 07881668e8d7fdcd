# The SIMD kernels, once for each vector width that this processor family has.
# The sources differ in their flags only; simd_dispatch.cpp picks one at run time.

target_sources(attention PRIVATE src/simd_dispatch.cpp src/simd_baseline.cpp)
if(NOT EMSCRIPTEN AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(attention PRIVATE src/simd_avx2.cpp src/simd_avx512.cpp)
  set_source_files_properties(src/simd_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(src/simd_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512cd;-mavx512dq;-mavx512bw;-mavx2;-mfma")
  target_compile_definitions(attention PRIVATE ATTENTION_X86=1)
endif()
if(EMSCRIPTEN)
  set_source_files_properties(src/simd_baseline.cpp PROPERTIES COMPILE_OPTIONS "-O3")
endif()
