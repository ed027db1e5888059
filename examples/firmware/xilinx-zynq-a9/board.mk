CROSS = arm-none-eabi-
BOARD_CFLAGS = -mcpu=cortex-a9 -marm -mfloat-abi=soft -mno-unaligned-access
BOARD_LIBC = --specs=nano.specs
PORT = pl330
QEMU = qemu-system-arm -M xilinx-zynq-a9 -m 256
