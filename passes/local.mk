# The passes, room by room; each room uses those above it.
libloopc_a_SOURCES += \
	passes/limits.h passes/nest_work.c passes/nest_work.h passes/pass.h passes/progress.c \
	passes/quiet.c passes/quiet.h passes/lower_function.c passes/lower_function.h passes/lower_written.c passes/lower_written.h
libloopc_a_SOURCES += \
	passes/analysis/band.c passes/analysis/band.h passes/analysis/band_chain.c passes/analysis/band_chain.h passes/analysis/band_dim.c passes/analysis/band_dim.h \
	passes/analysis/band_isl.c passes/analysis/band_isl.h passes/analysis/band_use.c \
	passes/analysis/band_use.h passes/analysis/compulsory.c passes/analysis/dependence.c \
	passes/analysis/distribute.c passes/analysis/distribute.h passes/analysis/expand.c passes/analysis/expand.h passes/analysis/in_place.c \
	passes/analysis/in_place.h passes/analysis/lattice.c passes/analysis/lattice.h \
	passes/analysis/legality.c passes/analysis/legality.h passes/analysis/nest.h \
	passes/analysis/nest_memo.c passes/analysis/nest_memo.h passes/analysis/nests.c passes/analysis/plan_value.c passes/analysis/plan_value.h \
	passes/analysis/reference_groups.c passes/analysis/reference_groups.h \
	passes/analysis/roles.c passes/analysis/roles.h \
	passes/analysis/values.c passes/analysis/values.h passes/analysis/variant.c \
	passes/analysis/variant.h
libloopc_a_SOURCES += \
	passes/cost/aligned.c passes/cost/array_cycles.c passes/cost/array_cycles.h passes/cost/array_model.c passes/cost/array_model.h passes/cost/array_parts.h passes/cost/array_visits.c passes/cost/array_visits.h \
	passes/cost/bound.c passes/cost/bound_nest.c \
	passes/cost/bound_nest.h passes/cost/bound_partition.c passes/cost/bound_partition.h \
	passes/cost/bound_spread.c passes/cost/bound_spread.h passes/cost/bound_values.c \
	passes/cost/bound_values.h \
	passes/cost/clip.c passes/cost/closed_form.c passes/cost/closed_form.h \
	passes/cost/created.c passes/cost/created.h passes/cost/cut.c passes/cost/cut.h passes/cost/function_bound.c passes/cost/function_bound.h \
	passes/cost/hull.c passes/cost/hull.h passes/cost/model.c passes/cost/model.h \
	passes/cost/ends.c passes/cost/ends.h passes/cost/model_math.h passes/cost/inside.c passes/cost/nest_model.c passes/cost/nest_model.h passes/cost/nest_model_parts.h \
	passes/cost/objective.c passes/cost/objective.h passes/cost/place.c passes/cost/place.h passes/cost/copy_visits.c passes/cost/copy_visits.h passes/cost/core_cycles.c passes/cost/core_cycles.h passes/cost/tile_clock.c passes/cost/tile_clock.h passes/cost/run_cycles.c passes/cost/run_cycles.h \
	passes/cost/plan_cost.c passes/cost/plan_cost.h passes/cost/reuse.c passes/cost/schedule_cost.c
libloopc_a_SOURCES += \
	passes/search/annealing.c passes/search/annealing.h passes/search/annealing_realise.c passes/search/annealing_state.h passes/search/mapping_cost.c passes/search/mapping_least.c passes/search/mapping_operands.c passes/search/mapping_registers.c passes/search/mapping_shares.c passes/search/mirror.c passes/search/mirror.h passes/search/shared_box.c passes/search/shared_box.h passes/search/mapping_search.c passes/search/mapping_search.h \
	passes/search/mapping_state.h passes/search/restriction.c passes/search/restriction.h \
	passes/search/search.c passes/search/search.h passes/search/search_array.c passes/search/search_computing.c \
	passes/search/search_memo.c passes/search/search_memo.h passes/search/search_rounds.c \
	passes/search/search_rounds.h passes/search/search_slots.c passes/search/search_space.c \
	passes/search/search_space.h passes/search/search_state.h passes/search/search_tree.c \
	passes/search/search_tree.h \
	passes/search/schedule_order.c passes/search/stored.c
libloopc_a_SOURCES += \
	passes/tiles/expressions.c passes/tiles/expressions.h passes/tiles/instances.c \
	passes/tiles/instances.h passes/tiles/loops.c passes/tiles/loops.h \
	passes/tiles/lowering.c passes/tiles/lowering.h passes/tiles/stage.h
libloopc_a_SOURCES += \
	passes/regions/ahead.c passes/regions/ahead.h passes/regions/box.c passes/regions/box.h passes/regions/closed.c passes/regions/closed.h \
	passes/regions/doubling.c \
	passes/regions/footprint.c passes/regions/footprint.h passes/regions/general.c \
	passes/regions/general.h passes/regions/holds.c passes/regions/holds.h \
	passes/regions/region.c passes/regions/region.h \
	passes/regions/region_memo.c passes/regions/region_memo.h passes/regions/on_chip.c \
	passes/regions/rows.c passes/regions/rows.h passes/regions/siblings.c \
	passes/regions/siblings.h passes/regions/slide.c passes/regions/slots.c passes/regions/still.c \
	passes/regions/streamed.c passes/regions/turn.c passes/regions/turn.h passes/regions/visit.h
libloopc_a_SOURCES += \
	passes/lower/element_moves.c passes/lower/element_words.c passes/lower/elements.c passes/lower/elements.h \
	passes/lower/elements_state.h passes/lower/lower.c passes/lower/lower.h \
	passes/lower/points.c passes/lower/points.h passes/lower/tile_loops.c passes/lower/tile_loops.h \
	passes/lower/transfers.c passes/lower/transfers.h
libloopc_a_SOURCES += \
	passes/sizes/formula.c passes/sizes/formula.h passes/sizes/polynomial.c \
	passes/sizes/polynomial.h passes/sizes/polynomial_text.c passes/sizes/symbolic.c \
	passes/sizes/symbolic.h
libloopc_a_SOURCES += \
	passes/variants/candidates.c passes/variants/mapping_text.c passes/variants/mapping_text.h \
	passes/variants/candidates.h passes/variants/choice_computing.c passes/variants/choice_computing.h passes/variants/choice_general.c \
	passes/variants/choice.c passes/variants/choice.h passes/variants/no_fit.c \
	passes/variants/form.c passes/variants/form.h passes/variants/forms_bound.c passes/variants/forms_bound.h passes/variants/group_constraints.h \
	passes/variants/improve.c passes/variants/improve.h passes/variants/lower_nest.c \
	passes/variants/lower_nest.h passes/variants/obeyed.c passes/variants/obeyed.h \
	passes/variants/parts.c passes/variants/parts.h passes/variants/remarks.c \
	passes/variants/remarks.h passes/variants/rewritten.c passes/variants/rewritten.h passes/variants/rivals.c passes/variants/rivals.h \
	passes/variants/schedule_check.c passes/variants/schedule_check.h passes/variants/schedule_distribute.c passes/variants/schedule_distribute.h \
	passes/variants/schedule_lines.c passes/variants/schedule_lines.h \
	passes/variants/schedule_print.c passes/variants/schedule_text.c passes/variants/schedule_text.h passes/variants/variants.c \
	passes/variants/variants.h
libloopc_a_SOURCES += \
	passes/fusion/carry.c passes/fusion/carry.h passes/fusion/carry_search.c \
	passes/fusion/fuse.c passes/fusion/fuse.h passes/fusion/fuse_constraints.c \
	passes/fusion/fuse_constraints.h passes/fusion/fusion_memo.c passes/fusion/fusion_memo.h \
	passes/fusion/group.h passes/fusion/group_align.c passes/fusion/group_band.c passes/fusion/group_block.c passes/fusion/group_border.c passes/fusion/group_border.h \
	passes/fusion/group_distance.c passes/fusion/group_distance.h passes/fusion/group_exact.c passes/fusion/groups.c \
	passes/fusion/group_chunks.c passes/fusion/group_entries.c passes/fusion/group_hold.c passes/fusion/group_model.c passes/fusion/group_model.h passes/fusion/group_profile.c \
	passes/fusion/group_search.c passes/fusion/group_turns.c passes/fusion/group_use.c passes/fusion/group_cycles.c passes/fusion/part_cost.c passes/fusion/part_cost.h passes/fusion/merge.c passes/fusion/merge.h \
	passes/fusion/partition.c passes/fusion/partition_bound.c passes/fusion/partition_lower.c \
	passes/fusion/partition_state.h passes/fusion/space_bound.c passes/fusion/space_bound.h
libloopc_a_SOURCES += \
	passes/plan_passes/name_values.c passes/plan_passes/name_values.h \
	passes/plan_passes/simplify.c passes/plan_passes/simplify.h \
	passes/plan_passes/split.c passes/plan_passes/split.h
libloopc_a_SOURCES += \
	passes/studies/front.c passes/studies/front.h passes/studies/pareto.c \
	passes/studies/pareto.h passes/studies/registers.c passes/studies/registers.h \
	passes/studies/strategy.c passes/studies/strategy.h
EXTRA_DIST += docs/search.md docs/ARCHITECTURE.md \
	passes/analysis/README passes/cost/README passes/search/README passes/tiles/README \
	passes/regions/README passes/lower/README passes/sizes/README passes/variants/README \
	passes/fusion/README passes/plan_passes/README passes/studies/README
