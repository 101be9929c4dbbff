# SPDX-License-Identifier: GPL-2.0-or-later
# wl_library(base DEPS PkgConfig::SODIUM ...)    lib/<name>/*.c -> target wl_<name>
# wl_program(wakelistd DEPS wl_db ...)           all *.c of the folder (SOURCES to override)
# wl_unit_tests(FOLDER DEPS wl_mail ...)         tests/unit/<folder>/test_*.c, one program each
# Folders are globbed, so that a new file edits no list.

function(wl_library name)
	cmake_parse_arguments(A "" "" "DEPS;PRIVATE_DEPS;SOURCES" ${ARGN})
	if(NOT A_SOURCES)
		file(GLOB A_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
	endif()
	if(NOT A_SOURCES)
		return()
	endif()
	add_library(wl_${name} STATIC ${A_SOURCES})
	target_include_directories(wl_${name} PUBLIC ${CMAKE_SOURCE_DIR}/lib)
	target_link_libraries(wl_${name} PUBLIC ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS} wl_warnings)
endfunction()

function(wl_program name)
	cmake_parse_arguments(A "" "" "DEPS;SOURCES" ${ARGN})
	if(NOT A_SOURCES)
		file(GLOB_RECURSE A_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
	endif()
	if(NOT A_SOURCES)
		return()
	endif()
	add_executable(${name} ${A_SOURCES})
	target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/lib ${CMAKE_SOURCE_DIR})
	target_link_libraries(${name} PRIVATE ${A_DEPS} wl_warnings)
	install(TARGETS ${name} RUNTIME)
endfunction()

function(wl_unit_tests folder)
	cmake_parse_arguments(A "" "" "DEPS" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${folder}/test_*.c)
	foreach(source IN LISTS sources)
		get_filename_component(name ${source} NAME_WE)
		string(REPLACE "/" "_" prefix ${folder})
		set(target ${prefix}_${name})
		add_executable(${target} ${source})
		target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/lib ${CMAKE_SOURCE_DIR})
		target_compile_definitions(${target} PRIVATE
			WL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WL_BINARY_DIR="${CMAKE_BINARY_DIR}")
		target_link_libraries(${target} PRIVATE ${A_DEPS} PkgConfig::CMOCKA wl_warnings)
		add_test(NAME ${target} COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${target}>)
		set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 120
			SKIP_RETURN_CODE 77)
	endforeach()
endfunction()

# wl_fuzz_target(mail DEPS wl_mail): tests/fuzz/fuzz_<name>.c; under clang with -DWL_FUZZ=ON a
# libFuzzer program, else a driver that replays tests/fuzz/corpus/<name>/* as an ordinary test.
function(wl_fuzz_target name)
	cmake_parse_arguments(A "" "" "DEPS" ${ARGN})
	set(target fuzz_${name})
	if(WL_FUZZ)
		add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_${name}.c)
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
	else()
		add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_${name}.c
			${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c)
		add_test(NAME ${target} COMMAND ${target} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
		set_tests_properties(${target} PROPERTIES LABELS fuzz TIMEOUT 120 SKIP_RETURN_CODE 77)
	endif()
	target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/lib ${CMAKE_SOURCE_DIR})
	target_link_libraries(${target} PRIVATE ${A_DEPS} wl_warnings)
endfunction()
