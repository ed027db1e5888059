/* Warns of locals that are read before they are written: nothing is on chip then, nor
 * anywhere else. */

#include <isl/point.h>

#include "frontend/sema.h"
#include "ir/isl_work.h"
#include "ir/order.h"

/* Pairs of a read and a write of one local that are looked at, and isl's work for all
 * locals of a file: beyond, nothing is said. */
enum { PAIR_LIMIT = 400, ISL_OPERATIONS = 1000000 };

/* Instances of READER that read what no instance before has written, in the same life
 * of the array. */
static isl_set *reads_of_nothing(struct sema *sema, const struct function *function,
	const struct statement *reader, const struct access *read)
{
	struct statement_access *writes = ARENA_ARRAY(sema->arena, struct statement_access,
		function->statement_count);
	int count = 0;
	for (int i = 0; i < function->statement_count; i++) {
		const struct statement *writer = function->statements[i];
		if (writer->accesses[0].array == read->array)
			writes[count++] = (struct statement_access){ writer, &writer->accesses[0] };
	}
	const struct loop *scope = read->array->scope;
	return reads_without_write(isl_set_copy(reader->domain),
		(struct statement_access){ reader, read }, writes, count, scope ? scope->depth + 1 : 0);
}

static void report(struct sema *sema, const struct statement *statement,
	const struct access *access, __isl_take isl_set *instances)
{
	const char *text = "";
	isl_point *point = isl_set_sample_point(isl_set_lexmin(instances));
	for (int i = 0; point && i < statement->depth; i++) {
		isl_val *val = isl_point_get_coordinate_val(point, isl_dim_set, i);
		text = arena_printf(sema->arena, "%s%s%s = %ld", text, i == 0 ? " when " :
			i + 1 < statement->depth ? ", " : " and ", statement->loops[i]->name,
			isl_val_get_num_si(val));
		isl_val_free(val);
	}
	if (point)
		diag_warning(sema->diag, access->location, "uninitialized",
			"'%s' is read before anything is written to it%s; give it a first value",
			access->array->source_name, text);
	isl_point_free(point);
}

static long pairs_of(const struct function *function, const struct array *array)
{
	long reads = 0, writes = 0;
	for (int i = 0; i < function->statement_count; i++) {
		const struct statement *statement = function->statements[i];
		writes += statement->accesses[0].array == array;
		for (int j = 1; j < statement->access_count; j++)
			reads += statement->accesses[j].array == array;
	}
	return reads * writes;
}

/* Looks at the reads of ARRAY up to the first that is wrong. */
static void check_local(struct sema *sema, const struct function *function,
	struct array *array)
{
	if (array->is_parameter || pairs_of(function, array) > PAIR_LIMIT)
		return;
	for (int i = 0; i < function->statement_count; i++) {
		const struct statement *statement = function->statements[i];
		for (int j = 1; j < statement->access_count; j++) {
			const struct access *access = &statement->accesses[j];
			if (access->array != array)
				continue;
			isl_set *left = reads_of_nothing(sema, function, statement, access);
			if (isl_set_is_empty(left) == isl_bool_false) {
				array->is_read_unset = true;
				report(sema, statement, access, left);
				return;
			}
			isl_set_free(left);
		}
	}
}

void warn_uninitialized(struct sema *sema)
{
	struct isl_work work = isl_work_begin(sema->ctx, ISL_OPERATIONS);
	for (int i = 0; i < sema->program->function_count; i++) {
		const struct function *function = sema->program->functions[i];
		for (int j = 0; j < function->array_count; j++)
			check_local(sema, function, function->arrays[j]);
	}
	isl_work_end(&work);
	isl_ctx_reset_error(sema->ctx);   /* a warning that cannot be found is no error */
}
