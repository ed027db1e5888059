CROSS = arm-none-eabi-
BOARD_CFLAGS = -mcpu=cortex-m33 -mthumb -mfloat-abi=soft
BOARD_LIBC = --specs=nano.specs
PORT = pl081
QEMU = qemu-system-arm -M mps2-an505
