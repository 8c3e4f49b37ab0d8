# The instruction sets that the lanes (src/kernel/) are compiled for. All are in the library; which
# one runs is chosen by the processor: src/kernel/dispatch.c.
#
#   base    1 number at a time, what every processor of the kind has
#   pair    2: SSE2, NEON, WebAssembly's SIMD; else two scalars
#           (for WebAssembly either base or pair)
#   fma     1, with fused operations           x86-64 with AVX2 and FMA
#   avx2    4                                  the same
#   avx512  8                                  x86-64 with AVX-512 F, DQ, VL, BW
set(SINEW_LANE_SETS base pair)
set(SINEW_LANES_base 1)
set(SINEW_LANES_pair 2)
set(SINEW_LANES_fma 1)
set(SINEW_LANES_avx2 4)
set(SINEW_LANES_avx512 8)
set(SINEW_LANE_FLAGS_fma -mavx2 -mfma)
set(SINEW_LANE_FLAGS_avx2 -mavx2 -mfma)
set(SINEW_LANE_FLAGS_avx512
  -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma -mprefer-vector-width=512)

include(CheckCSourceCompiles)
block()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing to link for on wasm32
  check_c_source_compiles([[
    #ifndef __x86_64__
    #error another processor
    #endif
    int sinew_x86_64;
  ]] SINEW_X86_64)
  check_c_source_compiles([[
    #ifndef __wasm__
    #error another processor
    #endif
    int sinew_wasm;
  ]] SINEW_WASM)
endblock()
if(SINEW_WASM)
  # An engine without SIMD refuses a module that has it, so that a module has one set.
  option(SINEW_WASM_SIMD "Use WebAssembly's 128-bit SIMD, which engines have since 2021" ON)
  if(SINEW_WASM_SIMD)
    set(SINEW_LANE_SETS pair)
    add_compile_options(-msimd128)
  else()
    set(SINEW_LANE_SETS base)
  endif()
  add_compile_options(-msign-ext -mnontrapping-fptoint) # engines have had these since 2020
  if(SINEW_SMALL)
    # A twentieth of the code, at the same speed: an index is not replaced by several pointers, a load
    # is not copied to where it can be left out, and only what becomes smaller is inlined.
    add_compile_options("SHELL:-mllvm -disable-lsr" "SHELL:-mllvm -enable-pre=false"
      "SHELL:-mllvm -enable-load-pre=false" "SHELL:-mllvm -inline-threshold=0"
      "SHELL:-mllvm -inlinedefault-threshold=0")
  endif()
endif()
if(SINEW_X86_64)
  list(APPEND SINEW_LANE_SETS fma avx2 avx512)
endif()

# sinew_add_lanes(NAME SOURCES file ...): an object library NAME-SET for each instruction set.
# Sources see SINEW_LANES, the width, and SINEW_LANE_SUFFIX, the set's name, to make names from.
function(sinew_add_lanes name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  foreach(lane_set IN LISTS SINEW_LANE_SETS)
    set(target ${name}-${lane_set})
    add_library(${target} OBJECT ${arg_SOURCES})
    target_include_directories(${target} PRIVATE
      ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    sinew_set_flags(${target})
    # Square roots and comparisons as single instructions: neither sets errno or traps.
    target_compile_options(${target} PRIVATE
      ${SINEW_LANE_FLAGS_${lane_set}} -fno-math-errno -fno-trapping-math)
    target_compile_definitions(${target} PRIVATE
      SINEW_LANES=${SINEW_LANES_${lane_set}} SINEW_LANE_SUFFIX=${lane_set})
    if(SINEW_BUILD_SHARED)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
  endforeach()
endfunction()

# In out: the objects of sinew_add_lanes(NAME).
function(sinew_lane_objects name out)
  list(TRANSFORM SINEW_LANE_SETS REPLACE "(.+)" "$<TARGET_OBJECTS:${name}-\\1>" OUTPUT_VARIABLE objects)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
