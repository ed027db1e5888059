#ifndef IR_FLOW_H
#define IR_FLOW_H

/* What one array moves across the boundary between two memories. */
struct flow {
	long read_bytes, write_bytes;    /* towards the core, and away from it */
	long commands;               /* transfers that are started */
	double runs;                 /* contiguous pieces of the outer memory that they consist of,
	                              * where clipped tiles are taken for whole ones */
};

static inline long flow_bytes(const struct flow *flow)
{
	return flow->read_bytes + flow->write_bytes;
}

#endif
