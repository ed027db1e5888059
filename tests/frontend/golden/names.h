#ifndef NAMES_H
#define NAMES_H
#define SQUARE(x) ((x) * (x))
typedef unsigned short pixel;
enum { ONE = 1, TWO, N = SQUARE(TWO) + ONE - 1 };
unsigned char scale(unsigned int value, int shift);
extern float combine(float, float);
#endif
