# SPDX-License-Identifier: MIT
#
# make            the library, the command and the workloads; V=1 shows the commands
# make demo       runs saxpy under ktime, on the GPU or else on the simulated device
# make check      every test that needs no GPU
# make check-asan the same with address and undefined behaviour checked; check-tsan: data races
# make gpu-check  the tests that need one
# make job-check  jobs by real launchers: Open MPI, MPICH, Slurm; metrics by a real Prometheus
# make headers-check  parses the library's sources with the headers of CUDA 12.0 to 13.4
# make tools-check  what tools from PyPI read in ktime's exports, held to the table
# make fuzz       changed inputs for each reader, for FUZZ_SECONDS each
# make mutants    how many small changes of the sources the tests notice
# make bench      what ktime costs, beside its peers (needs a GPU)
# make cost       instructions of the launch path, counted on the simulated device
# make install    to PREFIX (/usr/local), below DESTDIR; make uninstall removes it
# make deb        Debian packages; make tarball: an archive of the portable build
# make portable   a command and a library for other machines, into build/portable
# make wheel      a Python package of the portable build (needs PyPI); make wheel-check: held to its name
# make wheel-aarch64   the same for aarch64, cross-compiled; make aarch64-check runs it under qemu
# make root-check      installs the wheel into empty Debian systems and profiles there (root, debootstrap)

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

BUILD  ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

# The toolkit: CUDA_HOME, else the nvcc on PATH, else the default prefix.
NVCC_ON_PATH := $(shell command -v nvcc 2>/dev/null)
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(or $(realpath $(NVCC_ON_PATH)),/usr/local/cuda/bin/nvcc))
NVCC ?= $(CUDA_HOME)/bin/nvcc
CUDA_INCLUDE := $(firstword $(dir $(wildcard $(CUDA_HOME)/include/cuda.h \
	$(CUDA_HOME)/targets/*/include/cuda.h)))
CUDA_LIBRARY := $(firstword $(dir $(wildcard $(CUDA_HOME)/lib64/libcudart.so \
	$(CUDA_HOME)/targets/*/lib/libcudart.so $(CUDA_HOME)/lib/libcudart.so)))
CUPTI_INCLUDE := $(firstword $(dir $(wildcard $(CUDA_INCLUDE)cupti.h \
	$(CUDA_HOME)/extras/CUPTI/include/cupti.h)))

CC  ?= cc
CXX ?= c++
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

# A recipe's command says in a line what it makes, or is shown itself by V=1: $(call say,TOOL[,FILE]), and
# $(Q) for those that say nothing.
Q := $(if $(filter-out 0,$(V)),,@)
say = $(if $(Q),@echo '$(1) $(or $(2),$@)' && ,)
CFLAGS ?= -O2 -g
# Warnings are errors in make check (WERROR=1), and from then on in the folder that it has built.
WERROR ?= $(findstring -Werror,$(file <$(BUILD)/flags))
WARNINGS := -Wall -Wextra $(if $(filter-out 0,$(WERROR)),-Werror)
C_WARNINGS := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes -Wdeclaration-after-statement
# uthash would end the program if memory is out: an entry is not added then, and its hh.tbl is NULL.
KTIME_CPPFLAGS := -I. -I$(BUILD)/include -isystem $(CUDA_INCLUDE) -isystem $(CUPTI_INCLUDE) \
	-D_GNU_SOURCE -DKTIME_VERSION='"$(VERSION)"' -DHASH_NONFATAL_OOM=1
# Each function in a section of its own: what is linked with --gc-sections has what it calls, no more.
KTIME_CFLAGS := -std=gnu11 $(C_WARNINGS) -fvisibility=hidden -fno-strict-aliasing -fno-math-errno \
	-ffunction-sections -fdata-sections -MMD -MP

# A sanitizer's own functions come with the program, so a library may leave them undefined.
comma := ,
SANITIZERS := $(subst $(comma), ,$(patsubst -fsanitize=%,%,$(filter -fsanitize=%,$(CFLAGS))))
NVCC_SANITIZERS := $(patsubst %,-Xcompiler -fsanitize=%,$(SANITIZERS))
NO_UNDEFINED := $(if $(SANITIZERS),,-Wl$(comma)-z$(comma)defs)

.PHONY: all
all: library command workloads

include report/report.mk
include preload/preload.mk
include report/portable.mk
include packaging/packaging.mk
include workloads/workloads.mk
include tests/sim/sim.mk
include tests/unit/unit.mk
include tests/preload/preload_tests.mk
include tests/gpu/gpu.mk
include tests/browser/browser.mk
include tests/jobs/jobs.mk
include tests/packaging/packaging_tests.mk
include tests/bench/bench.mk
include tests/fuzz/fuzz.mk
include tests/mutants/mutants.mk
include tests/sanitizers/sanitizers.mk
include tests/tests.mk

LINK = $(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS)
LINK_CXX = $(call say,LD)$(CXX) $(CFLAGS) $(LDFLAGS)

# Changes when the compiler or its flags do, so that no two objects are built in different ways.
quote = '$(subst ','\'',$(1))'
FLAGS := $(CC) $(KTIME_CPPFLAGS) $(CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) $(LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quote,$(FLAGS)) | cmp -s - $@ || echo $(call quote,$(FLAGS)) >$@
.PHONY: FORCE
FORCE:

# Position-independent objects serve the library and the programs alike.
$(BUILD)/obj/%.o: %.c $(BUILD)/flags | toolkit packages
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(KTIME_CPPFLAGS) $(CPPFLAGS) $(KTIME_CFLAGS) $(CFLAGS) $(OBJECT_CFLAGS) -fPIC -c $< -o $@

$(BUILD)/obj/%.o: %.S $(BUILD)/flags | toolkit packages
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(KTIME_CPPFLAGS) $(CPPFLAGS) -fPIC -c $< -o $@

# The oldest toolkit whose headers ktime compiles with, as CUDA_VERSION in cuda.h has it.
OLDEST_CUDA := 12000
.PHONY: toolkit
toolkit:
	@test -n "$(CUDA_INCLUDE)" || { echo "ktime: no CUDA Toolkit found (looked for nvcc on PATH and\
	 in /usr/local/cuda): install one of 12.0 or later, or set CUDA_HOME" >&2; exit 1; }
	@test -n "$(CUPTI_INCLUDE)" || { echo "ktime: the CUDA Toolkit in $(CUDA_HOME) has no CUPTI\
	 headers (cupti.h): install its CUPTI package" >&2; exit 1; }
	@awk '$$1 == "#define" && $$2 == "CUDA_VERSION" && $$3 < $(OLDEST_CUDA) { printf "ktime: the CUDA Toolkit\
	 in $(CUDA_HOME) is %d.%d: install one of 12.0 or later, or set CUDA_HOME\n", $$3 / 1000, $$3 % 1000 / 10;\
	 exit 1 }' $(CUDA_INCLUDE)cuda.h >&2

# Names the packages that the distribution has to give. Only make demo and make check install them.
.PHONY: packages
packages:
	@CC='$(CC)' CXX='$(CXX)' tests/packages.sh $(if $(filter check demo,$(MAKECMDGOALS)),install,name) build

.PHONY: install uninstall
install: library command
	@packaging/install.sh install $(call quote,$(BUILD)) $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))
uninstall:
	@packaging/install.sh uninstall $(call quote,$(BUILD)) $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))

.PHONY: clean
clean:
	$(Q)rm -rf $(BUILD)

-include $(shell find $(BUILD) -path $(BUILD)/roots -prune -o -name '*.d' -type f -print 2>/dev/null)
