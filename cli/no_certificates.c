// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_certificates.c - libgit2 with mbed TLS reads the machine's certificates whenever it
 * starts: 5 ms, a third of an apply, for connections that this program never lets it
 * make (curl speaks to the server, the worker fetches). The dynamic linker gives it these
 * functions in place of the library's: it finds no certificate, and would trust nobody.
 */
#include "base/base.h"

int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return -1;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return -1;
}
