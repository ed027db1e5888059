#include "onnx/wire.h"

#include <stdbool.h>

enum { DEPTH_LIMIT = 40, MESSAGE_LIMIT = 2000000 };

struct reader {
	const uint8_t *data;
	size_t at, end;
};

static bool read_varint(struct reader *reader, uint64_t *value)
{
	*value = 0;
	for (int shift = 0; shift < 70; shift += 7) {
		if (reader->at == reader->end)
			return false;
		const uint8_t byte = reader->data[reader->at++];
		if (shift < 64)
			*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static bool skip(struct reader *reader, uint64_t bytes)
{
	if (bytes > reader->end - reader->at)
		return false;
	reader->at += (size_t)bytes;
	return true;
}

const char *wire_check(const ProtobufCMessageDescriptor *message, const uint8_t *data, size_t length,
	size_t *at)
{
	const ProtobufCMessageDescriptor *messages[DEPTH_LIMIT] = { message };
	size_t ends[DEPTH_LIMIT] = { length };
	struct reader reader = { data, 0, length };
	int depth = 0;
	size_t count = 0;

	for (;;) {
		uint64_t key, bytes;
		bool is_whole = true;

		while (depth > 0 && reader.at == ends[depth])
			reader.end = ends[--depth];
		if (reader.at == reader.end)
			return NULL;
		*at = reader.at;
		if (!read_varint(&reader, &key))
			return "cut or damaged";
		const ProtobufCFieldDescriptor *field = key >> 35 ? NULL :
			protobuf_c_message_descriptor_get_field(messages[depth], (unsigned)(key >> 3));
		switch (key & 7) {
		case 0: is_whole = read_varint(&reader, &bytes); break;
		case 1: is_whole = skip(&reader, 8); break;
		case 5: is_whole = skip(&reader, 4); break;
		case 2:
			if (!read_varint(&reader, &bytes) || bytes > reader.end - reader.at)
				return "cut or damaged";
			if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE) {
				is_whole = skip(&reader, bytes);
				break;
			}
			if (++count > MESSAGE_LIMIT)
				return "too many parts";
			if (++depth == DEPTH_LIMIT)
				return "nested too deep";
			messages[depth] = field->descriptor;
			ends[depth] = reader.end = reader.at + (size_t)bytes;
			break;
		default: return "damaged";
		}
		if (!is_whole)
			return "cut or damaged";
	}
}
