#ifndef ONNX_WIRE_H
#define ONNX_WIRE_H

#include <protobuf-c/protobuf-c.h>

/* Checks the encoding of a message before it is decoded, as the decoder calls itself for every
 * message in a message: that nothing is cut, that messages are nested no more than some deep,
 * and that there are not more of them than memory can take.  Returns NULL, or what is wrong, with
 * *AT the byte. */
const char *wire_check(const ProtobufCMessageDescriptor *message, const uint8_t *data, size_t length,
	size_t *at);

#endif
