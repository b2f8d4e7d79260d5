/* SPDX-License-Identifier: MIT */
/*
 * Commands that cannot be run, each with its reason and the status that a shell gives; and the
 * search through PATH.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elfmake.h"
#include "image.h"

static char dir[] = "/tmp/resolve-XXXXXX", here[PATH_MAX];

static int try(const char *name, const char *path, struct tp_image *image, struct tp_error *err)
{
	const char *argv[] = { name, "argument", NULL };
	struct tp_resolve_spec spec = {
		.argv = argv, .path = path, .cwd_fd = AT_FDCWD, .root_fd = -1,
	};

	return tp_image_open(&spec, image, err);
}

static void expect_path(const char *name, const char *path, int status, int error,
	const char *words)
{
	struct tp_image image;
	struct tp_error err = { 0 };
	int ret = try(name, path, &image, &err);

	if (ret == 0)
		fail_msg("%s is accepted", name);
	if (ret != -error || err.status != status || err.err != ret || !strstr(err.text, words))
		fail_msg("%s: %d, status %d: \"%s\" instead of %d, status %d, \"%s\"", name, ret,
			err.status, err.text, -error, status, words);
	assert_null(strchr(err.text, '\n'));
}

static void expect(const char *name, int status, int error, const char *words)
{
	expect_path(name, NULL, status, error, words);
}

static void expect_found(const char *name, const char *path, const char *execfn)
{
	struct tp_image image;
	struct tp_error err;

	if (try(name, path, &image, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(image.exe.execfn, execfn);
	assert_string_equal(image.exe.argv[0], name);
	assert_string_equal(image.exe.argv[1], "argument");
	assert_int_equal(image.exe.argc, 2);
	assert_true(fcntl(image.exe.fd, F_GETFD) & FD_CLOEXEC);
	tp_image_fini(&image);
}

static void make_file(const char *name, mode_t mode)
{
	struct elfmake make;

	elfmake_init(&make, ET_DYN);
	assert_int_equal(elfmake_write(&make, name), 0);
	assert_int_equal(chmod(name, mode), 0);
}

static void make_text(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void missing(void **state)
{
	(void)state;
	expect("./missing", 127, ENOENT, "./missing: cannot be run: no such file");
	expect("/no/such/dir/prog", 127, ENOENT, "no such file");
	make_file("plain", 0755);
	expect("plain/prog", 126, ENOTDIR, "not a directory");
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	expect("./dangling", 127, ENOENT, "no such file");
	assert_int_equal(symlink("loop", "loop"), 0);
	expect("./loop", 126, ELOOP, "too many levels of symbolic links");
}

static void nameless(void **state)
{
	struct tp_resolve_spec spec = { .cwd_fd = AT_FDCWD, .root_fd = -1 };
	struct tp_target t = TP_TARGET_INIT;
	struct tp_error err;

	(void)state;
	expect("", 127, ENOENT, "'': cannot be run: the command's name is empty");
	assert_int_equal(tp_resolve(&spec, &t, &err), -ENOENT);
}

static void not_a_regular_file(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "sock" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	expect("/", 126, EACCES, "it is a directory");
	expect("./", 126, EACCES, "it is a directory");
	expect("/dev/null", 126, EACCES, "it is a device");
	assert_int_equal(mkfifo("fifo", 0755), 0);
	alarm(10); /* it must not wait for a writer */
	expect("./fifo", 126, EACCES, "it is a FIFO");
	alarm(0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	expect("./sock", 126, EACCES, "it is a socket");
	close(fd);
}

static void no_execute_permission(void **state)
{
	(void)state;
	make_file("nox", 0644);
	expect("./nox", 126, EACCES, "no execute permission (chmod +x");
}

static void not_a_program(void **state)
{
	(void)state;
	make_text("empty", "");
	expect("./empty", 126, ENOEXEC, "the file is empty");
	make_text("text", "echo hello\n");
	expect("./text", 126, ENOEXEC, "not an ELF executable and has no #! line");
	make_text("junk", "twenty bytes of junk");
	expect("./junk", 126, ENOEXEC, "not an ELF executable");
	make_text("head", "\177ELF\2\1\1");
	expect("./head", 126, ENOEXEC, "ends inside its ELF header");
}

static void privileged(void **state)
{
	struct vfs_cap_data cap = { .magic_etc = VFS_CAP_REVISION_2 };

	(void)state;
	make_file("suid", 04755);
	expect("./suid", 126, EPERM, "it is setuid");
	make_file("sgid", 02755);
	expect("./sgid", 126, EPERM, "it is setgid");
	make_file("locking", 02745); /* not setgid: nobody of the group may execute it */
	expect_found("./locking", NULL, "./locking");
	make_file("caps", 0755);
	cap.data[0].permitted = 1 << CAP_NET_RAW;
	if (setxattr("caps", "security.capability", &cap, XATTR_CAPS_SZ_2, 0) < 0)
		print_message("file capabilities cannot be set here: not tried\n");
	else
		expect("./caps", 126, EPERM, "file capabilities");
}

/* The kernel ignores the bits of a script; those of its interpreter count. */
static void privileged_script(void **state)
{
	struct tp_image image;

	(void)state;
	make_text("suid-script", "#!/bin/sh\n");
	assert_int_equal(chmod("suid-script", 06755), 0);
	assert_int_equal(try("./suid-script", NULL, &image, NULL), 0);
	tp_image_fini(&image);
	make_file("suid", 04755);
	make_text("script-of-suid", "#!suid\n");
	expect("./script-of-suid", 126, EPERM, "its interpreter suid: it is setuid");
}

static void long_paths(void **state)
{
	static char name[PATH_MAX + 10];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[0] = '/';
	expect(name, 126, ENAMETOOLONG, "the path is too long");
	memset(name, '/', PATH_MAX - 5);
	strcpy(name + PATH_MAX - 5, "nox");
	expect(name, 127, ENOENT, "no such file");
	memset(name, 'n', sizeof(name) - 1);
	expect_path(name, "/bin", 127, ENOENT, "no such command in PATH");
}

static void interpreter(void **state)
{
	static const struct {
		const char *interp;
		int status, error;
		const char *words;
	} table[] = {
		{ "/no/such/ld.so", 127, ENOENT, "its ELF interpreter /no/such/ld.so: no such file" },
		{ "/tmp", 126, EACCES, "its ELF interpreter /tmp: it is a directory" },
		{ "/dev/null", 126, EACCES, "its ELF interpreter /dev/null: it is a device" },
		{ "nox", 126, EACCES, "its ELF interpreter nox: it has no execute permission" },
		{ "text", 126, ENOEXEC, "its ELF interpreter text: cannot be run: it is not an ELF" },
		{ "interp", 126, ENOEXEC, "its ELF interpreter interp: cannot be run: as an "
			"interpreter, it needs one itself" },
	};
	struct elfmake make;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		elfmake_init(&make, ET_DYN);
		elfmake_add_data(&make, PT_INTERP, table[i].interp, strlen(table[i].interp) + 1);
		assert_int_equal(elfmake_write(&make, "interp"), 0);
		expect("./interp", table[i].status, table[i].error, table[i].words);
	}
}

static void working_directory_vanished(void **state)
{
	(void)state;
	assert_int_equal(mkdir("gone", 0755), 0);
	assert_int_equal(chdir("gone"), 0);
	assert_int_equal(rmdir("../gone"), 0);
	expect("./prog", 127, ENOENT, "the working directory has been removed");
	expect_found("/bin/true", NULL, "/bin/true");
	assert_int_equal(chdir(dir), 0);
}

static void given_working_directory(void **state)
{
	const char *argv[] = { "sub/prog", NULL };
	struct tp_resolve_spec spec = { .argv = argv, .root_fd = -1 };
	struct tp_target t;
	char want[64];

	(void)state;
	mkdir("sub", 0755);
	make_file("sub/prog", 0755);
	spec.cwd_fd = open(dir, O_PATH | O_CLOEXEC);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(tp_resolve(&spec, &t, NULL), 0);
	assert_int_equal(chdir(dir), 0);
	snprintf(want, sizeof(want), "%s/sub/prog", dir);
	assert_string_equal(t.realpath, want);
	assert_string_equal(t.execfn, "sub/prog");
	assert_string_equal(t.comm, "prog");
	tp_target_fini(&t);
	tp_target_fini(&t);
	close(spec.cwd_fd);
}

static void symbolic_links(void **state)
{
	struct tp_image image;
	char want[64];

	(void)state;
	make_file("multi", 0755);
	assert_int_equal(symlink("multi", "other-name"), 0);
	assert_int_equal(try("./other-name", NULL, &image, NULL), 0);
	snprintf(want, sizeof(want), "%s/multi", dir);
	assert_string_equal(image.exe.realpath, want);
	assert_string_equal(image.exe.argv[0], "./other-name");
	assert_string_equal(image.exe.comm, "other-name");
	tp_image_fini(&image);
}

static void search(void **state)
{
	(void)state;
	mkdir("a", 0755), mkdir("b", 0755), mkdir("a/sub-dir", 0755);
	make_file("a/only-nox", 0644), make_file("a/nox-then-x", 0644);
	make_file("b/nox-then-x", 0755), make_file("b/in-b", 0755), make_file("in-cwd", 0755);
	make_text("b/text", "echo\n"), make_text("b/suid", ""), make_file("b/suid", 04755);
	expect_found("in-b", "a:b", "b/in-b");
	expect_found("in-b", "/no/such:plain:b", "b/in-b");
	expect_found("nox-then-x", "a:b", "b/nox-then-x");
	expect_path("only-nox", "a:b", 126, EACCES, "no execute permission");
	expect_path("sub-dir", "a:b", 127, ENOENT, "no such command in PATH");
	expect_path("nowhere", "a:b", 127, ENOENT, "no such command in PATH (check the spelling");
	expect_path("text", "a:b", 126, ENOEXEC, "no #! line");
	expect_path("suid", "a:b", 126, EPERM, "it is setuid");
	expect_found("in-cwd", "a::b", "./in-cwd");
	expect_found("in-cwd", ":a", "./in-cwd");
	expect_found("in-cwd", "a:", "./in-cwd");
	expect_found("in-cwd", "", "./in-cwd");
	expect_path("in-cwd", "a:b", 127, ENOENT, "no such command");
	expect_found("true", NULL, "/bin/true");
	expect_path("in-cwd", NULL, 127, ENOENT, "no such command");
}

/* Each status of ours against what bash makes of the same command. */
static void statuses_are_the_shell_s(void **state)
{
	static const char *const command[] = {
		"./missing", "plain/prog", "./loop", "/", "/dev/null", "./nox", "only-nox",
		"sub-dir", "nowhere", "./interp-missing", "./bad-script",
	};
	struct elfmake make;
	struct tp_image image;
	struct tp_error err;
	char line[128];
	int status;

	(void)state;
	elfmake_init(&make, ET_DYN);
	elfmake_add_data(&make, PT_INTERP, "/no/such", 9);
	elfmake_write(&make, "interp-missing");
	make_text("bad-script", "#!/no/such\n");
	for (size_t i = 0; i < sizeof(command) / sizeof(command[0]); i++) {
		snprintf(line, sizeof(line), "bash -c 'PATH=a:b; %s' 2>/dev/null", command[i]);
		status = system(line);
		if (try(command[i], "a:b", &image, &err) == 0)
			fail_msg("%s is accepted", command[i]);
		if (WEXITSTATUS(status) != err.status)
			fail_msg("%s: the shell gives %d, we %d", command[i], WEXITSTATUS(status),
				err.status);
	}
}

/* ---- what only root can set up, or only others can see; each in a process of its own ---- */

static void in_child(int (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int says(const char *name, const char *path, const char *words)
{
	struct tp_error err = { 0 };
	struct tp_image image;

	if (try(name, path, &image, &err) == -EACCES && strstr(err.text, words))
		return 0;
	fprintf(stderr, "\"%s\" does not say \"%s\"\n", err.text, words);
	return 1;
}

static int body_noexec(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
			|| mkdir("mnt", 0755) < 0 || mount("none", "mnt", "tmpfs", MS_NOEXEC, "") < 0)
		return 77;
	make_file("mnt/prog", 0755);
	return says("mnt/prog", NULL, "mounted noexec");
}

static int body_other_user(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0
			|| setresuid(65534, 65534, 65534) < 0))
		return 77;
	return says("./unreadable", NULL, "executed but not read")
		| says("./private", NULL, "no permission to execute it")
		| says("closed/prog", NULL, "permission denied");
}

static void noexec_mount(void **state)
{
	(void)state;
	in_child(body_noexec);
}

static void another_user_s_files(void **state)
{
	(void)state;
	mkdir("closed", 0700);
	make_file("closed/prog", 0755);
	make_file("private", 0744);
	make_file("unreadable", 0711);
	if (geteuid() != 0) {
		chmod("closed", 0);
		chmod("private", 0411);
		chmod("unreadable", 0100);
	}
	in_child(body_other_user);
	chmod("closed", 0700);
}

static int body_no_descriptors(void)
{
	struct tp_error err = { 0 };
	struct tp_image image;
	int fd;

	while ((fd = open("/", O_PATH | O_CLOEXEC)) >= 0)
		;
	if (try("/bin/true", NULL, &image, &err) == -EMFILE && err.status == TP_STATUS_OWN
			&& strstr(err.text, "too many open files"))
		return 0;
	return 1;
}

static void out_of_descriptors(void **state)
{
	(void)state;
	in_child(body_no_descriptors);
}

static unsigned count_fds(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void nothing_stays_open(void **state)
{
	unsigned before = count_fds();

	(void)state;
	not_a_program(state);
	interpreter(state);
	privileged(state);
	assert_int_equal(count_fds(), before);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || !getcwd(here, sizeof(here)) || chmod(dir, 0755) < 0)
		return -1;
	umask(022);
	return chdir(dir);
}

static int clean(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir(here) || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing),
		cmocka_unit_test(nameless),
		cmocka_unit_test(not_a_regular_file),
		cmocka_unit_test(no_execute_permission),
		cmocka_unit_test(not_a_program),
		cmocka_unit_test(privileged),
		cmocka_unit_test(privileged_script),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(interpreter),
		cmocka_unit_test(working_directory_vanished),
		cmocka_unit_test(given_working_directory),
		cmocka_unit_test(symbolic_links),
		cmocka_unit_test(search),
		cmocka_unit_test(statuses_are_the_shell_s),
		cmocka_unit_test(noexec_mount),
		cmocka_unit_test(another_user_s_files),
		cmocka_unit_test(out_of_descriptors),
		cmocka_unit_test(nothing_stays_open),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
