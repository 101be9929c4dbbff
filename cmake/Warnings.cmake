# SPDX-License-Identifier: GPL-2.0-or-later
# Interface targets: wl_warnings (all code), wl_exact_warnings (stats, wakeup).
option(WL_WERROR "warnings are errors" OFF)
option(WL_SANITIZE "address and undefined-behaviour sanitizers" OFF)
option(WL_FUZZ "build fuzz targets with libFuzzer (clang)" OFF)
option(WL_RUNNER_ONLY "build only what a test machine needs" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(wl_warnings INTERFACE)
target_compile_definitions(wl_warnings INTERFACE _GNU_SOURCE WL_VERSION="${PROJECT_VERSION}")
target_compile_options(wl_warnings INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -fno-common -Wno-format-zero-length
	$<$<BOOL:${WL_WERROR}>:-Werror>)
if(WL_SANITIZE)
	add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
		-fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
endif()
if(WL_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(wl_exact_warnings INTERFACE)
# clang takes NAN and INFINITY for floats and warns at each use.
target_compile_options(wl_exact_warnings INTERFACE -Wconversion -ffp-contract=off
	$<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>)
