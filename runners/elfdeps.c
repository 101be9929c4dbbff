/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfdeps.c - see elfdeps.h; 64-bit little-endian files only. */
#include "runners/elfdeps.h"
#include "base/base.h"

#include "base/file.h"
#include "base/sbuf.h"
#include <elf.h>
#include <unistd.h>

struct image {
	const char *path;
	const char *p;
	size_t len;
	const Elf64_Phdr *ph;
	size_t n_ph;
};

struct found {
	struct elfdep *v;
	size_t n;
};

static bool inside(const struct image *m, uint64_t at, uint64_t size)
{
	return at <= m->len && size <= m->len - at;
}

static int image_open(struct image *m, struct err *e)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)m->p;

	if (!inside(m, 0, sizeof(*h)) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
		h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ERR_INVALID, "%s is no 64-bit program", m->path);
	m->n_ph = h->e_phnum;
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8 ||
		!inside(m, h->e_phoff, m->n_ph * sizeof(Elf64_Phdr)))
		return err_set(e, ERR_INVALID, "%s has odd program headers", m->path);
	m->ph = (const Elf64_Phdr *)(const void *)(m->p + h->e_phoff);
	return 0;
}

/* A NUL-terminated string inside the file, or NULL. */
static const char *text_at(const struct image *m, uint64_t at)
{
	if (at >= m->len || !memchr(m->p + at, '\0', m->len - at))
		return NULL;
	return m->p + at;
}

/* File offset of a virtual address. */
static uint64_t offset_of(const struct image *m, uint64_t addr)
{
	for (size_t i = 0; i < m->n_ph; i++)
		if (m->ph[i].p_type == PT_LOAD && addr >= m->ph[i].p_vaddr &&
			addr - m->ph[i].p_vaddr < m->ph[i].p_filesz)
			return addr - m->ph[i].p_vaddr + m->ph[i].p_offset;
	return UINT64_MAX;
}

static bool known(const struct found *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		const char *slash = strrchr(f->v[i].guest_path, '/');

		if (!strcmp(slash + 1, name))
			return true;
	}
	return false;
}

static int add(struct arena *a, struct found *f, const char *guest, const char *host,
	struct err *e)
{
	if (f->n == ELFDEPS_MAX)
		return err_set(
			e, ERR_TOO_BIG, "more than %d shared libraries", ELFDEPS_MAX);
	f->v[f->n++] = (struct elfdep){arena_strdup(a, guest), arena_strdup(a, host)};
	return 0;
}

static int add_needed(struct arena *a, struct found *f, const char *name,
	const char *const *dirs, const char *user, struct err *e)
{
	if (!*name || strchr(name, '/'))
		return err_set(e, ERR_INVALID, "%s needs an odd library", user);
	if (known(f, name))
		return 0;
	for (; *dirs; dirs++) {
		const char *host = arena_printf(a, "%s/%s", *dirs, name);

		if (!access(host, R_OK))
			return add(a, f, arena_printf(a, "/lib/%s", name), host, e);
	}
	return err_set(e, ERR_NOT_FOUND, "%s needs %s, which is not here", user, name);
}

static int scan(struct arena *a, const struct image *m, const char *root,
	const char *const *dirs, struct found *f, struct err *e)
{
	for (size_t i = 0; i < m->n_ph; i++) {
		const Elf64_Phdr *ph = &m->ph[i];
		const char *loader =
			ph->p_type == PT_INTERP ? text_at(m, ph->p_offset) : NULL;
		const Elf64_Dyn *dyn;
		uint64_t strtab = UINT64_MAX;
		size_t n;
		int r;

		if (loader && f->n == 0) {
			if (loader[0] != '/')
				return err_set(
					e, ERR_INVALID, "%s has an odd loader", m->path);
			r = add(a, f, loader, arena_printf(a, "%s%s", root, loader), e);
			if (r)
				return r;
		}
		if (ph->p_type != PT_DYNAMIC)
			continue;
		if (ph->p_offset % 8 || !inside(m, ph->p_offset, ph->p_filesz))
			return err_set(
				e, ERR_INVALID, "%s has an odd dynamic table", m->path);
		dyn = (const Elf64_Dyn *)(const void *)(m->p + ph->p_offset);
		n = ph->p_filesz / sizeof(*dyn);
		for (size_t k = 0; k < n && dyn[k].d_tag != DT_NULL; k++)
			if (dyn[k].d_tag == DT_STRTAB)
				strtab = offset_of(m, dyn[k].d_un.d_ptr);
		for (size_t k = 0; k < n && dyn[k].d_tag != DT_NULL; k++) {
			const char *name;

			if (dyn[k].d_tag != DT_NEEDED)
				continue;
			name = strtab < m->len && dyn[k].d_un.d_val < m->len
				       ? text_at(m, strtab + dyn[k].d_un.d_val)
				       : NULL;
			if (!name)
				return err_set(e, ERR_INVALID,
					"%s has an odd string table", m->path);
			r = add_needed(a, f, name, dirs, m->path, e);
			if (r)
				return r;
		}
	}
	return 0;
}

static int scan_file(struct arena *a, const char *path, const char *root,
	const char *const *dirs, struct found *f, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	struct image m = {.path = path};
	int r = file_read(path, ELFDEPS_FILE_MAX, &buf, e);

	if (r)
		return r;
	m.p = buf.buf;
	m.len = buf.len;
	r = image_open(&m, e);
	return r ? r : scan(a, &m, root, dirs, f, e);
}

int elfdeps_find(struct arena *a, const char *path, const char *root,
	const char *const *dirs, struct elfdep **ret, size_t *ret_n, struct err *e)
{
	struct found f = {.v = ARENA_ARRAY(a, struct elfdep, ELFDEPS_MAX)};
	int r = scan_file(a, path, root, dirs, &f, e);

	for (size_t i = 0; !r && i < f.n; i++)
		r = scan_file(a, f.v[i].host_path, root, dirs, &f, e);
	if (r)
		return r;
	*ret = f.v;
	*ret_n = f.n;
	return 0;
}
