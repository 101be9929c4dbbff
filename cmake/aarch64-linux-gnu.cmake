# SPDX-License-Identifier: GPL-2.0-or-later
# Cross build for arm64 with Debian's cross compiler. The libraries are Debian's arm64
# packages, unpacked by scripts/lib/arm64-root and not installed: several of the development
# packages (libevent, libgit2, r-mathlib) refuse to be installed for two architectures at once.
# What is built runs under qemu-user, in tests too.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(wl_arm64_top ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(WL_ARM64_ROOT ${wl_arm64_top}/build/arm64-root CACHE PATH "unpacked arm64 packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WL_ARM64_ROOT)
set(CMAKE_SYSROOT ${WL_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH ${WL_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${WL_ARM64_ROOT})
set(wl_arm64_pc ${WL_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
list(APPEND wl_arm64_pc ${WL_ARM64_ROOT}/usr/lib/pkgconfig ${WL_ARM64_ROOT}/usr/share/pkgconfig)
list(JOIN wl_arm64_pc ":" wl_arm64_pc)
set(ENV{PKG_CONFIG_LIBDIR} ${wl_arm64_pc})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${WL_ARM64_ROOT})
