include_HEADERS += runtime/loopc_rt.h runtime/loopc_checked.h
