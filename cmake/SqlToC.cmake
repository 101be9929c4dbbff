# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DSQL_DIR=... -DOUT_DIR=... -P SqlToC.cmake
# sql/queries/<entity>/<verb>.sql -> sql_queries.[ch]; migrations, bootstrap.sql and roles.sql
# -> sql_migrations.c. Stops the build when a header does not fit its path or its text.
cmake_minimum_required(VERSION 3.25)

set(banner "/* made by cmake/SqlToC.cmake; do not edit */\n")

# The C string literal of a file's bytes, one line each.
function(quote ret text)
	string(REPLACE "\\" "\\\\" text "${text}")
	string(REPLACE "\"" "\\\"" text "${text}")
	string(REPLACE "\t" "\\t" text "${text}")
	string(REPLACE "\n" "\\n\"\n\t\"" text "${text}")
	set(${ret} "\"${text}\"" PARENT_SCOPE)
endfunction()

# Value of "-- key: value" in the header; stops when it is absent or there twice.
function(header ret path text key)
	string(REGEX MATCHALL "(^|\n)-- ${key}: [^\n]*" lines "${text}")
	list(LENGTH lines n)
	if(NOT n EQUAL 1)
		message(FATAL_ERROR "${path}: ${n} lines \"-- ${key}: ...\", one is due")
	endif()
	string(REGEX REPLACE "^\n?-- ${key}: *" "" value "${lines}")
	string(STRIP "${value}" value)
	set(${ret} "${value}" PARENT_SCOPE)
endfunction()

# Lists of CMake split at ';' and join over brackets; both are hidden while we look.
function(read_sql ret path)
	file(READ ${path} text)
	string(REPLACE ";" "@SEMI@" text "${text}")
	string(REPLACE "[" "@OPEN@" text "${text}")
	string(REPLACE "]" "@CLOSE@" text "${text}")
	set(${ret} "${text}" PARENT_SCOPE)
endfunction()
function(unhide ret text)
	string(REPLACE "@SEMI@" ";" text "${text}")
	string(REPLACE "@OPEN@" "[" text "${text}")
	string(REPLACE "@CLOSE@" "]" text "${text}")
	set(${ret} "${text}" PARENT_SCOPE)
endfunction()

file(GLOB files RELATIVE ${SQL_DIR}/queries ${SQL_DIR}/queries/*/*.sql)
list(SORT files)
set(decls "")
set(defs "")
set(table "")
set(index 0)
foreach(file IN LISTS files)
	set(path "sql/queries/${file}")
	read_sql(text ${SQL_DIR}/queries/${file})
	if(NOT text MATCHES "^-- SPDX-License-Identifier: GPL-2.0-or-later\n")
		message(FATAL_ERROR "${path}: the first line is not the SPDX line")
	endif()
	string(REGEX REPLACE "\\.sql$" "" due "${file}")
	string(REPLACE "/" "_" due "${due}")
	header(name ${path} "${text}" name)
	header(params ${path} "${text}" params)
	header(result ${path} "${text}" result)
	header(rows ${path} "${text}" rows)
	if(NOT name STREQUAL due)
		message(FATAL_ERROR "${path}: \"-- name: ${name}\", but the path says ${due}")
	endif()
	if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
		message(FATAL_ERROR "${path}: a name has a-z, 0-9 and _ only")
	endif()

	# The statement: what follows the comment lines at the top.
	string(REGEX REPLACE "^((--[^\n]*)?\n)+" "" body "${text}")
	string(STRIP "${body}" body)
	string(REGEX REPLACE "@SEMI@$" "" body "${body}")
	if(body MATCHES "@SEMI@")
		message(FATAL_ERROR "${path}: more than one statement")
	endif()

	if(params STREQUAL "none")
		set(n_params 0)
	else()
		string(REGEX MATCHALL "," commas "${params}")
		list(LENGTH commas n_params)
		math(EXPR n_params "${n_params} + 1")
	endif()
	string(REGEX MATCHALL "\\$[0-9]+" used "${body}")
	list(REMOVE_DUPLICATES used)
	list(LENGTH used n_used)
	if(NOT n_used EQUAL n_params)
		message(FATAL_ERROR
			"${path}: the header names ${n_params} parameters, the text uses ${n_used}")
	endif()
	set(n 0)
	while(n LESS n_params)
		math(EXPR n "${n} + 1")
		if(NOT "$${n}" IN_LIST used)
			message(FATAL_ERROR "${path}: $${n} is not used")
		endif()
	endwhile()

	if(rows STREQUAL "0")
		set(bounds "0, .rows_max = 0")
	elseif(rows STREQUAL "1")
		set(bounds "1, .rows_max = 1")
	elseif(rows STREQUAL "0..1")
		set(bounds "0, .rows_max = 1")
	elseif(rows STREQUAL "0..n")
		set(bounds "0, .rows_max = -1")
	elseif(rows STREQUAL "1..n")
		set(bounds "1, .rows_max = -1")
	else()
		message(FATAL_ERROR "${path}: \"-- rows: ${rows}\": 0, 1, 0..1, 0..n or 1..n")
	endif()
	if((result STREQUAL "none" AND NOT rows STREQUAL "0") OR
		(rows STREQUAL "0" AND NOT result STREQUAL "none"))
		message(FATAL_ERROR "${path}: \"result: none\" and \"rows: 0\" go together")
	endif()

	unhide(body "${body}")
	unhide(params "${params}")
	unhide(result "${result}")
	quote(body "${body}")
	quote(params "${params}")
	quote(result "${result}")
	string(APPEND decls "extern const struct sql_query sql_${name};\n")
	string(APPEND defs "const struct sql_query sql_${name} = {\n\t.name = \"${name}\",\n"
		"\t.text = ${body},\n\t.params = ${params},\n\t.result = ${result},\n"
		"\t.index = ${index}, .n_params = ${n_params}, .rows_min = ${bounds},\n};\n")
	string(APPEND table "\t&sql_${name},\n")
	math(EXPR index "${index} + 1")
endforeach()

set(spdx "/* SPDX-License-Identifier: GPL-2.0-or-later */\n")
# configure_file would expand @...@; file(GENERATE) is not for scripts: write when changed.
function(write_changed path text)
	set(old "")
	if(EXISTS ${path})
		file(READ ${path} old)
	endif()
	if(NOT old STREQUAL text)
		file(WRITE ${path} "${text}")
	endif()
	file(TOUCH ${path}.stamp)
endfunction()

write_changed(${OUT_DIR}/sql_queries.h
"${spdx}${banner}#ifndef WL_SQL_QUERIES_H
#define WL_SQL_QUERIES_H

#include \"db/sql.h\"

${decls}
#endif
")
write_changed(${OUT_DIR}/sql_queries.c
"${spdx}${banner}#include \"sql_queries.h\"

${defs}
const struct sql_query *const sql_queries[] = {
${table}\tNULL,
};
const int sql_n_queries = ${index};
")

file(GLOB files RELATIVE ${SQL_DIR}/migrations ${SQL_DIR}/migrations/*.sql)
list(SORT files)
set(rows "")
set(version 0)
foreach(file IN LISTS files)
	math(EXPR version "${version} + 1")
	if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)\\.sql$")
		message(FATAL_ERROR "sql/migrations/${file}: not NNNN_what.sql")
	endif()
	set(number ${CMAKE_MATCH_1})
	set(name ${CMAKE_MATCH_2})
	math(EXPR due "10000 + ${version}")
	if(NOT "1${number}" STREQUAL "${due}")
		message(FATAL_ERROR
			"sql/migrations/${file}: number ${version} is due (twice or a gap)")
	endif()
	file(SHA256 ${SQL_DIR}/migrations/${file} sum)
	read_sql(text ${SQL_DIR}/migrations/${file})
	unhide(text "${text}")
	quote(text "${text}")
	string(APPEND rows "\t{.version = ${version}, .name = \"${name}\",\n"
		"\t\t.sha256 = \"${sum}\",\n\t\t.text = ${text}},\n")
endforeach()
foreach(part bootstrap roles)
	read_sql(text ${SQL_DIR}/${part}.sql)
	unhide(text "${text}")
	quote(${part} "${text}")
endforeach()
write_changed(${OUT_DIR}/sql_migrations.c
"${spdx}${banner}#include \"db/sql.h\"

const struct sql_migration sql_migrations[] = {
${rows}};
const int sql_n_migrations = ${version};
const char sql_bootstrap[] =
\t${bootstrap};
const char sql_roles[] =
\t${roles};
")
