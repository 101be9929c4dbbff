/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accel.c - see accel.h. The guests are a boot sector and a bare arm64 program, which
 * write "WLOK" to the serial port and switch off. */
#include "runners/accel.h"
#include "base/base.h"

#include "base/file.h"
#include "base/jx.h"
#include <sys/utsname.h>
#include <unistd.h>

/* cli; si = text; loop: lodsb, out 0x3f8; then out 0xf4 (isa-debug-exit: status 33) */
static const unsigned char x86_code[] = {0xfa, 0xfc, 0x31, 0xc0, 0x8e, 0xd8, 0xbe, 0x1d,
	0x7c, 0xba, 0xf8, 0x03, 0xac, 0x84, 0xc0, 0x74, 0x03, 0xee, 0xeb, 0xf8, 0xb0,
	0x10, 0xba, 0xf4, 0x00, 0xee, 0xf4, 0xeb, 0xfd, 'W', 'L', 'O', 'K', 0};

/* strb to the PL011 at 0x09000000; PSCI SYSTEM_OFF by hvc; wfi */
static const unsigned char arm_code[] = {0x01, 0x20, 0xa1, 0xd2, 0xe0, 0x0a, 0x80, 0x52,
	0x20, 0x00, 0x00, 0x39, 0x80, 0x09, 0x80, 0x52, 0x20, 0x00, 0x00, 0x39, 0xe0,
	0x09, 0x80, 0x52, 0x20, 0x00, 0x00, 0x39, 0x60, 0x09, 0x80, 0x52, 0x20, 0x00,
	0x00, 0x39, 0x00, 0x01, 0x80, 0x52, 0x00, 0x80, 0xb0, 0x72, 0x02, 0x00, 0x00,
	0xd4, 0x7f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17};

static const char *qemu_version(struct arena *a, const char *program)
{
	const char *const argv[] = {program, "--version", NULL};
	struct proc_spec ps = {.argv = argv, .deadline_ms = 10000, .out_cap_bytes = 4096};
	static const char mark[] = "version ";
	const char *ret = NULL, *at;
	struct proc_result pr;
	struct err e;

	proc_result_init(&pr);
	if (!proc_run(&ps, &pr, &e) && pr.exit_status == 0) {
		at = strstr(pr.out.buf, mark);
		if (at) {
			at += sizeof(mark) - 1;
			ret = arena_strndup(a, at, strcspn(at, " \n("));
		}
	}
	proc_result_release(&pr);
	return ret;
}

bool accel_guest_speaks(struct arena *a, const struct sandbox *s, const char *arch,
	const char *name, const char *dir, const char **ret_why)
{
	const char *program = arena_printf(a, "qemu-system-%s", arch);
	const char *cpu = !strcmp(name, "kvm") ? "host" : "max";
	const char *gic = !strcmp(name, "kvm") ? "virt,gic-version=host" : "virt";
	bool arm = !strcmp(arch, "aarch64");
	const char *sub = arena_printf(a, "%s/accel", dir);
	const char *img = arena_printf(a, "%s/%s.img", sub, arch);
	const char *drive = arena_printf(a, "file=%s,format=raw,if=ide", img);
	const char *const x86[] = {program, "-accel", name, "-cpu", cpu, "-M", "pc", "-m",
		"32", "-nodefaults", "-display", "none", "-serial", "stdio", "-device",
		"isa-debug-exit,iobase=0xf4,iosize=4", "-drive", drive, NULL};
	const char *const arm64[] = {program, "-accel", name, "-cpu", cpu, "-M", gic,
		"-m", "64", "-nodefaults", "-display", "none", "-serial", "stdio",
		"-kernel", img, NULL};
	struct sandbox_spec spec = {.argv = arm ? arm64 : x86,
		.cwd = sub,
		.mounts = {{sub, true}},
		.kvm = true,
		.n_procs_max = 4096};
	unsigned char sector[512] = {0};
	struct proc_result pr;
	struct proc_spec ps;
	struct err e = {0};
	char text[128];
	bool ok = false;

	proc_result_init(&pr);
	memcpy(sector, x86_code, sizeof(x86_code));
	sector[510] = 0x55;
	sector[511] = 0xaa;
	if (sandbox_own_dir(s, sub, &e) ||
		file_write_atomic(img, arm ? arm_code : sector,
			arm ? sizeof(arm_code) : sizeof(sector), 0666, &e) ||
		sandbox_command(a, s, &spec, &ps, &e)) {
		*ret_why = arena_strdup(a, e.msg);
		return false;
	}
	ps.deadline_ms = ACCEL_PROBE_MS;
	ps.out_cap_bytes = 4096;
	if (proc_run(&ps, &pr, &e))
		*ret_why = arena_strdup(a, e.msg);
	else if (strstr(pr.out.buf, "WLOK") && !pr.timed_out)
		ok = true;
	else
		*ret_why = arena_printf(a, "a tiny guest did not run with %s (%s)", name,
			proc_result_text(&pr, text, sizeof(text)));
	proc_result_release(&pr);
	return ok;
}

static const char *boot_id(struct arena *a)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	struct err e;

	if (file_read("/proc/sys/kernel/random/boot_id", 4096, &buf, &e))
		return "unknown";
	return arena_strndup(a, buf.buf, strcspn(buf.buf, "\n"));
}

static bool kept(struct arena *a, const char *path, const char *id, struct accel *ret)
{
	json_auto_t *j = NULL;
	const char *name, *why, *qemu, *boot;
	struct err e;

	if (jx_load_file(path, 65536, &j, &e) ||
		jx_unpack(j, &e, "accel", "{s:s, s:s, s:s, s:s !}", "accel", &name, "why",
			&why, "qemu", &qemu, "boot", &boot))
		return false;
	if (strcmp(boot, id) || strcmp(qemu, ret->qemu) ||
		(strcmp(name, "kvm") && strcmp(name, "tcg")))
		return false;
	ret->name = arena_strdup(a, name);
	ret->why = arena_strdup(a, why);
	return true;
}

void accel_probe(struct arena *a, const struct sandbox *s, const char *arch,
	const char *dir, struct accel *ret)
{
	const char *path = arena_printf(a, "%s/accel-%s.json", dir, arch);
	const char *id = boot_id(a), *why = NULL;
	struct utsname u;
	CLEANUP(base_freep) char *text = NULL;
	json_auto_t *j = NULL;
	struct err e;

	*ret = (struct accel){
		.name = "tcg", .program = arena_printf(a, "qemu-system-%s", arch)};
	ret->qemu = qemu_version(a, ret->program);
	if (!ret->qemu) {
		ret->why = arena_printf(a, "%s is not installed", ret->program);
		return;
	}
	if (uname(&u) || strcmp(u.machine, arch)) {
		ret->why = "the guest has another architecture";
		return;
	}
	if (access("/dev/kvm", F_OK)) {
		ret->why = "this machine has no /dev/kvm";
		return;
	}
	if (kept(a, path, id, ret))
		return;
	if (accel_guest_speaks(a, s, arch, "kvm", dir, &why)) {
		ret->name = "kvm";
		ret->why = "a tiny guest ran with KVM";
	} else {
		ret->why = why;
	}
	j = jx_pack("{s:s, s:s, s:s, s:s}", "accel", ret->name, "why", ret->why, "qemu",
		ret->qemu, "boot", id);
	text = jx_dump(j);
	/* Not kept: probed again next time. */
	if (file_write_atomic(path, text, strlen(text), 0644, &e))
		return;
}
