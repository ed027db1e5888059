# The driver, and the machines that are built in.
libloopc_a_SOURCES += frontend/arch.c frontend/arch.h
nodist_libloopc_a_SOURCES = archs/builtin.c driver/verify_support_text.c \
	driver/verify_shadow_text.c

arch_files = \
	archs/chen-1.yaml archs/chen-2.yaml archs/chen-3.yaml archs/chen-4.yaml archs/chen-5.yaml \
	archs/cluster-64k.yaml archs/cluster-8.yaml \
	archs/default.yaml \
	archs/dmazerunner-256.yaml \
	archs/eff-173k.yaml \
	archs/eyeriss-108k.yaml \
	archs/eyeriss-array.yaml \
	archs/flexflow.yaml \
	archs/large-1m.yaml \
	archs/mpna.yaml \
	examples/firmware/mps2-an505/mps2-an505.yaml \
	examples/firmware/sifive_u/sifive_u.yaml \
	archs/tiny-2k.yaml \
	archs/tiny-8k.yaml \
	archs/unified-108k.yaml \
	examples/firmware/xilinx-zynq-a9/xilinx-zynq-a9.yaml

EXTRA_DIST += archs/embed.awk $(arch_files)
CLEANFILES += archs/builtin.c

archs/builtin.c: archs/embed.awk $(arch_files)
	$(AM_V_GEN)$(MKDIR_P) archs && cd $(srcdir) && \
		LC_ALL=C $(AWK) -f archs/embed.awk $(arch_files) >$(abs_builddir)/$@.new && \
		mv -f $(abs_builddir)/$@.new $(abs_builddir)/$@

libloopc_a_SOURCES += \
	codegen/explain.c \
	codegen/report.c codegen/report.h \
	passes/pipeline.c passes/pipeline.h \
	driver/chart.c driver/chart.h \
	driver/depfile.c driver/depfile.h \
	driver/files.c driver/files.h \
	driver/files.c \
	driver/files.h \
	driver/emit.c driver/emit.h \
	driver/harness.c driver/harness.h \
	driver/objective.c driver/objective_bound.c driver/objective.h driver/trades.c driver/trades.h driver/ways.c driver/ways.h \
	driver/options.c driver/options.h \
	driver/output.c driver/output.h \
	driver/pareto.c driver/pareto.h \
	driver/runtime_dir.c driver/runtime_dir.h \
	driver/limit.c driver/limit.h \
	driver/session.c driver/session.h \
	driver/shadow.c driver/shadow.h driver/shadow_value.c driver/shadow_watch.c \
	driver/shadow_writer.h \
	driver/strategies.c driver/strategies.h \
	driver/space.c driver/space.h \
	driver/sweep.c driver/sweep.h \
	driver/trace.c driver/trace.h \
	driver/verify.c driver/verify_data.c driver/verify_sizes.c \
	driver/verify.h driver/verify_data.h driver/verify_sizes.h

# Tells a loopc that runs from the build directory where its runtime is.
EXTRA_loopc_DEPENDENCIES = .loopc-runtime-dir
CLEANFILES += .loopc-runtime-dir
.loopc-runtime-dir: Makefile
	$(AM_V_GEN)echo '$(abs_top_srcdir)/runtime' >$@

# The common parts of verification programs are constants of loopc.
EXTRA_DIST += driver/embed.awk driver/verify_support.h driver/verify_shadow.h
CLEANFILES += driver/verify_support_text.c driver/verify_shadow_text.c
driver/verify_support_text.c: driver/embed.awk driver/verify_support.h
	$(AM_V_GEN)$(MKDIR_P) driver && \
		LC_ALL=C $(AWK) -v name=harness_support_text -f $(srcdir)/driver/embed.awk \
			$(srcdir)/driver/verify_support.h >$@.new && mv -f $@.new $@
driver/verify_shadow_text.c: driver/embed.awk driver/verify_shadow.h
	$(AM_V_GEN)$(MKDIR_P) driver && \
		LC_ALL=C $(AWK) -v name=harness_shadow_text -f $(srcdir)/driver/embed.awk \
			$(srcdir)/driver/verify_shadow.h >$@.new && mv -f $@.new $@
