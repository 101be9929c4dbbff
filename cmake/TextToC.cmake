# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DIN=file -DOUT=file.c -DNAME=symbol -P TextToC.cmake
# A text file of the tree as "const char symbol[]".
cmake_minimum_required(VERSION 3.25)

file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\t" "\\t" text "${text}")
string(REPLACE "\n" "\\n\"\n\t\"" text "${text}")
file(WRITE ${OUT} "/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made by cmake/TextToC.cmake; do not edit */
extern const char ${NAME}[];
const char ${NAME}[] =
	\"${text}\";
")
