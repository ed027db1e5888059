# AC_PROG_LOOPC([MINIMUM-VERSION], [ACTION-IF-FOUND], [ACTION-IF-NOT-FOUND])
# -------------------------------------------------------------------------
# Finds loopc (or takes the user's LOOPC) and checks its version.  Substitutes
#
#   LOOPC              the program
#   LOOPCFLAGS         the user's options, for example --arch=board.yaml
#   LOOPC_ONNX         the importer of ONNX networks, if it is installed
#   LOOPC_RUNTIME_DIR  the runtime's sources: headers for -I, ports to build
#   LOOPC_RULES        make rules: a line @LOOPC_RULES@ in Makefile.am lets
#                      nodist_prog_SOURCES = gemm.c be made of gemm.loop, with gemm.h
#                      beside it and dependences tracked (GNU make).  So can
#                      net/kernel.c, with kernel.h, and net/weights.c be made of net.onnx,
#                      beside what else loopc-onnx writes
#   LOOPC_ONNXFLAGS    the user's options for that, for example --name=net
#
# Kernels that other sources include the header of go to BUILT_SOURCES too.
AC_DEFUN([AC_PROG_LOOPC], [
AC_ARG_VAR([LOOPC], [the loopc compiler])
AC_ARG_VAR([LOOPCFLAGS], [options for loopc])
AC_PATH_PROG([LOOPC], [loopc])
AC_ARG_VAR([LOOPC_ONNX], [the importer of ONNX networks])
AC_ARG_VAR([LOOPC_ONNXFLAGS], [options for loopc-onnx])
AC_PATH_PROG([LOOPC_ONNX], [loopc-onnx])
loopc_found=no
AS_IF([test -n "$LOOPC"], [
	AC_MSG_CHECKING([the version of loopc])
	loopc_version=`"$LOOPC" --version 2>/dev/null | sed -n 's/^loopc //p'`
	AC_MSG_RESULT([${loopc_version:-none}])
	AS_IF([test -n "$loopc_version"],
		[AS_VERSION_COMPARE([$loopc_version], [m4_default([$1], [0])],
			[], [loopc_found=yes], [loopc_found=yes])])
	LOOPC_RUNTIME_DIR=`"$LOOPC" --print-runtime-dir 2>/dev/null`
])
AC_SUBST([LOOPC_RUNTIME_DIR])
LOOPC_RULES='
.SUFFIXES: .loop
.loop.c:
	$(LOOPC) $(LOOPCFLAGS) --emit=c=$[]@,h=$[]*.h -MD -MF $[]*.loop.d -MT $[]@ -MP $<
%/network.loop: %.onnx
	$(LOOPC_ONNX) $(LOOPC_ONNXFLAGS) --weights=c -MD -MF $[]*.onnx.d -MT $[]@ -o $[]* $<
%/kernel.c: %/network.loop
	$(LOOPC) $(LOOPCFLAGS) --emit=c=$[]@,h=$[]*/kernel.h -MD -MF $[]*/kernel.loop.d -MT $[]@ -MP $<
%/weights.c: %/network.loop ;
-include $(wildcard *.loop.d */*.loop.d *.onnx.d)
'
AC_SUBST([LOOPC_RULES])
m4_ifdef([AM_SUBST_NOTMAKE], [AM_SUBST_NOTMAKE([LOOPC_RULES])])
AS_IF([test $loopc_found = yes], [m4_default([$2], [:])],
	[m4_default([$3], [AC_MSG_ERROR([loopc]m4_ifval([$1], [ $1 or newer])[ is needed])])])
])
