libloopc_a_SOURCES += \
	ir/arch.h ir/pe_array.h ir/prices.h \
	ir/order.c ir/order.h \
	ir/arch.c ir/energy.c ir/energy.h \
	ir/isl_work.c ir/isl_work.h \
	ir/flow.h ir/plan.c ir/plan.h ir/plan_expr.c \
	ir/plan_copy.c ir/plan_copy.h \
	ir/plan_align.c ir/plan_align.h ir/plan_box.c ir/plan_box.h \
	ir/plan_count.c ir/plan_count.h ir/machine_clock.c ir/machine_clock.h ir/plan_time.c ir/plan_time.h ir/plan_formula.c ir/plan_formula.h \
	ir/array_time.c ir/array_time.h \
	ir/plan_drop.c ir/plan_names.c ir/plan_names.h \
	ir/plan_parse.c ir/plan_parse_expr.c ir/plan_parser.h ir/words.c ir/words.h \
	ir/plan_print.c \
	ir/plan_verifier.h ir/plan_verify.c ir/plan_verify_walk.c ir/plan_steps.c ir/plan_steps.h \
	ir/macs.c ir/macs.h ir/set_count.c ir/set_count.h \
	ir/number.c ir/program.c ir/ast_build.c ir/ast_build.h ir/ast_memo.c ir/ast_memo.h ir/coalesce.h ir/program.h ir/program_build.h \
	ir/program_read.c ir/program_read_expr.c ir/program_read_words.c \
	ir/program_reader.h ir/program_text.c ir/program_verify.c ir/reduction.c
