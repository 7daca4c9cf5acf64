# One interface target carries the standard, the warnings and the sanitizers.
add_library(dunlin_options INTERFACE)
target_include_directories(dunlin_options INTERFACE ${PROJECT_SOURCE_DIR}
  ${PROJECT_BINARY_DIR}/generated)
target_compile_features(dunlin_options INTERFACE cxx_std_20)
target_compile_options(dunlin_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # What a designated initialiser leaves out has its default.
  # Of several files in one unit, none but the last is the main file: g++ takes them for headers.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  # std::stable_sort of libstdc++ 12 uses what it deprecates; {1} is a fine PeerId.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations$<SEMICOLON>-Wno-missing-braces>
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> $<$<BOOL:${DUNLIN_WERROR}>:-Werror>)
target_compile_definitions(dunlin_options INTERFACE DUNLIN_VERSION="${PROJECT_VERSION}")
# What ships names its sources as the repository does, so that it is the same wherever it was built.
# Of two that match, the last one is taken.
target_compile_options(dunlin_options INTERFACE
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_BINARY_DIR}/=>)
if(DUNLIN_SANITIZE)
  # A check of each pointer at each use doubles the time of a build (26 s instead of 13 for the
  # files of sched/worker). The address sanitizer tells the same, but for the alignment.
  target_compile_options(dunlin_options INTERFACE -fsanitize=address,undefined
    -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow
    -fno-sanitize=nonnull-attribute,returns-nonnull-attribute
    -fno-sanitize-recover=all -fno-omit-frame-pointer
    # g++ sees ghosts in instrumented code: in std::regex, for one.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # Aborts at an empty std::optional and beyond the end of a span, which no sanitizer sees.
  target_compile_definitions(dunlin_options INTERFACE _GLIBCXX_ASSERTIONS DUNLIN_SANITIZED)
  target_link_options(dunlin_options INTERFACE -fsanitize=address,undefined)
endif()
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overflows in std::string once it has inlined all of it across files.
  target_link_options(dunlin_options INTERFACE -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Where many files are compiled as one unit, the sources of a room are: of a folder at
# DUNLIN_UNIT_DEPTH, with those below it. What a file costs is mostly the headers that it reads,
# and the files of a room read the same ones: units of rooms take little more than half of the
# time of units of folders. So only files of one room need helpers of different names.
function(dunlin_unit_per_room name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REPLACE "/" ";" steps "${folder}")
    list(SUBLIST steps 0 ${DUNLIN_UNIT_DEPTH} steps)
    list(JOIN steps "_" room)
    string(MAKE_C_IDENTIFIER "${room}" room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()

# A static library of some sources of this folder, for programs that need no more of it. To be
# called before dunlin_library(), which takes the others. They are few: one unit.
function(dunlin_base name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC dunlin_options)
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP base)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY DUNLIN_BASE ${sources})
endfunction()

# A static library of every source in this folder (and the subfolders named), if there is any.
function(dunlin_library name)
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(folder ${ARGN})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
  get_property(base DIRECTORY PROPERTY DUNLIN_BASE)
  list(REMOVE_ITEM sources ${base})
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC dunlin_options)
  dunlin_unit_per_room(${name} ${sources})
endfunction()

# The fuzzer learns from each branch and comparison of this library which inputs are worth keeping.
function(dunlin_fuzzed name)
  if(DUNLIN_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# In a developer's build nobody waits for what this target does, but everybody for its compilation.
function(dunlin_seldom_runs name)
  target_compile_options(${name} PRIVATE
    $<$<CONFIG:RelWithDebInfo>:-O0>)
endfunction()

# Compiles a header that nearly every source of a target includes once. For headers of others only:
# one of ours, or of the standard library by itself, would hide an #include that is missing. Tests
# may have ours: they are built in no other way.
function(dunlin_precompile name)
  # Many files in one unit read a header once anyway.
  if(CMAKE_UNITY_BUILD)
    return()
  endif()
  target_precompile_headers(${name} PRIVATE ${ARGN})
  if(CCACHE)
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
  endif()
endfunction()
