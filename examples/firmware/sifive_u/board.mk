CROSS = riscv64-unknown-elf-
BOARD_CFLAGS = -march=rv64gc -mabi=lp64d -mcmodel=medany
BOARD_LIBC = --specs=picolibc.specs
PORT = sifive_pdma
QEMU = qemu-system-riscv64 -M sifive_u -bios none
