libloopc_a_SOURCES += passes/model.h
