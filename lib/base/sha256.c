/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

_Static_assert(SHA256_BYTES == crypto_hash_sha256_BYTES, "size of a SHA-256");

void sha256_hex(const void *p, size_t len, char ret_hex[SHA256_HEX])
{
	unsigned char sum[SHA256_BYTES];

	crypto_hash_sha256(sum, len ? p : "", len);
	sodium_bin2hex(ret_hex, SHA256_HEX, sum, sizeof(sum));
}

uint64_t sha256_number(const void *p, size_t len)
{
	unsigned char sum[SHA256_BYTES];
	uint64_t n = 0;

	crypto_hash_sha256(sum, len ? p : "", len);
	for (size_t i = 0; i < sizeof(n); i++)
		n = n << 8 | sum[i];
	return n;
}

int sha256_file_hex(
	const char *path, char ret_hex[SHA256_HEX], int64_t *ret_bytes, struct err *e)
{
	CLEANUP(base_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(base_freep) unsigned char *buf = NULL;
	const size_t size = (size_t)1 << 18;
	crypto_hash_sha256_state state;
	unsigned char sum[SHA256_BYTES];
	int64_t total = 0;
	ssize_t n;

	if (fd < 0)
		return err_set_errno(e, errno, "%s", path);
	buf = base_alloc(size);
	crypto_hash_sha256_init(&state);
	while ((n = read(fd, buf, size)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "reading %s", path);
		crypto_hash_sha256_update(&state, buf, (unsigned long long)n);
		total += n;
	}
	crypto_hash_sha256_final(&state, sum);
	sodium_bin2hex(ret_hex, SHA256_HEX, sum, sizeof(sum));
	if (ret_bytes)
		*ret_bytes = total;
	return 0;
}

bool sha256_is_hex(const char *s)
{
	size_t n = 0;

	if (!s)
		return false;
	while ((s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'f'))
		n++;
	return n == SHA256_HEX - 1 && s[n] == '\0';
}
