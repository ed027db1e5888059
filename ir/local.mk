libloopc_a_SOURCES += ir/arch.h ir/plan.h ir/plan_count.h ir/program.h
