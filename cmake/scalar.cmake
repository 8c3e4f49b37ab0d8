# The instruction sets that the scalar code is compiled for: what one solver runs in an update or a
# solve, forward kinematics and Jacobians. All are in the library; a state and a solver choose one
# when they are created (sinew_state_functions_for(), sinew_solver_functions_for()).
#
#   base   what every processor of the kind has
#   avx2   x86-64 with AVX2. Without fused operations: both sets give the same bits, so that a
#          solve does not depend on the processor
set(SINEW_SCALAR_SETS base)
if(SINEW_X86_64)
  list(APPEND SINEW_SCALAR_SETS avx2)
endif()
# Its functions have names of their own, which one header gives them.
set(SINEW_SCALAR_FLAGS_avx2 -mavx2 "SHELL:-include simd/avx2_names.h")

# sinew_add_scalar(NAME SOURCES file ...): an object library NAME-SET for each instruction set. Their
# sources define no public function.
function(sinew_add_scalar name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  foreach(scalar_set IN LISTS SINEW_SCALAR_SETS)
    set(target ${name}-${scalar_set})
    add_library(${target} OBJECT ${arg_SOURCES})
    target_include_directories(${target} PRIVATE
      ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    sinew_set_flags(${target})
    target_compile_options(${target} PRIVATE ${SINEW_SCALAR_FLAGS_${scalar_set}}
      # loops over few numbers stay loops, not calls of memset() or memcpy()
      $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
    if(SINEW_BUILD_SHARED)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    endif()
  endforeach()
endfunction()

# In out: the objects of sinew_add_scalar(NAME).
function(sinew_scalar_objects name out)
  list(TRANSFORM SINEW_SCALAR_SETS REPLACE "(.+)" "$<TARGET_OBJECTS:${name}-\\1>" OUTPUT_VARIABLE objects)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
