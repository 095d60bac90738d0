/* SPDX-License-Identifier: MIT */
/*
 * Notes which basic blocks of the library or program that it is linked with have run, in a file of
 * the folder COVERAGE. The file is mapped, so that a process that is killed leaves it complete.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A byte for each address from where the library or program begins. */
static uint8_t ran[4 << 20] __attribute__((aligned(1 << 16)));

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* The compiler has each block begin with a call of it. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	size_t offset = (size_t)((const char *)__builtin_return_address(0) - __ehdr_start);
	if (offset < sizeof(ran))
		ran[offset] = 1;
}

__attribute__((constructor)) static void map_file(void)
{
	const char *folder = getenv("COVERAGE");
	const char *slash;
	char path[4096];
	uint8_t *mapped;
	Dl_info info;
	int file;

	if (!folder || !dladdr(ran, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	snprintf(path, sizeof(path), "%s/%s", folder, slash ? slash + 1 : info.dli_fname);
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file == -1)
		return;
	if (lseek(file, 0, SEEK_END) < (off_t)sizeof(ran) && ftruncate(file, sizeof(ran)) == -1)
		goto out;
	/* What has run before this goes into the file first. */
	mapped = mmap(NULL, sizeof(ran), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (mapped == MAP_FAILED)
		goto out;
	for (size_t i = 0; i < sizeof(ran); i++)
		if (ran[i])
			mapped[i] = 1;
	munmap(mapped, sizeof(ran));
	mmap(ran, sizeof(ran), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
out:
	close(file);
}
