# Compiler flags and the two functions that make targets.

# For every target of the project: strict C17, all warnings, no fused multiply-add unless written.
function(sinew_set_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Wundef
    -Wwrite-strings -Wpointer-arith -Wformat=2 -Wno-format-nonliteral
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wold-style-definition>
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation> # a message that is too long may be truncated
    # vectors are passed to functions that are always inline: their ABI does not matter
    $<$<COMPILE_LANGUAGE:C>:-Wno-psabi>
    -ffp-contract=off)
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${SINEW_ASSERTIONS}>:SINEW_ASSERTIONS>
    $<$<BOOL:${SINEW_SMALL}>:SINEW_SMALL>)
  if(SINEW_SANITIZE)
    target_compile_definitions(${target} PRIVATE SINEW_SANITIZED)
    target_compile_options(${target} PRIVATE
      -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${SINEW_SANITIZE})
  endif()
endfunction()

# sinew_add_library(NAME SOURCES file ... [OBJECTS object ...] [LIBS library ...]
# [PUBLIC_LIBS library ...]): NAME (shared) and NAME-static, both from one compilation. OBJECTS are
# compiled elsewhere. PUBLIC_LIBS are libraries of ours, and part of what a user links. The aliases
# sinew::NAME and sinew::NAME-static are what an installed package offers too; without shared libraries sinew::NAME is the static one.
function(sinew_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;OBJECTS;LIBS;PUBLIC_LIBS" ${ARGN})

  add_library(${name}-objects OBJECT ${arg_SOURCES})
  if(SINEW_BUILD_SHARED)
    set_target_properties(${name}-objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # Calls inside the library are never redirected from outside, so they may be inlined.
    target_compile_options(${name}-objects PRIVATE -fno-semantic-interposition)
  endif()
  target_include_directories(${name}-objects
    PUBLIC ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name}-objects PRIVATE ${arg_LIBS}) # for their headers
  sinew_set_flags(${name}-objects)

  add_library(${name}-static STATIC $<TARGET_OBJECTS:${name}-objects> ${arg_OBJECTS})
  set(targets ${name}-static)
  if(SINEW_BUILD_SHARED)
    add_library(${name} SHARED $<TARGET_OBJECTS:${name}-objects> ${arg_OBJECTS})
    # Until 1.0 a minor version may change the binary interface.
    set_target_properties(${name} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_link_options(${name} PRIVATE LINKER:--no-undefined,--as-needed)
    list(APPEND targets ${name})
  endif()

  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} EXPORT_NAME ${target} LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE ${arg_LIBS})
    foreach(lib IN LISTS arg_PUBLIC_LIBS)
      if(target STREQUAL "${name}-static")
        target_link_libraries(${target} PUBLIC ${lib}-static)
      else()
        target_link_libraries(${target} PUBLIC ${lib})
      endif()
    endforeach()
    if(SINEW_SANITIZE) # what links the library needs the runtime as well
      target_link_options(${target} PUBLIC -fsanitize=${SINEW_SANITIZE})
    endif()
    add_library(sinew::${target} ALIAS ${target})
  endforeach()
  if(NOT SINEW_BUILD_SHARED)
    add_library(sinew::${name} ALIAS ${name}-static)
  endif()
endfunction()
