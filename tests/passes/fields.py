#!/usr/bin/env python3
"""What the search remembers a question by has all that the question has.

    fields.py SOURCE_DIRECTORY

Prints each field of a model, of a machine and of the search's options that passes/search/search_memo.c
neither copies nor is known to do without: two questions that differ in it would have one answer.  Exit
status 1 if there is one.
"""

import os
import re
import sys

# Structures of a question: their headers, where the memory has them, and their fields that no answer depends on.
STRUCTURES = {
    "model_loop": ("passes/cost/model.h", r"question->model\.loops\[\w+\]\.", {"name"}),
    "model_dim": ("passes/cost/model.h", r"to->dims\[\w+\]\.", set()),
    "model_array": ("passes/cost/model.h", "to->", {"name"}),
    "nest_model": ("passes/cost/model.h", r"question->model\.", set()),
    "search_options": ("passes/search/search.h", r"question->options\.", {"threads", "show_progress", "interrupted", "elements"}),
    "prices": ("ir/prices.h", r"question->options\.prices\.", {"picojoule", "scratchpad"}),
    "element_options": ("passes/search/search.h", r"question->elements\.", set()),
    "mapping_rules": ("passes/search/mapping_search.h", r"question->elements\.rules\.", set()),
    "hold_rule": ("passes/search/mapping_search.h", r"question->elements\.rules\.holds\[\w+\]\.", set()),
    "pe_array": ("ir/pe_array.h", r"question->array\.", {
        "computes", "bypass", "register_accesses"}),
    "arch_memory": ("ir/arch.h", r"question->arch\.memories\[\w+\]\.", {"name", "roles", "accumulates"}),
    "arch": ("ir/arch.h", r"question->arch\.", {
        "name", "accumulates", "max_bytes", "max_count", "max_stride_bytes", "dma_align_bytes", "has_pe_array", "array", "energy_mac_pj",
        "energy_register_pj", "energy_scratchpad_pj", "energy_leakage_pj", "bypass_memory", "energy_register_by_bytes", "energy_scratchpad_by_bytes", "energy_dram_pj", "energy_network_pj", "energy_reduce_pj", "energy_dram_bit_pj", "energy_word_bits",
        "energy_scratchpad_sqrt_pj", "energy_bank_bits", "energy_bank_select", "energy_register_file_bytes",
        "energy_is_sized_by_schedule", "core_mac_cycles", "burst_bytes", "burst_cycles", "write_burst_cycles"}),
}


def fields_of(text, structure):
    body = re.search(r"(?ms)^struct %s \{(.*?)^\};" % structure, text).group(1)
    body = re.sub(r"(?s)/\*.*?\*/", "", body)
    names = []
    for declaration in body.split(";"):
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", part.strip())
            if name:
                names.append(name.group(1))
    return names


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


def main():
    top, forgotten = sys.argv[1], []
    memo = read(top, "passes/search/search_memo.c")
    for structure, (header, place, unused) in STRUCTURES.items():
        fields = fields_of(read(top, header), structure)
        copied = {field for field in fields if re.search(place + field + r"(\[\w+\])?( = |\.|,)", memo)}
        forgotten += ["%s.%s (%s)" % (structure, field, header) for field in fields
                      if field not in copied and field not in unused]
        forgotten += ["%s.%s is none" % (structure, field) for field in sorted(unused - set(fields))]
    for field in forgotten:
        print(field)
    return bool(forgotten)


if __name__ == "__main__":
    sys.exit(main())
