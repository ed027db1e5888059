/* Classifies the test images; the scores must be those that are checked in. */

#include "board.h"
#include "loopc_rt.h"
#include "network.h"
#include "traffic.h"

#include "network_data.h"

enum { IMAGES = 10, CLASSES = 10, IMAGE_BYTES = CLASSIFY_image_BYTES };

/* The class, then the scores of all classes. */
static const int32_t expected[IMAGES][1 + CLASSES] = {
#include "network_expected.h"
};

static int32_t scores[CLASSES] EXTERNAL;
static unsigned char workspace[CLASSIFY_WORKSPACE_BYTES + 1] EXTERNAL __attribute__((aligned(64)));

static void classify_image(int8_t *image)
{
#ifdef PROTECT
	board_protect(1);
#endif
	classify((lrt_ext)image, (lrt_ext)filters1, (lrt_ext)bias1, (lrt_ext)filters2,
		(lrt_ext)bias2, (lrt_ext)weights3, (lrt_ext)bias3, (lrt_ext)weights4,
		(lrt_ext)bias4, (lrt_ext)scores
#if CLASSIFY_WORKSPACE_BYTES > 0
		, (lrt_ext)workspace
#endif
		);
#ifdef PROTECT
	board_protect(0);
#endif
}

static int check_image(unsigned image)
{
	int best = 0, n, is_right = 1;
	for (n = 0; n < CLASSES; n++) {
		if (scores[n] > scores[best])
			best = n;
		if (scores[n] != expected[image][1 + n])
			is_right = 0;
	}
	if (best != expected[image][0])
		is_right = 0;
	print_text("image ");
	print_number(image, 1);
	print_text(": class ");
	print_number((uint64_t)best, 1);
	print_text(is_right ? "\n" : ", scores WRONG\n");
	return is_right;
}

int main(void)
{
	const struct prediction predicted = { CLASSIFY_READ_BYTES, CLASSIFY_WRITE_BYTES,
		CLASSIFY_COMMANDS };
	unsigned image;
	int is_right = 1;
	for (image = 0; image < IMAGES; image++) {
		traffic_begin();
		traffic_array("image", images + image * IMAGE_BYTES, IMAGE_BYTES, 0);
		traffic_array("filters1", filters1, sizeof filters1, 0);
		traffic_array("bias1", bias1, sizeof bias1, 0);
		traffic_array("filters2", filters2, sizeof filters2, 0);
		traffic_array("bias2", bias2, sizeof bias2, 0);
		traffic_array("weights3", weights3, sizeof weights3, 0);
		traffic_array("bias3", bias3, sizeof bias3, 0);
		traffic_array("weights4", weights4, sizeof weights4, 0);
		traffic_array("bias4", bias4, sizeof bias4, 0);
		traffic_array("scores", scores, sizeof scores, 1);
		traffic_array("workspace", workspace, sizeof workspace, 1);
		classify_image(images + image * IMAGE_BYTES);
		is_right &= traffic_end(predicted);
		is_right &= check_image(image);
	}
	traffic_print("classify", predicted);
	print_text(is_right ? "  all as predicted\n" : "  WRONG\n");
	return !is_right;
}
